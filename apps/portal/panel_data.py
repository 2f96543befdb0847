"""The player's own play for the panel beside a table. Reads only; amounts are plain texts."""

from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, Max, Q, Sum
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.accounts.models import Player
from apps.core.money import plain
from apps.fairness.models import SeedPair
from apps.fairness.selectors import seeds_shown
from apps.portal.authentication import PagePlayer
from apps.portal.replay import proof_of, steps_of
from apps.portal.selectors import round_list
from apps.rounds.explanation import ExplainedHand, Explanation
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import rounds_explain
from apps.wallet.models import Kind, Wallet, WalletTransaction

ROUNDS_SHOWN: Final = 20


def panel_data(page_player: PagePlayer, *, game: str, after: int | None) -> dict[str, Any]:
    """Return the session's figures, the seeds in use and the last solo rounds of the game.

    The session began after the movement `after` of the player's wallet; None begins one now.
    """
    return {
        "session": _session(page_player, after),
        "seeds": None if page_player.is_visitor else seeds_data(page_player.player),
        "rounds": [] if page_player.is_visitor else _rounds(page_player, game),
    }


def seeds_data(player: Player) -> dict[str, Any] | None:
    """Return the seeds that deal the player's next round; None if there is no pair yet."""
    try:
        shown = seeds_shown(player_id=player.pk)
    except SeedPair.DoesNotExist:
        return None
    return {
        "commitment": shown.commitment,
        "nextCommitment": shown.next_commitment,
        "clientSeed": shown.client_seed,
        "nonce": shown.total_bets,
    }


def round_data(explanation: Explanation) -> dict[str, Any]:
    """Return one round for its replay and its check: steps, seeds and cards. `serverSeed` is empty until it is
    revealed.
    """
    played, proof = explanation.played, proof_of(explanation)
    return {
        "id": str(played.pk),
        "game": played.game,
        "isOpen": played.how_ended == RoundEnd.OPEN,
        "steps": steps_of(explanation),
        "proof": {
            "commitment": proof.commitment,
            "clientSeed": proof.client_seed,
            "nonce": proof.nonce,
            "decks": proof.decks,
            "serverSeed": proof.server_seed,
            "cards": list(explanation.dealt.cards),
            "places": list(explanation.dealt.places),
            "isAtTable": proof.is_at_table,
            "checkUrl": proof.verify_url,
        },
    }


def _session(page_player: PagePlayer, after: int | None) -> dict[str, Any]:
    """Return the sums of the ledger's movements for rounds, all games together, since the session began.

    A stake that was taken back or refunded does not count as staked, and a payout that a void takes away does not count
    as returned. The difference is always the change of the balance by play.
    """
    wallet = None
    if not page_player.is_visitor:
        wallet = (
            Wallet.objects.filter(player=page_player.player, currency_id=page_player.currency_code).only("id").first()
        )
    staked = net = Decimal(0)
    rounds = 0
    if wallet is not None and after is None:
        after = WalletTransaction.objects.filter(wallet=wallet).aggregate(last=Max("number"))["last"]
    elif wallet is not None:
        moved = WalletTransaction.objects.filter(wallet=wallet, number__gt=after, round_id__isnull=False).aggregate(
            net=Sum("change"),
            bets=Sum("change", filter=Q(kind__in=[Kind.BET, Kind.REFUND])),
            rounds=Count("round_id", distinct=True),
        )
        net, bets, rounds = moved["net"] or Decimal(0), moved["bets"] or Decimal(0), moved["rounds"]
        # The void of an earlier round moves amounts that were not staked in this session: no figure becomes negative.
        staked = max(-bets, -net, Decimal(0))
    return {
        "wallet": "" if wallet is None else str(wallet.pk),
        "after": after or 0,
        "rounds": rounds,
        "staked": plain(staked),
        "returned": plain(staked + net),
        "net": plain(net),
    }


def _rounds(page_player: PagePlayer, game: str) -> list[dict[str, Any]]:
    rounds = round_list(page_player.player).filter(
        game=game, currency_id=page_player.currency_code, table_round__isnull=True
    )
    return [_row(each) for each in rounds_explain(rounds[:ROUNDS_SHOWN], hands_only=True)]


def _row(explanation: Explanation) -> dict[str, Any]:
    played: Round = explanation.played
    pair = played.seed_pair
    return {
        "id": str(played.pk),
        "url": reverse("round", args=[played.pk]),
        "startedAt": played.started_at.isoformat(),
        "isOpen": played.how_ended == RoundEnd.OPEN,
        "isVoid": hasattr(played, "void"),
        "isRevealed": bool(pair and pair.server_seed),
        "stake": plain(played.stake),
        "payout": plain(played.payout),
        "net": plain(played.payout - played.stake),
        "hands": [_hand(hand) for hand in explanation.hands],
    }


def _hand(hand: ExplainedHand) -> dict[str, Any]:
    return {"label": _(hand.label), "cards": list(hand.cards), "total": hand.total}
