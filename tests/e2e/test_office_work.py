"""A day's work of each role in the back office, in a browser. No page of it has a finding of axe, a violation of the
content policy, an error on the console, or a sideways scroll. With `make soak` axe looks at each page on a desktop and
on a phone, in light and in dark. With `make test` it does so for the operator's first page. It looks at the first pages
of the other roles and at the queue on a light desktop and on a dark phone, and at one page of each kind, such as a list
or a form, on a light desktop, from the second kind on without the menu beside it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import override_settings
from django.urls import resolve, reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, ViewportSize, expect

from apps.accounts.models import Player, Role, User
from apps.approvals.models import Approval
from apps.approvals.services import act_or_ask
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratConfig
from apps.events.thresholds import CLOCK_S
from apps.evidence.models import EvidenceAlarm, EvidenceAlarmClose
from apps.office.threshold_changes import event_threshold_set
from apps.partners.models import ApiKey, ApiKeyRequest, Partner
from apps.partners.services import api_key_create
from apps.player_files.models import PlayerNote
from apps.rounds.models import Round, RoundVoid
from apps.scheduled_changes.models import ScheduledChange
from apps.statistics.models import GameDay, PartnerHour, PlayerDay
from apps.wallet.services import wallet_adjust
from tests.e2e.window import PASSWORD, Window, axe_run, width_faults
from tests.office.rows import round_make
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-office")

RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
CUT_OFF: Final = """() => [...document.querySelectorAll("#result_list td")]
  .filter((cell) => cell.scrollHeight > cell.clientHeight + 1 || cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.innerText)"""
"""Returns the texts of a list's cells that are higher or wider than their cells."""
CONTRAST: Final = ["color-contrast"]
MENU: Final = "#nav-sidebar-apps"
"""The menu of fifty links is the same on every page, so that of a role's first pages is enough in `make test`."""
COPIED_STAYS: Final = """() => {
  const wait = window.setTimeout.bind(window);
  window.setTimeout = (act, ms) => (ms === 1500 ? 0 : wait(act, ms));
}"""
DESK: Final = ViewportSize(width=1280, height=900)
PHONE: Final = ViewportSize(width=390, height=844)
Look = tuple[ViewportSize, Literal["light", "dark"], list[str]]
"""The window, the theme, and axe's rules."""
LOOKS: Final[list[Look]] = [
    (DESK, "light", RULES),
    (DESK, "dark", CONTRAST),
    (PHONE, "dark", CONTRAST),
    (PHONE, "light", RULES),
]


FEW_LOOKS: Final = LOOKS if IS_LONG else LOOKS[:1]
ALWAYS: Final = LOOKS if IS_LONG else []
"""The looks of a page that nothing more is said of."""


@pytest.fixture
def played(house: Partner, player: Player) -> Round:
    """A round of the player."""
    return round_make(player, BaccaratConfig.objects.get(partner=house)).round


@pytest.fixture
def days(house: Partner, player: Player) -> None:
    """Day rows of the last weeks, as the statistics keep them."""
    figures = {"zone": "UTC", "partner": house, "currency_id": "FUN", "game": "og-baccarat"}
    voided = {"voided_n": 0, "voided_stake": 0, "voided_payout": 0}
    for days in range(0, 28, 3):
        sums = {"n": 4 + days, "stake": Decimal(100 + 10 * days), "payout": Decimal(95 + 9 * days)}
        of_day = {**figures, **voided, **sums, "period": datetime.now(UTC).date() - timedelta(days=days)}
        PlayerDay.objects.create(player=player, **of_day)
        GameDay.objects.create(bets=5, **of_day)
        hour = {name: value for name, value in of_day.items() if name != "game"}
        PartnerHour.objects.create(hour=7 * days % 24, bets=5, **hour)


class OfficeWindow:
    """Checks each page that the work leads to."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.page = window.page
        self.faults: list[str] = []
        self.seen: set[str] = set()
        """The kinds of pages that axe has looked at, such as `changelist` or `add`."""

    def go(self, path: str, *, looks: Sequence[Look] = ALWAYS) -> Page:
        self.page.goto(path)
        return self.check(looks=looks)

    def check(self, *, looks: Sequence[Look] = ALWAYS) -> Page:
        """Check with axe in these looks, and that the page fits a desktop and a phone. Without looks axe checks a page
        of a new kind as it is.
        """
        expect(self.page.locator("#content-main, #changelist, #content").first).to_be_visible()
        self.page.wait_for_load_state()  # a click waits only for the beginning of the next page
        for look in looks:
            self._look(*look)
        if not looks and self._is_new_kind():
            self._axe(*LOOKS[0])
        for size in (PHONE, DESK):
            self.page.set_viewport_size(size)
            self.faults += width_faults(self.page)
            self.faults += [f"{self.page.url} {size['width']}: cut off: {text}" for text in self.page.evaluate(CUT_OFF)]
        return self.page

    def _is_new_kind(self) -> bool:
        name = resolve(urlsplit(self.page.url).path).url_name or ""
        kind = name.rpartition("_")[2]
        is_new = kind not in self.seen
        self.seen.add(kind)
        return is_new

    def _look(self, size: ViewportSize, theme: str, rules: list[str]) -> None:
        """Look with axe in a size and a theme."""
        self.page.set_viewport_size(size)
        self.page.evaluate("theme => { Alpine.$data(document.documentElement).adminTheme = theme }", theme)
        expect(self.page.locator("html.dark")).to_have_count(int(theme == "dark"))
        self._axe(size, theme, rules)

    def _axe(self, size: ViewportSize, theme: str, rules: list[str]) -> None:
        # With `preload` axe itself adds styles, which the content policy refuses.
        beside = [] if IS_LONG or len(self.seen) < 2 else [MENU]
        found = axe_run(self.page, {"runOnly": rules, "preload": False}, beside=beside)
        self.faults += [f"{self.page.url} {size['width']} {theme}: {fault}" for fault in found]

    def submit(self, button: str, said: str) -> Page:
        """Send the page's form, and wait for the message on the next page."""
        self.page.locator("#content-main").get_by_role("button", name=button, exact=True).click()
        expect(self.page.get_by_text(said).first).to_be_visible()
        return self.page


@pytest.fixture
def desk(browser: Browser, shared_server: Server, played: Round) -> Iterator[OfficeWindow]:
    with Window.open(browser, shared_server) as window:
        made = OfficeWindow(window)
        yield made
        assert made.faults == []


def search(page: Page, words: str, found: str) -> None:
    """Open the search by its key, and follow a result. One key is typed: it searches again half a second after each."""
    page.wait_for_load_state()
    page.keyboard.press("/")
    field = page.locator("#search-input-command")
    field.fill(words[:-1])
    field.press(words[-1])
    page.locator("#command-results").get_by_role("link", name=found).first.click()


def search_in_vain(page: Page, words: str) -> None:
    """Search for what exists, and then for what does not: the page says so, and the results are gone."""
    page.wait_for_load_state()
    # The next letter finds the field, however soon it comes.
    assert (
        page.evaluate(
            """() => {
            const key = { key: "/", bubbles: true, cancelable: true };
            document.body.dispatchEvent(new KeyboardEvent("keydown", key));
            return document.activeElement.id;
        }"""
        )
        == "search-input-command"
    )
    field, note = page.locator("#search-input-command"), page.locator("#command-results-note")
    for term, said in ((words, "Found"), ("nothing of this name", "Nothing is found.")):
        field.fill(term[:-1])
        field.press(term[-1])
        expect(note).to_contain_text(said)
    expect(page.locator("#command-results").get_by_role("link")).to_have_count(0)


def copy(page: Page, name: str) -> None:
    """Press a button that copies. It says so for a moment, which the test extends until it leaves the page."""
    page.evaluate(COPIED_STAYS)
    button = page.get_by_role("button", name=name)
    button.click()
    expect(button).to_have_text("Copied")


def columns_choose(page: Page) -> None:
    """Hide a column of the list, which stays hidden after a reload, and show it again."""
    stakes = page.locator("#result_list th", has_text="Stakes")
    expect(stakes).to_be_visible()
    for is_shown in (False, True):
        page.get_by_text("Columns", exact=True).click()
        page.get_by_role("checkbox", name="Stakes", exact=True).set_checked(is_shown)
        expect(stakes).to_be_visible(visible=is_shown)
        page.reload()
        expect(stakes).to_be_visible(visible=is_shown)


def several_revoke(desk: OfficeWindow) -> None:
    """Choose all keys of the list by one box, and revoke them."""
    page = desk.page
    page.get_by_role("link", name="Revoke several").click()
    rows, every = page.locator("input[name=rows]"), page.locator("label.office-all input")
    expect(rows).to_have_count(2)
    every.check()
    for box in rows.all():
        expect(box).to_be_checked()
    rows.first.uncheck()
    expect(every).not_to_be_checked()
    every.check()
    expect(rows.first).to_be_checked()
    desk.check().get_by_label("Reason").fill("a lost laptop")
    desk.submit("Revoke the keys", "2 keys are revoked")


def log_in_with_second_factor(page: Page, user: User) -> None:
    """Log in through the pages, with a recovery code, since a time-based code may expire meanwhile."""
    TOTP.activate(user, generate_totp_secret())
    code = RecoveryCodes.activate(user).get_unused_codes()[0]
    page.goto("/admin/")
    page.locator("[name=login]").fill(user.username)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.locator("[name=code]").fill(code)
    page.locator("[name=code]").press("Enter")
    page.wait_for_url("**/admin/")


def adjustment_asked(player: Player) -> Approval:
    """Return another operator's request to adjust the player's wallet by 2,000. A second one has long texts."""
    colleague, wallet = staff_make(Role.OPERATOR), player.wallets.get()
    call = partial(wallet_adjust, operator=colleague, wallet=wallet, change=Decimal(2000), reason="a lost deposit")
    raised = {"measure": CLOCK_S, "currency": "", "value": Decimal(2), "reason": "a slow network"}
    with override_settings(PUNTO_TWO_PERSONS=True):
        asked = act_or_ask(call=call, user=colleague, factor_at=timezone.now())
        call = partial(event_threshold_set, operator=colleague, **raised)
        act_or_ask(call=call, user=colleague, factor_at=timezone.now())
    assert isinstance(asked, Approval)
    return asked


def test_an_operator_opens_a_partner_approves_voids_a_round_closes_an_alarm_and_invites_an_auditor(
    desk: OfficeWindow, player: Player, played: Round, days: None
) -> None:
    operator, asked = staff_make(Role.OPERATOR), adjustment_asked(player)
    alarm = EvidenceAlarm.objects.create(
        game="og-baccarat", kind="Player", law="0" * 64, is_play=True, part="all", measure="e", evidence=5, threshold=4,
        n=10,
    )  # fmt: skip
    before = player.wallets.get().balance
    log_in_with_second_factor(desk.page, operator)
    page = desk.check(looks=LOOKS)
    expect(page.locator("figure.plot canvas").first).to_be_visible()
    page.get_by_role("link", name="Queue").click()
    expect(page.get_by_role("heading", name="Tasks that wait for a worker")).to_be_visible()
    desk.check(looks=FEW_LOOKS)

    page.goto(reverse("admin:partners_partner_add"))
    page.get_by_label("Name").fill("Casino Lido")
    page.get_by_label("Slug").fill("lido")
    desk.submit("Save", "Casino Lido")
    desk.check()
    partner = Partner.objects.get(slug="lido")
    page.get_by_role("link", name="Set-up").click()
    expect(page.get_by_role("heading", name="API key")).to_be_visible()

    page.goto("/admin/")
    page.locator("#content-main").get_by_role("link", name="Approvals waiting").click()
    desk.check().get_by_role("link", name=str(asked.pk), exact=True).click()
    page.get_by_role("link", name="Approve").click()
    desk.check().get_by_label("Reason").fill("seen the receipt")
    desk.submit("Approve", "It is approved, and done.")
    assert player.wallets.get().balance == before + 2000

    search(page, str(played.pk)[:8], f"round {str(played.pk)[:8]}")
    desk.window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy(page, f"Copy {str(played.pk)[:12]}")
    assert page.evaluate("navigator.clipboard.readText()") == str(played.pk)
    desk.check().get_by_role("link", name="Void", exact=True).click()
    page.get_by_label("Reason").fill("dealt by a faulty shoe")
    desk.submit("Void the round", "The round is voided")
    assert RoundVoid.objects.get().reason == "dealt by a faulty shoe"

    page.goto(reverse("admin:evidence_evidencealarm_change", args=[alarm.pk]))
    page.get_by_role("link", name="Close the alarm", exact=True).click()
    page.get_by_label("Reason").fill("a test")
    page.locator("#content-main form").get_by_role("button").click()
    expect(page.get_by_text("closed").first).to_be_visible()
    assert EvidenceAlarmClose.objects.filter(alarm=alarm).exists()

    page.goto(reverse("admin:accounts_user_add"))
    page.get_by_label("Username").fill(f"vera-{operator.pk}")
    page.get_by_label("Email").fill("vera@example.test")
    page.get_by_label("Role").select_option("auditor")
    page.get_by_label("Partner").select_option(str(partner.pk))
    desk.submit("Save", "Copy the link now")
    desk.check()
    assert User.objects.get(username=f"vera-{operator.pk}").partner == partner


def test_partner_staff_find_a_player_change_limits_export_invite_a_colleague_and_make_a_key(
    desk: OfficeWindow, house: Partner, player: Player, days: None
) -> None:
    staff = staff_make(Role.PARTNER_STAFF, partner=house)
    desk.window.log_in(staff)
    page = desk.go("/admin/", looks=FEW_LOOKS)
    expect(page.get_by_role("region", name="Hours of the week", exact=True)).to_be_visible()
    expect(page.locator("svg.bar").first).to_be_visible()
    newest = page.get_by_role("region", name="By day in FUN").locator("tbody tr").first.locator("td").first
    over = page.locator("figure.plot .u-over").first
    box = over.bounding_box()
    assert box is not None
    over.hover(position={"x": box["width"] - 2, "y": 20})  # the newest day is the table's first and the plot's last
    expect(page.locator("figure.plot .u-legend").first).to_contain_text(newest.inner_text())
    search_in_vain(page, player.reference)
    search(page, player.reference, player.reference)
    expect(page.get_by_role("heading", name=f"Player {player.reference}").first).to_be_visible()
    desk.check().get_by_role("link", name="Add a note").click()
    page.get_by_label("Text").fill("Rang about a bonus")
    desk.submit("Add the note", "Rang about a bonus")
    assert PlayerNote.objects.get().player == player
    Player.objects.create(partner=house, reference="W" * 64, currency=player.currency)
    desk.go(reverse("admin:accounts_player_changelist"))

    config = BaccaratConfig.objects.get(partner=house)
    limits = reverse("admin:baccarat_baccaratconfig_change_limits", args=[config.pk])
    page.goto(limits)
    other = desk.window.new_page()
    other.goto(limits)
    other.get_by_label("Highest stake").fill("250")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("The limits are saved")).to_be_visible()
    other.close()
    page.get_by_label("Highest stake").fill("300")
    desk.submit("Save", f"{staff.username} at ")
    desk.check()
    page.goto(limits)
    page.get_by_label("Highest stake").fill("300")
    coming = (datetime.now(UTC) + timedelta(days=9)).replace(hour=6, minute=30)
    page.get_by_label("Takes effect (UTC)").fill(f"{coming:%Y-%m-%dT%H:%M}")
    desk.submit("Save", f"The change is scheduled for {coming:%Y-%m-%d %H:%M} UTC.")
    config.refresh_from_db()
    assert (config.bet_max, ScheduledChange.objects.get().payload["bet_max"]) == (250, "300")
    desk.check().get_by_role("link", name=f"{coming:%Y-%m-%d %H:%M}:00").click()
    expect(page.get_by_role("link", name="Withdraw")).to_be_visible()
    desk.check()

    desk.go(reverse("admin:report", args=["summary"])).get_by_role("link", name="30 days").click()
    expect(page.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "true")
    desk.check()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export (CSV)").click()
    assert download.value.path().read_text().count("Baccarat") >= 9
    assert AuditEntry.objects.get(action="report.export").data["form"] == "csv"
    page.goto(reverse("admin:rounds_round_changelist"))
    page.keyboard.press("/")
    expect(page.locator("#searchbar")).to_be_focused()
    columns_choose(page)
    page.get_by_role("link", name="Yesterday").click()
    expect(page.get_by_role("link", name="All days")).not_to_have_attribute("aria-current", "true")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    desk.check()
    page.get_by_role("list", name="Filters in use").get_by_role("link").click()
    expect(page.get_by_role("link", name="All days")).to_have_attribute("aria-current", "true")

    desk.go(reverse("admin:partner_setup", args=[house.pk])).get_by_role("link", name="Invite a colleague").click()
    page.get_by_label("Username").fill(f"carla-{house.pk}")
    page.get_by_label("Email").fill("carla@example.test")
    desk.submit("Save", "Copy the link now")
    assert User.objects.get(username=f"carla-{house.pk}").partner == house

    desk.go(reverse("admin:partners_apikey_add"))
    page.get_by_label("Name").fill("till")
    page.locator("input[name=scopes][value=read]").check()
    page.get_by_label("Allowed addresses").fill("192.0.2.0/24")
    desk.submit("Save", "Copy the key now")
    desk.window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy(page, "Copy it")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("input.office-secret").input_value()
    desk.check().get_by_role("link", name="I have it").click()
    key = ApiKey.objects.get(partner=house, name="till")
    ApiKeyRequest.objects.create(
        key=key, time=timezone.now(), method="GET", path="/v1/rounds", status=200, address="192.0.2.7"
    )
    page.get_by_role("link", name=key.prefix).click()
    desk.check().get_by_role("link", name="Expiry and addresses").click()
    page.get_by_label("Last day").fill(f"{coming:%Y-%m-%d}")
    desk.check()
    desk.submit("Save", "The key's expiry and addresses are saved.")
    page.get_by_role("link", name="All of the last 1,000 requests").click()
    expect(page.get_by_role("cell", name="/v1/rounds")).to_be_visible()
    desk.check()
    other_key, _ = api_key_create(partner=house, name="desk", scopes=["read"], actor="test")
    page.goto(reverse("admin:partners_apikey_changelist"))
    several_revoke(desk)
    key.refresh_from_db()
    other_key.refresh_from_db()
    assert key.revoked_at
    assert other_key.revoked_at


def test_an_auditor_replays_a_round_proves_the_ledger_and_reads_trails(desk: OfficeWindow, played: Round) -> None:
    auditor = staff_make(Role.AUDITOR)
    desk.window.log_in(auditor)
    page = desk.go("/admin/", looks=FEW_LOOKS)
    page.goto(reverse("admin:rounds_round_changelist"))
    page.get_by_role("link", name=str(played.pk)[:8]).click()
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.get_by_text("the same cards as in the record")).to_be_visible()
    desk.check()
    page.goto(reverse("admin:reconcile"))
    desk.submit("Run reconciliation", "The ledger was checked")
    expect(page.get_by_role("region", name="Proofs of the ledger").locator("td.wrap")).to_have_text(
        "nothing was altered"
    )
    desk.check()
    for path in (
        reverse("admin:evidence"),
        reverse("admin:events_significantevent_changelist"),
        reverse("admin:audit_auditentry_changelist"),
        reverse("admin:staff_access_staffaccess_changelist"),
        reverse("admin:timeline", args=["log-in", auditor.pk]),
        reverse("admin:timeline", args=["round", played.pk]),
        reverse("admin:report", args=["alterations"]),
        reverse("admin:report", args=["staff"]),
    ):
        desk.go(path)
