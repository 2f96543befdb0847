"""Limits, rules and odds: saved, judged by the house edge, announced to open sockets, read over HTTP."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.test import Client

from apps.accounts.actors import Actor
from apps.accounts.models import Player, Role
from apps.blackjack.configuration import (
    STANDARD_PERFECT_PAIRS,
    STANDARD_POKER,
    BlackjackLimits,
    _odds_read,
    blackjack_limits_set,
    blackjack_terms_confirm,
    blackjack_terms_decide,
    blackjack_terms_save,
)
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, Surrender
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.standard_deviations import deviation_known, deviations_add_missing
from apps.blackjack.tasks import terms_decide_all
from apps.core.errors import BadRequest, Conflict, Refused
from apps.core.models import Currency
from apps.partners.models import Scope
from apps.partners.services import api_key_create, partner_currency_set
from apps.paytables.models import PayTableLine
from tests.support.blackjack import SocketPlayer, session_token
from tests.support.factories import partner_make, player_make, staff_make

ACTOR = Actor("tests")
# Rules without a shipped figure: the worker must compute it.
UNKNOWN_RULES = BlackjackRules(decks=9, double_after_split=False, surrender=Surrender.OFF, split_non_ace=0, split_ace=0)


@pytest.fixture
def config(player: Player) -> BlackjackConfig:
    return BlackjackConfig.objects.get(partner=player.partner)


def terms_save(config: BlackjackConfig, rules: BlackjackRules = SOLO_RULES, **odds: dict[str, str]) -> BlackjackTerms:
    return blackjack_terms_save(
        config=config,
        rules=rules,
        perfect_pairs_odds=odds.get("pairs", STANDARD_PERFECT_PAIRS),
        poker_odds=odds.get("poker", STANDARD_POKER),
        actor=ACTOR,
    )


def test_new_limits_are_announced_to_open_sockets_and_hold_from_the_next_bet_on(
    player: Player, seat: SocketPlayer
) -> None:
    partner = player.partner
    blackjack_limits_set(
        partner=partner,
        currency=player.currency,
        limits=BlackjackLimits(bet_min=Decimal(2), bet_max=Decimal(3)),
        actor=ACTOR,
    )
    update = seat.receive()
    assert update["eventType"] == "UpdateConfig"
    assert (update["data"]["minBet"], update["data"]["maxBet"]) == ("2", "3")
    assert seat.act("Bet", {"betAmount": 10})["code"] == "INVALID_BET_AMOUNT"
    assert seat.act("Bet", {"betAmount": 3})["eventType"] == "RoundUpdate"
    assert BlackjackConfig.history.filter(partner=partner).latest().history_change_reason == "tests"


def test_the_first_limits_saved_concurrently_are_one_row(player: Player, at_once: Callable[..., list[str]]) -> None:
    euro = Currency.objects.get(code="EUR")
    limits = BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(5))
    save = partial(blackjack_limits_set, partner=player.partner, currency=euro, limits=limits, actor=ACTOR)
    assert at_once(6, save) == ["ok"] * 6
    config = BlackjackConfig.objects.get(partner=player.partner, currency=euro)
    # The first one saved the standard terms as well. To the others the limits were no change.
    assert (config.version, config.terms.count()) == (2, 1)


def test_terms_with_a_known_edge_replace_the_active_ones_at_once(config: BlackjackConfig) -> None:
    version = config.version
    former = config.terms.get(status=TermsStatus.ACTIVE)
    assert terms_save(config) == former, "the same terms are no change"
    terms = terms_save(config, poker=STANDARD_POKER | {"flush": "4"})
    former.refresh_from_db()
    config.refresh_from_db()
    assert (terms.status, former.status) == (TermsStatus.ACTIVE, TermsStatus.INACTIVE)
    assert config.version == version + 1
    assert terms.house_edge is not None
    assert Decimal("0.001") < terms.house_edge < Decimal("0.008")
    assert terms.perfect_pairs_edge == Decimal("0.04096386")


def test_odds_that_favour_the_player_are_pending_until_an_operator_confirms(config: BlackjackConfig) -> None:
    terms = terms_save(config, pairs={"mixedPair": "60"})
    assert terms.status == TermsStatus.PENDING
    assert "Perfect Pairs" in terms.reason
    with pytest.raises(Refused):
        blackjack_terms_confirm(operator=staff_make(Role.AUDITOR), terms=terms, reason="because")
    operator = staff_make(Role.OPERATOR)
    with pytest.raises(BadRequest):
        blackjack_terms_confirm(operator=operator, terms=terms, reason=" ")
    confirmed = blackjack_terms_confirm(operator=operator, terms=terms, reason="a promotion, till Sunday")
    assert (confirmed.status, confirmed.confirmed_by) == (TermsStatus.ACTIVE, operator.username)
    with pytest.raises(Conflict):
        blackjack_terms_confirm(operator=operator, terms=terms, reason="again")


def test_terms_with_an_unknown_figure_are_pending_until_it_is_computed(
    config: BlackjackConfig, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr("apps.blackjack.configuration._edge_task_send", sent.append)
    broken = broken_terms_make()
    # With an infinite deck the usual odds of Perfect Pairs favour the player, so the bet is not offered.
    terms = terms_save(config, UNKNOWN_RULES, pairs={})
    assert (terms.status, terms.house_edge, sent) == (TermsStatus.PENDING, None, [terms.pk])
    monkeypatch.setattr("apps.blackjack.tasks.DECIDED_AT_ONCE", 1, raising=False)
    with pytest.raises(ExceptionGroup) as failed:
        terms_decide_all()
    assert f"blackjack terms {broken.pk}" in notes(failed.value), "it fails first, and keeps nothing behind it waiting"
    decided = BlackjackTerms.objects.get(pk=terms.pk)
    assert decided.status == TermsStatus.ACTIVE
    assert decided.house_edge is not None
    assert Decimal("0.005") < decided.house_edge < Decimal("0.02")
    assert decided.deviation is not None
    assert Decimal("0.94") < decided.deviation < Decimal("0.99")
    assert config_main_line(config).deviation == decided.deviation
    assert blackjack_terms_decide(terms_id=terms.pk) is None
    # The figure is known for the next partner with these rules.
    other = blackjack_limits_set(
        partner=partner_make(),
        currency=config.currency,
        limits=BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(9)),
        actor=ACTOR,
    )
    saved = terms_save(other, UNKNOWN_RULES, pairs={})
    assert (saved.status, saved.deviation) == (TermsStatus.ACTIVE, decided.deviation)


def broken_terms_make() -> BlackjackTerms:
    """Make pending terms of another partner whose rules no version can read."""
    config = blackjack_limits_set(
        partner=partner_make(),
        currency=Currency.objects.get(code="FUN"),
        limits=BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(9)),
        actor=ACTOR,
    )
    edges = {"perfect_pairs_edge": 0, "poker_edge": 0}
    return BlackjackTerms.objects.create(
        config=config, rules={}, perfect_pairs_odds={}, poker_odds={}, fingerprint="broken", **edges
    )


def notes(error: BaseException) -> list[str]:
    """Return the notes of all errors of a group."""
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [*getattr(error, "__notes__", ()), *(note for each in inner for note in notes(each))]


def config_main_line(config: BlackjackConfig) -> PayTableLine:
    """Return the figures of the main bet in the pay table of what is offered."""
    config.refresh_from_db()
    return PayTableLine.objects.get(paytable=config.paytable_id, kind="hand")


def test_the_worker_simulates_the_deviation_of_terms_from_before_it_was_kept(config: BlackjackConfig) -> None:
    broken = broken_terms_make()
    terms_save(config, UNKNOWN_RULES, pairs={})
    BlackjackTerms.objects.update(house_edge=Decimal("0.01"), deviation=None)
    assert deviation_known(UNKNOWN_RULES) is None
    with pytest.raises(ExceptionGroup) as failed:
        deviations_add_missing()
    assert notes(failed.value) == ["the deviation of the rules broken"]
    BlackjackTerms.objects.filter(pk=broken.pk).update(deviation=1)
    assert deviations_add_missing() == 0
    found = deviation_known(UNKNOWN_RULES)
    assert found is not None
    assert Decimal("0.94") < found < Decimal("0.99")


@pytest.mark.parametrize(
    ("odds", "field"),
    [
        pytest.param({"pairs": {"royal": "5"}}, "perfect_pairs_odds", id="unknown-outcome"),
        pytest.param({"poker": {"flush": "-1"}}, "poker_odds", id="negative"),
        pytest.param({"poker": {"flush": "NaN"}}, "poker_odds", id="not-a-number"),
        pytest.param({"poker": {"flush": "10000.0001"}}, "poker_odds", id="beyond-all-reason"),
    ],
)
def test_invalid_odds_are_refused(config: BlackjackConfig, odds: dict[str, Any], field: str) -> None:
    with pytest.raises(BadRequest) as refused:
        terms_save(config, **odds)
    assert refused.value.field == field


def test_odds_end_at_ten_thousand() -> None:
    assert _odds_read({"flush": "10000"}, ("flush",), "poker_odds") == {"flush": 10_000}


def test_limits_and_rules_are_read_with_a_session(player: Player) -> None:
    answer = Client().get("/v1/games/configs", {"game_id": "og-blackjack", "game_session_id": session_token(player)})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["gameId"], body["active"], body["minBet"], body["maxBet"]) == ("og-blackjack", True, "1", "1000")
    assert body["customProps"] == {
        "perfectPairsMaxBet": "100", "perfectPairsMinBet": "1", "pokerMaxBet": "100", "pokerMinBet": "1",
    }  # fmt: skip
    assert body["rules"]["decks"] == 8


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        pytest.param({}, 422, "MISSING_QUERY_PARAM", id="nothing"),
        pytest.param({"game_id": "og-blackjack"}, 422, "MISSING_QUERY_PARAM", id="no-session"),
        pytest.param({"game_id": "og-x", "game_session_id": "y"}, 422, "BAD_REQUEST_PARAMS", id="another-game"),
        pytest.param({"game_id": "og-blackjack", "game_session_id": "y"}, 401, "AUTHENTICATION_FAILED", id="no-such"),
    ],
)  # fmt: skip
def test_invalid_limits_are_refused(committed: None, query: dict[str, str], status: int, code: str) -> None:
    answer = Client().get("/v1/games/configs", query)
    assert (answer.status_code, answer.json()["type"], answer.json()["code"]) == (status, "Error", code)


def test_one_invalid_row_refuses_all_limits_of_a_request(player: Player) -> None:
    _, key = api_key_create(partner=player.partner, name="t", scopes=[Scope.CONFIGURE], actor="tests")
    row = {
        "game_id": "og-blackjack",
        "min_bet": 2,
        "max_bet": "50",
        "custom_props": {"poker_max_bet": 0, "poker_min_bet": 0},
    }

    def post(*rows: dict[str, Any]) -> Any:
        return Client().post(
            "/v1/games/configs",
            json.dumps({"data": rows}),
            content_type="application/json",
            headers={"authorization": f"Bearer {key}"},
        )

    def refusal(*rows: dict[str, Any]) -> tuple[int, str, str]:
        refused = post(*rows)
        body = refused.json()
        assert set(body) == {"type", "message", "code"}
        return refused.status_code, body["code"], body["message"].split(":")[0].split(" ")[0]

    upside_down = row | {"currency": "EUR", "min_bet": 9, "max_bet": 8}
    assert refusal(row, upside_down) == (422, "BAD_REQUEST_PARAMS", "data.1.min_bet"), "two rows have a min_bet"
    assert refusal(upside_down, row) == (422, "BAD_REQUEST_PARAMS", "data.0.min_bet"), "the place is the request's"
    assert refusal(row | {"max_bet": "0.001"}) == (422, "BAD_REQUEST_PARAMS", "data.0.max_bet")
    pairs = row | {"custom_props": {"perfect_pairs_min_bet": 5, "perfect_pairs_max_bet": 4}}
    assert refusal(pairs) == (422, "BAD_REQUEST_PARAMS", "data.0.custom_props.perfect_pairs_min_bet")
    assert refusal(row, row | {"game_id": "og-baccarat"}) == (422, "BAD_REQUEST_PARAMS", "data.1.game_id")
    assert refusal(row, row | {"currency": "XXX"}) == (403, "INVALID_CURRENCY", "data.1.currency")
    for no_flag in ("yes", "off", 1, None):
        assert refusal(row | {"free_play": no_flag}) == (422, "BAD_REQUEST_PARAMS", "data.0.free_play")
    assert refusal(row, row | {"max_bet": 60}) == (422, "BAD_REQUEST_PARAMS", "data.1.currency")
    config = BlackjackConfig.objects.get(partner=player.partner)
    assert config.bet_max == 1000
    answer = post(row)
    assert (answer.status_code, answer.json()) == (200, {"success": True, "versions": {"FUN": 2}})
    config.refresh_from_db()
    assert (config.bet_min, config.bet_max, config.poker_max, config.perfect_pairs_max) == (2, 50, 0, 100)


def test_limits_without_a_currency_are_in_the_partner_s_default_currency(player: Player) -> None:
    _, key = api_key_create(partner=player.partner, name="t", scopes=[Scope.CONFIGURE], actor="tests")
    partner_currency_set(partner=player.partner, currency=Currency.objects.get(code="EUR"), actor="lena")
    row = {"game_id": "og-blackjack", "min_bet": 2, "max_bet": 50}
    answer = Client().post(
        "/v1/games/configs",
        {"data": [row]},
        content_type="application/json",
        headers={"authorization": f"Bearer {key}"},
    )
    assert answer.status_code == 200
    saved = BlackjackConfig.objects.filter(partner=player.partner).order_by("currency")
    assert [(config.currency_id, config.bet_max) for config in saved] == [("EUR", 50), ("FUN", 1000)]


def test_the_first_limits_set_the_partner_s_default_currency(committed: None) -> None:
    partner = partner_make()
    limits = BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(5))
    for code in ("JPY", "EUR"):
        blackjack_limits_set(partner=partner, currency=Currency.objects.get(code=code), limits=limits, actor=ACTOR)
    partner.refresh_from_db()
    assert partner.default_currency_id == "JPY"


def test_round_details_hold_the_public_view_and_a_revealed_seed(player: Player, seat: SocketPlayer) -> None:
    bet = seat.act("Bet", {"betAmount": 1})
    url = f"/v1/games/og-blackjack/rounds/{bet['roundId']}"
    answer = Client().get(url, {"game_session_id": seat.token})
    body = answer.json()
    assert (body["isVerifiable"], "serverSeed" in body, len(body["serverSeedHashed"])) == (False, False, 64)
    assert body["roundOutcome"]["actions"][0]["number"] == 1
    stranger = player_make(balance=Decimal(1))
    foreign = Client().get(url, {"game_session_id": session_token(stranger)})
    assert (foreign.status_code, foreign.json()["code"]) == (404, "ROUND_DETAILS_NOT_FOUND")
    for game in ("og-baccarat", "%00"):
        elsewhere = Client().get(url.replace("og-blackjack", game), {"game_session_id": seat.token})
        assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "ROUND_DETAILS_NOT_FOUND")


def test_the_asyncapi_document_names_every_message(committed: None) -> None:
    document = Client().get("/api/asyncapi/").json()
    assert document["asyncapi"] == "3.0.0"
    assert set(document["components"]["messages"]) >= {"Inbound", "RoundUpdate", "ErrorMessage", "UpdateConfig"}
