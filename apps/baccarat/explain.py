"""A baccarat round, explained and dealt again: one action placed all bets, then the rules deal."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from apps.baccarat.engine import (
    BetResult,
    Deal,
    GameType,
    ResultType,
    Winner,
    bet_settle,
    deal,
    in_dealing_order,
    public_outcome,
    score,
)
from apps.baccarat.labels import BET_LABELS, RESULT_LABELS
from apps.baccarat.models import BaccaratGameRecord
from apps.cards.notation import parse_cards
from apps.cards.shoe import INFINITE_DECKS, decks_from_text
from apps.core.errors import BadParams
from apps.core.money import amount_text, plain
from apps.fairness.seeds import Seeds
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


class BaccaratExplanation(Explanation):
    """Reads the round's records, one a bet."""

    reads = hands_read = ("baccarat_records",)

    @cached_property
    def bets(self) -> Sequence[ExplainedBet]:
        return [_bet(record) for record in self._records]

    @cached_property
    def actions(self) -> Sequence[ExplainedAction]:
        currency = self.played.currency
        placed = [{"game_type": record.game_type, "bet_amount": plain(record.bet_amount)} for record in self._records]
        amounts = [f"{bet.label} {amount_text(bet.stake, currency)}" for bet in self.bets]
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
        return _hands(self._sides) if self._sides else []

    @cached_property
    def steps(self) -> Sequence[ExplainedStep]:
        shown: dict[str, list[str]] = {side: [] for side in self._sides}
        steps = []
        for side, code in self._in_order:
            shown[side].append(code)
            steps.append(ExplainedStep(f"Card {len(shown[side])} to the {side}", BY_THE_RULES, _hands(shown)))
        return [*steps, ExplainedStep(_end_text(self._sides), BY_THE_RULES, self.hands)] if steps else []

    @property
    def outcome(self) -> Mapping[str, Any]:
        detail: dict[str, Any] = self.played.detail
        return detail

    @property
    def shown_state(self) -> Mapping[str, Any]:
        return self.outcome

    @property
    def decks(self) -> int:
        return int(self.played.terms.get("decks", 0))

    @property
    def dealt(self) -> Dealt:
        return Dealt([code for _, code in self._in_order])

    def redeal(self, seeds: Seeds) -> Redeal:
        return baccarat_redeal(seeds, rules={"decks": self.decks})

    def record_check(self, seeds: Seeds) -> RecordCheck:
        outcome = deal(seeds.shoe(self.decks))
        differences = [] if self.outcome == public_outcome(outcome) else ["the outcome is not as recorded"]
        results = []
        for record in self._records:
            result = self._settle(outcome, record)
            results.append(result)
            name = result.game_type.wire_name
            differences += [f"{name}: {text}" for text in self._record_differences(record, outcome, result)]
        staked, paid = sum([each.stake for each in results]), sum([each.payout for each in results])
        if (staked, paid) != (self.played.stake, self.played.payout):
            differences.append(
                f"the bets come to {staked} and pay {paid}, the round has {self.played.stake} and {self.played.payout}"
            )
        return RecordCheck(_codes_in_order(outcome), differences)

    @cached_property
    def _records(self) -> list[BaccaratGameRecord]:
        return sorted(self.played.baccarat_records.all(), key=lambda record: record.pk)

    @property
    def _sides(self) -> dict[str, list[str]]:
        """The codes of both sides' cards, as the records have them; empty for a round without records."""
        return (
            {"player": self._records[0].player_cards, "banker": self._records[0].banker_cards} if self._records else {}
        )

    @property
    def _in_order(self) -> list[tuple[str, str]]:
        return in_dealing_order(**self._sides) if self._sides else []

    def _settle(self, outcome: Deal, record: BaccaratGameRecord) -> BetResult:
        return bet_settle(
            outcome,
            GameType(record.game_type),
            record.bet_amount,
            Fraction(record.odds),
            quantum=self.played.currency.quantum,
        )

    def _record_differences(self, record: BaccaratGameRecord, outcome: Deal, result: BetResult) -> list[str]:
        found = []
        cards = ([card.code for card in outcome.player], [card.code for card in outcome.banker])
        recorded = (list(record.player_cards), list(record.banker_cards))
        if recorded != cards:
            found.append(f"the cards are {cards}, the record has {recorded}")
        if (result.result_type, result.payout) != (record.result_type, record.reward_amount):
            found.append(f"pays {result.payout}, the record has {record.reward_amount}")
        if (record.seed_pair_id, record.nonce) != (self.played.seed_pair_id, self.played.nonce):
            found.append(f"the round has nonce {self.played.nonce}, the record has {record.nonce}")
        odds = self.played.terms.get("odds", {}).get(result.game_type.wire_name)
        if odds is None or Fraction(odds) != result.odds:
            found.append(f"the terms have odds of {odds}, the record has {plain(record.odds)}")
        return found


def baccarat_redeal(
    seeds: Seeds, *, rules: Mapping[str, Any], actions: Sequence[Any] = (), quantum: Decimal = Decimal(1)
) -> Redeal:
    """Deal the round of these seeds; `rules` may hold `decks`. Actions decide nothing here. Raises BadParams."""
    del actions, quantum
    decks = rules.get("decks", DEFAULT_DECKS)
    if type(decks) is not int or not 1 <= decks <= INFINITE_DECKS or set(rules) - {"decks"}:
        raise BadParams(f"rules: decks of 1 to 8, or {INFINITE_DECKS} for an infinite deck", field="rules")
    outcome = deal(seeds.shoe(decks))
    results = {
        game_type.wire_name: bet_settle(
            outcome, game_type, Decimal(1), Fraction(1), quantum=Decimal(1)
        ).result_type.wire_name
        for game_type in GameType
    }
    return Redeal({"decks": decks}, _codes_in_order(outcome), public_outcome(outcome) | {"results": results})


def baccarat_rules_from_text(text: str) -> dict[str, Any]:
    """Return the rules of `decks=8`, or of an empty text. Raises ValueError with a sentence."""
    if not text.strip():
        return {"decks": DEFAULT_DECKS}
    name, _, value = text.strip().partition("=")
    if name != "decks":
        raise ValueError(f"{name!r} is no option; decks is the only one")
    return {"decks": decks_from_text(value)}


def _codes_in_order(outcome: Deal) -> list[str]:
    return [card.code for _, card in in_dealing_order(outcome.player, outcome.banker)]


def _bet(record: BaccaratGameRecord) -> ExplainedBet:
    game_type, result = GameType(record.game_type), ResultType(record.result_type)
    result_label, tone = RESULT_LABELS[result]
    return ExplainedBet(
        bet=game_type.wire_name,
        label=BET_LABELS[game_type],
        hand=None,
        stake=record.bet_amount,
        odds=record.odds,
        pays=f"{plain(record.odds)} to 1",
        payout=record.reward_amount,
        result=result.wire_name,
        result_label=result_label,
        tone=tone,
    )


def _hands(sides: Mapping[str, Sequence[str]]) -> list[ExplainedHand]:
    return [
        ExplainedHand(side.title(), list(codes), str(_score(codes)) if codes else "") for side, codes in sides.items()
    ]


def _end_text(sides: Mapping[str, Sequence[str]]) -> str:
    scores = {side: _score(codes) for side, codes in sides.items()}
    high, low = max(scores.values()), min(scores.values())
    if high == low:
        return f"{Winner.TIE.value.title()}, {high} to {low}"
    winner = next(side for side, points in scores.items() if points == high)
    return f"{winner.title()} wins, {high} to {low}"


def _score(codes: Sequence[str]) -> int:
    return score(parse_cards(" ".join(codes)))
