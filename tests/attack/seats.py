"""A blackjack player at one of the two `sockets`: every frame is held against the document and recorded."""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from tests.attack.cast import BLACKJACK, Cast, Guest
from tests.attack.client import PATIENCE_TURNS, address_new
from tests.support.blackjack import SocketPlayer
from tests.support.server import Server

CLOSED: Final = (ConnectionClosed, OSError, WebSocketException)
"""What a client meets where its connection ends."""
UNDOCUMENTED: Final = (ValidationError, AssertionError)
SEND_AGAIN: Final = {"BUSY", "RATE_LIMITED", "SERVICE_UNAVAILABLE"}
"""Refusals that pass by themselves."""
REFUSALS: Final = SEND_AGAIN | {
    "INVALID_NEXT_ACTION", "INVALID_EVENT_INPUTS", "INVALID_BET_AMOUNT", "INSUFFICIENT_FUNDS", "GAME_ROUND_NOT_FOUND",
    "AUTHENTICATION_FAILED",
}  # fmt: skip
"""What an action that was possible a moment ago may be refused with."""


class Seat(SocketPlayer):
    """A client that knows which answer is its own."""

    def __init__(self, cast: Cast, link: ClientConnection, token: str) -> None:
        super().__init__(link, token)
        self._recorder = cast.recorder

    def receive(self) -> dict[str, Any]:
        message = super().receive()
        self._recorder.add(self.token, b"frame", self.frames.pop().encode())
        return message

    def send(self, event_type: str, *, event_id: str = "", **members: Any) -> dict[str, Any]:
        """Send one event and return its answer; what is announced meanwhile is passed over."""
        event = {"eventType": event_type, "eventId": event_id or secrets.token_hex(8), **members}
        if event_type != "Authenticate":
            event["gameId"] = BLACKJACK
        self.link.send(json.dumps(event))
        while True:
            message = self.receive()
            if message.get("eventId") in (event["eventId"], ""):
                return message

    def patiently(self, event_type: str, *, event_id: str = "", **members: Any) -> dict[str, Any]:
        """Send one event, under its one id, until it is answered with more than that it be sent again."""
        event_id = event_id or secrets.token_hex(8)
        for _ in range(PATIENCE_TURNS):
            answer = self.send(event_type, event_id=event_id, **members)
            if answer.get("code") not in SEND_AGAIN:
                return answer
            time.sleep(0.2)
        raise AssertionError(f"{event_type} is not answered, however often it is sent: {answer}")

    def act_patiently(self, action: str, event_id: str = "") -> dict[str, Any]:
        """Take an action as `patiently` does."""
        return self.patiently("RoundAction", event_id=event_id, action=action, data=action_data(action))

    def next_actions(self) -> list[str]:
        """Ask what may be done; nothing where no round is open."""
        answer = self.patiently("RoundState")
        names: list[str] = answer["data"]["nextActions"] if answer["eventType"] == "RoundState" else []
        return names


@contextmanager
def seat_at(cast: Cast, server: Server, token: str) -> Iterator[Seat]:
    """Connect with a session, and authenticate."""
    for _ in range(PATIENCE_TURNS):
        with seat_link(server, token) as link:
            seat = Seat(cast, link, token)
            answer = seat.send("Authenticate")
            if answer.get("authenticated"):
                yield seat
                return
            assert answer["code"] in SEND_AGAIN, answer
        time.sleep(0.2)
    raise AssertionError(f"nobody is let in, however often it is asked: {answer}")


def seat_link(server: Server, token: str) -> ClientConnection:
    """Open the socket; nothing is sent yet."""
    return connect(
        f"{server.socket_url}?game_session_id={token}", max_size=2**24, close_timeout=5, compression=None,
        additional_headers={"X-Forwarded-For": address_new()}, open_timeout=60,
    )  # fmt: skip


def action_data(name: str) -> dict[str, Any]:
    """Return what an action is sent with."""
    return {"Bet": {"betAmount": 10}, "Peek": {"acceptedInsurance": False}}.get(name, {})


def seated(cast: Cast, balance: str = "1000") -> tuple[Guest, str]:
    """Return a new player with a session at blackjack."""
    guest = cast.guest(balance)
    return guest, cast.session(guest, BLACKJACK)


def name_of(message: dict[str, Any]) -> str:
    """Return what an answer is counted as."""
    return str(message.get("code") or message["eventType"])
