"""Edges are rounded half even, once, from the exact figure."""

from decimal import Decimal
from fractions import Fraction

import pytest

from apps.baccarat.edge import bet_deviation
from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig
from apps.baccarat.one_deal_game import BACCARAT
from apps.core.edge_rounding import edge_pct, edge_rounded, standard_deviation
from apps.one_deal.odds_html import edge_text
from apps.one_deal.serializers import config_serializers


@pytest.mark.parametrize(
    ("exact", "rounded", "percent"),
    [
        pytest.param(Fraction(5, 10**9), "0.00000000", "0.000000", id="half-to-even-below"),
        pytest.param(Fraction(15, 10**9), "0.00000002", "0.000002", id="half-to-even-above"),
        pytest.param(Fraction(-15, 10**9), "-0.00000002", "-0.000002", id="of-the-player-alike"),
        pytest.param(Fraction(5 * 10**30 + 1, 10**39), "0.00000001", "0.000001", id="above-half-by-a-hair"),
        pytest.param(Fraction(143596294, 10**9), "0.14359629", "14.359629", id="down"),
        pytest.param(Fraction(143596297, 10**9), "0.14359630", "14.359630", id="up"),
    ],
)
def test_an_edge_is_rounded_half_even_from_the_exact_figure(exact: Fraction, rounded: str, percent: str) -> None:
    assert str(edge_rounded(exact) + 0) == str(Decimal(rounded) + 0)
    assert f"{edge_pct(exact):.6f}" == percent


def test_a_rounded_edge_is_not_rounded_again() -> None:
    assert edge_pct(Decimal("0.12345675")) == Decimal("12.345675")


@pytest.mark.parametrize(
    ("game_type", "percent"),
    [
        (GameType.PLAYER, "1.235081"),
        (GameType.BANKER, "1.057906"),
        (GameType.TIE, "14.359629"),
        (GameType.PLAYER_PAIR, "10.361446"),
        (GameType.BANKER_PAIR, "10.361446"),
        (GameType.EITHER_PAIR, "13.709877"),
        (GameType.PERFECT_PAIR, "13.029391"),
        (GameType.DRAGON_7, "7.611334"),
        (GameType.PANDA_8, "10.187632"),
        (GameType.SUPER_6, "29.977169"),
    ],
)
def test_the_api_and_the_back_office_show_the_documented_figures(game_type: GameType, percent: str) -> None:
    config = BaccaratConfig(decks=8)
    row = BaccaratOddsConfig(baccarat_config=config, game_type=game_type, odds=decimal(STANDARD_ODDS[game_type]))
    form = config_serializers(BACCARAT).odds_output()
    assert Decimal(form.get_house_edge(row)) * 100 == Decimal(percent)
    assert f">{percent} %<" in edge_text(BACCARAT, game_type, row.odds, 8)


def decimal(odds: Fraction) -> Decimal:
    return Decimal(odds.numerator) / Decimal(odds.denominator)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        pytest.param([(1, Fraction(1, 2)), (-1, Fraction(1, 2))], "1.00000000", id="a-fair-coin"),
        pytest.param([(0, Fraction(1))], "0.00000000", id="what-is-sure"),
        pytest.param([(35, Fraction(1, 37)), (-1, Fraction(36, 37))], "5.83783784", id="a-number-at-roulette"),
    ],
)
def test_a_standard_deviation_is_computed_from_the_results(results: list[tuple[int, Fraction]], expected: str) -> None:
    assert f"{standard_deviation([(Fraction(result), chance) for result, chance in results]):f}" == expected


@pytest.mark.parametrize(
    ("game_type", "published"), [(GameType.PLAYER, "0.95"), (GameType.BANKER, "0.93"), (GameType.TIE, "2.64")]
)
def test_the_deviations_of_baccarat_are_the_published_ones(game_type: GameType, published: str) -> None:
    deviation = bet_deviation(game_type, STANDARD_ODDS[game_type], 8)
    assert deviation.quantize(Decimal("0.01")) == Decimal(published)
