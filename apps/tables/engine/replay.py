"""The replay of a finished table round from its record. Pure.

Verification, explanation and the auditors' replay use it. The record has what `GET .../rounds/{roundId}` serves: seed,
contributions, shoe, terms, stakes at the closing of the window, and the decisions in the order in which they were
carried out.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from apps.cards.card import Card
from apps.fairness.engine import TableShoe, stream
from apps.rounds.table_game import (
    WINDOW_ACTIONS,
    Bets,
    SeatAction,
    SeatFunds,
    SeatResult,
    TableGame,
    TableRefusal,
    TableTerms,
)
from apps.tables.engine.state import ActionRow, Json, RoundClosed

S = TypeVar("S")


class ReplayError(ValueError):
    """A record that no round can have produced; the message names the contradiction."""


class LoggedAction(msgspec.Struct, frozen=True):
    """An action of a seat in the round's log."""

    seat: int
    action: SeatAction
    timeout: bool = False


class RecordedStakes(msgspec.Struct, frozen=True):
    """The stakes of a seat when the window closed."""

    seat: int
    bets: Bets


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The data for the replay of a finished round."""

    number: int
    """The round's number, which is also its nonce."""
    seed_hash: str
    seed: str
    contributions: tuple[tuple[int, str], ...]
    client_seed: str
    shoe: tuple[int, ...] | None
    terms: TableTerms
    stakes: tuple[RecordedStakes, ...]
    """In seat order; empty if nobody staked."""
    actions: tuple[LoggedAction, ...]
    """The actions in order; the replay skips those of the betting window."""

    @classmethod
    def of(cls, closed: RoundClosed, actions: Sequence[ActionRow]) -> "RoundRecord":
        """Return the record of a round that has just ended."""
        played = closed.round
        return cls(
            number=played.number,
            seed_hash=played.seed_hash,
            seed=closed.seed,
            contributions=played.contributions,
            client_seed=played.client_seed,
            shoe=played.shoe,
            terms=played.terms,
            stakes=tuple(RecordedStakes(outcome.seat, outcome.bets) for outcome in closed.outcomes),
            actions=tuple(LoggedAction(row.seat, row.action, row.timeout) for row in actions),
        )


class OfferedTurn(msgspec.Struct, frozen=True):
    """The request to a seat, regardless of its funds."""

    seat: int
    request: Json


class ReplayStep(msgspec.Struct, frozen=True, kw_only=True):
    """The table after the deal (`by` is None) or after a decision."""

    by: LoggedAction | None
    play: Any
    """The state of the round."""
    cards: Sequence[Card]
    """The cards dealt in this step, in order, face-down cards included."""
    table: Json
    """The public view of the round without the seats."""
    seats: dict[int, Json]
    """The public view of each seat."""
    turns: Sequence[OfferedTurn]
    """The seats that had to decide next, and their offers."""


class ReplayResult(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """A round, played again."""

    play: S | None
    """None: no card was dealt."""
    cards: Sequence[Card]
    """In dealing order, face-down cards included."""
    steps: Sequence[ReplayStep]
    results: Sequence[SeatResult]
    """In the order of the record's stakes."""
    shoe_after: tuple[int, ...] | None


def round_replay(game: TableGame[S], record: RoundRecord) -> ReplayResult[S]:
    """Replay a round to the end of its actions. Raises ReplayError."""
    if not record.stakes:
        return ReplayResult(play=None, cards=(), steps=(), results=(), shoe_after=record.shoe)
    terms = record.terms
    seats = [stakes.seat for stakes in record.stakes]
    shoe = TableShoe(stream(record.seed, record.client_seed, record.number), record.shoe, decks=terms.decks)
    play = game.round_start(terms, [stakes.bets for stakes in record.stakes], shoe)
    steps = [_step(game, terms, play, seats, shoe, 0, None)]
    for recorded in record.actions:
        if recorded.action.name in WINDOW_ACTIONS:
            continue
        drawn = game.drawn(play)
        play = _decided(game, terms, play, seats, recorded, shoe)
        steps.append(_step(game, terms, play, seats, shoe, drawn, recorded))
    drawn = game.drawn(play)
    return ReplayResult(
        play=play,
        cards=tuple(shoe[index] for index in range(drawn)),
        steps=tuple(steps),
        results=tuple(game.results(terms, play)) if game.is_over(play) else (),
        shoe_after=shoe.counts_after(drawn),
    )


def card_places(game: TableGame[Any], record: RoundRecord) -> Sequence[str]:
    """Return the place of each card of a finished round, as `TableGame.card_places` defines it."""
    if not record.stakes:
        return ()
    shoe = TableShoe(stream(record.seed, record.client_seed, record.number), record.shoe, decks=record.terms.decks)
    decisions = [(taken.seat, taken.action) for taken in record.actions if taken.action.name not in WINDOW_ACTIONS]
    return game.card_places(record.terms, {held.seat: held.bets for held in record.stakes}, decisions, shoe)


def _decided(
    game: TableGame[S], terms: TableTerms, play: S, seats: Sequence[int], recorded: LoggedAction, shoe: TableShoe
) -> S:
    if recorded.seat not in seats or game.is_over(play):
        raise ReplayError(f"seat {recorded.seat} had nothing to decide: {recorded.action.name}")
    place = seats.index(recorded.seat)
    if place not in game.waits_for(play):
        raise ReplayError(f"it was not the turn of seat {recorded.seat}: {recorded.action.name}")
    action = game.action_full(terms, play, place, recorded.action)
    try:
        game.action_cost(terms, play, place, action)
    except TableRefusal as error:
        raise ReplayError(f"seat {recorded.seat}: {error.message}") from error
    return game.action_apply(terms, play, place, action, shoe)


def _step(
    game: TableGame[S],
    terms: TableTerms,
    play: S,
    seats: Sequence[int],
    shoe: TableShoe,
    drawn_before: int,
    by: LoggedAction | None,
) -> ReplayStep:
    waiting: Sequence[Any] = () if game.is_over(play) else game.waits_for(play)
    return ReplayStep(
        by=by,
        play=play,
        cards=tuple(shoe[index] for index in range(drawn_before, game.drawn(play))),
        table=game.public_view(terms, play),
        seats={seat: game.seat_view(terms, play, place) for place, seat in enumerate(seats)},
        turns=tuple(OfferedTurn(seats[place], game.request_view(terms, play, place, _ANY)) for place in waiting),
    )


_ANY = SeatFunds(None)
