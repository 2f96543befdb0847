"""A blackjack client at one of the two `sockets` processes: every frame is validated and recorded."""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from casino.settings.waits import WAIT_S
from tests.attack.attack_clients import BLACKJACK, AttackClients, Guest
from tests.attack.client import PATIENCE_TURNS, address_new
from tests.support.blackjack import SocketPlayer
from tests.support.server import Server

CLOSED: Final = (ConnectionClosed, OSError, WebSocketException)
"""The exceptions of a client whose connection ends."""
UNDOCUMENTED: Final = (ValidationError, AssertionError)
SEND_AGAIN: Final = {"BUSY", "RATE_LIMITED", "SERVICE_UNAVAILABLE"}
"""Refusals after which the client sends the same event again."""
REFUSALS: Final = SEND_AGAIN | {
    "INVALID_NEXT_ACTION", "INVALID_EVENT_INPUTS", "INVALID_BET_AMOUNT", "INSUFFICIENT_FUNDS", "GAME_ROUND_NOT_FOUND",
    "AUTHENTICATION_FAILED",
}  # fmt: skip
"""Codes of refused actions that were legal a moment ago."""


class Seat(SocketPlayer):
    """A client that finds the answer to its own event."""

    def __init__(self, clients: AttackClients, link: ClientConnection, token: str) -> None:
        super().__init__(link, token)
        self._recorder = clients.recorder

    def receive(self) -> dict[str, Any]:
        message = super().receive()
        self._recorder.add(self.token, b"frame", self.frames.pop().encode())
        return message

    def send(self, event_type: str, *, event_id: str = "", **members: Any) -> dict[str, Any]:
        """Send one event and return its answer; announcements in between are skipped."""
        event = {"eventType": event_type, "eventId": event_id or secrets.token_hex(8), **members}
        if event_type != "Authenticate":
            event["gameId"] = BLACKJACK
        self.link.send(json.dumps(event))
        while True:
            message = self.receive()
            if message.get("eventId") in (event["eventId"], ""):
                return message

    def send_with_retries(self, event_type: str, *, event_id: str = "", **members: Any) -> dict[str, Any]:
        """Send one event under one id until the answer is not a request to send it again."""
        event_id = event_id or secrets.token_hex(8)
        for _ in range(PATIENCE_TURNS):
            answer = self.send(event_type, event_id=event_id, **members)
            if answer.get("code") not in SEND_AGAIN:
                return answer
            time.sleep(0.2)
        raise AssertionError(f"{event_type} is refused again and again: {answer}")

    def act_with_retries(self, action: str, event_id: str = "") -> dict[str, Any]:
        """Take an action as `send_with_retries` does."""
        return self.send_with_retries("RoundAction", event_id=event_id, action=action, data=action_data(action))

    def next_actions(self) -> list[str]:
        """Return the legal actions; an empty list if no round is open."""
        answer = self.send_with_retries("RoundState")
        names: list[str] = answer["data"]["nextActions"] if answer["eventType"] == "RoundState" else []
        return names


@contextmanager
def seat_at(clients: AttackClients, server: Server, token: str) -> Iterator[Seat]:
    """Connect and authenticate with a session."""
    for _ in range(PATIENCE_TURNS):
        with seat_link(server, token) as link:
            seat = Seat(clients, link, token)
            answer = seat.send("Authenticate")
            if answer.get("authenticated"):
                yield seat
                return
            assert answer["code"] in SEND_AGAIN, answer
        time.sleep(0.2)
    raise AssertionError(f"authentication is refused again and again: {answer}")


def seat_link(server: Server, token: str) -> ClientConnection:
    """Open the socket without sending anything."""
    return connect(
        f"{server.socket_url}?game_session_id={token}", max_size=2**24, close_timeout=5, compression=None,
        additional_headers={"X-Forwarded-For": address_new()}, open_timeout=WAIT_S,
    )  # fmt: skip


def action_data(name: str) -> dict[str, Any]:
    """Return the data that an action is sent with."""
    return {"Bet": {"betAmount": 10}, "Peek": {"acceptedInsurance": False}}.get(name, {})


def seated(clients: AttackClients, balance: str = "1000") -> tuple[Guest, str]:
    """Return a new player and its blackjack session."""
    guest = clients.guest(balance)
    return guest, clients.session(guest, BLACKJACK)


def name_of(message: dict[str, Any]) -> str:
    """Return the name under which an answer is counted."""
    return str(message.get("code") or message["eventType"])
