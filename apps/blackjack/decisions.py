"""The decisions of a round: what the player sees, and the best play. Pure.

A decision is made from a state of the engine, which has no hidden card, so neither the hole card nor the shoe can
change the advice.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from apps.blackjack.engine.actions import Action, Move, legal_actions
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import ACE_VALUE, Phase, RoundState, hand_to_act
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.edge import VERSION
from apps.blackjack.mathematics.hint import Advice, chart_advice, decision_values, question_values
from apps.cards.card import Card
from apps.cards.notation import parse_cards
from apps.core import json

MOVES: Final = {
    Advice.HIT: Move.HIT,
    Advice.STAND: Move.STAND,
    Advice.DOUBLE: Move.DOUBLE,
    Advice.SURRENDER: Move.SURRENDER,
    Advice.SPLIT: Move.SPLIT,
}
_ADVICE: Final = {move: advice for advice, move in MOVES.items()}
_NEVER_SHOWN: Final = "?"
_PLACEHOLDER: Final = parse_cards("H2")[0]
"""Lies in the place of a hole card that was never shown. It makes no natural, and where one was possible the dealer
had none: a natural is shown."""


class Decision(msgspec.Struct, frozen=True):
    """A decision of a player: the visible cards, and the moves that the rules allow."""

    rules: BlackjackRules
    hand_index: int
    cards: tuple[Card, ...]
    upcard: Card
    others: tuple[Card, ...]
    """The cards of the player's other hands."""
    is_split: bool
    splits_left: int
    is_question: bool
    """Insurance or early surrender is asked for, before the peek."""
    moves: tuple[Move, ...]

    def fingerprint(self) -> str:
        """Return SHA-256, in hex, of all that the values depend on: equal for hands with equal values of cards."""
        return sha256(json.canonical([VERSION, self.rules.fingerprint(), self.facts()])).hexdigest()

    def facts(self) -> dict[str, Any]:
        """Return what the values depend on beside the rules, as JSON."""
        values = [card.value for card in self.cards]
        first = values[:1] if self.is_split else []
        return {
            # The first card of a hand of a split is one of the pair; the order of the others does not matter.
            "values": first + sorted(values[len(first) :]),
            "upcard": self.upcard.value,
            "gone": sorted(card.value for card in self.others),
            "is_split": self.is_split,
            "splits_left": self.splits_left,
            "is_question": self.is_question,
        }


def decision_now(state: RoundState, *, funds: int | None, seat: int = 0) -> Decision | None:
    """Return the decision that `seat` has now; None if there is none, or only one move."""
    moves = legal_actions(state, funds, seat)
    is_question = state.phase is Phase.QUESTION
    index = 0 if is_question else hand_to_act(state, seat)
    if index is None or len(moves) < 2 or state.phase in (Phase.DEALER, Phase.SETTLED):
        return None
    hands = state.seats[seat].hands
    hand = hands[index]
    limit = state.rules.split_ace if hand.cards[0].value == ACE_VALUE else state.rules.split_non_ace
    return Decision(
        rules=state.rules,
        hand_index=index,
        cards=hand.cards,
        upcard=state.upcard,
        others=tuple(card for other, held in enumerate(hands) if other != index for card in held.cards),
        is_split=hand.is_split,
        splits_left=0 if state.rules.simple else max(0, limit + 1 - len(hands)),
        is_question=is_question,
        moves=moves,
    )


def decisions_taken(
    setup: RoundSetup, actions: Iterable[Action], shown: Sequence[str]
) -> Iterator[tuple[Decision, Move] | None]:
    """Yield for each action of a finished round the decision and the move, from the cards that were `shown`.

    None stands for an action that was no decision: a card of the dealer, or the only move.
    `shown` has the codes of the cards in dealing order, `?` for a hole card that nobody saw.
    """
    shoe = tuple(_PLACEHOLDER if code == _NEVER_SHOWN else parse_cards(code)[0] for code in shown)
    state, _ = round_start(setup, shoe)
    for action in actions:
        decision = decision_now(state, funds=None)
        yield None if decision is None else (decision, action.move)
        state, _ = apply_action(state, action, shoe)


def chart_move(chart: Chart, decision: Decision) -> Move:
    """Return the move of basic strategy."""
    if not decision.is_question:
        legal = [_ADVICE[move] for move in decision.moves]
        return MOVES[chart_advice(chart, decision.cards, decision.upcard, legal)]
    first = (
        chart_advice(chart, decision.cards, decision.upcard, list(Advice)) if Move.SURRENDER in decision.moves else None
    )
    if first is Advice.SURRENDER:
        return Move.SURRENDER
    return Move.INSURE if chart.insure and Move.INSURE in decision.moves else Move.DECLINE


def values_computed(rules: BlackjackRules, facts: dict[str, Any]) -> dict[str, float]:
    """Return the expected winnings of each move for `Decision.facts`, per unit of the hand's first stake."""
    if facts["is_question"]:
        asked = question_values(rules, facts["values"], facts["upcard"])
        return {
            Move.DECLINE.value: asked.decline,
            Move.INSURE.value: asked.insure,
            Move.SURRENDER.value: asked.surrender,
        }
    found = decision_values(
        rules,
        facts["values"],
        facts["upcard"],
        gone=facts["gone"],
        is_split=facts["is_split"],
        splits_left=facts["splits_left"],
    )
    return {MOVES[advice].value: value for advice, value in found.items()}
