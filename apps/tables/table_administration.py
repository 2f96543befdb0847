"""The use cases of staff: configure, open and close tables, void a round with all its seats.

table_creation.py creates tables; services.py has the use cases of players.

A change of a table's state is a transition of the engine, stored together with its audit entry in one transaction.
Sockets find the new version within a second.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from apps.accounts.actors import operator_require
from apps.accounts.models import User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.selectors import last_change_text
from apps.audit.services import audit_record, audit_record_awaited
from apps.core.database_errors import database_errors
from apps.core.errors import BadRequest, Conflict, OutdatedVersion
from apps.core.postgres_pool import Transaction, pool
from apps.core.threads import in_loop
from apps.rounds.models import Round, RoundEnd
from apps.rounds.services import VOIDS, round_void_one
from apps.tables.engine.state import TableChange, TableContext, TableState
from apps.tables.engine.transitions import running_round_void, table_close, table_open
from apps.tables.event_feed import delivery_publish
from apps.tables.models import GameTable, RoundEnding, TableRound
from apps.tables.paytables import table_paytable_set
from apps.tables.store import table_load, table_lock, table_save
from apps.tables.table_creation import RoomOptions, open_tables_check, room_columns, room_terms
from apps.tables.table_snapshot import TableSnapshot
from apps.wallet.models import Wallet
from apps.wallet.single_operator_limit import moved_today_awaited, second_person_reason, second_person_reason_for

Transition = Callable[[Any, TableState[Any], TableContext], TableChange[Any]]


@transaction.atomic
def table_configure(*, table: GameTable, user: User, options: RoomOptions, version: int | None = None) -> bool:
    """Change the terms of a table's next rounds; the running one keeps its terms. Returns whether anything has changed.
    Locks the table.

    `options` is for the table's own game and currency; `version` is the one that the user has read, if any. Raises
    BadRequest that names the field, OutdatedVersion.
    """
    with database_errors():
        held = GameTable.objects.select_for_update(of=("self",)).select_related("currency").get(pk=table.pk)
    if version is not None and version != held.config_version:
        told = last_change_text(action="table.configure", subject=f"table {held.pk}", partner_id=held.partner_id)
        raise OutdatedVersion(
            f"version {version} was read, and it is {held.config_version} now{told}. Nothing was saved: look at it as"
            " it is now, and change it again."
        )
    terms = room_terms(options, held.currency, partner_id=held.partner_id)
    if taken := [seat["seat"] for seat in held.state["seats"] if seat["seat"] > terms.seats]:
        raise BadRequest(f"seats: seat {max(taken)} is taken, so there are {max(taken)} at least", field="seats")
    columns = room_columns(options, terms)
    changed = {name: value for name, value in columns.items() if getattr(held, name) != value}
    if not changed:
        return False
    before = {name: getattr(held, name) for name in changed}
    held.config_version += 1
    GameTable.objects.filter(pk=held.pk).update(**changed, config_version=held.config_version)
    table_paytable_set(held, terms, user.get_username())
    audit_record(
        actor=user.get_username(),
        actor_user_id=user.pk,
        action="table.configure",
        subject=f"table {held.pk}",
        partner_id=held.partner_id,
        data={"before": before, "after": changed},
    )
    return True


def table_close_by(*, table: GameTable, user: User) -> None:
    """Close a table: at once, refunding the stakes of an open window, or after the deal. Raises Conflict, Busy."""
    if not table.is_open:
        raise Conflict("this table is closed, or closes when its round is over")
    in_loop(_transition(table, user, table_close, action="table.close"))


def table_open_by(*, table: GameTable, user: User) -> None:
    """Open a closed table again. Raises Conflict, Busy, LimitExceeded."""
    if table.is_open:
        raise Conflict("this table is open")
    if table.creator_id is None:
        open_tables_check(table.partner_id)
    in_loop(_transition(table, user, table_open, action="table.open"))


def table_round_void(*, operator: User, played: TableRound, reason: str, approval: Approval | None = None) -> None:
    """Void a table's round for all its seats; a running round ends.

    Locks: table, wallets by id, rounds. Raises Refused (not an operator), BadRequest (no reason), Conflict (no
    stakes, or voided before), InsufficientFunds (a winner has spent the payout: adjust that wallet first),
    SecondPersonNeeded (above `PUNTO_SINGLE_OPERATOR_LIMIT`, without `approval`).
    """
    reason = operator_require(operator, "voids a round", reason=reason)
    played.refresh_from_db()
    if played.ending == RoundEnding.RUNNING:
        # Django must not read in the event loop.
        played.table.currency  # noqa: B018
        in_loop(
            _transition(played.table, operator, running_round_void, action="table.round.void", reason=reason, of=played)
        )
    else:
        _ended_void(operator, played, reason, approval)


@approval_act("table.round.void")
def table_round_void_approved(approval: Approval) -> None:
    """Carry out an approved void of a table's round."""
    table_round_void(
        operator=approval.asked_by,
        played=TableRound.objects.get(pk=approval.payload["table_round"]),
        reason=approval.reason,
        approval=approval,
    )


def _given_back(snapshot: TableSnapshot, change: TableChange[Any], of: TableRound) -> Decimal:
    """Return the stakes that the void of a running round gives back."""
    units = sum(move.units for move in change.movements if move.round_id == str(of.pk))
    return units * snapshot.config.quantum


def _second_person_reason(operator: User, played: TableRound) -> str:
    """Return why the void of the round needs a second operator, or an empty text. Points are not money."""
    if played.table.currency is None:
        return ""
    seats = Round.objects.filter(table_round=played.pk).values_list("stake", "payout")
    moved = sum((max(stake, payout) for stake, payout in seats), Decimal(0))
    return second_person_reason(operator, VOIDS, played.table.currency, moved)


@transaction.atomic
def _ended_void(operator: User, played: TableRound, reason: str, approval: Approval | None) -> None:
    if why := _second_person_reason(operator, played):
        needed = SecondPersonNeeded(
            why,
            act="table.round.void",
            subject=f"table round {played.pk}",
            payload={"table_round": str(played.pk)},
            reason=reason,
            partner_id=played.table.partner_id,
        )
        approval_require(approval, needed)
    with database_errors():
        GameTable.objects.select_for_update().get(pk=played.table_id)
    seats = list(Round.objects.filter(table_round=played.pk, how_ended=RoundEnd.PLAYED))
    if not seats:
        raise Conflict("no money is staked on this round, or it was given back: there is nothing to void")
    wallets = dict(
        Wallet.objects.filter(player__in=[seat.player_id for seat in seats], currency=seats[0].currency_id).values_list(
            "player_id", "pk"
        )
    )
    for seat in sorted(seats, key=lambda seat: wallets[seat.player_id]):
        round_void_one(operator=operator, played=seat, reason=reason)
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        action="table.round.void",
        subject=f"table round {played.pk}",
        partner_id=played.table.partner_id,
        data={**_VOIDED, "table": played.table_id, "number": played.number, "seats": len(seats)},
        reason=reason,
    )


async def _transition(
    table: GameTable,
    user: User,
    transition: Transition,
    *,
    action: str,
    reason: str = "",
    of: TableRound | None = None,
) -> None:
    """Carry out a transition of the engine. With `of` it voids that round, which must still be running."""
    void = None if of is None else {"by": user.get_username(), "reason": reason}
    async with pool().transaction() as executor:
        today = None if of is None else await _moved_today(executor, user, table)
        await table_lock(executor, str(table.pk))
        snapshot = await table_load(executor, str(table.pk))
        if of is not None and (snapshot.state.round is None or snapshot.state.round.id != str(of.pk)):
            raise Conflict("the round has ended meanwhile; look at it again")
        context = snapshot.context(drop_ms=int(settings.PUNTO_TABLE_DROP_S) * 1000)
        change = transition(snapshot.config.game, snapshot.state, context)
        if change.state is snapshot.state:
            raise Conflict("the table is in this state already")
        if of is not None and today is not None:
            _single_operator_check(table, today, _given_back(snapshot, change, of))
        delivery = await table_save(executor, snapshot, change, void=void)
        await audit_record_awaited(
            executor,
            actor=user.get_username(),
            actor_user_id=user.pk,
            action=action,
            subject=f"table {table.pk}" if of is None else f"table round {of.pk}",
            partner_id=table.partner_id,
            data=_audit_data(snapshot, of, action, change),
            reason=reason,
        )
    await delivery_publish(delivery)


async def _moved_today(executor: Transaction, user: User, table: GameTable) -> Decimal | None:
    """Return the amount that the user has voided alone today; None for points, which have no limit."""
    if table.currency is None or not settings.PUNTO_TWO_PERSONS:
        return None
    return await moved_today_awaited(executor, user, VOIDS, table.currency)


def _single_operator_check(table: GameTable, today: Decimal, amount: Decimal) -> None:
    assert table.currency is not None
    if why := second_person_reason_for(table.currency, today, amount):
        raise Conflict(f"{why}, so it needs a second operator: void the round when it has ended")


def _audit_data(
    snapshot: TableSnapshot, of: TableRound | None, action: str, change: TableChange[Any]
) -> dict[str, object]:
    if of is None:
        is_closed = action == "table.close"
        states = {"before": {"open": is_closed}, "after": {"open": not is_closed}}
        return {**states, "name": snapshot.config.name, "round_number": snapshot.state.round_number}
    seats = sum(bool(seat.bets) for seat in snapshot.state.seats)
    told: dict[str, object] = {**_VOIDED, "table": snapshot.table_id, "number": of.number, "seats": seats}
    if snapshot.config.currency is None:
        return told
    # The amounts that one operator moves alone in a day are summed from this.
    return {**told, "amount": _given_back(snapshot, change, of), "currency": snapshot.config.currency}


_VOIDED: Final = {"before": {"voided": False}, "after": {"voided": True}}
