"""What a connection at the tables does as time passes, and what its listeners are told, without a server."""

import time

import pytest
from django.conf import LazySettings

from apps.core.errors import RateLimited
from apps.core.message_rate_limit import MAX_LIMITED_S
from apps.core.socket_limits import AddressCounts, SocketGuard
from apps.core.token_buckets import Rate
from apps.tables.consumers import TablesConnection
from apps.tables.event_feed import TableFeed
from apps.tables.send_queue import SendQueue
from apps.tables.session_connection import SessionConnection
from apps.tables.session_sockets import SessionSockets
from apps.tables.table_snapshot import Delivery


class Listener:
    """A listener that keeps the versions of its table."""

    def __init__(self) -> None:
        self.versions: list[int] = []

    def notices_take(self, table_id: str, version: int, notices: object) -> None:
        self.versions.append(version)


def connection_open(guard: SocketGuard | None = None) -> SessionConnection:
    async def send(_message: object) -> None: ...

    connection = SessionConnection(SessionSockets(), guard, SendQueue(send, lambda: None))
    connection._expires_ms = (int(time.time()) + 10**6) * 1000
    return connection


def said(connection: SessionConnection, kind: str) -> int:
    return sum(f'"type":"{kind}"' in text for text in connection.send_queue._texts)


async def test_a_connection_is_pinged_every_thirty_seconds() -> None:
    connection = connection_open()
    begun = connection._pinged_at
    told = []
    for after_s in (29.9, 30, 59.9, 60):
        connection.time_passes(begun + after_s)
        told.append(said(connection, "heartbeat"))
    assert told == [0, 1, 1, 2]


async def test_a_silent_session_is_warned_once_and_again_after_its_next_message(settings: LazySettings) -> None:
    settings.PUNTO_TABLE_IDLE_S = 1_000
    connection = connection_open()
    told = []
    for passed_s in (600, 800, 801):
        connection.time_passes(connection._active_at + passed_s)
        told.append(said(connection, "session_expiring"))
    connection.activity_note()
    for passed_s in (600, 800):
        connection.time_passes(connection._active_at + passed_s)
        told.append(said(connection, "session_expiring"))
    assert told == [0, 1, 1, 1, 2]


async def test_a_listener_is_told_the_changes_after_the_state_that_it_has_each_once() -> None:
    feed, early, late = TableFeed(), Listener(), Listener()
    assert feed.attach("a table", early, game_type="blackjack", version=4)
    for version in (5, 5, 4):
        feed.deliver(Delivery("a table", version, []))
    assert not feed.attach("a table", late, game_type="blackjack", version=4)  # it has to read the state again
    assert feed.attach("a table", late, game_type="blackjack", version=6)  # it has read what is about to be delivered
    for version in (6, 7):
        feed.deliver(Delivery("a table", version, []))
    feed.detach("a table", early)
    feed.deliver(Delivery("a table", 8, []))
    assert (early.versions, late.versions) == ([5, 6, 7], [7, 8])


async def test_a_connection_is_closed_after_ten_seconds_above_the_limit_and_not_before() -> None:
    async def send(_message: object) -> None: ...

    connection = TablesConnection(SessionSockets(), None, send)
    closing = []
    for limited_s in (MAX_LIMITED_S - 1, MAX_LIMITED_S):
        connection._limit._limited = limited_s
        connection._limited("")
        closing.append(connection.send_queue.is_closing)
    assert closing == [False, True]


@pytest.mark.parametrize(("outcome", "left"), [("used", 19), ("unknown", 10), ("expired", 10)])
async def test_a_log_in_without_a_valid_session_counts_as_ten_connects(outcome: str, left: int) -> None:
    counts = AddressCounts(unauthenticated=None, connects=Rate(per_s=0.001, ahead_s=20_000), frames=None)
    connection = connection_open(counts.admit("192.0.2.1"))
    connection._log_in_refuse(outcome, "")
    for _ in range(left):
        counts.admit("192.0.2.1")
    with pytest.raises(RateLimited):
        counts.admit("192.0.2.1")
