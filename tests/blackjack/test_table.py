"""Blackjack's table: every option of the rules, stakes at tables for points, side bets, and the house's share."""

from collections.abc import Callable
from typing import Any

import pytest

from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.engine.state import HandStatus, InsuranceStatus
from apps.blackjack.table import TABLE, rules_of
from apps.cards.card import Card
from apps.rounds.table_game import BetLimits, TermsError
from apps.tables.engine.state import TablePhase
from tests.tables.engine.table_run import TableRun, seed_where

EUR = {"is_points": False, "decimals": 2, "contribution_required": True}
POINTS = {"is_points": True, "decimals": 0, "contribution_required": False}


def dealt(accepts: Callable[[list[Card]], bool], *, decks: int = 6, stake: int = 10, **terms: Any) -> TableRun:
    """Return a table with one player, whose first deal is as wanted."""
    run = TableRun(TABLE, seed=seed_where(accepts, decks), **terms)
    run.join("anna")
    run.bet_all(anna=stake)
    return run


def natural(cards: list[Card]) -> bool:
    """Accept a natural for the player against a low card."""
    return cards[0].value == 1 and cards[2].value == 10 and 2 <= cards[1].value <= 6


def plain(cards: list[Card]) -> bool:
    """Accept a hard hand of 12 to 16 that is no pair, against a low card."""
    return 7 < cards[0].value < 10 and 2 <= cards[2].value < 7 and 2 <= cards[1].value <= 6


def eleven(cards: list[Card]) -> bool:
    return cards[0].value == 9 and cards[2].value == 2 and 2 <= cards[1].value <= 6


def eight(cards: list[Card]) -> bool:
    return cards[0].value == 5 and cards[2].value == 3 and 2 <= cards[1].value <= 6


def aces(cards: list[Card]) -> bool:
    return cards[0].value == cards[2].value == 1 and 2 <= cards[1].value <= 6 and 2 < cards[4].value < 9


def soft_17(cards: list[Card]) -> bool:
    """Accept an ace and a six for the dealer, the six up, against a hard hand."""
    return 7 < cards[0].value < 10 and 2 <= cards[2].value < 7 and cards[1].value == 6 and cards[3].value == 1


def test_a_table_that_is_told_nothing_has_the_defaults_of_the_rules_page() -> None:
    terms = TABLE.terms_read(**EUR)
    assert terms.rules == {
        "decks": 6, "dealerHitsSoft17": True, "dealerPeek": True, "simple": False, "double": "any",
        "doubleAfterSplit": True, "surrender": "late", "surrenderAfterHit": False, "surrenderAfterSplit": False,
        "splitNonAce": 3, "splitAce": 1, "hitSplitAce": True, "insurance": "exact-half", "blackjackPays": "3:2",
        "inverted": False, "speed": False,
    }  # fmt: skip
    assert (terms.seats, terms.turn_ms, terms.window_ms, terms.cut_card) == (7, 20_000, 30_000, 156)
    assert [(edge.bet, bool(edge.edge)) for edge in TABLE.house_edges(terms)] == [
        ("main", True), ("perfectPairs", True), ("poker", True),
    ]  # fmt: skip


def test_a_points_table_has_one_deck_no_side_bets_and_no_cut_card() -> None:
    terms = TABLE.terms_read(**POINTS)
    assert (terms.decks, terms.cut_card, set(terms.limits)) == (1, 0, {"main"})
    assert TABLE.stake_span(terms, 0) == BetLimits(2, 200)


@pytest.mark.parametrize(
    ("points", "pays", "most"),
    [(0, "3:2", 200), (-100, "3:2", 100), (-500, "3:2", 100), (301, "3:2", 500), (7, "6:5", 200), (-95, "6:5", 100)],
)
def test_the_highest_stake_at_a_points_table_follows_the_score(points: int, pays: str, most: int) -> None:
    terms = TABLE.terms_read(**POINTS, rules={"blackjackPays": pays})
    assert TABLE.stake_span(terms, points).most == most


@pytest.mark.parametrize(("pays", "good", "bad"), [("3:2", 4, 5), ("6:5", 20, 12)])
def test_stakes_at_a_points_table_pay_whole_points(pays: str, good: int, bad: int) -> None:
    run = TableRun(TABLE, is_points=True, rules={"blackjackPays": pays})
    run.join("anna")
    assert run.refused("anna", "place_bet", amount=bad) == "INVALID_AMOUNT"
    assert run.refused("anna", "place_bet", amount=0) == "INVALID_AMOUNT"
    run.act("anna", "place_bet", amount=good)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"rules": {"inverted": True}}, "rules.inverted"),
        ({"rules": {"speed": 1}}, "rules.speed"),
        ({"rules": {"hitSplitAces": True}}, "rules"),
        ({"rules": {"splitAce": 4}}, "rules"),
        ({"rules": {"double": "8-11"}}, "rules"),
        ({"rules": {"blackjackPays": "1:1"}}, "rules"),
        ({"rules": {"dealerPeek": False, "surrender": "late"}}, "rules"),
        ({"rules": {"decks": 12}}, "rules.decks"),
        ({"limits": {"poker": {"minAmount": 1, "maxAmount": 2}}}, "limits.main"),
        ({"rules": {"simple": True}, "limits": {
            "main": {"minAmount": 1, "maxAmount": 2}, "poker": {"minAmount": 1, "maxAmount": 2}}}, "limits.poker"),
        ({"odds": {"royalFlush": 500}}, "odds"),
        ({"cut_card": 77}, "cutCard"),
        ({"seats": 8}, "seats"),
        ({"window_ms": 31_000}, "windowSeconds"),
    ],
)  # fmt: skip
def test_terms_that_no_table_has_are_refused_by_their_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(TermsError) as refused:
        TABLE.terms_read(**EUR, **given)
    assert refused.value.field == field


def test_side_bets_are_not_for_points_tables_and_odd_minima_neither() -> None:
    for limits, field in (
        ({"main": {"minAmount": 2, "maxAmount": 20}, "poker": {"minAmount": 2, "maxAmount": 20}}, "limits.poker"),
        ({"main": {"minAmount": 3, "maxAmount": 20}}, "limits.main.minAmount"),
    ):
        with pytest.raises(TermsError) as refused:
            TABLE.terms_read(**POINTS, limits=limits)
        assert refused.value.field == field


def test_without_a_peek_surrender_is_off_unless_it_is_early() -> None:
    assert rules_of(TABLE.terms_read(**EUR, rules={"dealerPeek": False})).surrender.value == "off"
    early = TABLE.terms_read(**EUR, rules={"dealerPeek": False, "surrender": "early"})
    assert rules_of(early).surrender.value == "early"


@pytest.mark.parametrize(("pays", "payout"), [("3:2", 25), ("6:5", 22)])
def test_a_natural_is_paid_as_the_table_says(pays: str, payout: int) -> None:
    run = dealt(natural, rules={"blackjackPays": pays})
    assert run.state.phase is TablePhase.PAUSE
    assert run.result_of("anna")["payout"] == payout
    assert run.last_result()["winners"][0]["netAmount"] == payout


def test_simple_rules_offer_hit_and_stand_alone() -> None:
    run = dealt(aces, rules={"simple": True})
    assert run.offered("anna") == ["hit", "stand"]
    assert "perfectPairs" not in run.terms.limits


@pytest.mark.parametrize(
    ("accepts", "double", "offered"),
    [(plain, "any", True), (plain, "9-11", False), (eleven, "9-11", True), (eleven, "10-11", True),
     (eight, "9-11", False), (eight, "any", True)],
)  # fmt: skip
def test_doubling_is_offered_on_the_hands_of_the_rule(
    accepts: Callable[[list[Card]], bool], double: str, offered: bool
) -> None:
    assert ("double_down" in dealt(accepts, rules={"double": double}).offered("anna")) == offered


def test_doubling_after_a_split_is_an_option() -> None:
    for option in (True, False):
        run = dealt(aces, rules={"doubleAfterSplit": option})
        run.act("anna", "split")
        assert ("double_down" in run.offered("anna")) == option


def test_a_split_ace_gets_one_card_where_the_table_says_so() -> None:
    run = dealt(aces, rules={"hitSplitAce": False, "splitAce": 1})
    run.act("anna", "split")
    assert run.state.phase is TablePhase.PAUSE
    assert len(run.result_of("anna")["hands"]) == 2


@pytest.mark.parametrize(("option", "offered"), [("splitAce", False), ("splitNonAce", True)])
def test_splits_are_counted_by_the_kind_of_pair(option: str, offered: bool) -> None:
    assert ("split" in dealt(aces, rules={option: 0}).offered("anna")) == offered


@pytest.mark.parametrize(("surrender", "offered"), [("late", True), ("off", False), ("early", True)])
def test_surrender_is_offered_under_a_low_card_as_the_rule_says(surrender: str, offered: bool) -> None:
    assert ("surrender" in dealt(plain, rules={"surrender": surrender}).offered("anna")) == offered


@pytest.mark.parametrize("option", [True, False])
def test_surrender_after_a_hit_is_an_option(option: bool) -> None:
    run = dealt(plain, rules={"surrenderAfterHit": option})
    run.act("anna", "hit")
    if run.turns():
        assert ("surrender" in run.offered("anna")) == option


@pytest.mark.parametrize("hits", [True, False])
def test_the_dealer_hits_soft_seventeen_where_the_table_says_so(hits: bool) -> None:
    run = dealt(soft_17, rules={"dealerHitsSoft17": hits})
    run.act("anna", "stand")
    assert (len(run.last_result()["dealer"]["cards"]) > 2) == hits


def test_without_a_peek_no_card_lies_face_down() -> None:
    run = dealt(plain, rules={"dealerPeek": False})
    assert run.view()["dealer"]["faceDown"] == 0
    assert dealt(plain).view()["dealer"]["faceDown"] == 1


def test_side_bets_are_settled_by_the_deal_and_paid_with_the_round() -> None:
    run = TableRun(TABLE, seed=seed_where(aces, 6), odds={"perfectPair": 30})
    run.join("anna")
    run.act("anna", "place_bet", amount=10, perfectPairs=5, poker=2)
    assert run.seat("anna").bets == {"main": 1000, "perfectPairs": 500, "poker": 200}
    assert run.funds("anna") == 1_000_000 - 1_700
    run.act("anna", "ready")
    shown = {bet["bet"]: bet for bet in run.view()["seats"][0]["sideBets"]}
    assert shown["perfectPairs"]["payout"] in (5 * 31, 5 * 13, 5 * 7)
    while run.turns():
        run.act("anna", "stand")
    result = run.result_of("anna")
    assert result["stakes"] == 17
    assert result["payout"] == sum(hand["payout"] for hand in result["hands"]) + sum(
        bet["payout"] for bet in result["sideBets"]
    )


def test_place_bet_replaces_the_stake_and_its_side_bets() -> None:
    run = TableRun(TABLE)
    run.join("anna")
    run.act("anna", "place_bet", amount=10, poker=5)
    change = run.act("anna", "place_bet", amount=7)
    assert [(move.kind.value, move.units) for move in change.movements] == [("refund", 800)]
    assert run.seat("anna").bets == {"main": 700}
    assert run.refused("anna", "place_bet", amount=7, poker=101) == "INVALID_AMOUNT"
    assert run.seat("anna").bets == {"main": 700}


@pytest.mark.parametrize("accepts", [natural, plain])
def test_an_inverted_table_negates_the_change(accepts: Callable[[list[Card]], bool]) -> None:
    nets = []
    for inverted in (False, True):
        run = dealt(accepts, decks=1, is_points=True, rules={"inverted": inverted})
        while run.turns():
            run.act("anna", "stand")
        result = run.result_of("anna")
        assert result["payout"] == result["stakes"] + result["net"]
        assert result["net"] == sum(hand["payout"] - hand["stake"] for hand in result["hands"])
        assert run.seat("anna").points == result["net"]
        nets.append(result["net"])
    assert nets[0] == -nets[1]


def test_decisions_at_a_points_table_are_never_refused_for_funds() -> None:
    run = dealt(eleven, decks=1, is_points=True, stake=200)
    assert "double_down" in run.offered("anna")
    run.act("anna", "double_down")
    assert run.result_of("anna")["stakes"] == 400


def test_all_decisions_have_their_names_on_the_wire() -> None:
    terms = TABLE.terms_read(**EUR)
    names = ("hit", "stand", "double_down", "split", "surrender", "insurance", "ready", "clear_bets", "no_bet")
    assert [TABLE.action_read(terms, {"action": name}).name for name in names] == list(names)
    assert TABLE.action_read(terms, {"action": "insurance", "amount": 5}).amount == 500


def test_a_side_bet_says_that_it_favours_the_player_and_an_unknown_edge_is_empty() -> None:
    terms = TABLE.terms_read(**EUR, odds={"perfectPair": 60}, rules={"splitAce": 3})
    edges = {edge.bet: edge for edge in TABLE.house_edges(terms)}
    assert [bet for bet, edge in edges.items() if edge.favours_player] == ["perfectPairs"]
    assert edges["main"].edge == ""


def test_every_result_of_a_bet_has_a_name_for_people() -> None:
    insured = [
        status.value.removeprefix("insurance_") for status in InsuranceStatus if status.value != "insurance_declined"
    ]
    names = {*(status.value for status in HandStatus), *(outcome.value for outcome in SideBetOutcome), *insured}
    assert names == set(TABLE.result_labels)
