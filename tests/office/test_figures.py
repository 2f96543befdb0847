"""Reports, exports and lists: partners are separate, voids are named, and the search finds every row by what its list
shows."""

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.edge_rounding import edge_pct
from apps.events.models import EventKind, SignificantEvent
from apps.one_deal.models import ConfigStatus
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.models import Round
from apps.rounds.services import round_void
from apps.wallet.services import wallet_withdraw
from tests.office.conftest import Casino
from tests.office.rows import round_make
from tests.support.factories import staff_make
from tests.support.folds import revenue_now
from tests.support.partners import PartnerClient

LogIn = Callable[[str], Client]


def lines_of(answer: Any) -> list[dict[str, str]]:
    """Return the rows of an export."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return list(csv.DictReader(io.StringIO(body.decode())))


def days() -> dict[str, str]:
    """Return the range of days of a report: today."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return {"length": "day", "until": today, "zone": "UTC"}


def void(played: Round) -> None:
    """Have an operator void a round."""
    round_void(operator=staff_make("operator"), round=played, reason="camera failed")


def test_two_partners_have_a_row_each_and_are_told_apart(
    ours: Casino, casino_new: Callable[[], Casino], log_in: LogIn
) -> None:
    theirs = casino_new()
    revenue_now()
    rows = lines_of(log_in("auditor").get(reverse("admin:report_export", args=["summary", "csv"]), days()))
    assert {row["partner"]: row["rounds"] for row in rows} == {ours.partner.slug: "1", theirs.partner.slug: "1"}
    page = log_in("auditor").get(reverse("admin:report", args=["summary"]), days()).content.decode()
    for partner in (ours.partner, theirs.partner):
        assert f"<td>{partner.slug}</td><td>{partner.name}</td>" in page


def test_a_partner_s_name_is_given_once(ours: Casino, log_in: LogIn) -> None:
    form = {"name": ours.partner.name.upper(), "slug": "another"}
    answer = log_in("operator").post(reverse("admin:partners_partner_add"), form)
    assert "there is a partner with the name" in answer.content.decode()
    with pytest.raises(IntegrityError), transaction.atomic():
        Partner.objects.create(name=ours.partner.name.upper(), slug="another")


def test_the_report_and_the_export_of_rounds_agree_about_voids(ours: Casino, log_in: LogIn) -> None:
    kept = Round.objects.get(pk=ours.record.round_id)
    voided = Round.objects.get(pk=round_make(ours.player, ours.config, stake=Decimal(20)).round_id)
    void(voided)
    revenue_now()
    auditor = log_in("auditor")
    (row,) = lines_of(auditor.get(reverse("admin:report_export", args=["summary", "csv"]), days()))
    assert (row["rounds"], Decimal(row["stakes"]), Decimal(row["payouts"])) == ("1", kept.stake, kept.payout)
    assert (row["voided_rounds"], row["voided_stakes"]) == ("1", "20")
    assert Decimal(row["voided_payouts"]) == voided.payout
    rounds = lines_of(auditor.get(reverse("admin:rounds_round_export")))
    for column, name in (("stakes", "stake"), ("payouts", "payout")):
        assert sum(Decimal(each[f"counted_{name}"]) for each in rounds) == Decimal(row[column])
    (told,) = [each for each in rounds if each["voided_at"]]
    assert (told["id"], told["void_reason"], told["stake"]) == (str(voided.pk), "camera failed", "20")
    page = auditor.get(reverse("admin:report", args=["summary"]), days()).content.decode()
    assert re.search(r"<tfoot>.*?total.*?FUN.*?>10.00<.*?>20.00<.*?</tfoot>", page, re.DOTALL)


def test_a_void_is_told_wherever_the_round_is_shown(ours: Casino, log_in: LogIn) -> None:
    played = Round.objects.get(pk=ours.record.round_id)
    pages = [
        reverse("admin:replay", args=[played.pk]),
        reverse("admin:rounds_round_change", args=[played.pk]),
        reverse("admin:baccarat_baccaratgamerecord_change", args=[ours.record.pk]),
    ]
    auditor = log_in("auditor")
    assert not any("office-void" in auditor.get(page).content.decode() for page in pages)
    void(played)
    for page in pages:
        shown = auditor.get(page).content.decode()
        assert "office-void" in shown, page
        assert "camera failed" in shown, page


def test_a_void_that_the_wallet_does_not_cover_names_the_next_step(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    while True:
        played = Round.objects.get(pk=round_make(ours.player, ours.config).round_id)
        if played.payout > played.stake:
            break
    wallet.refresh_from_db()
    with transaction.atomic():
        wallet_withdraw(
            player=ours.player, currency_code="FUN", amount=wallet.balance, transaction_id="all", partner=ours.partner
        )
    address = reverse("admin:rounds_round_void_round", args=[played.pk])
    refused = operator.post(address, {"reason": "camera failed"}).content.decode()
    missing = played.payout - played.stake
    assert f"adjust wallet {wallet.pk} by {missing:.2f} FUN" in refused
    adjusted = {"change": f"{missing:.2f}", "reason": "for the void"}
    assert operator.post(reverse("admin:wallet_wallet_adjust", args=[wallet.pk]), adjusted).status_code == 302
    assert operator.post(address, {"reason": "camera failed"}).status_code == 302


def test_the_first_limits_of_blackjack_in_a_currency_can_be_played_at_once(ours: Casino, log_in: LogIn) -> None:
    row = {"game_id": "og-blackjack", "currency": "EUR", "min_bet": 1, "max_bet": 500}
    assert PartnerClient(ours.partner, ["configure"]).post("/v1/games/configs", {"data": [row]}).status == 200
    config = ours.partner.blackjack_configs.get(currency="EUR")
    assert [terms.get_status_display() for terms in config.terms.all()] == ["active"]


def test_what_is_active_and_cannot_be_played_is_on_the_first_page(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    assert "cannot be played" not in staff.get("/admin/").content.decode()
    ours.partner.blackjack_configs.get().terms.update(status=ConfigStatus.INACTIVE)
    ours.config.odds_rows.update(status=ConfigStatus.INACTIVE)
    page = staff.get("/admin/").content.decode()
    assert "cannot be played" in page
    assert reverse("admin:blackjack_blackjackconfig_change", args=[ours.partner.blackjack_configs.get().pk]) in page
    assert reverse("admin:baccarat_baccaratconfig_change", args=[ours.config.pk]) in page


def test_a_lowest_bet_of_0_needs_the_switch_of_free_play(ours: Casino) -> None:
    system = PartnerClient(ours.partner, ["configure"])
    row = {"game_id": "og-blackjack", "min_bet": 0, "max_bet": 500}
    refused = system.post("/v1/games/configs", {"data": [row]})
    assert (refused.status, "free play" in refused.body["message"]) == (422, True)
    assert system.post("/v1/games/configs", {"data": [row | {"free_play": True}]}).status == 200
    config = ours.partner.blackjack_configs.get()
    assert (config.bet_min, config.free_play) == (0, True)
    event = SignificantEvent.objects.get(kind=EventKind.INCENTIVE_CHANGED)
    assert (event.before["free_play"], event.after["free_play"]) == (False, True)
    with pytest.raises(IntegrityError), transaction.atomic():
        ours.partner.blackjack_configs.update(free_play=False)


def test_rounds_are_exported_newest_first(ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.core.csv_export.CHUNK_ROWS", 3)
    with transaction.atomic():
        for _ in range(10):  # of one transaction, so that their times are equal
            round_make(ours.player, ours.config)
    rows = lines_of(log_in("auditor").get(reverse("admin:rounds_round_export")))
    order = [(row["started_at"], row["id"]) for row in rows]
    assert len(order) == 11
    assert order == sorted(order, reverse=True)


def test_a_round_is_found_by_how_its_id_begins(ours: Casino, log_in: LogIn) -> None:
    beginning = str(ours.record.round_id)[:8]
    auditor = log_in("auditor")
    for name in ("rounds_round", "wallet_wallettransaction", "baccarat_baccaratgamerecord"):
        page = auditor.get(reverse(f"admin:{name}_changelist"), {"q": f"{beginning}-"})
        assert [str(getattr(row, "round_id", row.pk)) for row in page.context["cl"].result_list] == [
            str(ours.record.round_id)
        ] * (2 if name == "wallet_wallettransaction" and Round.objects.get().payout else 1)
        assert not auditor.get(reverse(f"admin:{name}_changelist"), {"q": "00000000-"}).context["cl"].result_list


def test_a_player_is_found_by_any_part_of_the_reference(ours: Casino, log_in: LogIn) -> None:
    part = ours.player.reference[2:].upper()
    for name in ("accounts_player", "wallet_wallet"):
        page = log_in("auditor").get(reverse(f"admin:{name}_changelist"), {"q": part})
        assert len(page.context["cl"].result_list) == 1, name


@pytest.mark.parametrize("day", ["2026-02-30", "yesterday", "31.12.2026"])
def test_an_invalid_day_of_a_filter_is_refused(ours: Casino, log_in: LogIn, day: str) -> None:
    answer = log_in("auditor").get(reverse("admin:rounds_round_changelist"), {"started_at_from": day})
    assert (answer.status_code, "started_at_from" in answer.content.decode()) == (400, True)


def test_days_in_the_wrong_order_are_refused(ours: Casino, log_in: LogIn) -> None:
    query = {"started_at_from": "2026-02-02", "started_at_to": "2026-02-01"}
    answer = log_in("auditor").get(reverse("admin:rounds_round_changelist"), query)
    assert (answer.status_code, "before the first" in answer.content.decode()) == (400, True)


def test_a_list_without_a_filter_has_no_link_to_all_of_it(ours: Casino, log_in: LogIn) -> None:
    address = reverse("admin:rounds_round_changelist")
    assert "Show all" not in log_in("auditor").get(address).content.decode()
    assert "Show all" in log_in("auditor").get(address, {"game": "og-baccarat"}).content.decode()


def test_the_edge_and_the_reason_of_pending_odds_agree_to_the_last_digit(ours: Casino, log_in: LogIn) -> None:
    system = PartnerClient(ours.partner, ["configure"])
    for number in range(20):
        odds = {
            "baccarat_config_id": ours.config.pk,
            "game_type": "BaccaratGameBetTie",
            "odds": round(9.6 + number / 10, 1),
        }
        (row,) = system.post("/api/game/baccarat_odds_config", [odds]).body
        said = re.search(r"gives the player ([\d.]+) %", row["reason"])
        assert said is not None
        assert Decimal(said[1]) == -edge_pct(Decimal(str(row["house_edge"])))


def test_a_history_names_old_rows_by_their_own_odds(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    odds = {f"odds_{row.game_type}": f"{row.odds.normalize():f}" for row in ours.config.odds_rows.filter(status=1)}
    address = reverse("admin:baccarat_baccaratconfig_change_odds", args=[ours.config.pk])
    assert staff.post(address, odds | {"odds_3": "7"}).status_code == 302
    page = staff.get(reverse("admin:baccarat_baccaratconfig_history", args=[ours.config.pk])).content.decode()
    assert "Tie 8 to 1 made" in page
    assert "Tie 7 to 1 changed" in page


def test_what_is_not_allowed_is_said_in_the_back_office(ours: Casino, log_in: LogIn) -> None:
    answer = log_in("partner_staff").get(reverse("admin:reconcile"))
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "office-page" in page
    assert "Back to the lobby" not in page


def test_buttons_of_acts_are_told_from_the_one_that_closes_the_page(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    for name, key, words in (
        ("partners_partner", ours.partner.pk, "Close the partner"),
        ("accounts_user", operator.get("/admin/").context["user"].pk, "Close the log-in"),
        ("tables_gametable", ours.table.pk, "Close the table"),
    ):
        assert words in operator.get(reverse(f"admin:{name}_change", args=[key])).content.decode(), name


def test_lists_are_in_words_with_the_raw_form_at_hand(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    rounds = auditor.get(reverse("admin:rounds_round_changelist")).content.decode()
    assert '<span title="og-baccarat">Baccarat</span>' in rounds
    records = auditor.get(reverse("admin:baccarat_baccaratgamerecord_changelist")).content.decode()
    assert '<span title="BaccaratGameBetOnPlayer">Player</span>' in records
    assert not re.search(r">\s*(UserLost|UserWin|OnPlayer)\s*<", records)
    terms = ours.partner.blackjack_configs.get().terms.get()
    page = auditor.get(reverse("admin:blackjack_blackjackterms_change", args=[terms.pk])).content.decode()
    assert "Suited trips" in page
    assert "suitedTrips" not in page
    pending = auditor.get(reverse("admin:baccarat_baccaratoddsconfig_change", args=[ours.pending.pk])).content.decode()
    assert f"Perfect pair 35 to 1 of {ours.partner.name} in FUN |" in pending
    held = auditor.get(reverse("admin:rounds_round_change", args=[ours.record.round_id])).content.decode()
    assert "<div>Player: 1</div>" in held
    assert "game bet on" not in held


def test_lines_of_the_audit_name_what_they_are_about_as_people_do(ours: Casino, log_in: LogIn) -> None:
    auditor, wallet = log_in("auditor"), ours.player.wallets.get()
    paytable = PayTable.objects.latest("pk")
    names = {
        f"player {ours.player.pk}": f"player {ours.player.reference}",
        f"wallet {wallet.pk}": f"wallet FUN of {ours.player.reference}",
        f"partner {ours.partner.slug}": f"partner {ours.partner.name}",
        f"api key {ours.api_key.prefix}": f"api key {ours.api_key.prefix}… cashier",
        f"table {ours.table.pk}": f"table {ours.table.name}",
        f"switch of player {ours.player.pk}": f"switch of player {ours.player.reference}",
        f"switch of partner {ours.partner.pk}": f"switch of partner {ours.partner.name}",
        f"switch of table {ours.table.pk}": f"switch of table {ours.table.name}",
        f"switch of pay table {paytable.pk}": f"switch of pay table {paytable.hash[:8]}",
        f"pay table {paytable.pk}": f"pay table {paytable.hash[:8]}",
        f"baccarat limits {ours.config.pk}": f"baccarat limits of {ours.partner.name} in FUN",
    }
    odds = {
        "before": {},
        "after": {"BaccaratGameBetPlayerPair, active": "11"},
        "bet": "BaccaratGameBetTie",
        "by": "poker",
    }

    def acts_record() -> None:
        for subject in names:
            with transaction.atomic():
                audit_record(actor="ada", action="act.done", subject=subject, partner_id=ours.partner.pk, data=odds)

    def listed() -> tuple[str, int]:
        with CaptureQueriesContext(connection) as queries:
            page = auditor.get(reverse("admin:audit_auditentry_changelist"), {"q": "act.done"}).content.decode()
        return unescape(page), len(queries)

    acts_record()
    shown, few = listed()
    missing = [name for raw, name in names.items() if f'<span title="{raw}">{name}</span>' not in shown]
    assert not missing
    acts_record()
    assert listed()[1] == few
    entry = AuditEntry.objects.latest("pk")
    page = unescape(auditor.get(reverse("admin:audit_auditentry_change", args=[entry.pk])).content.decode())
    assert "<td>Player pair, active</td>" in page
    assert "<td>Tie</td>" in page
    assert "<td>poker</td>" in page  # anybody's text stays as it is, also if it is the name of a bet
    assert f"act done: baccarat limits of {ours.partner.name} in FUN" in page
    happened = unescape(auditor.get(reverse("admin:timeline", args=["player", ours.player.pk])).content.decode())
    assert f"act done, player {ours.player.reference}: Player pair, active none to 11" in happened


def test_the_audit_of_a_decision_names_what_was_asked_for_as_people_do(ours: Casino, log_in: LogIn) -> None:
    of = f"switch of player {ours.player.pk}"
    with transaction.atomic():
        audit_record(
            actor="ada", action="approval.approve", subject="approval 1", partner_id=ours.partner.pk, data={"of": of}
        )
    entry = reverse("admin:audit_auditentry_change", args=[AuditEntry.objects.latest("pk").pk])
    for who in ("auditor", "partner_auditor"):
        page = unescape(log_in(who).get(entry).content.decode())
        link = reverse("admin:accounts_player_change", args=[ours.player.pk])
        named = f'<a href="{link}"><span title="{of}">switch of player {ours.player.reference}</span></a>'
        assert f"<td>{named}</td>" in page, who
        assert f'"of": "{of}"' in page, who  # the raw data, as stored


@pytest.mark.usefixtures("committed")
def test_an_audit_line_links_its_subject_and_says_what_was_before_and_after(ours: Casino, log_in: LogIn) -> None:
    operator, wallet = log_in("operator"), ours.player.wallets.get()
    acts = {
        reverse("admin:wallet_wallet_adjust", args=[wallet.pk]): {"change": "5", "reason": "a test"},
        reverse("admin:wallet_wallet_block", args=[wallet.pk]): {"reason": "a test"},
        reverse("admin:accounts_player_block", args=[ours.player.pk]): {"reason": "a test"},
        reverse("admin:rounds_round_void_round", args=[ours.record.round_id]): {"reason": "a test"},
        reverse("admin:tables_gametable_close", args=[ours.table.pk]): {},
        reverse("admin:baccarat_baccaratconfig_change_limits", args=[ours.config.pk]): {
            "bet_min": "2", "bet_max": "50", "decks": "6",
        },
        reverse("admin:partners_partner_choose_currency", args=[ours.partner.pk]): {"currency": "JPY"},
        reverse("admin:partners_apikey_revoke", args=[ours.api_key.pk]): {"reason": "a test"},
        reverse("admin:partners_partner_close", args=[ours.partner.pk]): {"reason": "a test"},
    }  # fmt: skip
    last = AuditEntry.objects.latest("pk").pk
    for address, form in acts.items():
        assert operator.post(address, form).status_code == 302, address
    entries = AuditEntry.objects.filter(pk__gt=last)
    assert entries.count() == len(acts)
    auditor = log_in("auditor")
    for entry in entries:
        page = auditor.get(reverse("admin:audit_auditentry_change", args=[entry.pk])).content.decode()
        link = re.search(rf'<a href="([^"]+)">(<span title=")?{re.escape(entry.subject)}', page)
        assert link is not None, entry
        assert auditor.get(link[1]).status_code == 200, entry
        assert {"before", "after"} <= entry.data.keys(), entry
        assert entry.data["before"] != entry.data["after"], entry
