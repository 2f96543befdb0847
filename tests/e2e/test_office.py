"""The back office in a browser: limits, records, exports, filters, and the content security policy."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.urls import reverse
from playwright.sync_api import Browser, expect

from apps.accounts.models import Player, PlayerStatus, Role
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord
from apps.blackjack.models import BlackjackConfig
from apps.partners.models import Partner
from tests.e2e.window import PASSWORD, Window
from tests.office.rows import round_make
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-office")

BET = """async (stake) => {
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
  const answer = await fetch("/api/game/baccarat/bet", {
    method: "POST",
    headers: {"Content-Type": "application/json", "X-CSRFToken": token},
    body: JSON.stringify({game_type: 1, bet_amount: stake}),
  });
  return [answer.status, await answer.json()];
}"""


def bet(window: Window, stake: int) -> tuple[int, dict[str, Any]]:
    """Bet on player as the table's page does, and return status and answer."""
    status, answer = window.page.evaluate(BET, stake)
    return status, answer


def test_a_raised_limit_holds_and_the_auditor_can_open_the_record(
    browser: Browser, shared_server: Server, house: Partner, player: Player, window: Window
) -> None:
    BaccaratConfig.objects.filter(partner=house).update(bet_max=Decimal(50))
    staff = staff_make(Role.PARTNER_STAFF, partner=house)
    auditor = staff_make(Role.AUDITOR)
    window.expected = ["403"]  # the bet above the limit
    window.log_in(player)
    window.go("/play/baccarat/")
    status, answer = bet(window, 75)
    assert (status, answer["code"]) == (403, "INVALID_BET_AMOUNT")

    with Window.open(browser, shared_server) as desk:
        page = desk.go("/admin/")
        page.locator("[name=login]").fill(staff.username)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("[name=password]").press("Enter")
        page.get_by_role("link", name="Baccarat limits").click()
        page.get_by_role("row", name=house.name).get_by_role("link").first.click()
        page.get_by_role("link", name="Change limits").click()
        page.get_by_label("Highest stake").fill("100")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("The limits are saved and apply from the next bet.")).to_be_visible()
        expect(page.get_by_text("1.00 FUN to 100.00 FUN")).to_be_visible()

    status, answer = bet(window, 75)
    assert status == 200
    record = BaccaratGameRecord.objects.get(round_id=answer["round_id"])

    with Window.open(browser, shared_server) as desk:
        desk.log_in(auditor)
        page = desk.go("/admin/")
        page.get_by_role("link", name="Baccarat records").click()
        page.get_by_role("link", name=str(record.pk), exact=True).click()
        expect(page.get_by_text("75.00 FUN", exact=True).first).to_be_visible()
        expect(page.get_by_text("-75.00 FUN")).to_be_visible()
        cards = page.locator("#content-main .card-face")
        expect(cards).to_have_count(len(record.player_cards) + len(record.banker_cards))
        page.get_by_role("link", name="Step by step").click()
        expect(page.get_by_text("the same cards as in the record")).to_be_visible()


def test_an_export_streams_from_the_real_server(window: Window, house: Partner, player: Player) -> None:
    window.log_in(staff_make(Role.AUDITOR))
    page = window.go(reverse("admin:wallet_wallettransaction_changelist"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Export (CSV)").click()
    text = download.value.path().read_text()
    assert text.startswith("id,ctime,partner,player,currency,")
    assert f",{player.reference},FUN," in text


def test_a_later_page_can_be_filtered_and_an_unknown_parameter_is_named(
    window: Window, house: Partner, player: Player
) -> None:
    config = BaccaratConfig.objects.get(partner=house)
    for _ in range(26):
        round_make(player, config)
    window.expected = ["400"]  # the parameter below
    window.log_in(staff_make(Role.PARTNER_STAFF, partner=house))
    records = reverse("admin:baccarat_baccaratgamerecord_changelist")
    page = window.go(f"{records}?p=2")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.locator("#changelist a", has_text="Filters").first.click()
    page.locator("#changelist-filter .select2-selection").first.click()
    page.locator(".select2-search__field").fill(player.reference)
    page.locator(".select2-results__option", has_text=player.reference).click()
    page.get_by_role("button", name="Apply Filters").click()
    page.wait_for_url(f"**player__id__exact={player.pk}*")
    expect(page.locator("#result_list tbody tr")).to_have_count(25)
    page.goto(f"{records}?player__user__password__startswith=a")
    expect(page.get_by_role("alert")).to_have_text(
        "player__user__password__startswith: there is no such parameter here"
    )
    page.get_by_role("link", name="The page without it").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(25)


def test_a_refused_field_below_the_window_is_shown_and_has_the_focus(window: Window, house: Partner) -> None:
    window.log_in(staff_make(Role.PARTNER_STAFF, partner=house))
    config = BlackjackConfig.objects.get(partner=house)
    page = window.go(reverse("admin:blackjack_blackjackconfig_change_terms", args=[config.pk]))
    page.set_viewport_size({"width": 1280, "height": 500})
    page.get_by_label("Flush", exact=True).fill("12,5")
    page.get_by_role("button", name="Save").click()
    told = page.get_by_text("Write a number as 1000.5")
    expect(told).to_be_in_viewport()
    expect(page.get_by_label("Flush", exact=True)).to_be_focused()
    expect(page.get_by_label("Flush", exact=True)).to_have_value("12,5")


def test_filters_and_the_menu_of_the_log_in_are_reached_by_the_keyboard(window: Window, house: Partner) -> None:
    window.log_in(staff_make(Role.PARTNER_STAFF, partner=house))
    page = window.go(reverse("admin:rounds_round_changelist"))
    page.locator("#searchbar").focus()
    page.keyboard.press("Tab")
    opener = page.get_by_role("button", name="Filters", exact=True)
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    filters = page.locator("#changelist-filter")
    expect(filters).to_be_visible()
    expect(filters.locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(filters).to_be_hidden()
    expect(opener).to_be_focused()
    page.locator("[x-on\\:click^=openUserLinks]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Log out").or_(page.get_by_role("link", name="Log out"))).to_be_visible()


def test_edges_are_computed_while_odds_are_typed(window: Window, house: Partner) -> None:
    window.log_in(staff_make(Role.PARTNER_STAFF, partner=house))
    config = BaccaratConfig.objects.get(partner=house)
    page = window.go(reverse("admin:baccarat_baccaratconfig_change_odds", args=[config.pk]))
    tie = page.get_by_label("Tie", exact=True)
    expect(page.locator("#edge-3")).to_have_text("14.359629 %")
    tie.fill("9")
    expect(page.locator("#edge-3")).to_have_text("4.844032 %")
    tie.fill("10")
    expect(page.locator("#edge-3")).to_contain_text("favours the player")
    expect(tie).to_have_value("10")
    config.refresh_from_db()
    assert config.version == 1


def test_no_page_violates_the_content_security_policy(window: Window, house: Partner, player: Player) -> None:
    """The pages of the back office: three lists, and with `make soak` that of each model."""
    window.log_in(staff_make(Role.OPERATOR))
    page = window.go("/admin/")
    models = sorted(admin.site._registry, key=lambda model: model._meta.label)
    filled = {model._meta.app_label: model for model in models if model._default_manager.exists()}
    assert len(filled) > 5
    for model in models if IS_LONG else [*filled.values()][:3]:
        page.goto(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        expect(page.locator("#changelist")).to_be_visible()
    config = BaccaratConfig.objects.get(partner=house)
    wallet = player.wallets.get()
    for name, key in (
        ("accounts_player_change", player.pk),
        ("baccarat_baccaratconfig_change", config.pk),
        ("baccarat_baccaratconfig_change_limits", config.pk),
        ("baccarat_baccaratconfig_history", config.pk),
        ("blackjack_blackjackconfig_change_terms", house.blackjack_configs.get().pk),
        ("wallet_wallet_change", wallet.pk),
        ("wallet_wallet_adjust", wallet.pk),
    ):
        page.goto(reverse(f"admin:{name}", args=[key]))
        expect(page.locator("#content-main")).to_be_visible()
    for name in ("index", "reports", "reconcile", "partners_apikey_add"):
        page.goto(reverse(f"admin:{name}"))
        expect(page.locator("#content-main")).to_be_visible()
    records = reverse("admin:baccarat_baccaratgamerecord_changelist")
    page.goto(records)
    page.locator("#changelist a", has_text="Filters").first.click()
    page.get_by_role("button", name="Apply Filters").click()
    expect(page.locator("#changelist")).to_be_visible()
    assert window.unexpected() == []


def test_a_form_keeps_what_was_typed_when_the_session_ends_and_is_sent_after_a_log_in_in_another_tab(
    window: Window, player: Player
) -> None:
    operator = staff_make(Role.OPERATOR)
    operator.set_password(PASSWORD)
    operator.save()
    window.log_in(operator)
    window.is_kept = False
    page = window.page
    page.clock.install()
    window.go(reverse("admin:accounts_player_block", args=[player.pk]))
    reason = page.get_by_label("Reason")
    send = page.locator("#content-main").get_by_role("button", name="Save", exact=True)
    reason.fill("a long story")
    page.clock.fast_forward(61_000)
    window.context.clear_cookies(name="sessionid")
    send.click()
    told = page.locator(".office-session")
    expect(told).to_contain_text("Nothing was sent. Your session in the back office is over.")
    expect(reason).to_have_value("a long story")
    with window.context.expect_page() as opened:
        told.get_by_role("link", name="Sign in").click()
    expect(opened.value.locator("[name=password]")).to_be_visible()
    window.log_in(staff_make(Role.OPERATOR))
    send.click()
    expect(told).to_contain_text("Nothing was sent. Another log-in uses the back office in this browser.")
    window.context.clear_cookies()
    other = opened.value
    other.goto("/accounts/login/?next=/admin/")
    other.locator("[name=login]").fill(operator.username)
    other.locator("[name=password]").fill(PASSWORD)
    other.locator("[name=password]").press("Enter")
    other.wait_for_url("**/admin/")
    send.click()
    page.wait_for_url(f"**{reverse('admin:accounts_player_change', args=[player.pk])}")
    player.refresh_from_db()
    assert player.status == PlayerStatus.BLOCKED
    assert AuditEntry.objects.get(action="player.status").reason == "a long story"
