"""A table of the pure engine for tests, with its own clock, wallets and seeds. `TableRun._checked` checks the
invariants after every transition.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any
from uuid import UUID

import msgspec

from apps.cards.card import Card
from apps.core import json as exact_json
from apps.fairness.engine import TableShoe, chain_seed, commitment, contributions_joined, stream
from apps.rounds.table_game import TableGame, TableTerms
from apps.rounds.table_message_types import card_payload
from apps.rounds.table_payloads import NUMBERS
from apps.tables.engine.codec import state_from_json, state_to_json
from apps.tables.engine.replay import RoundRecord, round_replay
from apps.tables.engine.state import (
    ActionRow,
    ChainStart,
    Ending,
    EventAudience,
    GameplayEvent,
    MoveKind,
    TableChange,
    TableContext,
    TablePhase,
    TableState,
)
from apps.tables.engine.transitions import (
    action_submit,
    deadline_pass,
    pending_again,
    running_round_void,
    seat_back,
    seat_drop,
    seat_join,
    seat_leave,
    state_view,
    table_close,
    table_new,
    table_open,
)

Json = dict[str, Any]
START = 1_000_000
DEALT_FROM_THE_TOP = 60


def contribution_of(player: str) -> str:
    """Return a player's contribution to the client seed."""
    return sha256(player.encode()).hexdigest()[:32]


def seed_text(number: int) -> str:
    """Return the number-th seed of a test."""
    return sha256(f"seed {number}".encode()).hexdigest()


@cache
def seed_where(accepts: Callable[[list[Card]], bool], decks: int, *, client_seed: str = "", nonce: int = 1) -> str:
    """Return a seed whose fresh shoe begins with cards that the test accepts."""
    for number in range(200_000):
        seed = seed_text(number)
        shoe = TableShoe(stream(seed, client_seed, nonce), (decks,) * 52, decks=decks)
        if accepts([shoe[index] for index in range(12)]):
            return seed
    raise AssertionError("no seed deals that")


class TableRun:
    """One table and its players, each with a name and a wallet."""

    def __init__(
        self,
        game: TableGame[Any],
        *,
        seed: str | None = None,
        chain_length: int = 40,
        is_points: bool = False,
        real_money: bool = False,
        wallet: int = 1_000_000,
        decimals: int | None = None,
        **terms: Any,
    ) -> None:
        self.game = game
        places = (0 if is_points else 2) if decimals is None else decimals
        self.terms: TableTerms = game.terms_read(
            is_points=is_points, decimals=places, contribution_required=real_money, **terms
        )
        self.now = START
        self.first_seed = seed
        self.chain_length = 1 if seed else chain_length
        self.chains: dict[str, str] = {}
        self.wallets: Counter[str] = Counter()
        self.wallet_start = wallet
        self.ids = (str(UUID(int=number, version=4)) for number in count(1))
        self.events: list[GameplayEvent] = []
        self.log: dict[str, list[ActionRow]] = {}
        self.records: list[RoundRecord] = []
        self.changes: list[TableChange[Any]] = []
        self.moved: Counter[tuple[str, str]] = Counter()
        self.state: TableState[Any]
        self._take(table_new(game, self.context()))

    # Acts of a test

    def context(self) -> TableContext:
        funds = {} if not hasattr(self, "state") else {seat.seat: self.funds(seat.player) for seat in self.state.seats}
        return TableContext(
            now=self.now,
            terms=self.terms,
            server_seed=self._server_seed,
            chain_new=self._chain_new,
            id_new=lambda: next(self.ids),
            funds=funds,
        )

    def funds(self, player: str) -> int:
        return self.wallet_start + self.wallets[player]

    def join(self, player: str, seat: int | None = None, **more: Any) -> TableChange[Any]:
        more.setdefault("contribution", contribution_of(player) if self.terms.contribution_required else "")
        return self._take(
            seat_join(
                self.game,
                self.state,
                self.context(),
                player=player,
                player_id=f"id of {player}",
                name=player,
                seat=seat,
                **more,
            )
        )

    def leave(self, player: str) -> TableChange[Any]:
        return self._take(seat_leave(self.game, self.state, self.context(), player=player))

    def drop(self, player: str) -> TableChange[Any]:
        return self._take(seat_drop(self.game, self.state, self.context(), player=player))

    def back(self, player: str) -> TableChange[Any]:
        return self._take(seat_back(self.game, self.state, self.context(), player=player))

    def act(self, player: str, action: str, **fields: Any) -> TableChange[Any]:
        """Submit an action, and fail if it is refused."""
        change = self.submit(player, action, **fields)
        assert change.refusal is None, change.refusal
        return change

    def submit(self, player: str, action: str, **fields: Any) -> TableChange[Any]:
        """Submit an action, and return the change, which may hold a refusal."""
        terms = self.state.round.terms if self.state.round is not None else self.terms
        read = self.game.action_read(terms, {"action": action, **fields})
        return self._take(action_submit(self.game, self.state, self.context(), player=player, action=read))

    def refused(self, player: str, action: str, **fields: Any) -> str:
        """Submit an action that is refused, and return the code."""
        change = self.submit(player, action, **fields)
        assert change.refusal is not None
        return change.refusal.code.value

    def wait(self, milliseconds: int | None = None) -> TableChange[Any]:
        """Let time pass: the given milliseconds, or up to the next deadline."""
        if milliseconds is None:
            assert self.state.deadline is not None
            self.now = max(self.now, self.state.deadline)
        else:
            self.now += milliseconds
        return self._take(deadline_pass(self.game, self.state, self.context()))

    def wait_for(self, phase: TablePhase) -> None:
        """Let deadlines pass until the table is in a phase."""
        for _ in range(200):
            if self.state.phase is phase:
                return
            self.wait()
        raise AssertionError(f"{phase} never came")

    def void(self) -> TableChange[Any]:
        return self._take(running_round_void(self.game, self.state, self.context()))

    def close(self) -> TableChange[Any]:
        return self._take(table_close(self.game, self.state, self.context()))

    def open(self) -> TableChange[Any]:
        return self._take(table_open(self.game, self.state, self.context()))

    def again(self, seat: int | None) -> tuple[GameplayEvent, ...]:
        events = pending_again(self.game, self.state, self.context(), seat)
        for event in events:
            self._fits(event)
        return events

    def bet_all(self, **amounts: int) -> None:
        """Stake for players by name, and make all ready."""
        for player, amount in amounts.items():
            self.act(player, "place_bet", amount=amount)
        for seat in self.state.seats:
            if self.state.phase is TablePhase.BETTING and seat.is_in_window and not seat.is_ready:
                self.act(seat.player, "ready")

    # Reads of a test

    def seat(self, player: str) -> Any:
        return self.state.seat_of(player)

    def turns(self) -> list[str]:
        """Return the players who have to decide."""
        return [self.state.seat_at(item.seat).player for item in self.state.requests if item.answer is None]  # type: ignore[union-attr]

    def view(self, seat: int | None = None) -> Json:
        return state_view(self.game, self.state, seat)

    def told(self, change: TableChange[Any], kind: str) -> list[Json]:
        """Return the fields of the events of a type in a change."""
        return [event.fields for event in change.events if event.type == kind]

    def offered(self, player: str) -> list[str]:
        """Return the offers of the last request to a player."""
        seat = self.seat(player).seat
        requests = [event for event in self.events if event.type == "game_action_request" and event.seat == seat]
        return [offer["type"] for offer in requests[-1].fields["payload"]["availableActions"]]

    def last_result(self) -> Json:
        """Return the payload of the last `round_result`."""
        payload: Json = [event for event in self.events if event.type == "round_result"][-1].fields["payload"]
        return payload

    def result_of(self, player: str) -> Json:
        """Return a player's entry of the last `round_result`."""
        found: Json = next(item for item in self.last_result()["results"] if item["playerId"] == f"id of {player}")
        return found

    # Invariants

    def _take(self, change: TableChange[Any]) -> TableChange[Any]:
        self.state = change.state
        self.changes.append(change)
        self.events += change.events
        for row in change.actions:
            self.log.setdefault(row.round_id, []).append(row)
        for movement in change.movements:
            assert movement.units > 0
            signed = -movement.units if movement.kind is MoveKind.BET else movement.units
            self.wallets[movement.player] += signed
            self.moved[movement.round_id, movement.player] += signed
            assert self.funds(movement.player) >= 0
        self._checked(change)
        return change

    def _checked(self, change: TableChange[Any]) -> None:
        for event in change.events:
            self._fits(event)
            assert event.audience is not EventAudience.SEAT or event.seat is not None
        state = self.state
        stored = json.loads(exact_json.encode(state_to_json(self.game, state)))
        assert state_from_json(self.game, stored) == state
        self._fits_state(self.view())
        self._deadline_checked()
        self._secrets_checked(change)
        for closed in change.closed:
            self._closed_checked(closed)
        for opened in change.opened:
            chain = self.chains[change.state.chain.id]
            assert commitment(chain_seed(chain, self.chain_length, opened.position)) == opened.seed_hash
            assert opened.client_seed == contributions_joined([text for _, text in opened.contributions])

    def _deadline_checked(self) -> None:
        state = self.state
        waits = state.phase in (TablePhase.BETTING, TablePhase.PAUSE) or any(
            request.answer is None for request in state.requests
        )
        assert (state.phase is TablePhase.PLAYING) == bool(state.requests)
        if waits:
            assert state.deadline is not None
            assert state.deadline > self.now
        if state.phase in (TablePhase.WAITING, TablePhase.CLOSED):
            assert state.deadline is None
            assert not state.seats

    def _secrets_checked(self, change: TableChange[Any]) -> None:
        """Check that no stored or sent text holds the seed of a running round or a face-down card."""
        state = self.state
        if state.round is None or state.phase not in (TablePhase.BETTING, TablePhase.PLAYING):
            return
        seed = self._server_seed(state.chain.id, state.round.position)
        texts = [
            exact_json.encode(state_to_json(self.game, state)).decode(),
            *(exact_json.encode(event.fields).decode() for event in change.events),
        ]
        assert not any(seed in text for text in texts)
        if state.phase is TablePhase.PLAYING:
            open_cards = Counter(_cards_in(self.view()))
            dealt = Counter(_dealt(self.game, state, seed))
            hidden = dealt - open_cards
            assert sum(hidden.values()) == self.view()["dealer"]["faceDown"]
            assert not open_cards - dealt

    def _closed_checked(self, closed: Any) -> None:
        record = RoundRecord.of(closed, self.log.get(closed.round.id, []))
        self.records.append(record)
        assert commitment(closed.seed) == closed.round.seed_hash
        for outcome in closed.outcomes:
            expected = 0 if record.terms.is_points else outcome.paid - outcome.staked
            assert self.moved[closed.round.id, outcome.player] == expected
        if closed.ending is not Ending.SETTLED:
            assert all(outcome.staked == outcome.paid for outcome in closed.outcomes)
            return
        assert contributions_joined([text for _, text in record.contributions]) == record.client_seed
        replayed = round_replay(self.game, record)
        recorded, again = (
            [(seat.staked, seat.paid, seat.hands) for seat in seats] for seats in (closed.outcomes, replayed.results)
        )
        assert recorded == again
        assert len(replayed.cards) == closed.drawn
        # If the next window was opened at once, it may have a new shoe.
        if self.state.phase is TablePhase.PAUSE:
            assert replayed.shoe_after == self.state.shoe

    def _fits(self, event: GameplayEvent) -> None:
        """Check that a message fits the types that its schema is generated from."""
        payload = event.fields.get("payload")
        kinds = {
            "game_state_update": self.game.messages.state,
            "game_action_request": self.game.messages.request,
            "player_action_broadcast": self.game.messages.broadcast,
            "betting_window_open": self.game.messages.window,
            "round_result": self.game.messages.result,
        }
        if event.type in kinds:
            _convert({**payload, **event.live}, kinds[event.type])  # type: ignore[dict-item]
            assert (
                event.type not in ("game_action_request", "betting_window_open") or event.fields["timeoutSeconds"] >= 0
            )
        else:
            assert event.type in ("seed_commitment", "seed_reveal", "betting_window_closed")

    def _fits_state(self, view: Json) -> None:
        _convert(view, self.game.messages.state)

    def _chain_new(self) -> ChainStart:
        number = len(self.chains)
        identifier = f"chain {number}"
        last = self.first_seed if number == 0 and self.first_seed else seed_text(10**6 + number)
        self.chains[identifier] = last
        return ChainStart(identifier, chain_seed(last, self.chain_length, 0), self.chain_length)

    def _server_seed(self, chain: str, position: int) -> str:
        return chain_seed(self.chains[chain], self.chain_length, position)


def _convert(value: Any, kind: Any) -> None:
    wire = exact_json.decode(exact_json.encode(value))
    msgspec.convert(wire, kind, builtin_types=NUMBERS)


def _cards_in(value: Any) -> Iterator[str]:
    """Yield the cards on the table in a view, without those of earlier rounds and of results."""
    if isinstance(value, dict):
        if set(value) == {"suit", "rank"}:
            yield json.dumps(value, sort_keys=True)
            return
        for name, member in value.items():
            if name not in ("previousResults", "results", "roads"):
                yield from _cards_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from _cards_in(member)


def _dealt(game: TableGame[Any], state: TableState[Any], seed: str) -> Iterator[str]:
    running = state.round
    assert running is not None
    shoe = TableShoe(stream(seed, running.client_seed, running.number), running.shoe, decks=running.terms.decks)
    for index in range(game.drawn(running.play)):
        yield json.dumps(card_payload(shoe[index]), sort_keys=True)


def exact(value: Any) -> Decimal:
    """Return an amount of the wire as a Decimal."""
    return Decimal(value)
