"""Forms of the back office: each does its act once, and none overwrites what somebody else has saved meanwhile."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import PlayerStatus
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratOddsConfig
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.idempotency.models import StoredAnswer
from apps.idempotency.services import body_hash
from apps.one_deal.models import ConfigStatus
from apps.partners.models import ApiKey, Partner
from apps.scheduled_changes.models import ScheduledChange
from apps.wallet.models import Kind, WalletTransaction
from tests.office.conftest import Casino
from tests.support.factories import partner_make
from tests.support.office_browser import OfficeBrowser
from tests.support.partners import PartnerClient

LogIn = Callable[[str], OfficeBrowser]


def filled(browser: OfficeBrowser, address: str, **values: str) -> dict[str, str]:
    """Open a form's page and return what a browser would send of it."""
    return browser.hidden(address) | values


def fields_of(browser: OfficeBrowser, address: str) -> dict[str, str]:
    """Return the fields of a form as its page shows them."""
    shown = {field.name: field.value() for field in browser.get(address).context["form"]}
    return {name: "on" if value is True else str(value) for name, value in shown.items() if value not in (None, False)}


def sent(browser: OfficeBrowser, address: str, form: dict[str, Any]) -> Any:
    """Send a form as it is, without opening its page again."""
    return Client.post(browser, address, form)


def test_a_double_click_adjusts_once_and_both_answers_are_the_same(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    form = filled(operator, address, change="5", reason="a goodwill")
    first, second = (sent(operator, address, form) for _ in range(2))
    assert (first.status_code, first["Location"]) == (302, second["Location"])
    assert WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).count() == 1
    other = sent(operator, address, form | {"change": "6"})
    assert "sent before with other content" in other.content.decode()
    assert WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).count() == 1
    again = sent(operator, address, filled(operator, address, change="5", reason="a goodwill"))
    assert again.status_code == 302
    assert WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).count() == 2


def test_what_a_form_had_is_not_stored_as_a_hash_that_can_be_guessed(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    form = filled(operator, address, change="5", reason="a goodwill")
    assert sent(operator, address, form).status_code == 302
    stored = StoredAnswer.objects.get(key=form["form_token"])
    guesses = [{name: [value] for name, value in form.items() if name != "csrfmiddlewaretoken"}, form]
    assert bytes(stored.body_hash) not in [body_hash(guess) for guess in guesses]


def test_a_form_that_was_refused_may_be_sent_again(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    form = filled(operator, address, change="-100000", reason="a typing error")
    refused = sent(operator, address, form).content.decode()
    assert "100000 is more than the wallet holds, " in refused
    assert f'name="form_token" value="{form["form_token"]}"' in refused
    assert sent(operator, address, form | {"change": "-1"}).status_code == 302


def test_a_form_without_its_token_is_refused(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    answer = sent(operator, address, {"change": "5", "reason": "a goodwill"})
    assert "load the page again" in answer.content.decode()
    assert not WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).exists()


def test_a_key_s_form_sent_twice_makes_one_key_and_shows_it_once(ours: Casino, log_in: LogIn) -> None:
    staff, address = log_in("partner_staff"), reverse("admin:partners_apikey_add")
    form: dict[str, Any] = filled(staff, address, partner=str(ours.partner.pk), name="till") | {"scopes": ["read"]}
    text = sent(staff, address, form).context["text"]
    second = sent(staff, address, form)
    assert second.status_code == 302
    assert ApiKey.objects.filter(name="till").count() == 1
    assert text not in staff.get(second["Location"]).content.decode()


def test_the_later_of_two_open_forms_is_refused_and_names_the_earlier_change(ours: Casino, log_in: LogIn) -> None:
    anna, ben = log_in("partner_staff"), log_in("operator")
    address = reverse("admin:baccarat_baccaratconfig_change_limits", args=[ours.config.pk])
    early, late = (filled(each, address, bet_min="1", decks="8") for each in (anna, ben))
    assert sent(anna, address, early | {"bet_max": "200"}).status_code == 302
    refused = sent(ben, address, late | {"bet_max": "300"}).content.decode()
    user = anna.get("/admin/").context["user"].username
    assert re.search(rf"{user} at \d{{4}}-\d\d-\d\d [\d:]+ UTC: .*bet max 100 to 200", refused)
    ours.config.refresh_from_db()
    assert (ours.config.bet_max, ours.config.version) == (200, 2)


@pytest.mark.parametrize(
    ("page", "early", "late"),
    [
        ("partners_partner_choose_origins", {"frame_origins": "https://a.test"}, {"frame_origins": "https://b.test"}),
        ("partners_partner_choose_currency", {"currency": "EUR"}, {"currency": "JPY"}),
        ("partners_apikey_restrict", {"allowed_addresses": "192.0.2.1"}, {"allowed_addresses": "192.0.2.2"}),
    ],
)
def test_the_later_of_two_open_forms_of_a_partner_is_refused(
    page: str, early: dict[str, str], late: dict[str, str], ours: Casino, log_in: LogIn
) -> None:
    anna, ben = log_in("partner_staff"), log_in("operator")
    row = ours.api_key if "apikey" in page else ours.partner
    address = reverse(f"admin:{page}", args=[row.pk])
    forms = filled(anna, address, **early), filled(ben, address, **late)
    assert sent(anna, address, forms[0]).status_code == 302
    refused = sent(ben, address, forms[1])
    user = anna.get("/admin/").context["user"].username
    text = refused.content.decode()
    assert re.search(rf"changed since it was read: {user} at \d{{4}}-\d\d-\d\d [\d:]+ UTC: \S+", text)
    kept = AuditEntry.objects.filter(actor=user).latest("pk")
    row.refresh_from_db()
    ((field, value),) = early.items()
    assert value in str(getattr(row, "default_currency_id" if field == "currency" else field))
    assert AuditEntry.objects.latest("pk") == kept
    assert sent(ben, address, filled(ben, address, **late)).status_code == 302


def test_a_stale_form_of_odds_does_not_take_back_newer_ones(ours: Casino, log_in: LogIn) -> None:
    anna, ben = log_in("partner_staff"), log_in("operator")
    address = reverse("admin:baccarat_baccaratconfig_change_odds", args=[ours.config.pk])
    odds = {f"odds_{row.game_type}": f"{row.odds.normalize():f}" for row in ours.config.odds_rows.filter(status=1)}
    early, late = (filled(each, address, **odds) for each in (anna, ben))
    assert sent(anna, address, early | {"odds_3": "7"}).status_code == 302
    assert "odds 8 to 7" in sent(ben, address, late | {"odds_2": "0.9"}).content.decode()
    active = BaccaratOddsConfig.objects.filter(baccarat_config=ours.config, status=ConfigStatus.ACTIVE)
    assert active.get(game_type=3).odds == 7
    assert active.get(game_type=2).odds == Decimal("0.95")


@pytest.mark.parametrize("form_name", ["change_limits", "change_terms"])
def test_a_stale_form_of_blackjack_is_refused(ours: Casino, log_in: LogIn, form_name: str) -> None:
    config = ours.partner.blackjack_configs.get()
    staff = log_in("partner_staff")
    address = reverse(f"admin:blackjack_blackjackconfig_{form_name}", args=[config.pk])
    shown = {field.name: field.value() for field in staff.get(address).context["form"]}
    fields = {
        name: "on" if value is True else str(value) for name, value in shown.items() if value not in (None, False)
    }
    form = filled(staff, address, **fields)
    BlackjackConfig.objects.filter(pk=config.pk).update(version=7)
    assert "version 1 was read, and it is 7 now" in sent(staff, address, form).content.decode()


def test_a_stale_form_of_a_table_is_refused(ours: Casino, log_in: LogIn) -> None:
    staff, table = log_in("partner_staff"), ours.table
    address = reverse("admin:tables_gametable_configure", args=[table.pk])
    shown = {field.name: field.value() for field in staff.get(address).context["form"]}
    fields = {
        name: "on" if value is True else str(value) for name, value in shown.items() if value not in (None, False)
    }
    forms = [filled(staff, address, **fields) for _ in range(2)]
    assert sent(staff, address, forms[0] | {"window_s": "33"}).status_code == 302
    refused = sent(staff, address, forms[1] | {"window_s": "44"}).content.decode()
    assert "version 1 was read, and it is 2 now" in refused
    assert "window_ms" in refused
    table.refresh_from_db()
    assert table.window_ms == 33_000


def test_a_partner_s_system_is_refused_with_a_version_that_has_changed(ours: Casino) -> None:
    system = PartnerClient(ours.partner, ["configure"])
    limits = {"bet_min": 1, "bet_max": 90, "version": 1}
    assert system.post("/api/game/baccarat_config", limits).body["version"] == 2
    stale = system.post("/api/game/baccarat_config", limits | {"bet_max": 80})
    assert (stale.status, stale.body["code"]) == (409, "OUTDATED_VERSION")
    assert "bet max 100 to 90" in stale.body["message"]
    odds = {"baccarat_config_id": ours.config.pk, "game_type": "BaccaratGameBetTie", "odds": 7, "version": 1}
    assert system.post("/api/game/baccarat_odds_config", [odds]).body["code"] == "OUTDATED_VERSION"
    assert system.post("/api/game/baccarat_odds_config", [odds | {"version": 2}]).status == 200
    blackjack = {"game_id": "og-blackjack", "min_bet": 1, "max_bet": 500, "version": 1}
    assert system.post("/v1/games/configs", {"data": [blackjack]}).body == {"success": True, "versions": {"FUN": 2}}
    stale = system.post("/v1/games/configs", {"data": [blackjack | {"currency": "EUR", "version": 1}, blackjack]})
    assert (stale.status, stale.body["code"]) == (409, "OUTDATED_VERSION")
    assert stale.body["message"].startswith("data.1.version: version 1 was read, and it is 2 now: ")


def test_limits_that_hold_already_are_no_change_and_the_form_says_so(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")

    def save(address: str, **values: str) -> str:
        answer = sent(staff, address, filled(staff, address, **fields_of(staff, address) | values))
        return staff.get(answer["Location"]).content.decode()

    for row in (ours.config, ours.partner.blackjack_configs.get()):
        address = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change_limits", args=[row.pk])
        acts, versions = AuditEntry.objects.count(), row.history.count()
        shown = save(address)
        assert "Nothing has changed: it is saved like this already." in shown
        assert "limits are saved" not in shown
        assert (AuditEntry.objects.count(), row.history.count()) == (acts, versions)
        row.refresh_from_db()
        assert row.version == 1
        assert "limits are saved" in save(address, bet_max="77")
        assert (AuditEntry.objects.count(), row.history.count()) == (acts + 1, versions + 1)


def test_a_partner_s_system_that_saves_its_limits_again_gets_the_same_version(ours: Casino) -> None:
    system = PartnerClient(ours.partner, ["configure"])
    limits = {"bet_min": 1, "bet_max": 90}
    first, again = (system.post("/api/game/baccarat_config", limits) for _ in range(2))
    assert (first.body, first.body["version"]) == (again.body, 2)
    assert system.post("/api/game/baccarat_config", limits | {"version": 1}).body["code"] == "OUTDATED_VERSION"
    assert AuditEntry.objects.filter(action="baccarat_config.set").count() == 1
    rows = {"data": [{"game_id": "og-blackjack", "min_bet": 1, "max_bet": 500}]}
    versions = [system.post("/v1/games/configs", rows).body["versions"] for _ in range(2)]
    assert versions == [{"FUN": 2}, {"FUN": 2}]


def test_rules_and_odds_that_are_saved_already_are_no_change_even_while_they_wait(ours: Casino, log_in: LogIn) -> None:
    staff, config = log_in("partner_staff"), ours.partner.blackjack_configs.get()
    address = reverse("admin:blackjack_blackjackconfig_change_terms", args=[config.pk])

    def save(**values: str) -> tuple[bool, int, int, int]:
        """Save the form; return whether it says that nothing has changed, the version, and what is written."""
        answer = sent(staff, address, filled(staff, address, **fields_of(staff, address) | values))
        config.refresh_from_db()
        said = "Nothing has changed: it is saved like this already." in staff.get(answer["Location"]).content.decode()
        return said, config.version, AuditEntry.objects.count(), BlackjackTerms.history.count()

    acts, rows = AuditEntry.objects.count(), BlackjackTerms.history.count()
    assert save() == (True, 1, acts, rows)
    assert save(pairs_perfectPair="400") == (False, 2, acts + 1, rows + 1)
    assert BlackjackTerms.objects.latest("pk").status == TermsStatus.PENDING
    assert save() == (True, 2, acts + 1, rows + 1)
    assert save(pairs_perfectPair="401") == (False, 3, acts + 2, rows + 2)


def test_the_later_of_two_open_forms_of_pending_rules_is_refused(ours: Casino, log_in: LogIn) -> None:
    anna, ben = log_in("partner_staff"), log_in("operator")
    address = reverse("admin:blackjack_blackjackconfig_change_terms", args=[ours.partner.blackjack_configs.get().pk])
    early, late = (filled(each, address, **fields_of(each, address)) for each in (anna, ben))
    assert sent(anna, address, early | {"pairs_perfectPair": "400"}).status_code == 302
    assert "version 1 was read, and it is 2 now" in sent(ben, address, late | {"poker_flush": "4"}).content.decode()
    assert BlackjackTerms.objects.get(status=TermsStatus.PENDING).perfect_pairs_odds["perfectPair"] == "400"


def test_odds_that_wait_already_are_no_change_and_the_form_says_so(ours: Casino, log_in: LogIn) -> None:
    staff, address = (
        log_in("partner_staff"),
        reverse("admin:baccarat_baccaratconfig_change_odds", args=[ours.config.pk]),
    )

    def save() -> str:
        answer = sent(staff, address, filled(staff, address, **fields_of(staff, address) | {"odds_3": "20"}))
        return staff.get(answer["Location"]).content.decode()

    assert "The odds are saved." in save()
    acts, versions = AuditEntry.objects.count(), ours.config.history.count()
    rows = BaccaratOddsConfig.history.count()
    assert "Nothing has changed: it is saved like this already." in save()
    assert (AuditEntry.objects.count(), ours.config.history.count()) == (acts, versions)
    ours.config.refresh_from_db()
    assert (ours.config.version, BaccaratOddsConfig.history.count()) == (2, rows)


def test_a_form_of_odds_that_is_sent_without_a_change_schedules_nothing(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    address = reverse("admin:baccarat_baccaratconfig_change_odds", args=[ours.config.pk])
    acts, versions = AuditEntry.objects.count(), ours.config.history.count()
    answer = sent(staff, address, filled(staff, address, **fields_of(staff, address)))
    assert "Nothing has changed: it is saved like this already." in staff.get(answer["Location"]).content.decode()
    tomorrow = f"{timezone.now() + timedelta(days=1):%Y-%m-%dT%H:%M}"
    refused = sent(staff, address, filled(staff, address, **fields_of(staff, address), apply_at=tomorrow))
    why = "no odds are changed, so there is nothing to schedule"
    assert refused.context["form"].errors == {"apply_at": [why]}
    assert (AuditEntry.objects.count(), ours.config.history.count()) == (acts, versions)
    assert not ScheduledChange.objects.exists()


def test_a_partner_s_system_that_saves_its_odds_again_gets_the_same_rows(ours: Casino) -> None:
    system = PartnerClient(ours.partner, ["configure"])

    def save(**values: object) -> Any:
        row = {"baccarat_config_id": ours.config.pk, "game_type": "BaccaratGameBetTie", "odds": 7}
        answer = system.post("/api/game/baccarat_odds_config", [row | values])
        ours.config.refresh_from_db()
        written = BaccaratOddsConfig.history.count(), AuditEntry.objects.count()
        return answer.status, answer.body, ours.config.version, written

    for changed in ({}, {"odds": 20}, {"odds": 7, "status": 0}, {"odds": 7, "status": 1}):
        version, acts = ours.config.version, AuditEntry.objects.count()
        first = save(**changed)
        assert first[0] == 200
        assert (first[2], first[3][1]) == (version + 1, acts + 1), changed
        assert save(**changed) == first
    # One row of two is a change: the other row is not written.
    rows = BaccaratOddsConfig.history.count()
    both = [
        {"baccarat_config_id": ours.config.pk, "game_type": f"BaccaratGameBet{bet}", "odds": odds}
        for bet, odds in (("Tie", 7), ("PlayerPair", 10))
    ]
    answer = system.post("/api/game/baccarat_odds_config", both)
    assert answer.status == 200, answer.body
    assert BaccaratOddsConfig.history.count() == rows + 1


@pytest.mark.parametrize(
    ("page", "value"),
    [
        ("partners_partner_choose_origins", {"frame_origins": "https://a.test"}),
        ("partners_partner_choose_currency", {"currency": "EUR"}),
        (
            "partners_apikey_restrict",
            {"allowed_addresses": "192.0.2.1", "last_day": f"{timezone.now() + timedelta(days=90):%Y-%m-%d}"},
        ),
    ],
)
def test_a_form_of_a_partner_that_is_sent_without_a_change_writes_nothing(
    page: str, value: dict[str, str], ours: Casino, log_in: LogIn
) -> None:
    staff = log_in("partner_staff")
    row = ours.api_key if "apikey" in page else ours.partner
    address = reverse(f"admin:{page}", args=[row.pk])
    said = []
    acts = AuditEntry.objects.count()
    for _ in range(2):
        answer = sent(staff, address, filled(staff, address, **value))
        said.append("Nothing has changed" in staff.get(answer["Location"]).content.decode())
    assert (said, AuditEntry.objects.count()) == ([False, True], acts + 1)


def test_a_partner_s_system_that_saves_its_frame_origins_again_gets_the_same_version(ours: Casino) -> None:
    system = PartnerClient(ours.partner, ["configure"])
    origins = {"frame_origins": ["https://a.test", "https://b.test"]}
    first, again = (system.put("/v1/frame-origins", origins) for _ in range(2))
    assert (first.status, first.body) == (again.status, again.body)
    assert AuditEntry.objects.filter(action="partner.frame_origins").count() == 1


@pytest.mark.parametrize("change", ["1e5", "1E2", "+5", "\u0665", "0x10"])
def test_amounts_are_typed_as_plain_decimals(ours: Casino, log_in: LogIn, change: str) -> None:
    wallet = ours.player.wallets.get()
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    answer = log_in("operator").post(address, {"change": change, "reason": "a test"})
    assert "Write a number as 1000.5" in answer.content.decode()
    assert not WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).exists()


@pytest.mark.parametrize("name", ["accounts_player", "wallet_wallet"])
def test_blocking_what_is_blocked_is_refused(ours: Casino, log_in: LogIn, name: str) -> None:
    operator = log_in("operator")
    key = ours.player.pk if name == "accounts_player" else ours.player.wallets.get().pk
    address = reverse(f"admin:{name}_block", args=[key])
    assert operator.post(address, {"reason": "asked for it"}).status_code == 302
    assert "is blocked already" in operator.post(address, {"reason": "once more"}).content.decode()
    ours.player.refresh_from_db()
    assert PlayerStatus.BLOCKED in (ours.player.status, ours.player.wallets.get().status)


def test_closing_a_closed_partner_or_log_in_is_refused(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    user = log_in("partner_staff").get("/admin/").context["user"]
    for name, key in (("partners_partner", ours.partner.pk), ("accounts_user", user.pk)):
        address = reverse(f"admin:{name}_close", args=[key])
        assert operator.post(address, {"reason": "a test"}).status_code == 302
        assert "is closed already" in operator.post(address, {"reason": "once more"}).content.decode()


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_pending_odds_are_withdrawn_by_staff_or_rejected_by_an_operator(ours: Casino, log_in: LogIn, who: str) -> None:
    browser = log_in(who)
    address = reverse("admin:baccarat_baccaratoddsconfig_withdraw", args=[ours.pending.pk])
    assert browser.post(address, {"reason": "a slip"}).status_code == 302
    ours.pending.refresh_from_db()
    assert (ours.pending.status, ours.pending.reason) == (ConfigStatus.INACTIVE, "a slip")
    assert "not pending any more" in browser.post(address, {"reason": "again"}).content.decode()


def test_pending_terms_are_withdrawn(ours: Casino, log_in: LogIn) -> None:
    terms = BlackjackTerms.objects.get()
    BlackjackTerms.objects.filter(pk=terms.pk).update(status=TermsStatus.PENDING)
    address = reverse("admin:blackjack_blackjackterms_withdraw", args=[terms.pk])
    assert log_in("auditor").post(address, {"reason": "a slip"}).status_code == 403
    assert log_in("partner_staff").post(address, {"reason": "a slip"}).status_code == 302
    terms.refresh_from_db()
    assert (terms.status, terms.reason) == (TermsStatus.INACTIVE, "a slip")


@pytest.mark.parametrize(
    "name", ["baccarat_baccaratconfig", "dragon_tiger_dragontigerconfig", "blackjack_blackjackconfig"]
)
def test_new_limits_are_in_the_default_currency_and_in_none_that_nobody_chose(
    name: str, ours: Casino, log_in: LogIn
) -> None:
    address = reverse(f"admin:{name}_add")
    assert fields_of(log_in("partner_staff"), address)["partner"] == str(ours.partner.pk)
    assert "currency" not in fields_of(log_in("partner_staff"), address)
    Partner.objects.filter(pk=ours.partner.pk).update(default_currency_id="JPY")
    assert fields_of(log_in("partner_staff"), address)["currency"] == "JPY"
    partner_make()
    assert {"partner", "currency"} & fields_of(log_in("operator"), address).keys() == set()


def test_a_refusal_names_fields_by_their_labels(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    limits = reverse("admin:baccarat_baccaratconfig_change_limits", args=[ours.config.pk])
    form = fields_of(staff, limits) | {"bet_min": "5", "bet_max": "2"}
    assert staff.post(limits, form).context["form"].errors == {"bet_min": ['5 is above "Highest stake", 2']}
    origins = reverse("admin:partners_partner_choose_origins", args=[ours.partner.pk])
    errors = staff.post(origins, {"frame_origins": "http://casino.example"}).context["form"].errors
    assert errors["frame_origins"][0].startswith("'http://casino.example' is not an origin")
