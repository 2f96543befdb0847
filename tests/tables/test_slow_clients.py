"""A client that does not read: its messages wait in its send queue, and the socket is closed once they are too many."""

import asyncio
import json
import socket
import threading
from uuid import uuid4

from websockets.sync.client import connect

from apps.tables.models import TableSession
from apps.tables.send_queue import MAX_CHARS, MAX_MESSAGES, SendQueue
from casino.settings.waits import WAIT_S
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.tables import has_socket, players_make, seated, session_make, sit, table_make, until, watch

MAX_ACTIONS = 6_000 if IS_LONG else 60


def test_a_client_that_does_not_read_delays_no_other(committed: None, shared_server: Server) -> None:
    """With `make soak` the test goes on until the client's send queue is full and the server closes its connection."""
    partner, (anna, ben, *others) = players_make(10)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    (session, token), (deaf_session, deaf_token) = session_make(anna), session_make(ben)
    sit(session, table)
    for other in others:
        sit(session_make(other)[0], table)  # more seats make longer messages
    watch(deaf_session, table)
    done = threading.Event()

    async def play() -> None:
        async with seated(shared_server, token) as client:
            await client.until("betting_window_open")
            deaf = asyncio.create_task(asyncio.to_thread(deaf_listen, shared_server, deaf_token, done))
            try:
                await until(lambda: has_socket(deaf_session))
                for number in range(MAX_ACTIONS):
                    action, bet = ("clear_bets", {}) if number % 2 else ("place_bet", {"betType": "tie", "amount": 1})
                    assert (await client.act(table, action, **bet))["type"] == "ack"
                    if IS_LONG and number % 10 == 0 and await has_no_socket(deaf_session):
                        break
                assert IS_LONG is await has_no_socket(deaf_session)
            finally:
                done.set()
            await deaf

    asyncio.run(play())


async def test_a_send_queue_that_is_not_emptied_ends_and_takes_no_more() -> None:
    blocked = asyncio.Event()
    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)
        await blocked.wait()

    overflows: list[None] = []
    queue = SendQueue(send, lambda: overflows.append(None))
    running = asyncio.create_task(queue.run())
    queue.put(b'{"type":"first"}')
    async with asyncio.timeout(WAIT_S):
        while not sent:  # noqa: ASYNC110 - the queue's own task runs meanwhile
            await asyncio.sleep(0)
    for _ in range(MAX_MESSAGES + 2):
        queue.put(b'{"type":"next"}')
    assert (len(overflows), queue.is_closing) == (1, True)
    running.cancel()
    assert len(sent) == 1


async def test_a_send_queue_holds_so_many_characters_at_a_time() -> None:
    sent, overflows = asyncio.Event(), list[None]()

    async def send(_message: dict) -> None:
        sent.set()

    queue = SendQueue(send, lambda: overflows.append(None))
    half = b'{"type":"' + b"x" * (MAX_CHARS // 2) + b'"}'
    running = asyncio.create_task(queue.run())
    for _ in range(4):  # each is sent before the next one comes
        sent.clear()
        queue.put(half)
        async with asyncio.timeout(WAIT_S):
            await sent.wait()
    assert not overflows
    running.cancel()
    for _ in range(4):
        queue.put(half)
    assert (len(overflows), queue.is_closing) == (1, True)


def deaf_listen(server: Server, token: str, until_then: threading.Event) -> None:
    """Log in, and never read from the socket again."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    held.connect(("127.0.0.1", server.port))
    url = f"ws://127.0.0.1:{server.port}/ws/tables"
    with connect(url, sock=held, max_queue=1, ping_interval=None, open_timeout=WAIT_S, close_timeout=1) as link:
        message = {"type": "authenticate", "token": token, "messageId": str(uuid4()), "timestamp": 1}
        link.send(json.dumps(message))
        until_then.wait(WAIT_S)


async def has_no_socket(session: TableSession) -> bool:
    return not await has_socket(session)
