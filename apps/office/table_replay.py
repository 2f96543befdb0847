"""The replay of a table's round, step by step, for all seats or for one, and the comparison of it with its seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from apps.core.errors import Conflict
from apps.core.query_parameters import parameter_refused
from apps.core.staff_scope import Viewer, in_scope
from apps.office.replay import ShownStep, step_shown
from apps.rounds.explanation import ExplainedStep
from apps.rounds.models import RoundVoid
from apps.tables.models import RoundEnding, TableRound
from apps.tables.round_check import round_faults
from apps.tables.story import TableRoundStory, seeds_of, table_rounds_ready


@dataclass(frozen=True, slots=True)
class TableReplay:
    """The steps of a table's round, and the differences between its record and its seeds."""

    seats: Sequence[int]
    """The seats that staked."""
    seat: int | None
    """The seat whose view it is; None for the table's view."""
    steps: Sequence[ShownStep]
    stakes: Sequence[tuple[int, str]]
    """The stakes before the deal, by seat."""
    differences: Sequence[str]


def table_round_of(viewer: Viewer, round_id: UUID) -> TableRound | None:
    """Return a table's round within the viewer's scope, ready for a replay."""
    rounds = in_scope(TableRound.objects.all(), viewer=viewer, partner_path="table__partner_id")
    return table_rounds_ready(rounds).filter(pk=round_id).first()


def table_round_voids(played: TableRound) -> "QuerySet[RoundVoid]":
    """Return the voids of the seats of a table's round."""
    return RoundVoid.objects.filter(round__table_round=played.pk).order_by("round__seat").select_related("round")


def seat_asked(text: str | None) -> int | None:
    """Return the seat that the query names. Raises BadRequest."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 2):
        raise parameter_refused("seat", "this is no seat; a number is expected")
    return int(text)


def table_round_replay(played: TableRound, seat: int | None) -> TableReplay:
    """Return the replay of a round that has ended. Raises Conflict while it is running, BadRequest (no such seat)."""
    if played.ending == RoundEnding.RUNNING:
        raise Conflict("the round is running: what lies open is on the page of its table")
    story = TableRoundStory(played)
    if seat is not None and seat not in story.seats:
        raise parameter_refused("seat", "this seat did not stake in the round")
    steps = [step_shown(step) for step in story.steps()]
    if seat is not None:
        steps = list(_seat_steps(story, seat))
    labels = story.game.bet_labels
    stakes = [
        (number, ", ".join(f"{labels.get(bet, bet)} {story.money(units)}" for bet, units in bets.items()))
        for number, bets in story.stakes.items()
    ]
    return TableReplay(story.seats, seat, steps, stakes, round_faults(played, seeds_of(played)).faults)


def _seat_steps(story: TableRoundStory, seat: int) -> Sequence[ShownStep]:
    """Return the round from the seat's view: its questions, its answers, and the table at each of them."""
    steps: list[ShownStep] = []
    assert story.replay is not None
    for index, step in enumerate(story.replay.steps):
        steps += [step_shown(part) for part in story.step_parts(index)]
        for turn in step.turns:
            if turn.seat == seat:
                offered = ", ".join(_offer(action) for action in turn.request.get("availableActions", ()))
                steps.append(ShownStep(f"Seat {seat} is asked: {offered}", "the table", []))
    end = list(story.steps())[-1:]
    return [*steps, *(_end(story, step, seat) for step in end)]


def _offer(action: dict[str, Any]) -> str:
    return str(action["type"]).replace("_", " ")


def _end(story: TableRoundStory, step: ExplainedStep, seat: int) -> ShownStep:
    result = story.result_of(seat)
    text = "It was not played to its end"
    if result is not None:
        text = f"The end: {story.money(result.staked)} staked, {story.money(result.paid)} back"
    shown = step_shown(step)
    return ShownStep(text, shown.by, shown.hands)
