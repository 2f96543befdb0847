"""Searches everything that clients were sent for values that they may not see, in every frame, whatever its type. A
seed and the dealer's cards may be seen from the end of their round on, which is compared with the time in the frame.
PostgreSQL and the servers share this machine's clock.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from apps.fairness.engine import commitment
from apps.fairness.seed_encryption import seed_decrypt
from apps.tables.models import GameTable, TableChain, TableEvent, TableRound
from tests.support.scripted_players import FUNDS_APART, ScriptedPlayer

CLOCK_MS: Final = 1
"""Times in frames are cut to milliseconds."""
HEX: Final = re.compile("[0-9a-fA-F]{64,}")
LARGE: Final = re.compile(r"(?<=[:,\[ ])(\d{8,10})(?:\.\d+)?(?=[,}\] ])")
MAX_WON: Final = FUNDS_APART // 10

Card = tuple[str, int]


@dataclass(frozen=True, slots=True)
class SeenRound:
    """When a round ended, and the cards that lay open before."""

    ended_ms: float
    open_cards: Counter[Card]


@dataclass
class FrameSearch:
    """Searches frames by what the database holds; `looked_at` counts what was compared."""

    seeds: dict[str, float] = field(default_factory=dict)
    """Each seed of each chain, and from when on it may be seen."""
    rounds: dict[str, SeenRound] = field(default_factory=dict)
    numbers: dict[tuple[str, int], str] = field(default_factory=dict)
    """Rounds by table and number."""
    points_tables: set[str] = field(default_factory=set)
    audiences: dict[str, list[tuple[int | None, list[int]]]] = field(default_factory=dict)
    """By message id: the session that an event was for, or the sessions that it was not for. A window's event differs
    by seat."""
    looked_at: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of_database(cls) -> "FrameSearch":
        """Read all rounds, seeds and events. No round with a stake may be running."""
        search = cls()
        for played in TableRound.objects.all():
            ended_ms = played.ended_at.timestamp() * 1000 if played.ended_at else inf
            search.rounds[str(played.pk)] = SeenRound(ended_ms, _open_cards(played.detail))
            search.numbers[str(played.table_id), played.number] = str(played.pk)
        for chain in TableChain.objects.all():
            seed = seed_decrypt(bytes(chain.sealed_seed), commitment=chain.commitment)
            for number in range(chain.first_round + chain.length - 1, chain.first_round - 1, -1):
                round_id = search.numbers.get((str(chain.table_id), number))
                search.seeds[seed] = search.rounds[round_id].ended_ms if round_id else inf
                seed = commitment(seed)
            assert seed == chain.commitment
        search.points_tables = {str(pk) for pk in GameTable.objects.filter(currency=None).values_list("pk", flat=True)}
        for row in TableEvent.objects.all():
            for event in row.event_list():
                search.audiences.setdefault(event["id"], []).append((event["to"], event["but"]))
        return search

    def findings(self, scripted: Sequence[ScriptedPlayer]) -> list[str]:
        """Return a sentence for each secret that somebody was sent too early."""
        found = []
        for one in scripted:
            text = "\n".join(one.frames)
            private = [one.token, f'"{one.session.player.reference}"']
            private += [secret for other in scripted if other is not one for secret in _secrets(other)]
            found += [f"{secret} in the frames of {one.player_id}" for secret in private if secret in text]
            for frame in one.frames:
                found += [f"{fault}: {frame[:300]}" for fault in self.frame_faults(frame, one, scripted)]
        return found

    def frame_faults(self, frame: str, one: ScriptedPlayer, scripted: Sequence[ScriptedPlayer]) -> Iterator[str]:
        """Yield the faults of one frame that the player was sent."""
        message = json.loads(frame)
        now_ms = message["timestamp"] + CLOCK_MS
        self.looked_at["frames"] += 1
        yield from self._seed_faults(frame, now_ms)
        yield from self._card_faults(message, now_ms)
        yield from self._stake_faults(message, one)
        yield from self._audience_faults(message, one)
        for found in LARGE.finditer(frame):
            owner = round(int(found[1]) / FUNDS_APART)
            is_balance = abs(int(found[1]) - owner * FUNDS_APART) < MAX_WON and 0 < owner <= len(scripted)
            self.looked_at["balances"] += is_balance
            if is_balance and owner * FUNDS_APART != one.funds:
                yield f"a balance of another player, {found[1]}"

    def _seed_faults(self, frame: str, now_ms: float) -> Iterator[str]:
        for run in HEX.findall(frame):
            for place in range(len(run) - 63):
                shown_from = self.seeds.get(run[place : place + 64].lower())
                if shown_from is None:
                    continue
                self.looked_at["seeds"] += 1
                if now_ms < shown_from:
                    yield "a seed before the end of its round"

    def _card_faults(self, message: Mapping[str, Any], now_ms: float) -> Iterator[str]:
        shown: dict[int, tuple[str | None, Counter[Card]]] = {}
        for scope, round_id, card in _cards(message, self.numbers, message.get("tableId", ""), (0, None)):
            shown.setdefault(scope, (round_id, Counter()))[1][card] += 1
        for round_id, cards in shown.values():
            played = self.rounds.get(round_id or "")
            if played is None:
                yield "cards of no round"
            elif now_ms < played.ended_ms:
                self.looked_at["cards"] += cards.total()
                if cards - played.open_cards:
                    yield f"cards that lie face down, {list(cards - played.open_cards)}"

    def _stake_faults(self, message: Mapping[str, Any], one: ScriptedPlayer) -> Iterator[str]:
        if message.get("tableId") not in self.points_tables:
            return
        for node in _objects(message):
            state = node.get("resultingState", node)
            if state.get("phase") != "betting":
                continue
            self.looked_at["hidden stakes"] += 1
            if node is not state and node.keys() & {"amount", "betType", "perfectPairs", "poker"}:
                yield "a stake of an open window at a table for points"
            for seat in state["seats"]:
                if seat["playerId"] != one.player_id and seat["stakes"] is not None:
                    yield "the stakes of another seat in an open window at a table for points"

    def _audience_faults(self, message: Mapping[str, Any], one: ScriptedPlayer) -> Iterator[str]:
        session_id = one.session.pk
        for told in (message, *message.get("missedMessages", ())):
            audiences = self.audiences.get(told["messageId"], [(None, [])])
            self.looked_at["messages to one seat"] += all(to is not None for to, _ in audiences)
            if not any(to == session_id or (to is None and session_id not in but) for to, but in audiences):
                yield "a message to somebody else"


def _secrets(other: ScriptedPlayer) -> list[str]:
    return [other.token, str(other.session.session_id), f'"{other.session.player.reference}"']


def _open_cards(detail: Mapping[str, Any]) -> Counter[Card]:
    """Return the cards that lay open before the end: the seats' cards and the dealer's first. A one-deal game has
    none."""
    cards = Counter((card["suit"], card["rank"]) for card in _card_objects(detail.get("results", [])))
    for card in detail.get("public", {}).get("dealer", {}).get("cards", [])[:1]:
        cards[card["suit"], card["rank"]] += 1
    return cards


def _cards(
    value: Any, numbers: Mapping[tuple[str, int], str], table_id: str, scope: tuple[int, str | None]
) -> Iterator[tuple[int, str | None, Card]]:
    """Yield each card with the innermost object around it that names a round, and that round."""
    if isinstance(value, list):
        for member in value:
            yield from _cards(member, numbers, table_id, scope)
    elif isinstance(value, dict):
        if value.keys() == {"suit", "rank"}:
            yield *scope, (value["suit"], value["rank"])
        if value.get("roundId"):
            scope = (id(value), value["roundId"])
        elif "roundNumber" in value:
            scope = (id(value), numbers.get((table_id, value["roundNumber"])))
        for member in value.values():
            yield from _cards(member, numbers, table_id, scope)


def _card_objects(value: Any) -> Iterator[dict[str, Any]]:
    return (node for node in _objects(value) if node.keys() == {"suit", "rank"})


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for member in value:
            yield from _objects(member)
    elif isinstance(value, dict):
        yield value
        for member in value.values():
            yield from _objects(member)
