"""The house edge of each baccarat bet as an exact fraction. Pure.

It counts every deal of a fresh shoe by the points of its cards. The bets and the banker's rule are the engine's;
`third_points` repeats naturals and the player's rule. Pairs are counted directly. It ignores the rounding to a
currency's unit, which favours the house.
"""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Final, assert_never

from apps.baccarat.engine import Deal, GameType, banker_draws, bet_settle
from apps.cards.card import CARDS, Card
from apps.cards.shoe import INFINITE_DECKS, deck_count_check
from apps.core.edge_rounding import standard_deviation
from apps.one_deal.engine import ResultType
from apps.paytables.paytable_rows import PaytableRow

_SAME_RANK_A_DECK: Final = 4
_RANKS: Final = 13
_POINTS: Final = range(10)
_CARD_OF_POINTS: Final[tuple[Card, ...]] = (CARDS[9], *CARDS[:9])
"""One card for each number of points: ten, ace, 2 to 9."""


def house_edge(game_type: GameType, odds: Fraction, decks: int) -> Fraction:
    """Return the house edge of the bet at `odds` to 1; a negative one favours the player.

    The shoe of `decks`, 1 to 8 or INFINITE_DECKS, is fresh. Raises ValueError for another number.
    """
    won, lost = probabilities(game_type, decks)
    return lost - won * odds


def bet_deviation(game_type: GameType, odds: Fraction, decks: int) -> Decimal:
    """Return the standard deviation of the winnings from a stake of 1 on the bet at `odds` to 1."""
    won, lost = probabilities(game_type, decks)
    return standard_deviation([(odds, won), (Fraction(-1), lost), (Fraction(0), 1 - won - lost)])


def paytable_rows(game_type: GameType, odds: Fraction, decks: int) -> tuple[PaytableRow, ...]:
    """Return the results of the bet at `odds` to 1 with their probabilities and payouts."""
    won, lost = probabilities(game_type, decks)
    return (
        PaytableRow(ResultType.USER_WIN.wire_name, won, 1 + odds),
        PaytableRow(ResultType.USER_LOST.wire_name, lost, Fraction(0)),
        PaytableRow(ResultType.DRAW.wire_name, 1 - won - lost, Fraction(1)),
    )


@cache
def probabilities(game_type: GameType, decks: int) -> tuple[Fraction, Fraction]:
    """Return the probabilities that the bet wins and that it loses; the rest of 1 is a push."""
    deck_count_check(decks)
    match game_type:
        case GameType.PLAYER_PAIR | GameType.BANKER_PAIR:
            won = _pair(_RANKS, _SAME_RANK_A_DECK, decks)
        case GameType.EITHER_PAIR:
            won = _pair_on_either_side(_RANKS, _SAME_RANK_A_DECK, decks)
        case GameType.PERFECT_PAIR:
            won = _pair_on_either_side(len(CARDS), 1, decks)
        case GameType.PLAYER | GameType.BANKER | GameType.TIE | GameType.DRAGON_7 | GameType.PANDA_8 | GameType.SUPER_6:
            return _probabilities_by_score(game_type, decks)
        case _ as unknown:
            assert_never(unknown)
    return won, 1 - won


def _pair(kinds: int, each_a_deck: int, decks: int) -> Fraction:
    """Return the probability that two cards are of the same kind: `kinds` kinds, `each_a_deck` cards of each in a
    deck."""
    if decks == INFINITE_DECKS:
        return Fraction(1, kinds)
    each = each_a_deck * decks
    return Fraction(each - 1, kinds * each - 1)


def _pair_on_either_side(kinds: int, each_a_deck: int, decks: int) -> Fraction:
    """Return the probability of a pair in at least one of two hands of two cards."""
    one = _pair(kinds, each_a_deck, decks)
    if decks == INFINITE_DECKS:
        return 1 - (1 - one) ** 2
    each = each_a_deck * decks
    cards = kinds * each
    # Given a pair in the first hand, the second hand's pair is of the same kind or of another.
    pairs = (each - 2) * (each - 3) + (kinds - 1) * each * (each - 1)
    both = one * Fraction(pairs, (cards - 2) * (cards - 3))
    return 2 * one - both


def _probabilities_by_score(game_type: GameType, decks: int) -> tuple[Fraction, Fraction]:
    won = lost = Fraction(0)
    for outcome, chance in _deals(decks):
        match bet_settle(outcome, game_type, Decimal(1), Fraction(1), quantum=Decimal(1)).result_type:
            case ResultType.USER_WIN:
                won += chance
            case ResultType.USER_LOST:
                lost += chance
            case ResultType.DRAW:
                pass
    return won, lost


@cache
def _deals(decks: int) -> tuple[tuple[Deal, Fraction], ...]:
    """Return one deal for each combination of scores and numbers of cards, with its probability."""
    ways: dict[tuple[int, int, int, int], int] = {}
    for player, banker, count in _hands(decks):
        key = (sum(player) % 10, sum(banker) % 10, len(player), len(banker))
        ways[key] = ways.get(key, 0) + count
    total = sum(ways.values())
    return tuple((deal_of(*key), Fraction(count, total)) for key, count in ways.items())


@cache
def face_chances(decks: int, place: int) -> tuple[float, ...] | None:
    """Return the chance of each of `CARDS` at a place from 0 of the dealing order, given that a card is dealt there.

    Whether a third card is drawn depends on the cards before it, so its points are not equally likely. None for the
    first four, which always are.
    """
    number = place - 4
    if number < 0:
        return None
    weights = [0] * 10
    for player, banker, ways in _hands(decks):
        further = (*player[2:], *banker[2:])
        if number < len(further):
            weights[further[number]] += ways
    faces = Counter(card.points for card in CARDS)
    return tuple(weights[card.points] / sum(weights) / faces[card.points] for card in CARDS)


def deal_of(player_score: int, banker_score: int, player_cards: int, banker_cards: int) -> Deal:
    """Return a deal with these scores and numbers of cards."""
    zeros = (_CARD_OF_POINTS[0],) * 2
    player = (_CARD_OF_POINTS[player_score], *zeros)[:player_cards]
    banker = (_CARD_OF_POINTS[banker_score], *zeros)[:banker_cards]
    return Deal(player, banker, player_score, banker_score)


def _hands(decks: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Yield both sides' points with the number of sequences of six cards that deal them."""
    one = 0 if decks == INFINITE_DECKS else 1
    left = [16 * decks, *[4 * decks] * 9]
    cards = 52 * decks
    for player, player_ways in _pairs(left, one):
        for points in player:
            left[points] -= one
        for banker, banker_ways in _pairs(left, one):
            for points in banker:
                left[points] -= one
            ways = player_ways * banker_ways
            for third, last in third_points(sum(player) % 10, sum(banker) % 10):
                more = _ways_of(third + last, left, cards - 4 * one, one)
                yield (*player, *third), (*banker, *last), ways * more
            for points in banker:
                left[points] += one
        for points in player:
            left[points] += one


def _pairs(left: list[int], one: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the points of two cards, lower first, with the number of ways to deal them in either order."""
    for low in _POINTS:
        yield (low, low), left[low] * (left[low] - one)
        for high in range(low + 1, 10):
            yield (low, high), 2 * left[low] * left[high]


@cache
def third_points(player_score: int, banker_score: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return the points of the third cards that may follow two cards on each side: the player's, and the banker's."""
    if player_score >= 8 or banker_score >= 8:
        return (((), ()),)
    drawn = [(points,) for points in _POINTS]
    return tuple(
        (third, last)
        for third in (drawn if player_score <= 5 else [()])
        for last in (drawn if banker_draws(banker_score, third[0] if third else None) else [()])
    )


def _ways_of(points: tuple[int, ...], left: list[int], cards: int, one: int) -> int:
    """Return the number of ways to deal these third cards and the rest of the six cards."""
    match points:
        case (third, last):
            return left[third] * (left[last] - (one if last == third else 0))
        case (only,):
            return left[only] * (cards - one)
        case _:
            return cards * (cards - one)
