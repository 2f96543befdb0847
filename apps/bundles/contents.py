"""The contents of a round's bundle: no data of other players, and no seed before it is revealed."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from apps.cards.shoe import INFINITE_DECKS
from apps.core.database_snapshot import one_moment
from apps.core.errors import Conflict
from apps.core.money import plain
from apps.rounds.explanation import ExplainedAction, ExplainedBet, Explanation, SharedRound
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import game_of, game_title
from apps.rounds.selectors import round_explain
from apps.tables.engine.codec import terms_from_json
from apps.wallet.chain import Movement
from apps.wallet.inclusion_proof import SealedWallet, sealed_wallet, wallet_chain
from apps.wallet.models import Wallet, WalletTransaction
from apps.wallet.signing import public_keys

RULES_FILE: Final = "bundle_rules.py"
PAGE_RULES_FILE: Final = "bundle_rules.js"
"""A game's rules for the bundle, in its folder: for the program, and for the page."""
MAX_SENT_MOVEMENTS: Final = 20_000
"""The most movements of a bundle that is sent over HTTP. They take a server a second and 80 MB."""
_ENDED: Final = frozenset({RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED})


def bundle_contents(*, round_id: UUID, max_movements: int | None = None) -> dict[str, Any]:
    """Return the JSON files of the round's bundle by name, as one moment of the database has them.

    Raises Conflict for a round that was not played to its end, or with more movements up to its seal than
    `max_movements`.
    """
    with one_moment(read_only=True):
        played = Round.objects.select_related("seed_pair", "currency", "paytable", "void", "partner", "player").get(
            pk=round_id
        )
        if played.how_ended not in _ENDED:
            raise Conflict("the round is open, or ended before it was played: there is nothing to prove yet")
        explanation = round_explain(played)
        movements, seal = _money(played, max_movements)
        return {
            "round.json": _round(played, explanation),
            "cards.json": _cards(played, explanation),
            "movements.json": movements,
            "seal.json": seal,
        }


def rules_of(game_id: str, file: str = RULES_FILE) -> bytes | None:
    """Return the game's rules for the bundle, the text of a program; None if the game has none."""
    module = import_module(game_of(game_id).explanation.__module__)
    path = Path(str(module.__file__)).with_name(file)
    return path.read_bytes() if path.exists() else None


def _round(played: Round, explanation: Explanation) -> dict[str, Any]:
    paytable, shared = played.paytable, explanation.shared
    pay = game_of(played.game).table_pay if played.table_round is not None else None
    kinds: Mapping[str, str] = {} if pay is None else pay.kinds
    terms = played.terms if pay is None else {**played.terms, **pay.terms(terms_from_json(played.terms))}
    return {
        "id": str(played.pk),
        "game": played.game,
        "game_title": game_title(played.game),
        "partner": played.partner.slug,
        "player": played.player.reference,
        "currency": played.currency_id,
        "quantum": plain(played.currency.quantum),
        "started_at": played.started_at.isoformat(),
        "ended_at": None if played.ended_at is None else played.ended_at.isoformat(),
        "how_ended": played.how_ended,
        "is_voided": hasattr(played, "void"),
        "table_round": None if played.table_round is None else str(played.table_round),
        "seat": played.seat,
        "stake": plain(played.stake),
        "payout": plain(played.payout),
        "balance_before": plain(played.balance_before),
        "balance_after": plain(played.balance_after),
        "terms": terms,
        "paytable": None if paytable is None else {"hash": paytable.hash, "document": paytable.document},
        "bets": [_bet(bet) | {"bet": kinds.get(bet.bet, bet.bet)} for bet in explanation.bets],
        "decisions": [_decision(action) for action in explanation.actions],
        "table": None if shared is None else _table(shared),
        "outcome": played.detail,
    }


def _bet(bet: ExplainedBet) -> dict[str, Any]:
    return {
        "bet": bet.bet,
        "label": bet.label,
        "hand": bet.hand,
        "stake": plain(bet.stake),
        "odds": None if bet.odds is None else plain(bet.odds),
        "payout": plain(bet.payout),
        "result": bet.result,
    }


def _decision(action: ExplainedAction) -> dict[str, Any]:
    return {
        "number": action.number,
        "by": action.by,
        "action": action.action,
        "data": action.data,
        "stake": plain(action.stake),
        "payout": plain(action.payout),
        "time": action.time.isoformat(),
    }


def _table(shared: SharedRound) -> dict[str, Any]:
    """Return what the bundle has of other seats: number, contribution and actions. Their cards are in cards.json."""
    return {
        "contributions": [{"seat": seat, "contribution": text} for seat, text in shared.contributions],
        "decisions": [{"seat": seat, "action": action} for seat, action in shared.decisions],
    }


def _cards(played: Round, explanation: Explanation) -> dict[str, Any]:
    source, shared = explanation.source, explanation.shared
    return {
        "round_id": str(played.pk),
        "seeds": {
            "commitment": source.commitment,
            "server_seed": source.server_seed,
            "secret_until": source.hidden_until,
            "client_seed": source.client_seed,
            "nonce": source.nonce,
            "decks": "infinite" if explanation.decks == INFINITE_DECKS else explanation.decks,
            "shoe": None if source.shoe is None else list(source.shoe),
        },
        "dealt": list(explanation.dealt.cards),
        "places": list(explanation.dealt.places if shared is None else shared.places),
    }


def _money(played: Round, max_movements: int | None) -> tuple[dict[str, Any], dict[str, Any] | None]:
    wallet_id = Wallet.objects.values_list("pk", flat=True).get(player=played.player, currency=played.currency_id)
    numbers = sorted(
        WalletTransaction.objects.filter(round_id=played.pk, wallet=wallet_id).values_list("number", flat=True)
    )
    if not numbers:  # free play
        return {"round_id": str(played.pk), "wallet_id": wallet_id, "previous_hash": "", "chain": []}, None
    sealed = sealed_wallet(wallet_id=wallet_id, number=numbers[-1])
    last = numbers[-1] if sealed is None else sealed.row_count
    count = last - numbers[0] + 1
    if max_movements is not None and count > max_movements:
        raise Conflict(
            f"the wallet has {count} movements from this round to the seal that covers it, and a bundle of at most"
            f" {max_movements} is sent: the operator can write it with manage.py round_bundle"
        )
    chain = wallet_chain(wallet_id=wallet_id, first=numbers[0], last=last)
    movements = {
        "round_id": str(played.pk),
        "wallet_id": wallet_id,
        "previous_hash": chain.previous_hash.hex(),
        "chain": [_movement(row) for row in chain.movements],
    }
    return movements, None if sealed is None else _seal(sealed)


def _movement(row: Movement) -> Mapping[str, Any]:
    return {
        **row._asdict(),
        "change": f"{row.change:f}",
        "balance_after": f"{row.balance_after:f}",
        "round_id": None if row.round_id is None else str(row.round_id),
        "hash": row.hash.hex(),
    }


def _seal(sealed: SealedWallet) -> dict[str, Any]:
    seal = sealed.seal
    return {
        "day": seal.day.isoformat(),
        "previous_mac": seal.previous_mac,
        "root": seal.root,
        "key_id": seal.key_id,
        "public_key": public_keys().get(seal.key_id, ""),
        "signature": seal.signature,
        "wallets": sealed.wallets,
        "section_path": _path(sealed.section_path),
        "head": {"row_count": sealed.row_count, "head": sealed.head.hex()},
        "head_path": _path(sealed.head_path),
    }


def _path(path: Sequence[tuple[str, bytes]]) -> list[list[str]]:
    return [[side, beside.hex()] for side, beside in path]
