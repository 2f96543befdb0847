"""A change in its written form: the JSON that `tables_save` takes, and the delivered events."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from apps.core import json
from apps.tables.engine.codec import state_to_json, terms_to_json
from apps.tables.engine.state import (
    ActionRow,
    EventAudience,
    GameplayEvent,
    MoveKind,
    RoundClosed,
    TableChange,
    TablePhase,
    TableRoundState,
)
from apps.tables.messages import game_body_of
from apps.tables.record import closed_details
from apps.tables.table_snapshot import Caller, Notice, SeatTakenBy, TableSnapshot


def stake_round_id(table_round: str, player_id: int) -> UUID:
    """Return the id of the player's own round, under which the stakes at a table's round are booked."""
    return uuid5(UUID(table_round), str(player_id))


def change_item(
    before: TableSnapshot,
    change: TableChange[Any],
    version: int,
    stored: Sequence[bytes],
    *,
    callers: Sequence[Caller],
    is_void: bool,
) -> dict[str, object]:
    """Return the JSON of the change for `tables_save`; `stored` are the events."""
    state = change.state
    item: dict[str, object] = {
        "table": before.table_id,
        "version": version,
        "config_version": before.config.version,
        "state": state_to_json(before.config.game, state),
        "deadline": state.deadline,
        "is_open": state.phase is not TablePhase.CLOSED and not state.is_closing,
        "round_number": state.round_number,
    }
    if before.is_recalled:
        item["wallets"] = [
            {"wallet": holder.wallet_id, "balance": holder.balance, "may_stake": holder.may_stake}
            for holder in before.holders.values()
            if holder.wallet_id is not None and holder.seat in before.funds_read
        ]
    if callers:
        item["callers"] = callers_item(callers)
    if stored:
        item["events"] = f"[{b','.join(stored).decode()}]"
    if before.new_chains:
        firsts = {start.id: first for start, first in change.chains}
        item["chains"] = [
            {
                "id": chain.start.id,
                "commitment": chain.start.commitment,
                "sealed_seed": chain.sealed_seed,
                "length": chain.start.length,
                "first_round": firsts[chain.start.id],
            }
            for chain in before.new_chains
        ]
    if change.opened:
        item["rounds"] = [_opened_item(before, change, opened) for opened in change.opened]
    if change.freed:
        item["freed"] = [freed.seat for freed in change.freed]
    if change.actions:
        item["actions"] = [_action_item(before, row) for row in change.actions]
    if change.movements:
        item["stakes"] = _stake_items(before, change, is_void=is_void)
    if change.closed:
        item["closed"] = [_closed_item(closed) for closed in change.closed]
    return item


def callers_item(callers: Sequence[Caller]) -> list[dict[str, object]]:
    """Return callers as JSON for the SQL functions of the store."""
    return [{"session": caller.session_id, "socket": caller.socket, "message": caller.message_id} for caller in callers]


def _opened_item(before: TableSnapshot, change: TableChange[Any], opened: TableRoundState[Any]) -> dict[str, object]:
    chain_id = next((start.id for start, first in reversed(change.chains) if first <= opened.number), None)
    return {
        "id": opened.id,
        "number": opened.number,
        "chain": chain_id or before.state.chain.id,
        "seed_hash": opened.seed_hash,
        "contributions": [{"seat": seat, "clientSeed": text} for seat, text in opened.contributions],
        "client_seed": opened.client_seed,
        "shoe": opened.shoe,
        "config_version": before.config.version,
        "terms": terms_to_json(opened.terms),
    }


def _action_item(before: TableSnapshot, row: ActionRow) -> dict[str, object]:
    holder = before.holders[row.seat]
    amount = row.action.amount
    return {
        "round": row.round_id,
        "seat": row.seat,
        "player": holder.player_id,
        "action": msgspec.to_builtins(row.action),
        "amount": None if amount is None else amount * before.config.quantum,
        "is_timeout": row.timeout,
    }


def _stake_items(before: TableSnapshot, change: TableChange[Any], *, is_void: bool) -> list[dict[str, object]]:
    """Return the movements by round and player, in the order of the wallets' ids, which is the lock order.

    A refund subtracts from the stake of the round. The refund of a void does not: the round keeps its stake.
    """
    quantum = before.config.quantum
    items: dict[tuple[str, int], dict[str, Any]] = {}
    for movement in change.movements:
        holder = before.holders[movement.seat]
        item = items.setdefault(
            (movement.round_id, movement.seat),
            {
                "round": str(stake_round_id(movement.round_id, holder.player_id)),
                "table_round": movement.round_id,
                "player": holder.player_id,
                "wallet": holder.wallet_id,
                "seat": movement.seat,
                "game": before.config.game.game_id,
                "stake": Decimal(0),
                "payout": Decimal(0),
                "moves": {},
            },
        )
        amount = movement.units * quantum
        moves: dict[str, Decimal] = item["moves"]
        signed = -amount if movement.kind is MoveKind.BET else amount
        moves[movement.kind.value] = moves.get(movement.kind.value, Decimal(0)) + signed
        if movement.kind is MoveKind.REWARD:
            item["payout"] += amount
        elif movement.kind is MoveKind.BET or not is_void:
            item["stake"] -= signed
    for item in items.values():
        item["moves"] = [{"kind": kind, "change": change_by} for kind, change_by in item["moves"].items()]
    return sorted(items.values(), key=lambda item: int(item["wallet"]))


def _closed_item(closed: RoundClosed) -> dict[str, object]:
    detail, seats = closed_details(
        terms=closed.round.terms,
        ending=closed.ending,
        outcomes=closed.outcomes,
        public=closed.public,
        drawn=closed.drawn,
    )
    return {
        "id": closed.round.id,
        "seed": closed.seed,
        "ending": closed.ending.value,
        "detail": msgspec.Raw(json.encode(detail)),
        "seats": msgspec.Raw(json.encode(seats)),
    }


def notices_of(snapshot: TableSnapshot, events: Sequence[GameplayEvent]) -> list[Notice]:
    """Return events in their delivered form: addressed to sessions instead of seats."""
    sessions = {seat: holder.session_id for seat, holder in snapshot.holders.items()}
    return [
        _notice(snapshot, event, recipient, excluded, json.encode_large(event.fields))
        for event, recipient, excluded in _with_recipients(events, sessions)
    ]


class ChangeEvents(NamedTuple):
    """The events of a change, in both forms."""

    notices: list[Notice]
    """The events in their delivered form."""
    stored: list[bytes]
    """The events in their stored form, each as JSON."""


def change_events(before: TableSnapshot, change: TableChange[Any], seats: Sequence[SeatTakenBy] = ()) -> ChangeEvents:
    """Return the events of a change, addressed to sessions instead of seats.

    Seats change hands, so the receiver of an event is fixed here, at the time of the event.
    """
    sessions = {seat: holder.session_id for seat, holder in before.holders.items()}
    sessions |= {taken.seat: taken.session_id for taken in seats}
    notices: list[Notice] = []
    stored: list[bytes] = []
    for event, recipient, excluded in _with_recipients(change.events, sessions):
        fields = json.encode_large(event.fields)
        notices.append(_notice(before, event, recipient, excluded, fields))
        head = json.encode_large({"id": event.id, "type": event.type, "to": recipient, "but": excluded})
        stored.append(head[:-1] + b',"fields":' + fields + b"}")
    return ChangeEvents(notices, stored)


def _notice(
    snapshot: TableSnapshot, event: GameplayEvent, recipient: int | None, excluded: Sequence[int], fields: bytes
) -> Notice:
    if event.live:
        shown = {**event.fields, "payload": {**event.fields["payload"], **event.live}}
        fields = json.encode_large(shown)
    body = game_body_of(
        event.type,
        message_id=event.id,
        game_type=snapshot.config.game.game_type,
        table_id=snapshot.table_id,
        fields=fields,
    )
    return Notice(recipient, excluded, body[1:].decode())


def _with_recipients(
    events: Sequence[GameplayEvent], sessions: Mapping[int, int]
) -> Iterator[tuple[GameplayEvent, int | None, list[int]]]:
    """Yield each event that has a receiver, with the receiving session and the excluded sessions."""
    for event in events:
        recipient, excluded = _recipients_of(event, sessions)
        if event.audience is not EventAudience.SEAT or recipient is not None:
            yield event, recipient, excluded


def _recipients_of(event: GameplayEvent, sessions: Mapping[int, int]) -> tuple[int | None, list[int]]:
    match event.audience:
        case EventAudience.ALL:
            return None, []
        case EventAudience.SEAT:
            assert event.seat is not None
            return sessions.get(event.seat), []
        case EventAudience.WATCHERS:
            return None, sorted(sessions.values())
