"""The auditor's replay of a round of any game, step by step from its record and compared with its seeds.

The page shows whether the round, dealt again from its seed pair, is equal to the record. Face-down cards of an open
round are not shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from apps.core.card_faces import hand_html
from apps.office.verification.rounds import record_check
from apps.rounds.explanation import ExplainedHand, ExplainedStep
from apps.rounds.models import Round
from apps.rounds.selectors import round_explain


@dataclass(frozen=True, slots=True)
class ShownHand:
    """A hand at a step, ready for the template."""

    label: str
    cards: SafeString
    note: str


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step, ready for the template."""

    title: str
    by: str
    hands: Sequence[ShownHand]


@dataclass(frozen=True, slots=True)
class Replay:
    """The steps of a round, and the differences of its record from its seeds."""

    steps: Sequence[ShownStep]
    differences: Sequence[str]
    is_dealt: bool
    """Whether the record has cards to compare: a round at a table begins before its deal."""


def round_replay(row: Round) -> Replay:
    """Return the round's replay; its seed pair, if it has one, and currency should be read with it."""
    checked = record_check(row)
    steps = [step_shown(step) for step in round_explain(row).steps]
    is_dealt = bool(steps)
    if checked.unseen:
        steps.append(ShownStep("Dealt, and never shown", "the seeds", [hand_shown(hand) for hand in checked.unseen]))
    return Replay(steps, checked.differences, is_dealt)


def step_shown(step: ExplainedStep) -> ShownStep:
    """Draw a step."""
    return ShownStep(step.text, step.by, [hand_shown(hand) for hand in step.hands])


def hand_shown(hand: ExplainedHand) -> ShownHand:
    """Draw a hand."""
    return ShownHand(hand.label, hand_html(hand.cards), ", ".join(filter(None, [hand.total, hand.note])))
