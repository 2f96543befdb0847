"""The configuration RPCs and the guard against odds that favour the player."""

from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection, transaction
from django.test import Client

from apps.accounts.models import Role
from apps.audit.models import AuditEntry
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig
from apps.baccarat.one_deal_game import BACCARAT
from apps.core.errors import BadRequest, Conflict, Refused
from apps.core.models import Currency
from apps.one_deal.models import ConfigStatus
from apps.one_deal.offer import offer
from apps.one_deal.scheduled import limits_save
from apps.partners.models import Scope
from apps.partners.services import api_key_revoke, partner_currency_set
from apps.rounds.game_spec import GameOffer
from tests.support.baccarat import Seat, odds_set, refusal, seat_make
from tests.support.baccarat_use_cases import baccarat_odds_confirm
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.partners import Answer, PartnerClient

pytestmark = pytest.mark.usefixtures("committed")

CONFIG = "/api/game/baccarat_config"
ODDS = "/api/game/baccarat_odds_config"
LIMITS = {"bet_min": 1, "bet_max": 1000}


@pytest.fixture(autouse=True)
def no_limit(settings: LazySettings) -> None:
    """Switch the rate limit off."""
    settings.PUNTO_BETS_PER_S = settings.PUNTO_KEY_REQUESTS_PER_S = None


@pytest.fixture
def system() -> PartnerClient:
    """A partner's system with all scopes."""
    return PartnerClient(partner_make())


def row(config_id: int, game_type: str, odds: object, **more: object) -> dict[str, object]:
    return {"baccarat_config_id": config_id, "game_type": f"BaccaratGameBet{game_type}", "odds": odds} | more


def config_of(system: PartnerClient) -> int:
    answer = system.post(CONFIG, LIMITS)
    assert answer.status == 200, answer.bytes
    config_id: int = answer.body["id"]
    return config_id


def statuses(game_type: GameType) -> list[tuple[int, Decimal]]:
    rows = BaccaratOddsConfig.objects.filter(game_type=game_type).exclude(status=ConfigStatus.INACTIVE)
    return [(odds.status, odds.odds) for odds in rows.order_by("status")]


def test_limits_without_a_bet_that_is_offered_are_no_offer(system: PartnerClient) -> None:
    config_of(system)
    assert offer(BACCARAT, system.partner.pk, "FUN") == GameOffer(bet_min=Decimal(1), bet_max=Decimal(1000))
    BaccaratOddsConfig.objects.update(status=ConfigStatus.PENDING)
    assert offer(BACCARAT, system.partner.pk, "FUN") is None


# Limits


def test_the_first_post_creates_limits_with_the_three_odds(system: PartnerClient) -> None:
    answer = system.post(CONFIG, LIMITS)
    saved = BaccaratConfig.objects.get()
    assert answer.status == 200
    assert {name: answer.body[name] for name in ("id", "partner_id", "currency", "status", "decks", "version")} == {
        "id": saved.pk, "partner_id": system.partner.pk, "currency": "FUN", "status": 1, "decks": 8, "version": 1,
    }  # fmt: skip
    assert (answer.body["bet_min"], answer.body["bet_max"]) == (1, 1000)
    assert b'"bet_min":1,"bet_max":1000,' in answer.bytes
    assert [(odds["game_type"], odds["odds"], odds["status"]) for odds in answer.body["odds"]] == [
        ("BaccaratGameBetOnPlayer", 1, 1),
        ("BaccaratGameBetOnBanker", Decimal("0.95"), 1),
        ("BaccaratGameBetTie", 8, 1),
    ]


def test_a_further_post_changes_the_limits_in_place_and_keeps_the_history(system: PartnerClient) -> None:
    first = system.post(CONFIG, LIMITS)
    again = system.post(CONFIG, {"bet_min": 5, "bet_max": 20.5})
    assert (again.body["id"], again.body["version"]) == (first.body["id"], 2)
    config = BaccaratConfig.objects.get()
    assert (config.bet_min, config.bet_max) == (5, Decimal("20.5"))
    history = list(config.history.order_by("history_id"))
    assert [entry.bet_max for entry in history] == [1000, Decimal("20.5")]
    assert {entry.history_change_reason for entry in history} == {f"API key {system.key.prefix}"}
    assert all(entry.history_date for entry in history)
    audit = AuditEntry.objects.filter(action="baccarat_config.set").first()
    assert audit is not None
    assert (audit.actor, audit.partner_id, audit.data["after"]["bet_max"]) == (
        f"API key {system.key.prefix}",
        system.partner.pk,
        "20.5",
    )


def test_each_currency_has_limits_of_its_own(system: PartnerClient) -> None:
    euro = system.post(CONFIG, LIMITS | {"currency": "EUR", "decks": 6})
    assert (euro.body["currency"], euro.body["decks"]) == ("EUR", 6)
    assert system.post(CONFIG, LIMITS | {"currency": "FUN"}).body["id"] != euro.body["id"]
    assert [config["currency"] for config in system.get(CONFIG).body] == ["EUR", "FUN"]


def test_limits_without_a_currency_are_in_the_currency_of_the_first_configuration(system: PartnerClient) -> None:
    euro = system.post(CONFIG, LIMITS | {"currency": "EUR"})
    system.post(CONFIG, LIMITS | {"currency": "FUN"})
    answer = system.post(CONFIG, {"bet_min": 2, "bet_max": 20})
    assert (answer.status, answer.body["id"], answer.body["currency"]) == (200, euro.body["id"], "EUR")


def test_limits_without_a_currency_are_in_the_default_currency_that_staff_chose(system: PartnerClient) -> None:
    system.post(CONFIG, LIMITS | {"currency": "EUR"})
    dollar = Currency.objects.exclude(code__in=["EUR", "FUN"]).first()
    assert dollar is not None
    partner_currency_set(partner=system.partner, currency=dollar, actor="lena")
    assert system.post(CONFIG, LIMITS).body["currency"] == dollar.code
    (entry,) = AuditEntry.objects.filter(action="partner.currency")
    assert (entry.actor, entry.partner_id, entry.data) == (
        "lena",
        system.partner.pk,
        {"before": {"default_currency": "EUR"}, "after": {"default_currency": dollar.code}},
    )


def test_the_column_of_the_currency_is_named_as_documented(system: PartnerClient) -> None:
    system.post(CONFIG, LIMITS | {"currency": "EUR"})
    with connection.cursor() as cursor:
        cursor.execute("SELECT currency FROM baccarat_config UNION ALL SELECT currency FROM baccarat_config_history")
        assert cursor.fetchall() == [("EUR",), ("EUR",)]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", "JSON"),
        ([], ""),
        ({}, "bet_min"),
        ({"bet_min": 1}, "bet_max"),
        ({"bet_min": "1", "bet_max": 10}, "bet_min"),
        ({"bet_min": True, "bet_max": 10}, "bet_min"),
        ({"bet_min": 0, "bet_max": 10}, "bet_min"),
        ({"bet_min": -1, "bet_max": 10}, "bet_min"),
        ({"bet_min": Decimal("0.001"), "bet_max": 10}, "bet_min"),
        ({"bet_min": 11, "bet_max": 10}, "bet_min"),
        ({"bet_min": 1, "bet_max": 10**13}, "bet_max"),
        (LIMITS | {"decks": 0}, "decks"),
        (LIMITS | {"decks": 10}, "decks"),
        (LIMITS | {"decks": Decimal("1.5")}, "decks"),
        (LIMITS | {"decks": "8"}, "decks"),
        (LIMITS | {"currency": "XXX"}, "currency"),
        (LIMITS | {"currency": 5}, "currency"),
        (LIMITS | {"currency": "\x00"}, "currency"),
    ],
)
def test_400_names_the_invalid_field(system: PartnerClient, body: object, field: str) -> None:
    answer = system.post(CONFIG, body)
    assert answer.status == 400, answer.bytes
    assert set(answer.body) == {"code", "message"}
    assert field in answer.body["message"]
    assert not BaccaratConfig.objects.exists()


# Odds


def test_odds_are_saved_as_a_list_and_hold_from_the_next_bet_on(system: PartnerClient) -> None:
    config_id = config_of(system)
    answer = system.post(ODDS, [row(config_id, "OnPlayer", 0.5), row(config_id, "PlayerPair", 11)])
    assert answer.status == 200, answer.bytes
    assert [(saved["game_type"], saved["odds"], saved["status"]) for saved in answer.body] == [
        ("BaccaratGameBetOnPlayer", Decimal("0.5"), 1),
        ("BaccaratGameBetPlayerPair", 11, 1),
    ]
    assert answer.body[1]["house_edge"] == Decimal("0.10361446")
    assert BaccaratConfig.objects.get().version == 2
    seat = Seat(player_make(partner=system.partner, balance=Decimal(100)))
    assert seat.bet({"game_type": 4, "bet_amount": 1}).status == 200


def test_the_documented_alias_of_the_tie_is_accepted(system: PartnerClient) -> None:
    slip = row(config_of(system), "Tie", 7) | {"game_type": "BetBaccaratGameBetTie"}
    assert system.post(ODDS, [slip]).body[0]["game_type"] == "BaccaratGameBetTie"


def test_one_invalid_row_refuses_the_whole_list(system: PartnerClient) -> None:
    config_id = config_of(system)
    refusal(system.post(ODDS, [row(config_id, "OnPlayer", 0.5), row(config_id, "OnBanker", -1)]), 400, "BAD_REQUEST")
    foreign = system.post(ODDS, [row(config_id, "OnPlayer", 0.5), row(10**9, "Tie", 7)])
    assert refusal(foreign, 403, "FOREIGN_CONFIG")["message"] == (
        "1.baccarat_config_id: you have no configuration 1000000000"
    )
    assert statuses(GameType.PLAYER) == [(1, 1)]
    assert BaccaratConfig.objects.get().version == 1


def test_an_outdated_version_is_named_with_its_row(system: PartnerClient) -> None:
    config_id = config_of(system)
    euro = system.post(CONFIG, LIMITS | {"currency": "EUR"}).body["id"]
    system.post(CONFIG, LIMITS | {"currency": "EUR", "bet_max": 50})
    for stale in ([row(config_id, "Tie", 7, version=1), row(euro, "Tie", 7, version=1)],
                  [row(euro, "OnPlayer", 0.9, version=2), row(euro, "Tie", 7, version=1)]):  # fmt: skip
        told = refusal(system.post(ODDS, stale), 409, "OUTDATED_VERSION")["message"]
        assert told.startswith("1.version: version 1 was read, and it is 2 now: ")
        assert "bet max 1000 to 50" in told
    assert statuses(GameType.TIE) == [(1, 8), (1, 8)]


def test_an_inactive_bet_is_no_longer_offered(system: PartnerClient) -> None:
    config_id = config_of(system)
    assert system.post(ODDS, [row(config_id, "Tie", 8, status=0)]).body[0]["status"] == 0
    seat = Seat(player_make(partner=system.partner, balance=Decimal(100)))
    refusal(seat.bet({"game_type": 3, "bet_amount": 1}), 403, "INVALID_GAME_TYPE")
    assert system.post(ODDS, [row(config_id, "Tie", 8)]).body[0]["status"] == 1
    assert seat.bet({"game_type": 3, "bet_amount": 1}).status == 200
    assert BaccaratOddsConfig.objects.filter(game_type=GameType.TIE).count() == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"odds": -1}, "0.odds"),
        ({"odds": Decimal("0.00001")}, "0.odds"),
        ({"odds": 10**6}, "0.odds"),
        ({"odds": "1"}, "0.odds"),
        ({"odds": None}, "0.odds"),
        ({"game_type": "BaccaratGameBetOnNobody"}, "0.game_type"),
        ({"game_type": 1}, "0.game_type"),
        ({"baccarat_config_id": "1"}, "0.baccarat_config_id"),
        ({"baccarat_config_id": 10**30}, "0.baccarat_config_id"),
        ({"status": 2}, "0.status"),
    ],
)
def test_400_names_the_row_and_the_field(system: PartnerClient, change: dict[str, object], field: str) -> None:
    answer = system.post(ODDS, [row(config_of(system), "OnPlayer", 1) | change])
    assert field in refusal(answer, 400, "BAD_REQUEST")["message"]


def test_400_for_a_bet_kind_that_is_listed_twice(system: PartnerClient) -> None:
    config_id = config_of(system)
    answer = system.post(ODDS, [row(config_id, "OnPlayer", 1), row(config_id, "OnPlayer", 0.9)])
    assert "1.game_type" in refusal(answer, 400, "BAD_REQUEST")["message"]


@pytest.mark.parametrize("body", [{}, [], [1], "x", None])
def test_400_for_a_body_that_is_not_a_list_of_rows(system: PartnerClient, body: object) -> None:
    refusal(system.post(ODDS, body), 400, "BAD_REQUEST")


# Keys and tenancy


@pytest.mark.parametrize("path", [CONFIG, ODDS])
def test_401_without_a_valid_key(path: str, system: PartnerClient) -> None:
    answer = Answer(Client().get(path))
    refusal(answer, 401, "AUTHENTICATION_FAILED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    api_key_revoke(key=system.key, reason="a leak", actor="test")
    refusal(system.get(path), 401, "AUTHENTICATION_FAILED")


@pytest.mark.parametrize("path", [CONFIG, ODDS])
def test_403_for_a_key_without_the_scope(path: str) -> None:
    system = PartnerClient(partner_make(), [Scope.READ])
    refusal(system.get(path), 403, "SCOPE_MISSING")
    refusal(system.post(path, LIMITS), 403, "SCOPE_MISSING")


@pytest.mark.parametrize("path", [CONFIG, ODDS])
@pytest.mark.parametrize("method", ["put", "patch", "delete", "options"])
def test_405_for_another_method(path: str, method: str, system: PartnerClient) -> None:
    call = getattr(Client(), method)
    refusal(Answer(call(path, headers={"Authorization": f"Bearer {system.text}"})), 405, "METHOD_NOT_ALLOWED")


def test_another_partner_s_configuration_is_neither_seen_nor_changed(system: PartnerClient) -> None:
    other = PartnerClient(partner_make())
    foreign = config_of(other)
    refusal(system.post(ODDS, [row(foreign, "OnPlayer", 0.5)]), 403, "FOREIGN_CONFIG")
    assert system.get(CONFIG).body == []
    assert system.get(ODDS).body == []
    assert len(other.get(ODDS).body) == 3


def test_an_offer_that_has_ended_is_changed_no_more(system: PartnerClient) -> None:
    config_id = config_of(system)
    BaccaratConfig.objects.update(status=ConfigStatus.INACTIVE)
    refusal(system.post(ODDS, [row(config_id, "OnPlayer", 0.5)]), 403, "FOREIGN_CONFIG")
    limits = {"bet_min": Decimal(1), "bet_max": Decimal(2), "decks": 8, "apply_at": None}
    with pytest.raises(Conflict, match="this offer has ended"):
        limits_save(
            BACCARAT, user=staff_make(Role.OPERATOR), config=BaccaratConfig.objects.get(), limits=limits, version=1
        )
    assert statuses(GameType.PLAYER) == [(1, 1)]
    assert BaccaratConfig.objects.count() == 1


def test_429_for_too_many_requests(system: PartnerClient, settings: LazySettings) -> None:
    settings.PUNTO_KEY_REQUESTS_PER_S = 1
    for _ in range(50):  # at least two of them fall into one second
        answer = system.get(CONFIG)
        if answer.status == 429:
            break
    refusal(answer, 429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "1"


# Odds that favour the player


def confirm(pending: dict[str, Any], reason: str = "a promotion, one week") -> BaccaratOddsConfig:
    odds = BaccaratOddsConfig.objects.get(pk=pending["id"])
    return baccarat_odds_confirm(operator=staff_make(Role.OPERATOR), row=odds, reason=reason)


def test_odds_that_favour_the_player_are_saved_pending_with_the_reason(system: PartnerClient) -> None:
    config_id = config_of(system)
    (pending,) = system.post(ODDS, [row(config_id, "OnBanker", 8)]).body
    assert pending["status"] == 2
    assert pending["house_edge"] < -3
    assert "until an operator confirms it" in pending["reason"]
    assert statuses(GameType.BANKER) == [(1, Decimal("0.95")), (2, 8)]
    seat = Seat(player_make(partner=system.partner, balance=Decimal(100)))
    answer = seat.bet({"game_type": 2, "bet_amount": 10})
    assert answer.body["reward_amount"] in (0, 10, Decimal("19.5"))


def test_a_second_post_changes_the_pending_row_and_ordinary_odds_replace_it(system: PartnerClient) -> None:
    config_id = config_of(system)
    first, second = [system.post(ODDS, [row(config_id, "OnBanker", odds)]).body[0] for odds in (8, 9)]
    assert first["id"] == second["id"]
    assert statuses(GameType.BANKER) == [(1, Decimal("0.95")), (2, 9)]
    system.post(ODDS, [row(config_id, "OnBanker", 0.9)])
    assert statuses(GameType.BANKER) == [(1, Decimal("0.9"))]


def test_a_list_has_a_hundred_rows_at_most(system: PartnerClient) -> None:
    config_id = config_of(system)
    for rows, said in ((100, "stands in this list twice"), (101, "a list of 1 to 100 rows is expected")):
        answer = system.post(ODDS, [row(config_id, "Tie", 8)] * rows)
        assert (answer.status, said in answer.body["message"]) == (400, True), answer.bytes


def test_an_operator_s_confirmation_activates_a_pending_row(system: PartnerClient) -> None:
    config_id = config_of(system)
    (pending,) = system.post(ODDS, [row(config_id, "Tie", 10)]).body
    assert pending["status"] == 2
    confirmed = confirm(pending)
    assert (confirmed.status, confirmed.reason) == (ConfigStatus.ACTIVE, "a promotion, one week")
    assert statuses(GameType.TIE) == [(1, 10)]
    assert BaccaratConfig.objects.get().version == 3
    assert confirmed.history.first().history_user.username == confirmed.confirmed_by
    entry = AuditEntry.objects.get(action="baccarat_odds.confirm")
    assert (entry.reason, entry.actor) == ("a promotion, one week", confirmed.confirmed_by)
    # The confirmed odds, posted again, stay active; other odds are pending again, until the confirmed ones are posted.
    assert system.post(ODDS, [row(config_id, "Tie", 10)]).body[0]["status"] == 1
    assert system.post(ODDS, [row(config_id, "Tie", 11)]).body[0]["status"] == 2
    assert statuses(GameType.TIE) == [(1, 10), (2, 11)]
    assert system.post(ODDS, [row(config_id, "Tie", 10)]).body[0]["status"] == 1
    assert statuses(GameType.TIE) == [(1, 10)]
    confirmed.refresh_from_db()
    assert confirmed.confirmed_by == entry.actor


def test_only_an_operator_confirms_once_and_with_a_reason(system: PartnerClient) -> None:
    (pending,) = system.post(ODDS, [row(config_of(system), "Tie", 10)]).body
    odds = BaccaratOddsConfig.objects.get(pk=pending["id"])
    for role in (Role.PARTNER_STAFF, Role.AUDITOR):
        with pytest.raises(Refused):
            baccarat_odds_confirm(operator=staff_make(role), row=odds, reason="please")
    with pytest.raises(BadRequest), transaction.atomic():
        confirm(pending, reason=" ")
    confirm(pending)
    with pytest.raises(Conflict), transaction.atomic():
        confirm(pending)


def test_a_change_of_decks_deactivates_odds_that_then_favour_the_player(system: PartnerClient) -> None:
    """The house edge of a perfect pair at 25 to 1 is 13 % with 8 decks; at 29 to 1 it is small, and zero with an
    infinite deck."""
    config_id = config_of(system)
    (pair,) = system.post(ODDS, [row(config_id, "PlayerPair", 12)]).body
    assert (pair["status"], pair["house_edge"] > 0) == (1, True)
    answer = system.post(CONFIG, LIMITS | {"decks": 9})
    (waiting,) = [odds for odds in answer.body["odds"] if odds["game_type"] == "BaccaratGameBetPlayerPair"]
    assert waiting["status"] == 1  # the edge is exactly zero, which does not favour the player
    assert waiting["house_edge"] == 0
    system.post(CONFIG, LIMITS | {"decks": 8})
    (pending,) = system.post(ODDS, [row(config_id, "PlayerPair", 12.3)]).body
    assert pending["status"] == 1
    answer = system.post(CONFIG, LIMITS | {"decks": 9})
    (waiting,) = [odds for odds in answer.body["odds"] if odds["game_type"] == "BaccaratGameBetPlayerPair"]
    assert waiting["status"] == 2
    assert "an infinite deck" in waiting["reason"]
    seat = Seat(player_make(partner=system.partner, balance=Decimal(100)))
    refusal(seat.bet({"game_type": 4, "bet_amount": 1}), 403, "INVALID_GAME_TYPE")
    assert seat.bet({"game_type": 1, "bet_amount": 1}).status == 200


def test_the_reason_of_pending_odds_is_that_of_the_new_decks_after_a_change(system: PartnerClient) -> None:
    system.post(ODDS, [row(config_of(system), "OnPlayer", 1.5)])
    answer = system.post(CONFIG, LIMITS | {"decks": 9})
    (waiting,) = [odds for odds in answer.body["odds"] if odds["status"] == 2]
    assert waiting["house_edge"] == Decimal("-0.21079185")
    assert waiting["reason"].startswith("With an infinite deck this bet gives the player 21.079185 % of each stake")


def test_pending_odds_that_no_longer_favour_the_player_say_so_after_a_change_of_decks(system: PartnerClient) -> None:
    """At 12.3 to 1 a pair favours the player with an infinite deck alone."""
    config_id = config_of(system)
    system.post(CONFIG, LIMITS | {"decks": 9})
    (pending,) = system.post(ODDS, [row(config_id, "PlayerPair", 12.3)]).body
    assert "With an infinite deck this bet gives the player" in pending["reason"]
    answer = system.post(CONFIG, LIMITS | {"decks": 8})
    (waiting,) = [odds for odds in answer.body["odds"] if odds["id"] == pending["id"]]
    assert (waiting["status"], waiting["house_edge"] > 0) == (2, True)
    assert waiting["reason"].startswith("With 8 decks this bet does not favour the player")


def test_confirmed_odds_are_pending_again_after_a_change_of_decks(system: PartnerClient) -> None:
    (pending,) = system.post(ODDS, [row(config_of(system), "Tie", 10)]).body
    confirm(pending)
    system.post(CONFIG, LIMITS | {"decks": 6})
    assert statuses(GameType.TIE) == [(2, 10)]


def test_a_round_keeps_the_odds_and_version_it_was_settled_with() -> None:
    seat = seat_make()
    seat.bet({"game_type": 1, "bet_amount": 10})
    odds_set(BaccaratConfig.objects.get(), GameType.PLAYER, "0.5")
    seat.bet({"game_type": 1, "bet_amount": 10})
    records = seat.player.baccarat_records.order_by("id")
    assert list(records.values_list("odds", "config_version")) == [(1, 1), (Decimal("0.5"), 2)]
    assert [record.round.settlement_terms["odds"]["BaccaratGameBetOnPlayer"] for record in records] == ["1", "0.5"]
