"""Plays one round of blackjack over the socket with the generated messages: never insures, stands on 17 or more.

python blackjack.py "ws://127.0.0.1:8000/v1/ws?game_session_id=<id>" 10.5
"""

import sys
import uuid
from decimal import Decimal
from typing import Literal, TypedDict

from punto_socket import (
    ActionName,
    Authenticated,
    AuthenticateData,
    AuthenticateRequest,
    BetData,
    BetRequest,
    ErrorCode,
    ErrorMessage,
    HandOwner,
    MoveName,
    MoveRequest,
    PeekData,
    PeekRequest,
    RoundData,
    RoundUpdate,
    WireCard,
)
from pydantic import BaseModel
from websockets.sync.client import ClientConnection, connect


def ask(link: ClientConnection, request: BaseModel) -> str:
    """Send a message and return the text of the answer."""
    link.send(request.model_dump_json(exclude_none=True))
    text = link.recv(timeout=30)
    assert isinstance(text, str)
    return text


def act(link: ClientConnection, request: BaseModel) -> RoundData:
    """Send an action and return what it has changed."""
    text = ask(link, request)
    if '"eventType":"RoundUpdate"' in text:
        return RoundUpdate.model_validate_json(text).data
    refusal = ErrorMessage.model_validate_json(text)
    if refusal.code is ErrorCode.GAME_ROUND_NOT_FOUND:
        raise SystemExit("there is no open round")
    raise SystemExit(f"{refusal.eventType.value} {refusal.code.value}: {refusal.message}")


class Head(TypedDict):
    """What every action begins with."""

    eventType: Literal["RoundAction"]
    eventId: str
    gameId: Literal["og-blackjack"]


def head() -> Head:
    """Return it with an id of its own, under which the action happens once."""
    return {"eventType": "RoundAction", "eventId": uuid.uuid4().hex, "gameId": "og-blackjack"}


def total(cards: list[WireCard]) -> int:
    """Return the points of a hand; an ace counts 11 where that is not too much."""
    points = sum(card.value for card in cards)
    return points + 10 if points <= 11 and any(card.value == 1 for card in cards) else points


def main(address: str, stake: Decimal) -> None:
    """Play a round."""
    with connect(address) as link:
        data = AuthenticateData(clientSeed=uuid.uuid4().hex)
        hello = AuthenticateRequest(eventType="Authenticate", eventId=uuid.uuid4().hex, data=data)
        Authenticated.model_validate_json(ask(link, hello))
        bet = BetData(betAmount=stake)
        update = act(link, BetRequest(**head(), action="Bet", data=bet))
        cards: list[WireCard] = []
        while True:
            cards += [card for hand in update.playerHands or [] for card in hand.cards or []]
            if update.roundEnded:
                break
            if ActionName.Peek in update.nextActions:
                answer = PeekData(acceptedInsurance=False)
                update = act(link, PeekRequest(**head(), action="Peek", data=answer))
                continue
            draws = update.handOwner is HandOwner.Dealer or total(cards) < 17
            move = MoveName.Hit if draws else MoveName.Stand
            update = act(link, MoveRequest(**head(), action=move))
    print(f"points {total(cards)} paid {update.payout} balance {update.balance}")


if __name__ == "__main__":
    main(sys.argv[1], Decimal(sys.argv[2]))
