"""Pages of the back office: records with cards and ledger, replays, reports, proofs, and no secret."""

import csv
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pytest
import redis
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from kombu.pools import producers

from apps.accounts.models import Player, Role, User
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratOddsConfig
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.messages import inbound_read
from apps.blackjack.services import SeatedSession, round_action_take
from apps.cards.notation import parse_card
from apps.core.card_faces import card_name
from apps.core.task_limits import LONG_TASK_S
from apps.fairness.services import server_seed_open
from apps.office import nightly_proof
from apps.office.tasks import ledger_reconcile
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import GameSession, Round
from apps.rounds.services import round_void, seeds_rotate
from tests.office.conftest import Casino
from tests.office.queries import FILTERS, user_of
from tests.office.rows import round_make
from tests.support.blackjack import seeds_choose, values_are
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.folds import revenue_now
from tests.support.loop import run
from tests.support.server import port_free
from tests.support.waiting import wait_until

LogIn = Callable[[str], Client]

NO_WORDS = re.compile(r">[^<]*(?:\(&#x27;|(?:Jan|Feb|Sept|Oct|Nov|Dec)\.? \d{1,2}, 20)[^<]*<")
"""A tuple, or a date that is not in the form of all others, as the text of an element."""


def text_of(browser: Client, name: str, *keys: object, **query: str) -> str:
    """Return a page of the admin."""
    answer = browser.get(reverse(f"admin:{name}", args=keys), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_record_shows_its_cards_and_its_movements(ours: Casino, log_in: LogIn) -> None:
    page = text_of(log_in("auditor"), "baccarat_baccaratgamerecord_change", ours.record.pk)
    for code in (*ours.record.player_cards, *ours.record.banker_cards):
        assert f'aria-label="{card_name(parse_card(code))}"' in page
    movements = ours.player.wallets.get().transactions.filter(round_id=ours.record.round_id)
    assert movements
    for movement in movements:
        assert f'<code title="{bytes(movement.hash).hex()}">' in page


def test_a_player_s_page_links_to_its_rows(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    page = text_of(auditor, "accounts_player_change", ours.player.pk)
    links = re.findall(r'href="([^"]+player__id__exact=\d+)"', page)
    assert len(links) == sum("player__id__exact" in filters for filters in FILTERS.values())
    listed = [{row.player_id for row in auditor.get(link).context["cl"].result_list} for link in links]
    assert [players for players in listed if players] == [{ours.player.pk}] * 6  # one game has no rounds
    page = text_of(auditor, "wallet_wallet_change", ours.player.wallets.get().pk)
    (link,) = re.findall(r'href="([^"]+wallet__id__exact=\d+)"', page)
    assert {row.wallet.player_id for row in auditor.get(link).context["cl"].result_list} == {ours.player.pk}


@pytest.mark.parametrize(
    "listing",
    [
        "rounds_round", "rounds_gamesession", "tables_tablesession", "wallet_wallet", "wallet_wallettransaction",
        "baccarat_baccaratgamerecord", "fairness_seedpair",
    ],
)  # fmt: skip
def test_a_list_of_players_rows_leads_to_the_players(ours: Casino, log_in: LogIn, listing: str) -> None:
    page = text_of(log_in("auditor"), f"{listing}_changelist")
    address = reverse("admin:accounts_player_change", args=[ours.player.pk])
    seated = ours.table_session.player
    other = reverse("admin:accounts_player_change", args=[seated.pk])
    assert f'<a href="{address}">{ours.player}</a>' in page or f'<a href="{other}">{seated}</a>' in page


def test_a_page_says_in_words_whether_a_log_in_is_locked(ours: Casino, log_in: LogIn) -> None:
    colleague = staff_make(Role.AUDITOR)
    page = text_of(log_in("operator"), "accounts_user_change", colleague.pk)
    assert re.search(r"Locked.{0,400}>\s*no\s*<", page, re.DOTALL)


def test_exact_edges_are_shown_beside_odds(ours: Casino, log_in: LogIn) -> None:
    page = text_of(log_in("partner_staff"), "baccarat_baccaratconfig_change", ours.config.pk)
    for edge in ("1.235081 %", "1.057906 %", "14.359629 %"):
        assert edge in page
    tie = BaccaratOddsConfig.objects.get(baccarat_config=ours.config, game_type=3)
    assert "14.359629 %" in text_of(log_in("partner_staff"), "baccarat_baccaratoddsconfig_change", tie.pk)


def test_no_secret_and_no_value_of_code_is_on_any_page(ours: Casino, log_in: LogIn, rows_of: Any) -> None:
    secret = server_seed_open(ours.record.seed_pair)
    operator = log_in("operator")
    session = GameSession.objects.get(pk=ours.session.pk)
    for name, key in rows_of(ours).items():
        pages = text_of(operator, f"{name}_changelist") + text_of(operator, f"{name}_change", key)
        for hidden in (secret, session.token_hash, ours.api_key.key_hash):
            assert hidden not in pages, name
        assert NO_WORDS.findall(pages) == [], name
    assert re.search(r"field-currency[^>]*>\s*FUN\s*<", text_of(operator, "blackjack_blackjackterms_changelist"))
    assert secret not in text_of(operator, "replay", ours.record.round_id)
    seeds_rotate(player=ours.player, client_seed="another")
    assert secret in text_of(operator, "fairness_seedpair_change", ours.record.seed_pair_id)
    assert secret in text_of(operator, "rounds_round_change", ours.record.round_id)
    assert secret in text_of(operator, "replay", ours.record.round_id)


def test_a_baccarat_replay_equals_the_record(ours: Casino, log_in: LogIn) -> None:
    page = text_of(log_in("partner_auditor"), "replay", ours.record.round_id)
    assert "the same cards as in the record" in page
    cards = len(ours.record.player_cards) + len(ours.record.banker_cards)
    assert page.count("<h3>") == cards + 1


@pytest.mark.usefixtures("committed")
def test_a_replay_names_alterations_of_the_record(ours: Casino, log_in: LogIn, superuser: psycopg.Connection) -> None:
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE game_round SET detail = jsonb_set(detail, '{player}', '[\"H1\", \"H1\"]') WHERE id = %s",
        [ours.record.round_id],
    )
    page = text_of(log_in("auditor"), "replay", ours.record.round_id)
    assert "the round is not as recorded" in page
    assert "the outcome is not as recorded" in page


@pytest.mark.usefixtures("committed")
def test_a_replay_names_a_seed_that_was_altered(ours: Casino, log_in: LogIn, superuser: psycopg.Connection) -> None:
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE seed_pair SET sealed_seed = 'x'")
    page = text_of(log_in("auditor"), "replay", ours.record.round_id)
    assert "it cannot be dealt again: no encrypted seed of a known format" in page


@pytest.fixture
def blackjack_player(ours: Casino) -> Player:
    """A player whose next deal is 10 and 6 against 10. The hole card is 7 and the next card is 9."""
    player = player_make(balance=Decimal(100), partner=ours.partner)
    seeds_choose(player, values_are(10, 10, 6, 7, 9), cards=5, decks=SOLO_RULES.decks)
    return player


def play(player: Player, action: str, **data: str) -> Round:
    """Take an action for the player in a new session, and return the round."""
    session, _ = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")
    message = {
        "eventType": "RoundAction",
        "gameId": BLACKJACK,
        "action": action,
        "eventId": f"{action}-{session.pk}",
        "data": data,
    }
    run(round_action_take(seated=SeatedSession(session.pk, ""), message=inbound_read(json.dumps(message))))
    return Round.objects.get(player=player, game=BLACKJACK)


HOLE_CARD = 'aria-label="7 of '


@pytest.mark.usefixtures("committed")
def test_a_blackjack_replay_hides_the_hole_card_until_the_end(blackjack_player: Player, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    row = play(blackjack_player, "Bet", betAmount="10")
    page = text_of(auditor, "replay", row.pk)
    assert "a card face down" in page
    assert HOLE_CARD not in page
    play(blackjack_player, "Hit")
    page = text_of(auditor, "replay", row.pk)
    assert "25, Bust" in page
    assert HOLE_CARD in page
    assert "the same cards as in the record" in page


@pytest.mark.usefixtures("committed")
def test_decisions_name_their_stakes_in_the_currency(blackjack_player: Player, log_in: LogIn) -> None:
    row = play(blackjack_player, "Bet", betAmount="10")
    play(blackjack_player, "Hit")
    page = text_of(log_in("auditor"), "rounds_round_change", row.pk)
    assert "<td>bet, main 10.00 FUN</td>" in page
    assert "<td>hit</td>" in page
    assert "<td>rules</td>" in page
    assert "<td>stakes</td>" not in page  # they are stored with the rules, in smallest units


@pytest.mark.usefixtures("committed")
def test_a_round_voided_while_open_shows_its_hole_card(blackjack_player: Player, log_in: LogIn) -> None:
    row = play(blackjack_player, "Bet", betAmount="10")
    round_void(operator=staff_make(Role.OPERATOR), round=row, reason="test")
    page = text_of(log_in("auditor"), "replay", row.pk)
    assert "The hole card, never shown" in page
    assert HOLE_CARD in page


def test_reports_sum_rounds_that_are_not_void(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    voided = round_make(ours.player, ours.config, stake=Decimal(7))
    kept = round_make(ours.player, ours.config, stake=Decimal(20))
    round_void(
        operator=staff_make(Role.OPERATOR),
        round=voided.round,
        reason="test",
    )
    revenue_now()
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    query = {"length": "day", "until": day, "zone": "UTC"}
    too_long = log_in("auditor").get(
        reverse("admin:report", args=["summary"]), {**query, "length": "range", "since": "2000-01-01"}
    )
    assert too_long.status_code == 400
    assert "a span of at most 366 days" in too_long.content.decode()
    staff = log_in("partner_staff")
    payouts = ours.record.reward_amount + kept.reward_amount
    page = text_of(staff, "report", "summary", **query)
    for amount in (Decimal(30), payouts, 30 - payouts):
        assert f'<td class="amount">{amount:.2f}</td>' in page
    assert theirs.partner.name not in page
    lines = staff.get(reverse("admin:report_export", args=["summary", "csv"]), query).content.decode().splitlines()
    (line,) = csv.DictReader(lines)
    expected = {
        "partner": ours.partner.slug, "partner_name": ours.partner.name, "game": "Baccarat", "currency": "FUN",
        "rounds": "2", "bets": "3", "stakes": "30", "voided_rounds": "1", "voided_stakes": "7",
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected


def test_a_partner_in_the_query_does_not_widen_the_scope(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    query = {"length": "day", "until": day, "zone": "UTC"}
    staff = log_in("partner_staff")
    revenue_now()
    address = reverse("admin:report", args=["summary"])
    assert staff.get(address, {**query, "partner": theirs.partner.pk}).status_code == 400
    assert theirs.partner.name not in text_of(staff, "report", "summary", **query)
    both = text_of(log_in("auditor"), "report", "summary", **query)
    assert theirs.partner.name in both
    assert ours.partner.name in both


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("/admin/", "/admin/"),
        ("/admin/evidence/", "/admin/evidence/"),
        ("/admin/evidence/evidencealarm/", "/admin/evidence/evidencealarm/"),
        ("/admin/accounts/player/?q=x", "/admin/accounts/player/"),
        ("/admin/events/eventthreshold/add/", "/admin/events/eventthreshold/"),
        ("/admin/password_change/", None),
    ],
)
def test_the_sidebar_marks_the_one_entry_that_a_page_belongs_to(log_in: LogIn, path: str, entry: str | None) -> None:
    page = log_in("operator").get(path).content.decode()
    assert re.findall(r'<a href="([^"]*)" aria-current="true" class="flex h-', page) == ([entry] if entry else [])


def test_the_dashboard_names_pending_odds(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    page = text_of(log_in("partner_staff"), "index")
    assert "Perfect pair 35 to 1" in page
    assert theirs.partner.name not in page


@pytest.mark.usefixtures("committed")
def test_a_worker_has_one_proof_of_a_scope_at_a_time(
    ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.office.nightly_proof.MAX_ROWS_AT_ONCE", -2)  # so a worker proves any ledger
    auditor, proofs = log_in("auditor"), AuditEntry.objects.filter(action="ledger.reconcile")
    claim = nightly_proof.proof_claim(user=user_of(auditor))
    assert claim
    page = auditor.post(reverse("admin:reconcile"), follow=True).content.decode()
    assert "A worker checks the ledger already" in page
    assert not proofs.exists()
    nightly_proof.proof_unclaim(claim)
    for count in (1, 2):  # a proof that has ended keeps no other from beginning
        page = auditor.post(reverse("admin:reconcile"), follow=True).content.decode()
        assert "A worker checks the ledger: load" in page
        assert proofs.count() == count


@pytest.mark.usefixtures("committed")
def test_a_proof_ends_its_claim_though_its_user_has_another_scope_by_then() -> None:
    user = staff_make(Role.AUDITOR)
    claim = nightly_proof.proof_claim(user=user)
    User.objects.filter(pk=user.pk).update(partner=partner_make())
    ledger_reconcile(user.pk, claim)
    assert nightly_proof.proof_claim(user=user)
    nightly_proof.proof_unclaim(claim)


def test_the_claim_of_a_running_proof_is_short_and_renewed_so_a_killed_process_leaves_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nightly_proof, "CLAIM_RENEWED_S", 0.01)
    claim = "proof-asked:of-a-test"
    cache.set(claim, True, LONG_TASK_S)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        with nightly_proof.proof_claim_hold(claim):
            for _ in range(2):
                wait_until(lambda: 0 < client.ttl(cache.make_key(claim)) <= nightly_proof.CLAIM_S, "a short claim")
                cache.delete(claim)
        assert cache.get(claim) is None


@pytest.mark.usefixtures("committed")
def test_a_proof_whose_worker_cannot_be_asked_is_503_and_leaves_no_claim(
    log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.office.nightly_proof.MAX_ROWS_AT_ONCE", -2)
    nowhere = current_app.connection_for_write(f"redis://127.0.0.1:{port_free()}/0")
    monkeypatch.setattr(current_app.conf, "task_always_eager", False)
    monkeypatch.setattr(current_app.amqp, "_producer_pool", producers[nowhere])
    auditor = log_in("auditor")
    refused = auditor.post(reverse("admin:reconcile"))
    assert (refused.status_code, refused["Retry-After"]) == (503, "1")
    claim = nightly_proof.proof_claim(user=user_of(auditor))
    assert claim
    nightly_proof.proof_unclaim(claim)


@pytest.mark.usefixtures("committed")
def test_reconciliation_finds_what_a_superuser_altered(
    ours: Casino, log_in: LogIn, superuser: psycopg.Connection
) -> None:
    auditor = log_in("auditor")
    assert "Not run yet" in text_of(auditor, "reconcile")
    assert auditor.post(reverse("admin:reconcile")).status_code == 302
    assert "nothing was altered" in text_of(auditor, "reconcile")
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE wallet_transaction SET change = change * 2 WHERE kind = 'deposit'")
    auditor.post(reverse("admin:reconcile"))
    page = text_of(auditor, "reconcile")
    assert " found</span>" in page


@pytest.mark.usefixtures("committed")
def test_a_partner_s_auditor_proves_that_partner_s_ledger_alone(
    ours: Casino, theirs: Casino, log_in: LogIn, superuser: psycopg.Connection
) -> None:
    auditor, bound = log_in("auditor"), log_in("partner_auditor")
    auditor.post(reverse("admin:reconcile"))
    assert "Not run yet" in text_of(bound, "reconcile")
    superuser.execute("SET session_replication_role = replica")
    alter = "UPDATE wallet_transaction SET change = change * 2 WHERE kind = 'deposit' AND wallet_id = %s"
    superuser.execute(alter, [theirs.player.wallets.get().pk])
    bound.post(reverse("admin:reconcile"))
    page = text_of(bound, "reconcile")
    assert f"Every wallet's chain of {ours.partner.name}" in page.replace("&#x27;", "'")
    assert f"the ledger and the rounds of {ours.partner.slug}" in page
    assert "nothing was altered" in page
    wallet = ours.player.wallets.get()
    superuser.execute(alter, [wallet.pk])
    bound.post(reverse("admin:reconcile"))
    page = text_of(bound, "reconcile")
    assert "1 found</span>" in page
    assert f"wallet {wallet.pk}, movement 1 " in page
    all_runs = text_of(auditor, "reconcile")
    assert all_runs.count("the ledger and the rounds of ") == 2
    for entry in AuditEntry.objects.filter(action="ledger.reconcile", partner_id=ours.partner.pk):
        assert (entry.data["movements"] <= wallet.row_count, entry.data["rounds"]) == (True, 1)


def test_reconciliation_is_not_for_staff(ours: Casino, log_in: LogIn) -> None:
    assert log_in("partner_staff").get(reverse("admin:reconcile")).status_code == 403
    assert log_in("partner_staff").post(reverse("admin:reconcile")).status_code == 403
