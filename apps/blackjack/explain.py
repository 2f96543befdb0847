"""Explains a blackjack round, open or ended, and plays it again. Pages and answers made from it show no hidden card."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import msgspec
from django.utils.translation import gettext

from apps.blackjack.engine.actions import Action, IllegalAction, Move
from apps.blackjack.engine.codec import event_from_json, from_json, to_json
from apps.blackjack.engine.events import (
    CardDealt,
    DealerCardShown,
    DealerPeeked,
    Event,
    HandSettled,
    HandSplit,
    HandStood,
    InsuranceDeclined,
    InsuranceSettled,
    SideBetSettled,
    StakeTaken,
)
from apps.blackjack.engine.play import replay
from apps.blackjack.engine.settle import INSURANCE_RETURNS, seat_account
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import HandState, HandStatus, InsuranceStatus, RoundState
from apps.blackjack.engine.value import hand_value
from apps.blackjack.labels import (
    HAND_RESULTS,
    INSURANCE_RESULTS,
    SIDE_BET_LABELS,
    SIDE_BET_OUTCOMES,
    STAKE_LABELS,
)
from apps.blackjack.messages import WireAction
from apps.blackjack.redeal import blackjack_redeal
from apps.blackjack.selectors import open_round_outcome
from apps.blackjack.store import state_read, state_write
from apps.blackjack.wire import MOVE_NAMES, STAKE_NAMES, Funds, state_data
from apps.cards.notation import parse_cards
from apps.core.count_texts import counted
from apps.core.money import plain
from apps.core.number_texts import money_text, number_text
from apps.fairness.round_seeds import RoundSeeds, Seeds
from apps.rounds.explanation import (
    Dealt,
    ExplainedAction,
    ExplainedBet,
    ExplainedHand,
    ExplainedStep,
    Explanation,
    RecordCheck,
    Redeal,
    Tone,
)
from apps.rounds.models import RoundAction, RoundEnd

NEVER_SHOWN: Final = "?"

_NOT_INSURED: Final = {"acceptedInsurance": False, "insuranceAmount": "0", "insurance": None}
"""Members that stored details of old rounds may lack."""


class BlackjackExplanation(Explanation):
    """Explains a round from its state and its log of actions."""

    reads = ("blackjack", "actions", "paytable")
    hands_read = ("blackjack", "paytable")

    @cached_property
    def bets(self) -> Sequence[ExplainedBet]:
        return list(_bets(self._state, self._setup, self._quantum)) if self._state else []

    @cached_property
    def actions(self) -> Sequence[ExplainedAction]:
        return [self._action(row, events) for row, events in self._log]

    @cached_property
    def hands(self) -> Sequence[ExplainedHand]:
        state = self._state
        if state is None:
            return []
        hidden = [""] if state.has_hidden_hole else []
        dealer = ExplainedHand(
            gettext("Dealer"), [*(card.code for card in state.dealer), *hidden], str(hand_value(state.dealer))
        )
        hands = state.seats[0].hands
        return [dealer, *(_hand(hand, _hand_label(index, len(hands))) for index, hand in enumerate(hands))]

    @cached_property
    def steps(self) -> Sequence[ExplainedStep]:
        return list(self._steps())

    @property
    def outcome(self) -> Mapping[str, Any]:
        return _NOT_INSURED | self.played.detail if self.played.detail else {}

    @property
    def shown_state(self) -> Mapping[str, Any]:
        return self.outcome or open_round_outcome(self.played)

    @property
    def decks(self) -> int:
        return int(self.played.settlement_terms.get("rules", {}).get("decks", 0))

    @cached_property
    def dealt(self) -> Dealt:
        if self._state is None:
            return Dealt([])
        hole_index = self._state.hole_index if self._setup.rules.dealer_peek else None
        return cards_dealt([event for _, events in self._log for event in events], hole_index=hole_index)

    def redeal(self, seeds: Seeds) -> Redeal:
        actions = [{"action": row.action} for row in self._rows]
        setup = self._setup
        return blackjack_redeal(
            seeds,
            rules=setup.rules.to_json(),
            actions=actions,
            quantum=self._quantum,
            odds=setup.odds,
            pace=setup.pace,
        )

    def record_check(self, seeds: RoundSeeds) -> RecordCheck:
        shoe = seeds.shoe(self._setup.rules.decks)
        taken = [
            Action(Move(row.action["move"]), row.action["seat"], row.action["insurance"])
            for row in self._rows
            if row.number > 1
        ]
        try:
            state, events = replay(self._setup, taken, shoe)
        except IllegalAction as error:
            return RecordCheck([], [f"the recorded actions are no round of these seeds: {error}"])
        cards = [shoe[index].code for index in range(state.drawn)]
        unseen = []
        if state.has_hidden_hole and self.played.how_ended != RoundEnd.OPEN:
            unseen = [ExplainedHand("The hole card, never shown", [shoe[state.hole_index].code])]
        return RecordCheck(cards, list(self._differences(state, events)), unseen)

    def _differences(self, state: RoundState, events: Sequence[Event]) -> Iterator[str]:
        if state_write(state) != self.played.blackjack.state:
            yield "the hands are not as recorded"
        if [to_json(event) for event in events] != [event for row in self._rows for event in row.events]:
            yield "what happened is not as recorded"
        if self.played.blackjack.action_count != len(self._rows):
            yield f"{counted(len(self._rows), 'action')} recorded, and {self.played.blackjack.action_count} counted"
        if [row.action for row in self._rows] != list(self._actions_expected()):
            yield "what was done is not as recorded"
        account = seat_account(state.seats[0])
        staked, paid = account.staked * self._quantum, account.paid * self._quantum
        if (staked, paid) != (self.played.stake, self.played.payout):
            yield (f"{staked} is staked and {paid} paid, the round has {self.played.stake} and {self.played.payout}")
        if self.played.detail and self._outcome_differs(state):
            yield "the outcome is not as recorded"

    def _actions_expected(self) -> Iterator[dict[str, Any]]:
        """Yield the stored form of the actions for these stakes and moves."""
        stakes = msgspec.to_builtins(self._setup.stakes[0])
        yield {"move": "bet", "stakes": stakes, "wire": WireAction.BET.value}
        for row in self._rows[1:]:
            move = Move(row.action["move"])
            taken = {"move": move.value, "seat": row.action["seat"], "insurance": row.action["insurance"]}
            yield taken | {"wire": MOVE_NAMES[move]}

    def _outcome_differs(self, state: RoundState) -> bool:
        """Compare the recorded outcome; records of old versions have fewer members."""
        shown = state_data(
            state,
            last_action=self._rows[-1].action["wire"],
            first_stake=self._setup.stakes[0].main,
            funds=Funds(self.played.balance_after, self._quantum),
        )
        members: dict[str, Any] = msgspec.to_builtins(shown)
        recorded: dict[str, Any] = self.played.detail
        return {name: members.get(name) for name in recorded} != recorded

    @cached_property
    def _setup(self) -> RoundSetup:
        return from_json(RoundSetup, self.played.settlement_terms)

    @cached_property
    def _state(self) -> RoundState | None:
        row = getattr(self.played, "blackjack", None)
        return state_read(row.state, self._setup) if row else None

    @cached_property
    def _rows(self) -> list[RoundAction]:
        return sorted(self.played.actions.all(), key=lambda row: row.number)

    @cached_property
    def _log(self) -> list[tuple[RoundAction, list[Event]]]:
        return [(row, [event_from_json(event) for event in row.events]) for row in self._rows]

    @property
    def _quantum(self) -> Decimal:
        return self.played.currency.quantum

    def _money(self, units: int) -> str:
        return money_text(units * self._quantum, self.played.currency)

    def _action(self, row: RoundAction, events: Sequence[Event]) -> ExplainedAction:
        staked = paid = 0
        for event in events:
            match event:
                case StakeTaken():
                    staked += event.amount
                case SideBetSettled():
                    paid += event.result.payout
                case HandSettled() | InsuranceSettled():
                    paid += event.payout
        return ExplainedAction(
            number=row.number,
            by=row.acted_by,
            action=row.action["wire"],
            data=_data(row.action, self._quantum),
            summary=self._summary(row.action),
            stake=staked * self._quantum,
            payout=paid * self._quantum,
            time=row.ctime,
        )

    def _summary(self, recorded: Mapping[str, Any]) -> str:
        stakes = {**recorded.get("stakes", {}), "insurance": recorded.get("insurance")}
        amounts = [f"{kind.replace('_', ' ')} {self._money(units)}" for kind, units in stakes.items() if units]
        return ", ".join([recorded["move"].replace("_", " "), *amounts])

    def _steps(self) -> Iterator[ExplainedStep]:
        table = _Table(has_hole=self._state is not None and self._setup.rules.dealer_peek)
        for row, events in self._log:
            by = f"{row.get_acted_by_display()}, {row.ctime:%H:%M:%S} UTC"
            for event in events:
                table.lay(event)
                if text := _event_text(event, len(table.hands), self._quantum):
                    yield ExplainedStep(text, by, table.shown())


@dataclass(slots=True)
class _Row:
    """A player's hand at a step."""

    cards: list[str] = field(default_factory=list)
    note: str = ""


class _Table:
    """The visible cards after each event."""

    def __init__(self, *, has_hole: bool) -> None:
        self.hands = [_Row()]
        self._dealer: list[str] = []
        self._has_hole = has_hole

    def lay(self, event: Event) -> None:
        match event:
            case CardDealt():
                self.hands[event.hand].cards.append(event.card.code)
            case DealerCardShown():
                self._dealer.append(event.card.code)
            case HandSplit():
                self.hands.insert(event.hand + 1, _Row([self.hands[event.hand].cards.pop()]))
            case HandSettled():
                self.hands[event.hand].note = event.status.value
            case _:
                pass

    def shown(self) -> list[ExplainedHand]:
        hidden = [""] if self._has_hole and len(self._dealer) == 1 else []
        rows = (
            [ExplainedHand(gettext("Dealer"), [*self._dealer, *hidden], _total(self._dealer))] if self._dealer else []
        )
        for index, row in enumerate(self.hands):
            label = _hand_label(index, len(self.hands))
            rows.append(ExplainedHand(label, list(row.cards), _total(row.cards), row.note))
        return rows


def cards_dealt(events: Iterable[Event], *, hole_index: int | None) -> Dealt:
    """Return the cards of a round's events; `hole_index` is the hole card's place in the shoe, if there is one.

    A place is `1` for the player's hand with that number at that moment, `D` for the dealer, `H` for the hole card;
    `1/` between cards splits that hand.
    """
    cards: list[str] = []
    places: list[str] = []
    dealer: list[str] = []
    for event in events:
        match event:
            case CardDealt():
                cards.append(event.card.code)
                places.append(str(event.hand + 1))
            case HandSplit():
                places.append(f"{event.hand + 1}/")
            case DealerCardShown():
                dealer.append(event.card.code)
                if len(dealer) != 2 or hole_index is None:
                    cards.append(event.card.code)
                    places.append("D")
            case _:
                pass
    if hole_index is not None and dealer:
        # It was dealt with the first deal, before any split, and shown later or never.
        cards.insert(hole_index, dealer[1] if len(dealer) > 1 else NEVER_SHOWN)
        places.insert(hole_index, "H")
    return Dealt(cards, places)


def _hand_label(index: int, count: int) -> str:
    return gettext("Player") if count == 1 else gettext("Hand {number}").format(number=index + 1)


def _hand(hand: HandState, label: str) -> ExplainedHand:
    note = hand.status.value if hand.status.is_final else ""
    return ExplainedHand(label, [card.code for card in hand.cards], str(hand_value(hand.cards)), note)


def _total(codes: Sequence[str]) -> str:
    return str(hand_value(parse_cards(" ".join(codes)))) if codes else ""


def _tone(stake: int, payout: int) -> Tone:
    if payout > stake:
        return "win"
    return "push" if payout == stake else "loss"


def _bets(state: RoundState, setup: RoundSetup, quantum: Decimal) -> Iterator[ExplainedBet]:
    seat = state.seats[0]
    for index, hand in enumerate(seat.hands):
        pays = setup.rules.blackjack_pays if hand.status is HandStatus.BLACKJACK else Fraction(1)
        yield ExplainedBet(
            bet="hand",
            label="Main bet" if len(seat.hands) == 1 else gettext("Hand {number}").format(number=index + 1),
            hand=index,
            stake=hand.stake * quantum,
            odds=_decimal(pays),
            pays="",
            payout=hand.payout * quantum,
            result=hand.status.value if hand.status.is_final else None,
            result_label=HAND_RESULTS[hand.status],
            tone=_tone(hand.stake, hand.payout) if hand.status.is_final else "",
        )
    for side in seat.side_bets:
        odds = setup.odds.get(side.outcome)
        yield ExplainedBet(
            bet=side.bet.value,
            label=SIDE_BET_LABELS[side.bet],
            hand=None,
            stake=side.stake * quantum,
            odds=None if odds is None else _decimal(odds),
            pays="",
            payout=side.payout * quantum,
            result=side.outcome.value,
            result_label=SIDE_BET_OUTCOMES[side.outcome],
            tone=_tone(side.stake, side.payout),
        )
    insurance = seat.insurance
    if insurance is not None and insurance.status is not InsuranceStatus.DECLINED:
        odds_to_one = INSURANCE_RETURNS - 1
        yield ExplainedBet(
            bet="insurance",
            label="Insurance",
            hand=None,
            stake=insurance.stake * quantum,
            odds=Decimal(odds_to_one),
            pays=gettext("{odds} to 1").format(odds=odds_to_one),
            payout=insurance.payout * quantum,
            result=None if insurance.status is InsuranceStatus.PENDING else insurance.status.value,
            result_label=INSURANCE_RESULTS[insurance.status],
            tone=_tone(insurance.stake, insurance.payout),
        )


def _data(recorded: Mapping[str, Any], quantum: Decimal) -> dict[str, object]:
    """Return the `data` of an action, as a client would send it."""
    match recorded["move"]:
        case "bet":
            stakes = recorded["stakes"]
            return {names[0]: plain(stakes[kind] * quantum) for kind, names in STAKE_NAMES.items() if stakes[kind]}
        case "insure":
            return {"acceptedInsurance": True, "insuranceAmount": plain(recorded["insurance"] * quantum)}
        case "decline":
            return {"acceptedInsurance": False}
        case _:
            return {}


def _event_text(event: Event, hand_count: int, quantum: Decimal) -> str:
    """Return the text of an event; empty for an event without a step of its own."""
    is_only = hand_count == 1

    match event:
        case CardDealt():
            return (gettext("A card to the player") if is_only else gettext("A card to hand {number}")).format(
                number=event.hand + 1
            )
        case DealerCardShown():
            return gettext("The dealer shows a card")
        case DealerPeeked():
            return (
                gettext("The dealer peeks: blackjack")
                if event.is_natural
                else gettext("The dealer peeks: no blackjack")
            )
        case HandSplit():
            return gettext("The hand is split")
        case HandStood():
            return (
                gettext("No more cards for the player") if is_only else gettext("No more cards for hand {number}")
            ).format(number=event.hand + 1)
        case HandSettled():
            back = number_text(event.payout * quantum)
            label = gettext("The player") if is_only else gettext("Hand {number}").format(number=event.hand + 1)
            return _result_text(label, HAND_RESULTS[event.status], back)
        case _:
            return _money_text(event, quantum)


def _money_text(event: Event, quantum: Decimal) -> str:
    """Do the same as `_event_text` for stakes, side bets and insurance."""
    match event:
        case StakeTaken():
            amount = number_text(event.amount * quantum)
            return gettext("{amount} staked ({bet})").format(amount=amount, bet=gettext(STAKE_LABELS[event.kind]))
        case SideBetSettled():
            result = event.result
            back = number_text(result.payout * quantum)
            return _result_text(SIDE_BET_LABELS[result.bet], SIDE_BET_OUTCOMES[result.outcome], back)
        case InsuranceDeclined():
            return gettext("No insurance")
        case InsuranceSettled():
            back = number_text(event.payout * quantum)
            return _result_text(gettext("Insurance"), INSURANCE_RESULTS[event.status], back)
        case _:
            return ""


def _result_text(bet: str, result: str, back: str) -> str:
    """Return the text of a settled bet; `result` is a label of the data."""
    return gettext("{bet}: {result}, {back} back").format(bet=bet, result=gettext(result), back=back)


def _decimal(odds: Fraction) -> Decimal:
    # Odds have at most four decimals, so the quotient is exact.
    return Decimal(odds.numerator) / Decimal(odds.denominator)
