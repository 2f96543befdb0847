"""The messages for a session that enters a table or reconnects: the state, missed events, and the request
for an action that it has not answered.

From then on event_feed.py delivers each new event. A table whose process has died: deadlines.py.
"""

from collections.abc import Callable
from typing import Any, Final

from apps.core.postgres_pool import pool
from apps.tables.change_items import notices_of
from apps.tables.engine.transitions import pending_again, state_view
from apps.tables.event_feed import TableListener, feed
from apps.tables.messages import MAX_MESSAGE_BYTES, game_body, message_id_make
from apps.tables.session_store import Membership
from apps.tables.store import MissedEvents, missed_load, table_load
from apps.tables.table_snapshot import TableSnapshot

HEAD_BYTES: Final = 100
"""Reserved for the fields that are added to a message when it is sent."""

Put = Callable[[str], None]


async def table_enter(
    membership: Membership,
    *,
    session_id: int,
    listener: TableListener,
    put: Put,
    last_seen: str | None = None,
    is_back: bool = False,
) -> None:
    """Send the table's state, then the session's open request or window; then deliver new events to `listener`.

    With `is_back` the state is a `reconnect_state` with the events since the message `last_seen`. Raises Unavailable,
    TableNotFound.
    """
    table_id = membership.table_id
    while True:
        snapshot = await table_load(pool(), table_id)
        missed = []
        if is_back:
            missed = await missed_load(
                pool(), table_id, game_type=membership.game_type, last_seen=last_seen, until=snapshot.version
            )
        # Nothing is awaited from here, so events after this version come after the state.
        if feed().attach(table_id, listener, game_type=membership.game_type, version=snapshot.version):
            break
    if is_back:
        put(_reconnect_state(snapshot, membership, missed, session_id, last_seen))
    else:
        put(_state_update(snapshot, membership))
    for tail in _pending(snapshot, session_id):
        put(tail)


def _state(snapshot: TableSnapshot, membership: Membership) -> dict[str, Any]:
    return state_view(snapshot.config.game, snapshot.state, membership.seat)


def _state_update(snapshot: TableSnapshot, membership: Membership) -> str:
    return _tail(snapshot, "game_state_update", {"payload": _state(snapshot, membership)})


def _reconnect_state(
    snapshot: TableSnapshot,
    membership: Membership,
    missed: list[MissedEvents],
    session_id: int,
    last_seen: str | None,
) -> str:
    """Return the message; the oldest missed messages are left out above the size limit."""
    bodies = _missed_bodies(missed, session_id, last_seen)
    fields = {"currentState": _state(snapshot, membership), "missedMessages": [], "truncated": False}
    room = MAX_MESSAGE_BYTES - HEAD_BYTES - len(_tail(snapshot, "reconnect_state", fields).encode())
    kept: list[bytes] = []
    for body in reversed(bodies):
        room -= len(body) + 1
        if room < 0:
            break
        kept.append(body)
    text = _tail(snapshot, "reconnect_state", fields | {"truncated": len(kept) < len(bodies)})
    return text.replace('"missedMessages":[]', f'"missedMessages":[{b",".join(reversed(kept)).decode()}]', 1)


def _missed_bodies(missed: list[MissedEvents], session_id: int, last_seen: str | None) -> list[bytes]:
    """Return the messages for the session; only those after `last_seen` if that is among them."""
    told = [
        (message_id, f'{{"timestamp":{change.told_ms},'.encode() + body[1:])
        for change in missed
        for message_id, to, but, body in change.events
        if (session_id not in but if to is None else to == session_id)
    ]
    seen_at = next((place for place, (message_id, _) in enumerate(told) if message_id == last_seen), -1)
    return [body for _, body in told[seen_at + 1 :]]


def _pending(snapshot: TableSnapshot, session_id: int) -> list[str]:
    holder = snapshot.holder_of(session_id)
    events = pending_again(
        snapshot.config.game, snapshot.state, snapshot.context(drop_ms=0), None if holder is None else holder.seat
    )
    return [notice.tail for notice in notices_of(snapshot, events) if notice.is_for(session_id)]


def _tail(snapshot: TableSnapshot, kind: str, fields: dict[str, Any]) -> str:
    body = game_body(
        kind,
        message_id=message_id_make(),
        game_type=snapshot.config.game.game_type,
        table_id=snapshot.table_id,
        fields=fields,
    )
    return body[1:].decode()
