"""The content of the table at one moment, its texts, and the keys of the moves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from apps.blackjack.engine.actions import Move
from apps.blackjack.engine.events import DealerPeeked, Event, InsuranceSettled
from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.state import HandState, HandStatus, InsuranceStatus, SeatState
from apps.blackjack.engine.value import hand_value, is_soft
from apps.cards.card import Card, Suit
from apps.core.money import plain

UNITS_A_CHIP: Final = 100
"""The engine counts hundredths of a chip, so that 3:2 of one chip is exact."""

MOVE_KEYS: Final = {
    Move.HIT: ("h", "hit"),
    Move.STAND: ("s", "stand"),
    Move.DOUBLE: ("d", "double"),
    Move.SPLIT: ("p", "split"),
    Move.SURRENDER: ("r", "surrender"),
    Move.INSURE: ("i", "insure"),
    Move.DECLINE: ("n", "no, go on"),
}
HINT_KEY: Final = ("?", "hint")
QUIT_KEY: Final = ("q", "quit")

SUIT_SIGNS: Final = {Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣", Suit.SPADES: "♠"}
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class SeatScene:
    """One player's place. `seat` is None if the player sits this round out."""

    name: str
    chips: str
    is_asked: bool = False
    seat: SeatState | None = None
    playing_hand: int | None = None
    """The hand that is played now."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The table at one moment."""

    title: str
    dealer: Sequence[Card] = ()
    has_hidden_hole: bool = False
    seats: Sequence[SeatScene] = ()
    notes: Sequence[str] = field(default=())
    """Lines to show before the next key: hints, payouts, refused bets."""


def chips_text(units: int) -> str:
    """Return an amount of units as chips: `7.5`."""
    return plain(Decimal(units) / UNITS_A_CHIP)


def number_refused_text(answer: str, limits: range) -> str:
    """Return why an answer is refused as a number of chips."""
    return f"{answer!r} is no number from {limits[0]} to {limits[-1]}."


def change_text(units: int) -> str:
    """Return a win or loss as chips with its sign: `+7.5`."""
    return f"+{chips_text(units)}" if units > 0 else chips_text(units)


def rank_text(card: Card) -> str:
    return _RANKS[card.rank]


def card_text(card: Card, *, signs: bool = True) -> str:
    """Return a card in two or three characters: `K♠`, or `Ks` if the suits cannot be printed."""
    sign = SUIT_SIGNS[card.suit] if signs else card.suit.name[0].lower()
    return rank_text(card) + sign


def cards_text(cards: Sequence[Card], *, hidden: bool = False, signs: bool = True) -> str:
    """Return cards in a row; a hidden one is a question mark."""
    return " ".join([*[card_text(card, signs=signs) for card in cards], *(["?"] if hidden else [])])


def value_text(cards: Sequence[Card]) -> str:
    """Return the value of the cards: `17`, `soft 17`, `22, bust`."""
    value = hand_value(cards)
    if value > 21:
        return f"{value}, bust"
    return f"soft {value}" if is_soft(cards) and value < 21 else str(value)


def hand_text(hand: HandState, *, signs: bool = True) -> str:
    """Return one hand in a line."""
    text = f"{cards_text(hand.cards, signs=signs)} ({value_text(hand.cards)}) bet {chips_text(hand.stake)}"
    return f"{text}: {hand.status.value.lower()}" if hand.status.is_final else text


def payout_lines(name: str, seat: SeatState, dealer: Sequence[Card], rules: BlackjackRules) -> list[str]:
    """Return the payouts of a settled round, each hand with its reason."""
    lines: list[str] = []
    for index, hand in enumerate(seat.hands):
        which = name if len(seat.hands) == 1 else f"{name}, hand {index + 1}"
        lines.append(f"{which}: {_reason(hand, dealer, rules)}")
    if seat.insurance is not None and seat.insurance.stake:
        lines.append(f"{name}: {_insurance_reason(seat)}")
    if len(lines) > 1:
        account = seat_account(seat)
        lines.append(f"{name}: {change_text(account.paid - account.staked)} in all")
    return lines


def news_lines(events: Iterable[Event]) -> list[str]:
    """Return the results of an action that the cards on the table do not show."""
    lines: list[str] = []
    for event in events:
        match event:
            case DealerPeeked(is_natural=False):
                lines.append("The dealer looked at the hole card: no blackjack.")
            case InsuranceSettled(status=InsuranceStatus.LOST):
                lines.append("Insurance is lost.")
            case _:
                pass
    return lines


def rules_text(rules: BlackjackRules) -> str:
    """Return the rules in one line, as on a table's felt."""
    decks = "infinite deck" if rules.is_infinite else f"{rules.decks} deck{'s' if rules.decks > 1 else ''}"
    parts = [
        f"blackjack pays {rules.blackjack_pays.numerator}:{rules.blackjack_pays.denominator}",
        decks,
        f"dealer {'hits' if rules.dealer_hits_soft_17 else 'stands on'} soft 17",
    ]
    if not rules.dealer_peek:
        parts.append("no hole card")
    if rules.simple:
        return ", ".join([*parts, "hit and stand alone"])
    if rules.double is not DoubleOn.ANY:
        parts.append(f"double on {rules.double.value}")
    if rules.surrender is not Surrender.OFF:
        parts.append(f"{rules.surrender.value} surrender")
    if rules.insurance is not Insurance.OFF:
        parts.append("insurance")
    return ", ".join(parts)


def _reason(hand: HandState, dealer: Sequence[Card], rules: BlackjackRules) -> str:
    own, stake, back = value_text(hand.cards), chips_text(hand.stake), chips_text(hand.payout)
    against = value_text(dealer) if hand_value(dealer) <= 21 else "a dealer who is bust"
    match hand.status:
        case HandStatus.BLACKJACK:
            pays = f"{rules.blackjack_pays.numerator}:{rules.blackjack_pays.denominator}"
            return f"blackjack pays {pays}, {back} back for {stake}"
        case HandStatus.WIN:
            return f"{own} beats {against}, {back} back for {stake}"
        case HandStatus.PUSH:
            return f"{own} pushes, {back} back for {stake}"
        case HandStatus.BUST:
            return f"{own}, {stake} lost"
        case HandStatus.SURRENDER:
            return f"surrendered, {back} back of {stake}"
        case HandStatus.LOSE:
            beaten = "the dealer's blackjack" if len(dealer) == 2 and hand_value(dealer) == 21 else against
            return f"{own} loses to {beaten}, {stake} lost"
        case HandStatus.OPEN | HandStatus.NATURAL | HandStatus.STOOD:
            raise ValueError(f"a hand that is {hand.status.value} is not settled")


def _insurance_reason(seat: SeatState) -> str:
    assert seat.insurance is not None
    stake, back = chips_text(seat.insurance.stake), chips_text(seat.insurance.payout)
    if seat.insurance.status is InsuranceStatus.WON:
        return f"insurance pays 2:1, {back} back for {stake}"
    return f"insurance, {stake} lost"
