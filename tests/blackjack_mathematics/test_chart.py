"""The chart: well-known cells, hints, its text and its picture."""

from xml.etree import ElementTree as ET

import pytest

from apps.blackjack.engine.rules import SOLO_RULES, TABLE_RULES, BlackjackRules
from apps.blackjack.mathematics.chart import Chart, chart_text
from apps.blackjack.mathematics.documented import documented_rules
from apps.blackjack.mathematics.edge import house_edge
from apps.blackjack.mathematics.hint import Advice, hint
from apps.blackjack.mathematics.picture import chart_svg
from apps.cards.notation import parse_card, parse_cards

ALL = frozenset(Advice)
TWO_CARDS = ALL - {Advice.SPLIT}
PLAIN = frozenset({Advice.HIT, Advice.STAND})


@pytest.mark.parametrize(
    ("cards", "upcard", "legal", "advice"),
    [
        pytest.param("H10 D6", "SK", TWO_CARDS, Advice.SURRENDER, id="16-against-10-is-given-up"),
        pytest.param("H10 D4 C2", "SK", PLAIN, Advice.HIT, id="or-hit"),
        pytest.param("H10 D6", "S6", TWO_CARDS, Advice.STAND, id="16-against-6-stands"),
        pytest.param("H6 D5", "S1", TWO_CARDS, Advice.DOUBLE, id="11-doubles-against-an-ace-where-17-is-hit"),
        pytest.param("H6 D3 C2", "S6", PLAIN, Advice.HIT, id="or-hits-with-three-cards"),
        pytest.param("H1 D7", "S6", TWO_CARDS, Advice.DOUBLE, id="soft-18-doubles-against-6"),
        pytest.param("H1 D7", "S6", PLAIN, Advice.STAND, id="or-stands"),
        pytest.param("H1 D7", "S9", TWO_CARDS, Advice.HIT, id="soft-18-hits-against-9"),
        pytest.param("H8 D8", "S10", ALL, Advice.SPLIT, id="eights-are-split"),
        pytest.param("H8 D8", "S1", ALL, Advice.SURRENDER, id="but-given-up-against-an-ace-where-17-is-hit"),
        pytest.param("H8 D8", "S1", ALL - {Advice.SURRENDER}, Advice.SPLIT, id="or-split"),
        pytest.param("H8 D8", "S7", PLAIN, Advice.HIT, id="eights-that-may-not-split-are-a-sixteen"),
        pytest.param("H5 D5", "S6", ALL, Advice.DOUBLE, id="fives-are-a-ten"),
        pytest.param("HK D10", "S6", ALL, Advice.STAND, id="tens-stand"),
        pytest.param("H1 D1", "S10", ALL, Advice.SPLIT, id="aces-are-split"),
        pytest.param("H9 D9", "S7", ALL, Advice.STAND, id="nines-stand-against-7"),
        pytest.param("H10 D2", "S3", TWO_CARDS, Advice.HIT, id="12-against-3-hits"),
        pytest.param("H10 D2", "S4", TWO_CARDS, Advice.STAND, id="12-against-4-stands"),
    ],
)
def test_basic_strategy_of_the_tables(cards: str, upcard: str, legal: frozenset[Advice], advice: Advice) -> None:
    assert hint(TABLE_RULES, parse_cards(cards), parse_card(upcard), legal) is advice


@pytest.mark.parametrize(
    ("name", "cards", "upcard", "advice"),
    [
        ("6 decks, S17, DAS", "H6 D5", "S1", Advice.HIT),
        ("6 decks, H17, DAS, late surrender", "H6 D5", "S1", Advice.DOUBLE),
        ("1 deck, H17, no DAS", "H6 D2", "S6", Advice.DOUBLE),
        ("2 decks, H17, DAS", "H6 D2", "S6", Advice.HIT),
        ("8 decks, S17, DAS, no hole card", "H8 D8", "S10", Advice.HIT),
        ("8 decks, S17, DAS, no hole card", "H6 D5", "S10", Advice.HIT),
        ("6 decks, S17, no DAS, split to two hands", "H4 D4", "S6", Advice.HIT),
        ("6 decks, S17, DAS", "H4 D4", "S6", Advice.SPLIT),
    ],
)
def test_cells_change_with_the_rules(name: str, cards: str, upcard: str, advice: Advice) -> None:
    rules = documented_rules()[name]
    assert hint(rules, parse_cards(cards), parse_card(upcard), ALL - {Advice.SURRENDER}) is advice


def test_a_hint_is_legal_or_refused() -> None:
    cards, upcard = parse_cards("H1 D1"), parse_card("S6")
    assert hint(SOLO_RULES, cards, upcard, {Advice.STAND}) is Advice.STAND
    with pytest.raises(ValueError, match="no decision of"):
        hint(SOLO_RULES, cards, upcard, set())


@pytest.mark.parametrize("rules", [SOLO_RULES, BlackjackRules(decks=6, simple=True)])
def test_a_chart_survives_json(rules: BlackjackRules) -> None:
    chart = house_edge(rules).chart
    assert Chart.from_json(chart.to_json()) == chart


def test_a_chart_of_simple_rules_has_hit_and_stand_alone() -> None:
    chart = house_edge(BlackjackRules(decks=6, simple=True)).chart
    assert {letter for row in (*chart.hard.values(), *chart.soft.values()) for cell in row for letter in cell} == {
        "H",
        "S",
    }
    assert not any(cell for row in chart.pairs.values() for cell in row)


def test_the_text_has_a_row_for_each_hand_and_a_column_for_each_upcard() -> None:
    lines = chart_text(house_edge(TABLE_RULES).chart).splitlines()
    assert lines[0].split() == ["2", "3", "4", "5", "6", "7", "8", "9", "10", "A"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.strip()}
    assert rows["16"] == ["S", "S", "S", "S", "S", "H", "H", "Rh", "Rh", "Rh"]
    assert rows["11"] == ["Dh"] * 10
    assert rows["A,7"] == ["Ds", "Ds", "Ds", "Ds", "Ds", "S", "S", "H", "H", "H"]
    assert rows["8,8"] == ["P"] * 9 + ["Rp"]


def test_the_picture_holds_every_cell_of_the_text() -> None:
    chart = house_edge(TABLE_RULES).chart
    root = ET.fromstring(chart_svg(chart, "Tables <6 decks>"))
    names = {"svg": "http://www.w3.org/2000/svg"}
    title = root.find("svg:title", names)
    assert title is not None
    assert title.text == "Tables <6 decks>"
    texts = [element.text for element in root.iterfind("svg:text", names)]
    # 17 hard totals, 8 soft ones and 10 pairs against 10 upcards.
    assert len(root.findall("svg:rect", names)) == 1 + 350
    assert texts.count("Rp") == 1
    assert texts.count("P") == chart_text(chart).split("Pairs")[1].split("H hit")[0].split().count("P")
