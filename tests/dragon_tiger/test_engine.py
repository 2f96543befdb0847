"""Dragon tiger's rules by vectors, its edges by enumeration, and invariants of every deal and stake."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.cards.card import CARDS
from apps.cards.notation import parse_cards
from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_pct
from apps.dragon_tiger.edge import bet_deviation, house_edge, probabilities
from apps.dragon_tiger.engine import STANDARD_ODDS, Deal, GameType, Winner, bet_settle, deal, public_outcome
from apps.one_deal.engine import ResultType
from tests.docs.pages import page

DECKS = [*range(1, INFINITE_DECKS), INFINITE_DECKS]
QUANTA = [Decimal(1), Decimal("0.01"), Decimal("0.00000001")]
WON, LOST, HALF_BACK = ResultType.USER_WIN, ResultType.USER_LOST, ResultType.DRAW


def dealt(shoe: str) -> Deal:
    return deal(parse_cards(shoe))


@pytest.mark.parametrize(
    ("shoe", "winner"),
    [
        pytest.param("HK SQ", Winner.DRAGON, id="king-over-queen"),
        pytest.param("H1 S2", Winner.TIGER, id="the-ace-is-the-lowest"),
        pytest.param("HK S1", Winner.DRAGON, id="the-king-is-the-highest"),
        pytest.param("H10 SJ", Winner.TIGER, id="the-jack-is-above-the-ten"),
        pytest.param("H2 S2", Winner.TIE, id="suits-do-not-break-a-tie"),
        pytest.param("D7 D7", Winner.TIE, id="one-card-of-two-decks"),
        pytest.param("H3 D7 S10 D9", Winner.TIGER, id="later-cards-of-the-shoe-are-not-dealt"),
    ],
)
def test_the_higher_rank_wins(shoe: str, winner: Winner) -> None:
    outcome = dealt(shoe)
    dragon, tiger = shoe.split()[:2]
    assert outcome.winner is winner
    assert public_outcome(outcome) == {"dragon": [dragon], "tiger": [tiger], "winner": winner.value}


@pytest.mark.parametrize(
    ("bet", "stake", "shoe", "result", "paid"),
    [
        (GameType.DRAGON, "10", "HK S2", WON, "20"),
        (GameType.DRAGON, "10", "H2 SK", LOST, "0"),
        (GameType.DRAGON, "10", "H9 S9", HALF_BACK, "5"),
        (GameType.TIGER, "10", "H2 SK", WON, "20"),
        (GameType.TIGER, "10", "HK S2", LOST, "0"),
        (GameType.TIGER, "10", "H9 H9", HALF_BACK, "5"),
        (GameType.TIE, "10", "H9 S9", WON, "120"),
        (GameType.TIE, "10", "H9 H9", WON, "120"),
        (GameType.TIE, "10", "H9 S8", LOST, "0"),
        (GameType.SUITED_TIE, "10", "H9 H9", WON, "510"),
        (GameType.SUITED_TIE, "10", "H9 S9", LOST, "0"),
        (GameType.SUITED_TIE, "10", "H9 H8", LOST, "0"),
    ],
)
def test_payouts_at_the_standard_odds(bet: GameType, stake: str, shoe: str, result: ResultType, paid: str) -> None:
    settled = bet_settle(dealt(shoe), bet, Decimal(stake), STANDARD_ODDS[bet], quantum=Decimal("0.01"))
    assert (settled.result_type, settled.payout) == (result, Decimal(paid))


@pytest.mark.parametrize(
    ("stake", "quantum", "paid"),
    [
        pytest.param("5", "1", "2", id="five-yen"),
        pytest.param("1", "1", "0", id="one-yen"),
        pytest.param("0.05", "0.01", "0.02", id="five-cents"),
        pytest.param("0.01", "0.01", "0", id="one-cent"),
        pytest.param("0.00000003", "0.00000001", "0.00000001", id="three-of-eight-decimals"),
    ],
)
def test_half_a_stake_is_rounded_down_to_the_currency_s_unit(stake: str, quantum: str, paid: str) -> None:
    settled = bet_settle(dealt("H9 S9"), GameType.DRAGON, Decimal(stake), Fraction(1), quantum=Decimal(quantum))
    assert settled.payout == Decimal(paid)


@pytest.mark.parametrize(
    ("bet", "exact", "percent"),
    [
        (GameType.DRAGON, Fraction(31, 830), "3.734940"),
        (GameType.TIGER, Fraction(31, 830), "3.734940"),
        (GameType.TIE, Fraction(43, 415), "10.361446"),
        (GameType.SUITED_TIE, Fraction(58, 415), "13.975904"),
    ],
)
def test_the_edges_are_the_documented_ones(bet: GameType, exact: Fraction, percent: str) -> None:
    edge = house_edge(bet, STANDARD_ODDS[bet], 8)
    assert edge == exact
    assert edge_pct(edge) == Decimal(percent)
    (row,) = [line for line in page("docs/dragon-tiger.md").splitlines() if f"`{bet.wire_name}`" in line]
    assert f"| {percent} % |" in row


@pytest.mark.parametrize("decks", [1, 2])
def test_the_edges_equal_an_enumeration_of_all_deals(decks: int) -> None:
    """Every pair of cards of the shoe is dealt, without a formula for probabilities."""
    deals = [Deal(*pair) for pair in permutations(CARDS * decks, 2)]
    for bet, odds in STANDARD_ODDS.items():
        settled = [bet_settle(each, bet, Decimal(2), odds, quantum=Decimal(1)) for each in deals]
        kept = sum(Fraction(one.stake - one.payout) for one in settled) / 2
        assert house_edge(bet, odds, decks) == kept / len(deals)
        assert probabilities(bet, decks) == {
            result: Fraction(Counter(one.result_type for one in settled)[result], len(deals)) for result in ResultType
        }


@pytest.mark.parametrize("decks", DECKS)
def test_the_probabilities_of_a_bet_sum_to_one_and_the_edge_is_positive(decks: int) -> None:
    for bet, odds in STANDARD_ODDS.items():
        assert sum(probabilities(bet, decks).values()) == 1
        assert house_edge(bet, odds, decks) > 0


@pytest.mark.parametrize("decks", [0, 10, -1])
def test_an_invalid_number_of_decks_has_no_edge(decks: int) -> None:
    with pytest.raises(ValueError, match="decks"):
        house_edge(GameType.TIE, Fraction(11), decks)


def test_the_standard_deviation_is_computed_from_the_results() -> None:
    won = Fraction(192, 415)
    mean = -Fraction(31, 830)
    variance = won + won + Fraction(31, 415) / 4 - mean**2
    deviation = bet_deviation(GameType.DRAGON, Fraction(1), 8)
    assert abs(Fraction(deviation) ** 2 - variance) < Fraction(1, 10**7)


@given(
    cards=st.tuples(st.sampled_from(CARDS), st.sampled_from(CARDS)),
    bet=st.sampled_from(GameType),
    units=st.integers(1, 10**12),
    quantum=st.sampled_from(QUANTA),
    odds=st.integers(0, 10**6 * 10**4).map(lambda number: Fraction(number, 10**4)),
)
def test_a_payout_is_in_units_and_at_most_the_exact_one(
    cards: tuple[object, object], bet: GameType, units: int, quantum: Decimal, odds: Fraction
) -> None:
    stake = units * quantum
    settled = bet_settle(Deal(*cards), bet, stake, odds, quantum=quantum)  # type: ignore[arg-type]
    due = {WON: (1 + odds) * Fraction(stake), LOST: Fraction(0), HALF_BACK: Fraction(stake) / 2}[settled.result_type]
    assert settled.payout % quantum == 0
    assert 0 <= due - Fraction(settled.payout) < Fraction(quantum)


@given(cards=st.tuples(st.sampled_from(CARDS), st.sampled_from(CARDS)))
def test_one_side_wins_or_both_sides_get_half_back(cards: tuple[object, object]) -> None:
    outcome = Deal(*cards)  # type: ignore[arg-type]
    results = {bet: bet_settle(outcome, bet, Decimal(2), Fraction(1), quantum=Decimal(1)) for bet in GameType}
    sides = sorted(results[bet].result_type for bet in (GameType.DRAGON, GameType.TIGER))
    assert sides == ([HALF_BACK, HALF_BACK] if outcome.winner is Winner.TIE else [WON, LOST])
    assert results[GameType.TIE].result_type is (WON if outcome.winner is Winner.TIE else LOST)
    assert results[GameType.SUITED_TIE].result_type is (WON if outcome.dragon is outcome.tiger else LOST)
