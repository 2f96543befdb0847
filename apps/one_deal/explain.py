"""Explains and redeals a round of a one-deal game: one action places all bets, then the rules deal."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final

from django.utils.translation import gettext

from apps.cards.shoe import INFINITE_DECKS, decks_from_text
from apps.core.errors import BadParams
from apps.core.money import plain
from apps.core.number_texts import money_text, number_text
from apps.fairness.round_seeds import RoundSeeds, Seeds
from apps.one_deal.engine import BetResult, ResultType
from apps.one_deal.models import OneDealRecord
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.explanation import (
    Dealt,
    ExplainedAction,
    ExplainedBet,
    ExplainedHand,
    ExplainedStep,
    Explanation,
    RecordCheck,
    Redeal,
)
from apps.rounds.models import ActedBy

DEFAULT_DECKS: Final = 8
BY_THE_RULES: Final = "the rules"

Sides = Mapping[str, Sequence[str]]
"""The codes of the cards by side."""


class OneDealExplanation(Explanation):
    """An explanation from the round's records, one for each bet."""

    game: ClassVar[OneDealGame]

    @classmethod
    @abstractmethod
    def side_total(cls, codes: Sequence[str]) -> str:
        """Return the text beside a side's cards; there is at least one card."""

    @classmethod
    @abstractmethod
    def end_text(cls, sides: Sides) -> str:
        """Return how a deal ended, in words."""

    @cached_property
    def bets(self) -> Sequence[ExplainedBet]:
        return [_bet(self.game, record) for record in self._records]

    @cached_property
    def actions(self) -> Sequence[ExplainedAction]:
        currency = self.played.currency
        placed = [{"game_type": record.game_type, "bet_amount": plain(record.bet_amount)} for record in self._records]
        amounts = [f"{bet.label} {money_text(bet.stake, currency)}" for bet in self.bets]
        action = ExplainedAction(
            number=1,
            by=ActedBy.PLAYER.value,
            action="Bet",
            data={"bets": placed},
            summary=", ".join(["bet", *amounts]),
            stake=self.played.stake,
            payout=self.played.payout,
            time=self.played.started_at,
        )
        return [action]

    @property
    def hands(self) -> Sequence[ExplainedHand]:
        return self._hands(self._sides)

    @cached_property
    def steps(self) -> Sequence[ExplainedStep]:
        shown: dict[str, list[str]] = {side: [] for side in self._sides}
        steps = []
        for side, code in in_dealing_order(self._sides):
            shown[side].append(code)
            steps.append(ExplainedStep(_card_text(side, len(shown[side])), BY_THE_RULES, self._hands(shown)))
        return [*steps, ExplainedStep(self.end_text(self._sides), BY_THE_RULES, self.hands)] if steps else []

    @property
    def outcome(self) -> Mapping[str, Any]:
        detail: dict[str, Any] = self.played.detail
        return detail

    @property
    def shown_state(self) -> Mapping[str, Any]:
        return self.outcome

    @property
    def decks(self) -> int:
        return int(self.played.settlement_terms.get("decks", 0))

    @property
    def dealt(self) -> Dealt:
        return Dealt([code for _, code in in_dealing_order(self._sides)])

    def redeal(self, seeds: Seeds) -> Redeal:
        return redeal(self.game, seeds, rules={"decks": self.decks})

    def record_check(self, seeds: RoundSeeds) -> RecordCheck:
        deal = self.game.deal(seeds.shoe(self.decks))
        outcome = self.game.outcome(deal)
        differences = [] if self.outcome == outcome else ["the outcome is not as recorded"]
        if self.played.settlement_terms.keys() != {"decks", "odds"}:
            differences.append("its terms are not decks and odds")
        results = []
        for record in self._records:
            result = self._settle(deal, record)
            results.append(result)
            name = result.game_type.wire_name
            differences += [f"{name}: {text}" for text in self._record_differences(record, outcome, result)]
        staked, paid = sum([each.stake for each in results]), sum([each.payout for each in results])
        if (staked, paid) != (self.played.stake, self.played.payout):
            differences.append(
                f"the bets come to {staked} and pay {paid}, the round has {self.played.stake} and {self.played.payout}"
            )
        return RecordCheck(_codes_in_order(self.game, outcome), differences)

    @cached_property
    def _records(self) -> list[OneDealRecord]:
        return sorted(getattr(self.played, self.game.records_field).all(), key=lambda record: record.pk)

    @property
    def _sides(self) -> dict[str, list[str]]:
        """The recorded card codes of both sides; empty for a round without records."""
        return self._records[0].cards if self._records else {}

    def _hands(self, sides: Sides) -> list[ExplainedHand]:
        return [
            ExplainedHand(gettext(side.title()), list(codes), self.side_total(codes) if codes else "")
            for side, codes in sides.items()
        ]

    def _settle(self, deal: object, record: OneDealRecord) -> BetResult:
        return self.game.settle(
            deal,
            self.game.bets(record.game_type),
            record.bet_amount,
            Fraction(record.odds),
            quantum=self.played.currency.quantum,
        )

    def _record_differences(self, record: OneDealRecord, outcome: Mapping[str, object], result: BetResult) -> list[str]:
        found = []
        cards = tuple(outcome[side] for side in self.game.sides)
        recorded = tuple(list(record.cards[side]) for side in self.game.sides)
        if recorded != cards:
            found.append(f"the cards are {cards}, the record has {recorded}")
        if (result.result_type, result.payout) != (record.result_type, record.reward_amount):
            found.append(f"pays {result.payout}, the record has {record.reward_amount}")
        if (record.seed_pair_id, record.nonce) != (self.played.seed_pair_id, self.played.nonce):
            found.append(f"the round has nonce {self.played.nonce}, the record has {record.nonce}")
        odds = self.played.settlement_terms.get("odds", {}).get(result.game_type.wire_name)
        if odds is None or Fraction(odds) != result.odds:
            found.append(f"the terms have odds of {odds}, the record has {plain(record.odds)}")
        return found


def redeal(
    game: OneDealGame,
    seeds: Seeds,
    *,
    rules: Mapping[str, Any],
    actions: Sequence[Any] = (),
    quantum: Decimal = Decimal(1),
) -> Redeal:
    """Deal the round of these seeds; `rules` may contain `decks`. Actions are ignored. Raises BadParams."""
    del actions, quantum
    decks = rules.get("decks", DEFAULT_DECKS)
    if type(decks) is not int or not 1 <= decks <= INFINITE_DECKS or set(rules) - {"decks"}:
        raise BadParams(f"rules: decks of 1 to 8, or {INFINITE_DECKS} for an infinite deck", field="rules")
    deal = game.deal(seeds.shoe(decks))
    outcome = game.outcome(deal)
    results = {
        kind.wire_name: game.settle(deal, kind, Decimal(1), Fraction(1), quantum=Decimal(1)).result_type.wire_name
        for kind in game.bets
    }
    return Redeal({"decks": decks}, _codes_in_order(game, outcome), outcome | {"results": results})


def rules_from_text(text: str) -> dict[str, Any]:
    """Parse `decks=8` or an empty text. Raises ValueError with a message for the user."""
    if not text.strip():
        return {"decks": DEFAULT_DECKS}
    name, _, value = text.strip().partition("=")
    if name != "decks":
        raise ValueError(f"{name!r} is no option; decks is the only one")
    return {"decks": decks_from_text(value)}


def in_dealing_order(sides: Sides) -> list[tuple[str, str]]:
    """Return all cards in the order they left the shoe: one to each side in turn."""
    most = max(map(len, sides.values()), default=0)
    return [(side, cards[place]) for place in range(most) for side, cards in sides.items() if place < len(cards)]


def _codes_in_order(game: OneDealGame, outcome: Mapping[str, Any]) -> list[str]:
    return [code for _, code in in_dealing_order({side: outcome[side] for side in game.sides})]


def _card_text(side: str, number: int) -> str:
    return gettext("Card {number} to the {side}").format(number=number, side=gettext(side))


def _bet(game: OneDealGame, record: OneDealRecord) -> ExplainedBet:
    kind, result = game.bets(record.game_type), ResultType(record.result_type)
    result_label, tone = game.result_labels[result]
    return ExplainedBet(
        bet=kind.wire_name,
        label=game.bet_labels[kind],
        hand=None,
        stake=record.bet_amount,
        odds=record.odds,
        pays=gettext("{odds} to 1").format(odds=number_text(record.odds)),
        payout=record.reward_amount,
        result=result.wire_name,
        result_label=result_label,
        tone=tone,
    )
