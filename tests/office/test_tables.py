"""Tables in the back office: staff make, configure, watch, close, replay and void them, and see no secret of a running
round."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Player, Role
from apps.audit.models import AuditEntry, RowChange
from apps.office.proof import proof_run
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import round_explain
from apps.tables.models import GameTable, RoundEnding, TableRound
from apps.tables.registry import table_games
from apps.tables.story import seeds_of
from apps.wallet.models import Kind, Wallet, WalletTransaction
from tests.support.factories import partner_make, staff_make
from tests.support.office_browser import OfficeBrowser
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

ROLES = {"partner_staff": Role.PARTNER_STAFF, "auditor": Role.AUDITOR, "operator": Role.OPERATOR}


@pytest.fixture
def browser_as() -> Callable[[str, Partner], Client]:
    """Return the function that logs a role in, staff for the partner."""

    def browser(who: str, partner: Partner) -> Client:
        client = OfficeBrowser()
        client.force_login(staff_make(ROLES[who], partner=partner if who == "partner_staff" else None))
        return client

    return browser


def played_table(game_type: str = "baccarat", *, currency: str | None = "FUN", seats: int = 2) -> PlayedTable:
    partner, players = players_make(seats)
    return PlayedTable(table_make(partner, game_type=game_type, currency=currency, window_s=30, turn_s=60), players)


def path_of(page: str, row: object) -> str:
    return reverse(f"admin:tables_{page}", args=[row.pk])  # type: ignore[attr-defined]


def form_of(browser: Client, address: str) -> dict[str, object]:
    """Return the values of a form's fields, as a browser would send them."""
    fields = browser.get(address).context["form"]
    values = {field.html_name: field.value() for field in fields}
    return {name: "on" if value is True else value for name, value in values.items() if value not in (None, False)}


@pytest.mark.parametrize("game_type", list(table_games()))
def test_staff_make_a_table_and_see_the_house_edge_before(
    game_type: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    partner = partner_make()
    staff = browser_as("partner_staff", partner)
    address = reverse("admin:tables_gametable_add")
    asked = {"partner": partner.pk, "game_type": game_type, "currency": "FUN", "name": "Blue room"}
    preview = staff.post(address, {**asked, "preview": "1"}).content.decode()
    assert "house edge" in preview
    assert re.search(r"<td>\d+\.\d\d%</td>", preview)
    assert not GameTable.objects.exists()
    assert staff.post(address, asked).status_code == 302
    table = GameTable.objects.get()
    assert (table.partner, table.game_type, table.currency_id, table.name) == (partner, game_type, "FUN", "Blue room")
    assert AuditEntry.objects.filter(action="table.create", partner_id=partner.pk).count() == 1


@pytest.mark.parametrize("game_type", list(table_games()))
def test_an_unchanged_form_changes_nothing_and_one_field_changes_one_column(
    game_type: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    table = table_make(partner_make(), game_type=game_type, currency="FUN", window_s=2)
    staff = browser_as("partner_staff", table.partner)
    address = path_of("gametable_configure", table)
    form = form_of(staff, address)
    assert staff.post(address, form).status_code == 302
    assert "Nothing has changed" in staff.get(path_of("gametable_change", table)).content.decode()
    table.refresh_from_db()
    assert (table.config_version, table.rules, table.limits, table.odds) == (1, {}, {}, {})
    assert staff.post(address, {**form, "window_s": "20"}).status_code == 302
    table.refresh_from_db()
    assert (table.config_version, table.window_ms) == (2, 20_000)
    assert AuditEntry.objects.get(action="table.configure").data == {
        "before": {"window_ms": 2000},
        "after": {"window_ms": 20_000},
    }
    assert RowChange.objects.filter(table_name="game_table", row_key=str(table.pk)).count() == 2
    assert "window ms: 2000 -&gt; 20000" in staff.get(path_of("gametable_change", table)).content.decode()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("seats", "15", "1 to 14"),
        ("window_s", "900", "1 to 60"),
        ("cut_card", "5000", "are possible"),
        ("limit_player_min", "2000", "It is above the highest stake."),
        ("limit_player_max", "", "Both ends"),
        ("odds_tie", "11", "favour the player"),
        ("name", "\u200b", "none of its characters can be seen"),
        ("name", "\u202eelbat", "direction of the text"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_beside_its_field(
    field: str, value: str, said: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    partner, _ = players_make(1, currency="EUR")
    table = table_make(partner, game_type="baccarat", currency="EUR")
    staff = browser_as("partner_staff", partner)
    address = path_of("gametable_configure", table)
    form = form_of(staff, address)
    answer = staff.post(address, {**form, field: value})
    page = answer.content.decode()
    assert answer.status_code == 200
    error = re.search(rf'id="id_{field}_error"[^>]*>(.*?)</div>', page, re.DOTALL)
    assert error is not None, page
    assert said in error[1]
    assert not re.search("limits\\.|odds\\.|Amount", error[1]), "a name of the wire"
    table.refresh_from_db()
    assert table.config_version == 1


def test_a_round_keeps_its_terms_and_the_next_has_the_new_ones(browser_as: Callable[[str, Partner], Client]) -> None:
    table = played_table()
    staff = browser_as("partner_staff", table.table.partner)
    address = path_of("gametable_configure", table.table)
    form = form_of(staff, address)
    staff.post(address, {**form, "odds_tie": "8.5"})
    assert table.round.terms["odds"]["tie"] == "8"
    table.round_play()
    table.next_window()
    assert table.round.terms["odds"]["tie"] == "17/2"
    assert (table.round.config_version, proof_run().findings) == (2, [])


def test_another_partner_s_table_is_not_there(browser_as: Callable[[str, Partner], Client]) -> None:
    table = played_table()
    played = table.round_play()
    stranger = browser_as("partner_staff", partner_make())
    pages = [
        *(path_of(f"gametable_{page}", table.table) for page in ("change", "live", "configure", "close", "open_again")),
        path_of("tableround_change", played),
        reverse("admin:table_replay", args=[played.pk]),
    ]
    assert {stranger.get(page).status_code for page in pages} == {404}
    assert str(table.table.pk) not in stranger.get(reverse("admin:tables_gametable_changelist")).content.decode()


@pytest.mark.parametrize("who", list(ROLES))
def test_who_sits_where_is_shown_as_everybody_at_the_table_sees_it(
    who: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    points = played_table("blackjack", currency=None)
    browser = browser_as(who, points.table.partner)
    points.stake(0, 24)
    page = browser.get(path_of("gametable_live", points.table)).content.decode()
    assert "hidden until the window closes" in page
    assert "24 points" not in page
    change = browser.get(path_of("gametable_change", points.table)).content.decode()
    assert "the score + 200, at least 100 points" in change
    assert points.players[0].reference in page
    points.stake(1, 36)
    points.window_end()
    page = browser.get(path_of("gametable_live", points.table)).content.decode()
    if points.round.ending == RoundEnding.RUNNING:
        assert page.count("card-face back") == 1  # the hole card, face down
    assert "24 points" in page


@pytest.mark.parametrize("who", list(ROLES))
def test_no_page_has_the_seed_of_a_running_round(who: str, browser_as: Callable[[str, Partner], Client]) -> None:
    table = played_table("blackjack")
    table.stake(0)
    browser = browser_as(who, table.table.partner)
    running = TableRound.objects.select_related("chain").get(pk=table.round.pk)
    seed = seeds_of(running).server_seed
    for address in (
        path_of("gametable_change", table.table),
        path_of("gametable_live", table.table),
        path_of("tableround_change", running),
        path_of("tablesession_change", table.sessions[0]),
        reverse("admin:tables_tableround_changelist"),
        reverse("admin:rounds_round_change", args=[Round.objects.get().pk]),
        reverse("admin:replay", args=[Round.objects.get().pk]),
    ):
        answer = browser.get(address)
        assert answer.status_code == 200, address
        page = answer.content.decode()
        assert seed not in page
        assert table.sessions[0].token_hash not in page
    assert browser.get(reverse("admin:table_replay", args=[running.pk])).status_code == 409


@pytest.mark.parametrize("game_type", list(table_games()))
def test_a_round_is_replayed_from_the_table_s_view_and_from_every_seat_s(
    game_type: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    table = played_table(game_type)
    played = table.round_play(action="hit")
    auditor = browser_as("auditor", table.table.partner)
    address = reverse("admin:table_replay", args=[played.pk])
    for query in ({}, {"seat": "1"}, {"seat": "2"}):
        page = auditor.get(address, query).content.decode()
        assert "the same cards and results as in the record" in page
        assert page.count("card-face") >= 2
    assert auditor.get(address, {"seat": "7"}).status_code == 400
    seat = Round.objects.filter(table_round=played.pk).earliest("seat")
    page = auditor.get(reverse("admin:replay", args=[seat.pk])).content.decode()
    assert "the same cards as in the record" in page


def test_the_replay_of_a_round_before_its_deal_claims_no_comparison(
    browser_as: Callable[[str, Partner], Client],
) -> None:
    table = played_table()
    table.stake(0)
    table.stake(1)
    running = Round.objects.filter(table_round__isnull=False).earliest("seat")
    page = browser_as("auditor", table.table.partner).get(reverse("admin:replay", args=[running.pk])).content.decode()
    assert "No card has been dealt, so there is nothing to compare." in page
    assert "the same cards as in the record" not in page
    assert "Step by step" not in page


def test_a_table_is_closed_and_opened_and_stakes_of_its_window_go_back(
    browser_as: Callable[[str, Partner], Client],
) -> None:
    table = played_table()
    table.stake(0)
    staff = browser_as("partner_staff", table.table.partner)
    assert staff.post(path_of("gametable_close", table.table)).status_code == 302
    assert (table.state["phase"], table.state["seats"], table.table.is_open) == ("closed", [], False)
    page = staff.get(path_of("gametable_change", table.table)).content.decode()
    assert "no: closed" in page
    assert f"data-address>{reverse('live-table', args=[table.table.pk])}<" in page
    assert Wallet.objects.get(player=table.players[0]).balance == Decimal(1000)
    withdrawn = Round.objects.select_related("currency").get()
    assert (withdrawn.how_ended, withdrawn.stake) == (RoundEnd.WITHDRAWN, 0)
    # As docs/protocol.md says, the stakes of its bets sum to its own.
    assert list(round_explain(withdrawn).bets) == []
    assert staff.post(path_of("gametable_open_again", table.table)).status_code == 302
    assert (table.state["phase"], table.table.is_open) == ("waiting", True)
    acts = AuditEntry.objects.filter(subject=f"table {table.table.pk}").order_by("id").values_list("action", flat=True)
    assert list(acts) == ["table.create", "table.close", "table.open"]
    assert proof_run().findings == []


@pytest.mark.parametrize("is_running", [True, False])
def test_a_void_takes_all_seats_of_the_round(is_running: bool, browser_as: Callable[[str, Partner], Client]) -> None:
    table = played_table("blackjack" if is_running else "baccarat")
    for place in (0, 1):
        table.stake(place, 10 * (place + 1))
    if not is_running:
        table.window_end()
        table.play_out()
    played = table.round
    operator = browser_as("operator", table.table.partner)
    form = operator.get(path_of("tableround_void", played)).content.decode()
    stakes = dict(Round.objects.filter(table_round=played.pk).values_list("player__reference", "stake"))
    for player in table.players:
        assert f">{player}</a></td><td>{stakes[player.reference]:.2f} FUN</td>" in form
        assert f"<td>balance of {player}</td><td>{balance_text(player)}</td><td>1,000.00 FUN</td>" in form
    assert operator.post(path_of("tableround_void", played), {"reason": "a test"}).status_code == 302
    ended = "voided" if is_running else "settled, then voided"
    for address in (path_of("tableround_change", played), reverse("admin:tables_tableround_changelist")):
        assert re.search(rf">\s*{ended}\s*<", operator.get(address).content.decode())
    played.refresh_from_db()
    assert played.ending == (RoundEnding.VOIDED if is_running else RoundEnding.SETTLED)
    seats = Round.objects.filter(table_round=played.pk).order_by("seat")
    assert [seat.void.reason for seat in seats] == ["a test", "a test"]
    assert [seat.stake for seat in seats] == [10, 20]
    assert {wallet.balance for wallet in Wallet.objects.filter(player__in=table.players)} == {Decimal(1000)}
    assert WalletTransaction.objects.filter(kind=Kind.REFUND).count() == 2
    assert AuditEntry.objects.filter(action="table.round.void", reason="a test").count() == 1
    assert proof_run().findings == []
    again = operator.post(path_of("tableround_void", played), {"reason": "once more"})
    assert ("nothing to void" if is_running else "is voided already") in again.content.decode()
    late = operator.get(path_of("tableround_void", played)).content.decode()
    assert "Nothing is left to do here" in late
    assert 'name="reason"' not in late
    auditor = browser_as("auditor", table.table.partner)
    listed = auditor.get(reverse("admin:rounds_roundvoid_changelist")).content.decode()
    assert all(word in listed for word in (*stakes, "10.00 FUN", "20.00 FUN"))


def balance_text(player: Player) -> str:
    return f"{player.wallets.get().balance:,.2f} FUN"


@pytest.mark.parametrize("game_type", list(table_games()))
def test_a_seat_s_round_shows_rules_and_odds_without_the_limits_that_are_stored_in_smallest_units(
    game_type: str, browser_as: Callable[[str, Partner], Client]
) -> None:
    table = played_table(game_type)
    table.round_play()
    seat = Round.objects.earliest("seat")
    page = browser_as("auditor", table.table.partner).get(reverse("admin:rounds_round_change", args=[seat.pk]))
    shown = page.context["adminform"].model_admin.terms_text(seat)
    assert shown in page.content.decode()
    assert "decks" in shown
    assert "limits" in seat.settlement_terms
    assert "most" not in shown


def test_one_seat_alone_is_not_voided(browser_as: Callable[[str, Partner], Client]) -> None:
    table = played_table()
    table.round_play()
    operator = browser_as("operator", table.table.partner)
    seat = Round.objects.earliest("seat")
    answer = operator.post(reverse("admin:rounds_round_void_round", args=[seat.pk]), {"reason": "a test"})
    assert "with all its seats" in answer.content.decode()
    assert not WalletTransaction.objects.filter(kind=Kind.REFUND).exists()


def test_the_first_page_counts_open_tables_of_the_viewer_s_partner(
    browser_as: Callable[[str, Partner], Client],
) -> None:
    table = played_table()
    played_table()
    staff, operator = (browser_as(who, table.table.partner) for who in ("partner_staff", "operator"))
    assert "1 open</a>, 2 seats taken" in staff.get("/admin/").content.decode()
    assert "2 open</a>, 4 seats taken" in operator.get("/admin/").content.decode()
