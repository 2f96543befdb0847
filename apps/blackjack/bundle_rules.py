"""Blackjack's rules for a round's bundle: from the cards, their hands and the decisions to what each bet pays.

It goes into the bundle as it is, so it needs the standard library alone. A test compares it with the engine.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

_RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
_NATURAL, _BUST = 22, 0


def settle(
    played: Mapping[str, Any], cards: Mapping[str, Any], terms: Mapping[str, Any], quantum: Decimal
) -> list[Decimal] | None:
    """Return what each bet of the round pays, its stake included; None if the bundle has no hands of the cards."""
    if not cards["places"]:
        return None
    first_deal_check(cards["places"], dealer_peek=terms["rules"]["dealer_peek"])
    hands, dealer, first_two = dealt_hands(cards["dealt"], cards["places"], seat=played.get("seat"))
    given_up = sum(bet["result"] == "Surrender" for bet in played["bets"])
    if given_up != sum(taken["action"].lower() == "surrender" for taken in played["decisions"]):
        raise ValueError("not every hand that was surrendered has a decision")
    paid = []
    for bet in played["bets"]:
        units = int(Decimal(bet["stake"]) / quantum)
        if bet["bet"] == "hand":
            units = hand_paid(units, bet, hands, dealer, terms["rules"])
        elif bet["bet"] == "insurance":
            units = 3 * units if rank(dealer, is_split=False) == _NATURAL else 0
        else:
            outcome = pair_outcome(first_two) if bet["bet"] == "perfectPairs" else poker_outcome(first_two, dealer[0])
            units = int(units * (1 + Fraction(terms["odds"][outcome]))) if outcome in terms["odds"] else 0
        paid.append(units * quantum)
    return paid


def first_deal_check(places: Sequence[str], *, dealer_peek: bool) -> None:
    """Raise ValueError if the first cards were not dealt in turn: each seat, the dealer, each seat, the hole card."""
    hands = list(places[: places.index("D")])
    seats = [int(place.partition(":")[0]) for place in hands]
    first = [*hands, "D", *hands, *(["H"] if dealer_peek else [])]
    if not seats or seats != sorted(set(seats)) or list(places[: len(first)]) != first:
        raise ValueError("the first cards were not dealt in turn")


def dealt_hands(
    cards: Sequence[str], places: Sequence[str], *, seat: int | None = None
) -> tuple[list[list[str]], list[str], list[str]]:
    """Return the player's hands, the dealer's cards with the upcard first, and the player's first two cards.

    At a table the player's places begin with the number of its seat, and other seats' cards are left out.
    """
    hands: list[list[str]] = [[]]
    dealer: list[str] = []
    first_two: list[str] = []
    rest = list(cards)
    own = "" if seat is None else f"{seat}:"
    for place in places:
        is_split, is_own = place.endswith("/"), place.startswith(own)
        if is_split and is_own:
            index = int(place[len(own) : -1]) - 1
            one, two = hands[index]
            hands[index : index + 1] = [[one], [two]]
        if is_split:
            continue
        card = rest.pop(0)
        if place in ("D", "H"):
            dealer.append(card)
        elif is_own:
            hands[int(place[len(own) :]) - 1].append(card)
            first_two = first_two if len(first_two) == 2 else [*first_two, card]
    if rest:
        raise ValueError("there are more cards than places")
    return hands, dealer, first_two


def hand_paid(
    stake: int, bet: Mapping[str, Any], hands: Sequence[Sequence[str]], dealer: Sequence[str], rules: Mapping[str, Any]
) -> int:
    """Return what a hand pays, in smallest units."""
    hand, is_split = hands[bet["hand"] or 0], len(hands) > 1
    own = rank(hand, is_split=is_split)
    if bet["result"] == "Surrender":
        return stake // 2
    if own == _BUST:
        return 0
    theirs = rank(dealer, is_split=False)
    if own == _NATURAL and theirs != _NATURAL:
        return stake + int(stake * Fraction(rules["blackjack_pays"].replace(":", "/")))
    if theirs != _NATURAL:
        dealer_stops(dealer, hits_soft_17=rules["dealer_hits_soft_17"])
    if own == theirs:
        return stake
    return 2 * stake if own > theirs else 0


def dealer_stops(dealer: Sequence[str], *, hits_soft_17: bool) -> None:
    """Raise ValueError if the dealer drew another number of cards than the rules say."""
    for count in range(2, len(dealer) + 1):
        is_soft = value(dealer[:count]) != sum(points(card) for card in dealer[:count])
        total = value(dealer[:count])
        is_done = total > 17 or (total == 17 and not (is_soft and hits_soft_17))
        if is_done != (count == len(dealer)):
            raise ValueError("the dealer drew another number of cards than the rules say")


def rank(hand: Sequence[str], *, is_split: bool) -> int:
    """Return 22 for a natural, 0 for a bust hand, else the value. A card that nobody saw makes no natural."""
    if "?" in hand:
        return 1
    total = value(hand)
    if total == 21 and len(hand) == 2 and not is_split:
        return _NATURAL
    return total if total <= 21 else _BUST


def value(hand: Sequence[str]) -> int:
    """Return the best value of a hand."""
    hard = sum(points(card) for card in hand)
    return hard + 10 if hard <= 11 and any(points(card) == 1 for card in hand) else hard


def points(card: str) -> int:
    """Return the value of a card, as `H1` or `CK`; the ace is 1."""
    return min(_RANKS.index(card[1:]) + 1, 10)


def pair_outcome(cards: Sequence[str]) -> str:
    """Return the kind of pair of the first two cards."""
    one, two = cards
    if one[1:] != two[1:]:
        return ""
    if one == two:
        return "perfectPair"
    return "colouredPair" if (one[0] in "HD") == (two[0] in "HD") else "mixedPair"


def poker_outcome(cards: Sequence[str], upcard: str) -> str:
    """Return the best poker hand of the first two cards and the upcard."""
    three = [*cards, upcard]
    ranks = sorted(_RANKS.index(card[1:]) for card in three)
    is_flush = len({card[0] for card in three}) == 1
    if ranks[0] == ranks[2]:
        return "suitedTrips" if is_flush else "threeOfAKind"
    if ranks in ([ranks[0], ranks[0] + 1, ranks[0] + 2], [0, 11, 12]):
        return "straightFlush" if is_flush else "straight"
    return "flush" if is_flush else ""
