"""Use cases that all games share: open players, rotate seeds between rounds, void rounds. Sessions: game_sessions.py.

Lock order: wallet, seed pair, round (docs/money.md). A table's round is voided by apps/tables/table_administration.py,
with all its seats.
"""

import re
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from apps.accounts.actors import operator_require
from apps.accounts.models import Player, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.database_errors import database_errors
from apps.core.errors import BadRequest, ChangeSeedFailed, Conflict, InsufficientFunds
from apps.core.money import amount_text, plain
from apps.core.player_changes import player_changed
from apps.core.transactions import transaction_require
from apps.fairness.models import SeedPair
from apps.fairness.services import Rotation, client_seed_check, seed_pair_lock, seed_pair_rotate, seed_pairs_create
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd, RoundVoid
from apps.wallet.models import Kind, Wallet
from apps.wallet.services import wallet_move, wallet_open
from apps.wallet.single_operator_limit import moved_today, second_person_reason_for

WELCOME_CURRENCY: Final = "FUN"
VOIDS: Final = ("round.void", "table.round.void")
"""Names in the audit of acts that void rounds; an entry with an amount and a currency counts."""

_REFERENCE: Final = re.compile(r"[\x21-\x7e]{1,64}")


def player_open(*, partner: Partner, reference: str, currency_code: str, user: User | None = None) -> Player:
    """Return the partner's player with the reference; a new one gets a wallet and the first two seed pairs.

    For an existing player with another currency it opens another wallet. A new player of the house partner gets the
    play grant of FUN. Raises BadRequest (the reference), InvalidCurrency.
    """
    return player_find_or_open(partner=partner, reference=reference, currency_code=currency_code, user=user)[0]


@transaction.atomic
def player_find_or_open(
    *, partner: Partner, reference: str, currency_code: str, user: User | None = None
) -> tuple[Player, bool]:
    """Do the same as `player_open`; the second value is whether the player is new."""
    if not _REFERENCE.fullmatch(reference):
        raise BadRequest("reference: 1 to 64 characters of ASCII without spaces", field="reference")
    player, is_new = Player.objects.get_or_create(
        partner=partner, reference=reference, defaults={"currency_id": currency_code, "user": user}
    )
    wallet_open(player=player, currency_code=currency_code)
    if is_new:
        seed_pairs_create(player=player)
        if partner.is_house:
            _welcome(player)
    return player, is_new


@transaction.atomic(durable=True)
def seeds_rotate(*, player: Player, client_seed: str) -> Rotation:
    """Reveal the player's server seed; later rounds use the next one with `client_seed`.

    Locks: the active seed pair, so that no round begins under it meanwhile, and the next one. Raises BadParams, Busy,
    ChangeSeedFailed while a solo round of the player is open.
    """
    client_seed_check(client_seed)
    return seed_pair_rotate(active=_seeds_lock(player.pk), client_seed=client_seed)


@transaction.atomic(durable=True)
def seeds_renew(*, player_id: int) -> None:
    """Put new seed pairs in the place of both of the player's, with the same client seed, and reveal the former two.

    After the loss of rounds by a restore: the former pairs would deal the lost cards again, and a player who had
    changed its seeds meanwhile knows a server seed. Locks and raises as `seeds_rotate`.
    """
    active = _seeds_lock(player_id)
    client_seed, is_chosen = active.client_seed, active.client_seed_chosen
    for _ in range(2):  # the successor may have dealt lost rounds as well
        active = seed_pair_rotate(active=active, client_seed=client_seed, is_chosen=is_chosen).active


def _seeds_lock(player_id: int) -> SeedPair:
    """Lock and return the active pair of a player without an open solo round. Raises Busy, ChangeSeedFailed."""
    with database_errors():
        active = seed_pair_lock(player_id=player_id)
    if Round.objects.filter(player=player_id, how_ended=RoundEnd.OPEN, table_round__isnull=True).exists():
        raise ChangeSeedFailed("a round is open: finish it, then change the seed")
    return active


@transaction.atomic
def round_void(*, operator: User, round: Round, reason: str, approval: Approval | None = None) -> RoundVoid:  # noqa: A002
    """Void a round: refund its stakes and take its payouts back by an adjustment.

    An open round ends with it. Locks: wallet, round. Raises Refused (not an operator), BadRequest (no
    reason), Conflict (voided before; at a table, where all seats are voided together), InsufficientFunds (the winnings
    are spent: adjust the wallet first), SecondPersonNeeded (above `PUNTO_SINGLE_OPERATOR_LIMIT`, without `approval`).
    """
    reason = operator_require(operator, "voids a round", reason=reason)
    if round.table_round is not None:
        raise Conflict("a table's round is voided with all its seats, on the page of the table's round")
    today = moved_today(operator, VOIDS, round.currency)
    wallet, held = _void_lock(round)
    if why := second_person_reason_for(held.currency, today, max(held.stake, held.payout)):
        needed = SecondPersonNeeded(
            why,
            act="round.void",
            subject=f"round {held.pk}",
            # These may change while the round is open, so the approval is of the shown values.
            payload={"round": str(held.pk), "stake": plain(held.stake), "payout": plain(held.payout)},
            reason=reason,
            partner_id=held.partner_id,
        )
        approval_require(approval, needed)
    return _void_do(operator, wallet, held, reason)


@approval_act("round.void")
def round_void_approved(approval: Approval) -> None:
    """Carry out an approved void."""
    round_void(
        operator=approval.asked_by,
        round=Round.objects.get(pk=approval.payload["round"]),
        reason=approval.reason,
        approval=approval,
    )


def round_void_one(*, operator: User, played: Round, reason: str) -> RoundVoid:
    """Do the same as `round_void` for one round, which may be a seat's at a table, in the caller's transaction."""
    return _void_do(operator, *_void_lock(played), reason)


def _void_lock(played: Round) -> tuple[Wallet, Round]:
    """Lock the round and its wallet, and return both in their present state."""
    transaction_require()
    with database_errors():
        # Not `wallet_lock`, since a blocked player's stake is returned too.
        wallets = Wallet.objects.select_for_update(of=("self",)).select_related("currency")
        wallet = wallets.get(player=played.player_id, currency=played.currency_id)
        held = Round.objects.select_for_update(of=("self",)).select_related("currency").get(pk=played.pk)
    return wallet, held


def _void_do(operator: User, wallet: Wallet, held: Round, reason: str) -> RoundVoid:
    if RoundVoid.objects.filter(round=held).exists():
        raise Conflict("this round is voided already")
    if (missing := held.payout - held.stake - wallet.balance) > 0:
        raise InsufficientFunds(
            f"the player has {amount_text(wallet.balance, wallet.currency)} and would have to give back"
            f" {amount_text(held.payout - held.stake, wallet.currency)}: the winnings were withdrawn or played. Next:"
            f" adjust wallet {wallet.pk} by {amount_text(missing, wallet.currency)}, which the house bears, and"
            " void the round then."
        )
    before = held.get_how_ended_display()
    void = RoundVoid.objects.create(round=held, by=operator.get_username(), reason=reason)
    balance = _void_settle(wallet, held, reason)
    if held.how_ended == RoundEnd.OPEN:
        held.how_ended, held.ended_at, held.balance_after = RoundEnd.VOIDED, Now(), balance
        held.save(update_fields=["how_ended", "ended_at", "balance_after"])
        player_changed(held.player_id)  # A round without a stake moves no money.
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.partner_id,
        action="round.void",
        subject=f"round {held.pk}",
        data={
            "before": {"how_ended": before, "balance": wallet.balance},
            "after": {"how_ended": "voided", "balance": balance},
            "stake": held.stake,
            "payout": held.payout,
            "amount": max(held.stake, held.payout),
            "currency": held.currency_id,
        },
        reason=reason,
    )
    return void


def _welcome(player: Player) -> None:
    wallet = wallet_open(player=player, currency_code=WELCOME_CURRENCY)
    wallet_move(
        wallet_id=wallet.pk,
        kind=Kind.DEPOSIT,
        change=wallet.currency.play_grant,
        source_key=f"player:{player.pk}:welcome:deposit",
        reason="play money for a new player",
    )


def _void_settle(wallet: Wallet, held: Round, reason: str) -> Decimal:
    """Reverse the round's money and return the balance after. The refund comes first: it may cover the rest."""
    balance: Decimal = wallet.balance
    if held.stake:
        balance = wallet_move(
            wallet_id=wallet.pk,
            kind=Kind.REFUND,
            change=held.stake,
            source_key=f"{held.pk}:void:refund",
            round_id=held.pk,
            reason=reason,
        )
    if held.payout:
        balance = wallet_move(
            wallet_id=wallet.pk,
            kind=Kind.ADJUSTMENT,
            change=-held.payout,
            source_key=f"{held.pk}:void:adjustment",
            round_id=held.pk,
            reason=reason,
        )
    return balance
