"""A baccarat round dealt again, card by card."""

from typing import Final

from apps.baccarat.engine import Deal, deal, score
from apps.cards.card import Card
from apps.cards.notation import parse_card
from apps.core.card_faces import cards_html
from apps.fairness.services import draw_again
from apps.office.replay.parts import Place, Replay, Step
from apps.rounds.models import Round

SIDES: Final = ("player", "banker")
BY: Final = "the rules"


def baccarat_replay(row: Round) -> Replay:
    """Return the deal of the round, drawn anew from its seed pair."""
    outcome = deal(draw_again(row.seed_pair, row.nonce).shoe(row.terms["decks"]))
    recorded = {side: tuple(parse_card(code) for code in row.detail[side]) for side in SIDES}
    return Replay(_steps(outcome), is_same=recorded == {"player": outcome.player, "banker": outcome.banker})


def _steps(outcome: Deal) -> tuple[Step, ...]:
    sides: dict[str, tuple[Card, ...]] = dict.fromkeys(SIDES, ())
    steps = []
    for side, card in _order(outcome):
        sides[side] = (*sides[side], card)
        what = "third card" if len(sides[side]) == 3 else f"card {len(sides[side])}"
        steps.append(Step(f"{side.capitalize()}: {what}", BY, _places(sides)))
    end = f"{outcome.winner.value.capitalize()}: {outcome.player_score} to {outcome.banker_score}"
    return (*steps, Step(end, BY, _places(sides)))


def _order(outcome: Deal) -> list[tuple[str, Card]]:
    """Return the cards in dealing order, each with its side."""
    first = [
        (side, card)
        for pair in zip(outcome.player[:2], outcome.banker[:2], strict=True)
        for side, card in zip(SIDES, pair, strict=True)
    ]
    return first + [("player", card) for card in outcome.player[2:]] + [("banker", card) for card in outcome.banker[2:]]


def _places(sides: dict[str, tuple[Card, ...]]) -> tuple[Place, ...]:
    return tuple(
        Place(side, cards_html(cards), f"{score(cards)} points" if cards else "") for side, cards in sides.items()
    )
