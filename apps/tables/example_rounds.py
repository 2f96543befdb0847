"""Example rounds for the specifications, played by the engine and seen from the socket of seat 1. Pure.

The players are the same for every game: they choose their answers from `availableActions` alone. Seeds, ids and times
are fixed, so the examples are the same in every process.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, Final
from uuid import UUID

import msgspec

from apps.fairness.engine import chain_seed
from apps.rounds.table_game import PLACE_BET, READY, TableGame
from apps.tables.engine.state import (
    ChainStart,
    EventAudience,
    GameplayEvent,
    TableChange,
    TableContext,
    TablePhase,
    TableState,
)
from apps.tables.engine.transitions import action_submit, deadline_pass, seat_join, table_new
from apps.tables.messages import PROTOCOL_VERSION, VERSIONED

Json = dict[str, Any]

_LAST_SEED: Final = "0123456789abcdef" * 4
_CHAIN_LENGTH: Final = 8
_BEGIN_MS: Final = 1_767_225_600_000
_CONTRIBUTIONS: Final = ("00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100")
_TABLE_ID: Final = "7b1c6f6e-5d0c-4b43-9f5e-0f3c5c0b9a51"
_FUNDS: Final = 10**9
_THINKING_MS: Final = 2_000


class ExampleRound(msgspec.Struct, frozen=True):
    """A round and what it shows; `messages` are in the order of seat 1's connection."""

    title: str
    text: str
    messages: Sequence[Json]


def example_rounds(game: TableGame[Any]) -> tuple[ExampleRound, ...]:
    """Return three rounds of one table of two players."""
    table = _ExampleTable(game)
    played = table.play(stakes=(2, 1), choice=0)
    timed_out = table.play(stakes=(1, 0), choice=0, is_answered=False)
    unstaked = table.play(stakes=(0, 0), choice=0, is_answered=False)
    return (
        ExampleRound(
            "A round of two players", "Both stake and say that they are ready, and both answer in time.", played
        ),
        ExampleRound(
            "A round that times out",
            "Seat 1 stakes, says nothing more, and lets every deadline pass; seat 2 sits the round out.",
            timed_out,
        ),
        ExampleRound(
            "A round that nobody stakes in", "No card is dealt, and the seed is revealed all the same.", unstaked
        ),
    )


class _ExampleTable:
    """A table of two players, a clock that stands still between messages, and what seat 1 has sent and received."""

    def __init__(self, game: TableGame[Any]) -> None:
        self._game = game
        self._numbers = count(1)
        self._now = _BEGIN_MS
        self._sequence = 0
        self._messages: list[Json] = []
        self._offers: dict[int, list[Json]] = {}
        self._terms = game.terms_read(is_points=False, decimals=2, contribution_required=True, seats=2)
        self._state: TableState[Any] = table_new(game, self._context()).state
        for contribution, name in zip(_CONTRIBUTIONS, ("Anna", "Ben"), strict=True):
            self._take(
                seat_join(
                    game,
                    self._state,
                    self._context(),
                    player=name,
                    player_id=self._id(),
                    name=name,
                    contribution=contribution,
                )
            )
        while self._state.phase is not TablePhase.PAUSE:
            self._deadline_pass()  # the first window was opened before the second player came

    def play(self, *, stakes: tuple[int, int], choice: int, is_answered: bool = True) -> list[Json]:
        """Play a round and return its messages.

        `stakes` are multiples of the lowest stake, 0 for none; `choice` is the index of each answer in the offers.
        """
        if self._state.phase is not TablePhase.BETTING:
            self._messages.clear()
            self._deadline_pass()
        for seat, times in enumerate(stakes, 1):
            if times:
                self._submit(seat, self._stake(seat, times))
        for seat in (1, 2) if is_answered else ():
            self._submit(seat, {"action": READY})
        while self._state.phase in (TablePhase.BETTING, TablePhase.PLAYING):
            if is_answered and self._state.phase is TablePhase.PLAYING:
                seat = self._state.requests[0].seat
                self._submit(seat, {"action": self._offers[seat][choice]["type"]})
            else:
                self._deadline_pass()
        return list(self._messages)

    def _stake(self, seat: int, times: int) -> Json:
        offer = next(offer for offer in self._offers[seat] if offer["type"] == PLACE_BET)
        if "betTypes" not in offer:
            return {"action": PLACE_BET, "amount": offer["minAmount"] * times}
        bet = offer["betTypes"][seat % len(offer["betTypes"])]
        return {"action": PLACE_BET, "betType": bet["betType"], "amount": bet["minAmount"] * times}

    def _submit(self, seat: int, payload: Json) -> None:
        self._now += _THINKING_MS
        action = self._game.action_read(self._terms, payload)
        player = self._state.seat_at(seat)
        assert player is not None
        change = action_submit(self._game, self._state, self._context(), player=player.player, action=action)
        assert change.refusal is None, change.refusal
        if seat == 1:
            message_id = self._id()
            sent = {"type": "submit_action", "messageId": message_id, "timestamp": self._now}
            table = {"gameType": self._game.game_type, "tableId": _TABLE_ID}
            self._messages.append(sent | table | {"protocolVersion": PROTOCOL_VERSION, "payload": payload})
            self._get({"type": "ack", "messageId": self._id(), "relatedMessageId": message_id})
        self._take(change)

    def _deadline_pass(self) -> None:
        deadline = self._state.deadline
        assert deadline is not None
        self._now = deadline
        self._take(deadline_pass(self._game, self._state, self._context()))

    def _take(self, change: TableChange[Any]) -> None:
        self._state = change.state
        for event in change.events:
            for seat in (1, 2):
                if event.audience is EventAudience.ALL or (event.audience is EventAudience.SEAT and event.seat == seat):
                    offers = event.fields.get("payload", {}).get("availableActions")
                    self._offers[seat] = offers or self._offers.get(seat, [])
                    if seat == 1:
                        self._get(self._message(event))

    def _message(self, event: GameplayEvent) -> Json:
        message = {"type": event.type, "messageId": event.id, "gameType": self._game.game_type, "tableId": _TABLE_ID}
        if event.type in VERSIONED:
            message["protocolVersion"] = PROTOCOL_VERSION
        fields = dict(event.fields)
        if event.live:
            fields["payload"] = fields["payload"] | event.live
        return message | fields

    def _get(self, message: Json) -> None:
        self._sequence += 1
        self._messages.append(message | {"timestamp": self._now, "sequence": self._sequence})

    def _context(self) -> TableContext:
        return TableContext(
            now=self._now,
            terms=self._terms,
            server_seed=lambda _, position: chain_seed(_LAST_SEED, _CHAIN_LENGTH, position),
            chain_new=lambda: ChainStart(self._id(), chain_seed(_LAST_SEED, _CHAIN_LENGTH, 0), _CHAIN_LENGTH),
            id_new=self._id,
            funds={1: _FUNDS, 2: _FUNDS},
        )

    def _id(self) -> str:
        return str(UUID(int=next(self._numbers), version=4))
