"""Plays rounds at a table of the lobby with the generated types: stakes the least, says ready, and stands.

python tables.py http://127.0.0.1:8000 <game session's id> blackjack 3
"""

import secrets
import sys
import time
import uuid
from typing import TypedDict

import punto_socket as wire
from punto_client import AuthenticatedClient
from punto_client.api.tables import table_lobby, table_room_join, table_token_create
from punto_client.exact import dumps
from punto_client.models import JoinInput, SeatedRoom, TableRoomList, TableToken, TableTokenInput
from pydantic import BaseModel
from websockets.sync.client import ClientConnection, connect


class Head(TypedDict):
    """What a client adds to every message: an id of its own, under which it counts once, and the time."""

    messageId: str
    timestamp: int


def head() -> Head:
    """Return it for a new message."""
    return {"messageId": str(uuid.uuid4()), "timestamp": int(time.time() * 1000)}


def send(link: ClientConnection, message: BaseModel) -> None:
    """Send a message; its amounts are exact JSON numbers, where pydantic by itself writes texts."""
    link.send(dumps(message.model_dump(exclude_none=True)))


def receive(link: ClientConnection) -> object:
    """Return the next message, as the type that its `type` and `gameType` name."""
    return wire.TableServerMessage.model_validate_json(link.recv(timeout=60)).root


def token_of(server: str, session: str) -> str:
    """Return a token for the tables, made of a game session's."""
    client = AuthenticatedClient(base_url=server, token=session)
    answer = table_token_create.sync(client=client, body=TableTokenInput())
    if not isinstance(answer, TableToken):
        raise SystemExit(f"no token: {answer}")
    return answer.token


def seat_take(client: AuthenticatedClient, game: str) -> SeatedRoom:
    """Take a seat at the first table of the game that has a currency."""
    lobby = table_lobby.sync(client=client)
    if not isinstance(lobby, TableRoomList):
        raise SystemExit(f"no lobby: {lobby}")
    room = next(room for room in lobby.rooms if room.game_type == game and room.currency is not None)
    # What the seat gives to the seeds of its rounds, made after the table has published its own.
    seated = table_room_join.sync(room.id, client=client, body=JoinInput(client_seed=secrets.token_hex(16)))
    if not isinstance(seated, SeatedRoom):
        raise SystemExit(f"no seat: {seated}")
    return seated


def blackjack_send(
    link: ClientConnection, table: str, action: wire.BlackjackPlaceBet | wire.Ready | wire.Stand
) -> None:
    """Send an action at a blackjack table."""
    send(
        link,
        wire.BlackjackSubmitAction(**head(), type="submit_action", gameType="blackjack", tableId=table, payload=action),
    )


def baccarat_send(link: ClientConnection, table: str, action: wire.BaccaratPlaceBet | wire.Ready) -> None:
    """Send an action at a baccarat table."""
    send(
        link,
        wire.BaccaratSubmitAction(**head(), type="submit_action", gameType="baccarat", tableId=table, payload=action),
    )


def step(link: ClientConnection, table: str) -> str:
    """Answer one message; return the line that is to be printed, for a result."""
    match receive(link):
        case wire.BlackjackBettingWindowOpen() as window:
            for offer in window.payload.availableActions:
                if isinstance(offer, wire.BlackjackPlaceBetOffer):
                    blackjack_send(link, table, wire.BlackjackPlaceBet(action="place_bet", amount=offer.minAmount))
                    blackjack_send(link, table, wire.Ready(action="ready"))
        case wire.BlackjackGameActionRequest():
            blackjack_send(link, table, wire.Stand(action="stand"))
        case wire.BaccaratBettingWindowOpen() as betting:
            for bets in betting.payload.availableActions:
                if isinstance(bets, wire.BaccaratPlaceBetOffer):
                    least = bets.betTypes[0]
                    bet = wire.BaccaratPlaceBet(action="place_bet", betType=least.betType, amount=least.minAmount)
                    baccarat_send(link, table, bet)
                    baccarat_send(link, table, wire.Ready(action="ready"))
        case wire.BlackjackRoundResult() | wire.BaccaratRoundResult() as result:
            paid = [f"stakes {row.stakes} payout {row.payout} net {row.net}" for row in result.payload.results]
            return f"round {result.payload.roundNumber} {' and '.join(paid)}"
        case (
            wire.ProtocolErrorMessage() | wire.BlackjackGameErrorMessage() | wire.BaccaratGameErrorMessage() as refusal
        ):
            raise SystemExit(f"{refusal.code.value}: {refusal.message}")
    return ""


def main(server: str, session: str, game: str, rounds: int) -> None:
    """Play so many rounds."""
    token = token_of(server, session)
    with connect(server.replace("http", "ws", 1) + "/ws/tables") as link:
        receive(link)  # hello
        send(link, wire.Authenticate(**head(), type="authenticate", token=token, protocolVersion="1.0"))
        room = seat_take(AuthenticatedClient(base_url=server, token=token), game)
        while rounds:
            line = step(link, str(room.id))
            if line:
                print(line)
                rounds -= 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
