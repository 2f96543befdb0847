"""Rounds dealt again, step by step, for people to look at.

What is shown comes out of the engines: the round's cards are drawn anew from its seed pair, and the page says
whether they are those of the record. Nothing of a round that is still open is drawn: only what lay open is shown.
"""

from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from apps.baccarat.engine import Deal, deal, score
from apps.cards.card import Card
from apps.cards.notation import parse_card
from apps.core.card_faces import cards_html
from apps.fairness.services import draw_again
from apps.rounds.games import BACCARAT
from apps.rounds.models import Round, RoundEnd

SIDES: Final = ("player", "banker")


@dataclass(frozen=True, slots=True)
class Place:
    """One hand or side as it lies at a step."""

    name: str
    cards: SafeString
    note: str


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, who did it, and how the table looked afterwards."""

    title: str
    by: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """The steps of a round; `is_same` says whether the cards dealt again are those of the record."""

    steps: tuple[Step, ...]
    is_same: bool | None
    """None: nothing was dealt again, because the round is still open."""
    why: str = ""


def replay_steps(round_row: Round) -> Replay:
    """Return the round's replay. `round_row.seed_pair` should be read with it."""
    if round_row.how_ended == RoundEnd.OPEN:
        return Replay((), None, "The round is still open: its cards are dealt again once it is over.")
    if round_row.game == BACCARAT:
        return _baccarat_replay(round_row)
    return Replay((), None, "There is no replay of this game.")


def _baccarat_replay(round_row: Round) -> Replay:
    draw = draw_again(round_row.seed_pair, round_row.nonce)
    outcome = deal(draw.shoe(round_row.terms["decks"]))
    recorded = {side: tuple(parse_card(code) for code in round_row.detail[side]) for side in SIDES}
    is_same = recorded == {"player": outcome.player, "banker": outcome.banker}
    return Replay(_baccarat_steps(outcome), is_same)


def _baccarat_steps(outcome: Deal) -> tuple[Step, ...]:
    first = zip(outcome.player[:2], outcome.banker[:2], strict=True)
    order = [(side, card) for pair in first for side, card in zip(SIDES, pair, strict=True)]
    order += [("player", card) for card in outcome.player[2:]] + [("banker", card) for card in outcome.banker[2:]]
    sides: dict[str, tuple[Card, ...]] = dict.fromkeys(SIDES, ())
    steps = []
    for number, (side, card) in enumerate(order):
        sides[side] = (*sides[side], card)
        what = "third card" if number >= 4 else f"card {len(sides[side])}"
        steps.append(Step(f"{side.capitalize()}: {what}", "the rules", _side_places(sides)))
    end = f"{outcome.winner.value.capitalize()}: {outcome.player_score} to {outcome.banker_score}"
    steps.append(Step(end, "the rules", _side_places(sides)))
    return tuple(steps)


def _side_places(sides: dict[str, tuple[Card, ...]]) -> tuple[Place, ...]:
    return tuple(
        Place(side, cards_html(cards), f"{score(cards)} points" if cards else "") for side, cards in sides.items()
    )
