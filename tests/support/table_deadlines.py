"""Checks deadlines in the messages to clients: each was fired once. Measures how late."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.support.scripted_players import ScriptedPlayer
from tests.support.tables import Message

WINDOW_ACTIONS = ("place_bet", "clear_bets", "ready", "no_bet")


@dataclass
class Deadlines:
    """How late windows were closed and turns were ended, in milliseconds, and the deadlines that were not fired
    once."""

    windows_ms: list[int] = field(default_factory=list)
    turns_ms: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the figures in words."""
        return "; ".join(
            f"{len(late)} {what} {_percentile(late, 0.5)} ms late (median), {_percentile(late, 0.99)} ms"
            f" (99th percentile), {max(late)} ms at most"
            for what, late in (("windows closed", self.windows_ms), ("turns ended", self.turns_ms))
            if late
        )


def deadlines_of(scripted: Sequence[ScriptedPlayer]) -> Deadlines:
    """Return the deadlines in the messages to all players. Nobody may have said `ready`, since windows must end by time
    alone."""
    streams = {id(one): list(told_once(one)) for one in scripted}
    first_sent: dict[str, int] = {}
    for messages in streams.values():
        for message in messages:
            known = first_sent.get(message["messageId"], message["timestamp"])
            first_sent[message["messageId"]] = min(known, message["timestamp"])
    deadlines = Deadlines()
    closings: dict[str, int] = {}
    for one in scripted:
        closings |= _windows_look(streams[id(one)], first_sent, deadlines)
        _turns_look(streams[id(one)], one.player_id, first_sent, deadlines)
    deadlines.windows_ms = list(closings.values())
    return deadlines


def told_once(one: ScriptedPlayer) -> Iterator[Message]:
    """Yield the messages to a player in order, each once, with missed messages in their places."""
    seen = set()
    for frame in one.frames:
        message = json.loads(frame)
        for told in (*message.get("missedMessages", ()), message):
            if told["messageId"] not in seen:
                seen.add(told["messageId"])
                yield told


def _windows_look(messages: Sequence[Message], first_sent: dict[str, int], deadlines: Deadlines) -> dict[str, int]:
    """Return how late each window was closed, by the closing's id."""
    late = {}
    opened: Message | None = None
    closed: list[str] = []
    for message in messages:
        if message["type"] == "betting_window_closed":
            closed.append(message["messageId"])
            if opened is not None and len(closed) == 1:
                late[message["messageId"]] = first_sent[message["messageId"]] - opened["payload"]["deadline"]
        elif message["type"] == "betting_window_open" and "repeats" not in message:
            number = message["payload"]["roundNumber"]
            # A player who was away for longer than a round has a gap there.
            if opened is not None and number == opened["payload"]["roundNumber"] + 1 and len(closed) != 1:
                deadlines.faults.append(f"window {opened['messageId']} was closed {len(closed)} times")
            opened, closed = message, []
    return late


def _turns_look(messages: Sequence[Message], player_id: str, first_sent: dict[str, int], deadlines: Deadlines) -> None:
    request: Message | None = None
    taken = 0
    for message in messages:
        is_request = message["type"] == "game_action_request" and "repeats" not in message
        if is_request or message["type"] == "round_result":
            if request is not None and taken != 1:
                deadlines.faults.append(f"request {request['messageId']} was answered {taken} times")
            request, taken = (message if is_request else None), 0
        elif message["type"] == "player_action_broadcast" and request is not None:
            payload = message["payload"]
            if payload["playerId"] != player_id or payload["action"] in WINDOW_ACTIONS:
                continue
            taken += 1
            if payload.get("timeout"):
                deadline = _deadline_of(request["payload"], payload["seat"])
                deadlines.turns_ms.append(first_sent[message["messageId"]] - deadline)


def _deadline_of(state: Message, seat: int) -> int:
    deadline: int = next(turn["deadline"] for turn in state["turns"] if turn["seat"] == seat)
    return deadline


def _percentile(figures: Sequence[int], share: float) -> int:
    return sorted(figures)[min(len(figures) - 1, int(share * len(figures)))]
