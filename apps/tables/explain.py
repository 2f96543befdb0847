"""The explanation of a seat's round, from the table's round that it belongs to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from django.utils.translation import gettext

from apps.core.money import plain
from apps.core.number_texts import number_text
from apps.fairness.round_seeds import RoundSeeds, Seeds, TableSeeds
from apps.rounds.explanation import (
    Dealt,
    ExplainedAction,
    ExplainedBet,
    ExplainedHand,
    ExplainedStep,
    Explanation,
    RecordCheck,
    Redeal,
    RoundSource,
    SharedRound,
    Tone,
)
from apps.rounds.models import ActedBy, Round, RoundEnd
from apps.rounds.table_game import WINDOW_ACTIONS, Json, SeatResult
from apps.tables.engine.replay import LoggedAction, card_places, round_replay
from apps.tables.hands import hands_shown, label_shown
from apps.tables.record import round_record
from apps.tables.round_check import round_faults, seat_faults
from apps.tables.story import TableRoundStory, seeds_of, table_rounds_read

HIDDEN_UNTIL: Final = "the round ends"


class TableExplanation(Explanation):
    """Reads the table's round that a seat's round belongs to."""

    reads = ()
    hands_read = ()

    @classmethod
    def read_with(cls, rounds: Sequence[Round], *, hands_only: bool) -> None:
        del hands_only
        found = table_rounds_read([played.table_round for played in rounds if played.table_round is not None])
        for played in rounds:
            played.at_table = None if played.table_round is None else found.get(played.table_round)

    @cached_property
    def story(self) -> TableRoundStory:
        if self.played.at_table is None:
            self.read_with([self.played], hands_only=False)
        return TableRoundStory(self.played.at_table)

    @cached_property
    def seat(self) -> int:
        """Counted from 1."""
        assert self.played.seat is not None
        return self.played.seat

    @property
    def source(self) -> RoundSource:
        played = self.story.played
        return RoundSource(
            commitment=played.seed_hash,
            client_seed=played.client_seed,
            nonce=played.nonce,
            server_seed=played.seed,
            hidden_until=HIDDEN_UNTIL,
            shoe=played.shoe,
        )

    def seeds_open(self) -> RoundSeeds:
        return seeds_of(self.story.played)

    @cached_property
    def bets(self) -> Sequence[ExplainedBet]:
        if self.played.how_ended == RoundEnd.WITHDRAWN:
            return []  # the log still has its stakes if the table was closed while they could be taken back
        result = self.story.result_of(self.seat)
        if result is not None:
            return list(_bets_settled(self.story, result))
        return [_bet_open(self.story, bet, stake) for bet, stake in self.story.stakes.get(self.seat, {}).items()]

    @cached_property
    def actions(self) -> Sequence[ExplainedAction]:
        story = self.story
        rows = sorted(story.played.actions.all(), key=lambda row: row.number)
        explained: list[ExplainedAction] = []
        for row, taken, cost in zip(rows, story.actions, story.costs, strict=True):
            if row.player_id == self.played.player_id:
                explained.append(
                    ExplainedAction(
                        number=len(explained) + 1,
                        by=(ActedBy.PLATFORM if row.is_timeout else ActedBy.PLAYER).value,
                        action=taken.action.name,
                        data=_data(story, taken),
                        summary=story.summary(taken),
                        stake=story.amount(max(cost, 0)),
                        payout=story.amount(max(-cost, 0)),
                        time=row.ctime,
                    )
                )
        return explained

    @cached_property
    def hands(self) -> Sequence[ExplainedHand]:
        table, seats = self.story.shown()
        return _labelled(hands_shown(table, {self.seat: seats[self.seat]} if self.seat in seats else {}))

    @cached_property
    def steps(self) -> Sequence[ExplainedStep]:
        return [labelled(step) for step in self.story.steps()]

    @property
    def outcome(self) -> Mapping[str, Any]:
        detail: dict[str, Any] = self.played.detail
        return detail

    @property
    def shown_state(self) -> Mapping[str, Any]:
        if self.outcome:
            return self.outcome
        table, seats = self.story.shown()
        return {"seat": self.seat, "table": table, **seats.get(self.seat, {})}

    @property
    def decks(self) -> int:
        return self.story.terms.decks

    @property
    def dealt(self) -> Dealt:
        # The seed and all cards are public after the round's end.
        replay = self.story.replay
        return Dealt([] if replay is None else [card.code for card in replay.cards])

    @property
    def shared(self) -> SharedRound:
        story = self.story
        record = round_record(story.game, story.played, seeds_of(story.played))
        return SharedRound(
            contributions=record.contributions,
            decisions=[
                (taken.seat, taken.action.name)
                for taken in record.actions
                if taken.action.name not in WINDOW_ACTIONS and taken.seat in story.stakes
            ],
            places=card_places(story.game, record) if story.played.seed else (),
        )

    def redeal(self, seeds: Seeds) -> Redeal:
        played = self.story.played
        given = TableSeeds(seeds.server_seed, seeds.client_seed, seeds.nonce, played.shoe)
        replay = round_replay(self.story.game, round_record(self.story.game, played, given))
        cards = [card.code for card in replay.cards]
        shown = {**replay.steps[-1].table, **replay.steps[-1].seats[self.seat]} if replay.steps else {}
        return Redeal({"decks": self.decks}, cards, shown)

    def record_check(self, seeds: RoundSeeds) -> RecordCheck:
        assert isinstance(seeds, TableSeeds)
        found = round_faults(self.story.played, seeds)
        faults = [*found.faults, *seat_faults(found, self.played)]
        return RecordCheck([card.code for card in found.cards], faults)


def labelled(step: ExplainedStep) -> ExplainedStep:
    """Return a step of a table's round with its rows named in the reader's language."""
    return replace(step, hands=_labelled(step.hands))


def _labelled(hands: Sequence[ExplainedHand]) -> list[ExplainedHand]:
    return [replace(hand, label=label_shown(hand.label)) for hand in hands]


def _bets_settled(story: TableRoundStory, result: SeatResult) -> Iterator[ExplainedBet]:
    """Yield the bets of a seat in a round that was played to its end."""
    for index, hand in enumerate(result.hands):
        bet = hand.get("betType")
        label = story.game.bet_labels[bet] if bet else _hand_label(index, len(result.hands))
        yield _bet(story, hand, bet=bet or "hand", label=label, hand=None if bet else index)
    for side in result.extra.get("sideBets", ()):
        yield _bet(story, side, bet=side["bet"], label=story.game.bet_labels.get(side["bet"], side["bet"]), hand=None)
    if insurance := result.extra.get("insurance"):
        yield _bet(story, insurance, bet="insurance", label="Insurance", hand=None)


def _hand_label(index: int, count: int) -> str:
    return "Main bet" if count == 1 else gettext("Hand {number}").format(number=index + 1)


def _bet(story: TableRoundStory, settled: Json, *, bet: str, label: str, hand: int | None) -> ExplainedBet:
    stake, payout = Decimal(settled["stake"]), Decimal(settled.get("payout", 0))
    result = str(settled.get("result") or settled.get("outcome") or settled["status"])
    odds = _odds(story, str(settled.get("outcome", bet)))
    return ExplainedBet(
        bet=bet,
        label=label,
        hand=hand,
        stake=stake,
        odds=odds,
        pays="" if odds is None else gettext("{odds} to 1").format(odds=number_text(odds)),
        payout=payout,
        result=result,
        result_label=story.game.result_labels[result],
        tone=_tone(stake, payout),
    )


def _bet_open(story: TableRoundStory, bet: str, units: int) -> ExplainedBet:
    odds = _odds(story, bet)
    return ExplainedBet(
        bet=bet,
        label=story.game.bet_labels.get(bet, bet),
        hand=None,
        stake=story.amount(units),
        odds=odds,
        pays="" if odds is None else gettext("{odds} to 1").format(odds=number_text(odds)),
        payout=Decimal(0),
        result=None,
        result_label="",
        tone="",
    )


def _odds(story: TableRoundStory, name: str) -> Decimal | None:
    """Return the odds of a bet or an outcome, with at most six decimals; None if it has no odds."""
    text = story.terms.odds.get(name)
    if text is None:
        return None
    odds = Fraction(text)
    return Decimal(odds.numerator) / Decimal(odds.denominator)


def _data(story: TableRoundStory, taken: LoggedAction) -> dict[str, object]:
    """Return the other fields of the action, as a client sends them."""
    action = taken.action
    amounts = {} if action.amount is None else {"amount": plain(story.amount(action.amount))}
    bet = {"betType": action.bet_type} if action.bet_type else {}
    return {**bet, **amounts, **{name: plain(story.amount(units)) for name, units in action.extra.items()}}


def _tone(stake: Decimal, payout: Decimal) -> Tone:
    if payout > stake:
        return "win"
    return "push" if payout == stake else "loss"
