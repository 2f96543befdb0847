"""`manage.py audit`, the proof: it compares all records with each other, on demand and every night."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from apps.accounts.models import Role
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratGameRecord
from apps.events.models import EventKind, SignificantEvent
from apps.fairness.models import SeedPair
from apps.idempotency.models import StoredAnswer
from apps.idempotency.services import stored_answers_delete
from apps.office import nightly_proof
from apps.office.nightly_proof import ACTION, proof_is_short, reconciliation_run, rounds_unproven_since
from apps.office.proof import ProofScope, proof_run
from apps.office.tasks import proof_nightly
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from apps.rounds.models import Round
from apps.rounds.services import round_void, seeds_rotate
from apps.wallet.models import DailySeal, Wallet
from apps.wallet.seals import daily_seal_take, yesterday_seal_take
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.factories import staff_make
from tests.support.ledger import Intruder
from tests.support.long_form import IS_LONG
from tests.support.loop import run
from tests.support.played import act, baccarat_session, blackjack_session, played_out
from tests.support.tampering import put_back, tables_of

NOT_VOIDED = "how_ended = 'played' AND id NOT IN (SELECT round_id FROM round_void)"
ONE = f"id = (SELECT id FROM game_round WHERE {NOT_VOIDED} LIMIT 1)"

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


@pytest.fixture
def played() -> None:
    """Rounds of both games: played, open, voided; seeds rotated in between."""
    player, _ = baccarat_session(bets=3)
    seeds_rotate(player=player, client_seed="another")
    operator = staff_make(Role.OPERATOR)
    round_void(operator=operator, round=Round.objects.filter(player=player).earliest("started_at"), reason="a test")
    _, token = blackjack_session()
    played_out(token, "Stand")
    _, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    voided, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    round_void(operator=operator, round=Round.objects.get(player=voided), reason="a test")


def audit(*arguments: str) -> str:
    out = StringIO()
    call_command("audit", *arguments, stdout=out)
    return out.getvalue()


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run().findings]


def test_fair_play_with_voids_and_open_rounds_gives_no_finding(played: None) -> None:
    assert findings() == []
    assert audit().startswith("The ledger and the rounds hold: ")
    assert "6 rounds dealt again were checked, and nothing was altered." in audit("rounds")
    assert audit("ledger").startswith("The ledger holds: ")


def test_new_seeds_for_all_leave_the_proof_whole_and_the_next_bet_is_dealt_from_them(played: None) -> None:
    player, token = baccarat_session(bets=2)
    newest = Round.objects.filter(player=player).latest("started_at")
    call_command("seeds_renew", reason="a restore", stdout=StringIO())
    slip = Slip((Bet(1, Decimal(5)),), is_list=True)
    run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))
    dealt = Round.objects.filter(player=player).latest("started_at")
    assert (dealt.seed_pair_id != newest.seed_pair_id, dealt.nonce) == (True, 0)
    assert findings() == []


ALTERATIONS = [
    (f"UPDATE game_round SET how_ended = '', ended_at = NULL WHERE {ONE}", "and has an outcome"),
    (
        f"UPDATE game_round SET how_ended = '', ended_at = NULL, detail = '{{}}', payout = payout + 5 WHERE {ONE}",
        "it is open, and its stake or payout is not what the ledger has of it",
    ),
    ("UPDATE game_round SET balance_before = balance_before + 1", "its balance before is"),
    ("UPDATE game_round SET balance_after = balance_after + 1000 WHERE how_ended <> ''", "its balance after is"),
    ("UPDATE game_round SET started_at = started_at - interval '1 hour'", "it began at"),
    ("UPDATE game_round SET ended_at = ended_at + interval '1 hour'", "it ended at"),
    ("UPDATE game_round SET nonce = nonce + 100", "seed_pair row"),
    ("UPDATE game_round SET partner_id = partner_id + 1000", "its partner and currency are not those of"),
    ("UPDATE game_round SET seed_pair_id = -seed_pair_id", "its seed pair is not one of its player"),
    ("UPDATE game_round SET session_id = session_id + 1000", "its game session is not one of its player"),
    ("UPDATE game_round SET how_ended = 'lost' WHERE how_ended = 'played'", "a round does not end so"),
    ("UPDATE game_round SET how_ended = 'voided' WHERE how_ended = 'played'", "it ended by a void, and there is"),
    ("UPDATE game_round SET detail = '{}' WHERE how_ended = 'played'", "it was played, and has no outcome"),
    ("UPDATE game_round SET terms = '{}'", "it cannot be dealt again from its record"),
    ("DELETE FROM game_round WHERE how_ended = 'played'", "there is no such round"),
    ("UPDATE round_action SET number = number * 10 WHERE number > 1", "one of its actions is missing"),
    ("UPDATE round_action SET acted_by = 'nobody'", "nobody of that name acts"),
    ("UPDATE round_action SET ctime = ctime + interval '1 hour'", "is of a time at which it was not played"),
    ("UPDATE baccarat_game_record SET nonce = nonce + 1", "its nonce is not its round's"),
    ("UPDATE baccarat_game_record SET partner_id = partner_id + 1", "its partner_id is not its round's"),
    ("UPDATE baccarat_game_record SET config_version = 77", "its config_version is not its round's"),
    ("UPDATE baccarat_game_record SET ctime = ctime - interval '1 hour'", "it is of another time than its round"),
    ("UPDATE baccarat_game_record SET player_cards = '{H1,H2}'", "the cards are"),
    ("DELETE FROM baccarat_game_record WHERE game_type = 1", "the bets come to"),
    ("UPDATE seed_pair SET next_nonce = next_nonce + 1", "rounds, and"),
    ("UPDATE seed_pair SET sealed_seed = 'x' WHERE status = 'active'", "it cannot be dealt again from its record"),
    ("UPDATE seed_pair SET client_seed = 'theirs'", "round"),
    ("UPDATE blackjack_round SET state = jsonb_set(state, '{drawn}', '9')", "the hands are not as recorded"),
]
"""Statements of an intruder, and the finding of the proof for each."""


def test_what_does_not_agree_with_a_round_is_named(played: None, intruder: Intruder) -> None:
    tables = tables_of(intruder.link)
    for change, found in ALTERATIONS:
        words = change.split()
        with put_back(tables[words[2 if words[0] == "DELETE" else 1]]):
            intruder.does(change)
            named = [f"{finding.where}: {finding.what}" for finding in proof_run(scope=ProofScope.ROUNDS).findings]
        assert [finding for finding in named if found in finding], (change, named)
    assert findings() == [], "all is as it was"


def test_a_reward_without_a_round_is_named_though_its_chain_holds(played: None, intruder: Intruder) -> None:
    wallet = Wallet.objects.get(player=Round.objects.filter(game="og-blackjack", how_ended="played").get().player)
    intruder.does(
        "INSERT INTO wallet_transaction (wallet_id, house_account_id, number, kind, change, balance_after, source_key,"
        " reason, hash) SELECT id, house_account_id, row_count + 1, 'reward', 100, 0, 'a gift', '', '' FROM wallet"
        " WHERE id = %s",
        wallet.pk,
    )
    intruder.rebuilds_chain(wallet)
    assert any("a reward belongs to a round, and it names none" in finding for finding in findings())


def test_no_finding_tells_a_seed_or_a_card_that_was_not_shown(played: None, intruder: Intruder) -> None:
    seeds = [text for pair in SeedPair.objects.all() for text in (pair.server_seed, bytes(pair.sealed_seed).hex())]
    for change in (
        "UPDATE seed_pair SET sealed_seed = sealed_seed || '\\x00', server_seed = 'f' || substr(server_seed, 2)",
        "UPDATE game_round SET terms = '{}'",
        "UPDATE blackjack_round SET state = '{}'",
        "UPDATE game_session SET token_hash = md5(token_hash)",
    ):
        intruder.does(change)
    said = "\n".join(findings())
    assert said
    assert not [seed for seed in seeds if seed and seed in said]


def test_another_seed_key_is_named_by_the_findings(played: None, settings: Any) -> None:
    settings.PUNTO_SEED_KEY = "another key " * 4
    said = [finding for finding in findings() if "dealt again" in finding]
    assert said
    assert all("PUNTO_SEED_KEY does not decrypt the seed" in finding for finding in said)


def test_the_proof_of_every_night_seals_first_and_leaves_a_line(played: None) -> None:
    proof_nightly.delay()
    assert DailySeal.objects.get().day == datetime.now(UTC).date() - timedelta(days=1)
    entry = AuditEntry.objects.get(action=ACTION)
    assert (entry.actor, entry.data["found"], entry.data["redealt"]) == ("nightly proof", 0, 6)


def test_everything_is_proven_in_a_night_in_which_the_seal_fails(played: None, tmp_path: Path) -> None:
    """Whoever makes the seals' file unwritable must not end the proofs with it."""
    unwritable = str(tmp_path / "no folder" / "seals.jsonl")
    with override_settings(PUNTO_SEAL_FILE=unwritable), pytest.raises(ExceptionGroup) as failed:
        proof_nightly()
    assert "yesterday_seal_take" in failed.value.exceptions[0].__notes__[0]
    entry = AuditEntry.objects.get(action=ACTION)
    assert (entry.actor, entry.data["found"], entry.data["seals"]) == ("nightly proof", 0, 1)


def test_the_proof_of_every_night_says_in_the_log_what_it_found(
    played: None, intruder: Intruder, caplog: pytest.LogCaptureFixture
) -> None:
    intruder.does("UPDATE wallet SET status = 'blocked'")
    proof_nightly.delay()
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [record.msg["event"] for record in errors] == ["proof_found"]  # type: ignore[index]
    # A wallet's row is not part of a chain.
    assert SignificantEvent.objects.get(component="proof").kind == EventKind.DATA_CHANGED
    assert AuditEntry.objects.get(action=ACTION).data["found"] > 0


def test_what_the_proof_of_every_night_finds_is_an_event_of_its_kind(
    played: None, intruder: Intruder, superuser: psycopg.Connection
) -> None:
    proof_nightly.delay()
    assert not SignificantEvent.objects.filter(component="proof").exists()
    intruder.does("UPDATE daily_seal SET row_count = row_count + 1")
    intruder.does("UPDATE wallet_transaction SET reason = 'another' WHERE number = 1")
    intruder.does("UPDATE player SET reference = reference || 'x'")
    superuser.execute("ALTER TABLE api_key DISABLE TRIGGER api_key_history")
    try:
        proof_nightly.delay()
    finally:
        superuser.execute("ALTER TABLE api_key ENABLE TRIGGER api_key_history")
    told = {event.kind: event.after["findings"] for event in SignificantEvent.objects.filter(component="proof")}
    assert set(told) == {EventKind.AUTHENTICATION_MISMATCH, EventKind.DATA_CHANGED}
    mismatches, changes = ("\n".join(told[kind]) for kind in sorted(told))
    assert re.search(r"^seal of ", mismatches, re.MULTILINE)
    assert re.search(r"^wallet \d+, movement 1 ", mismatches, re.MULTILINE)
    assert re.search(r"^player row \d+: its reference is", changes, re.MULTILINE)
    assert "table api_key: its trigger api_key_history is switched off" in changes


def test_the_next_proof_deals_the_rounds_again_that_ended_since_the_last_clean_one(
    played: None, intruder: Intruder
) -> None:
    assert rounds_unproven_since() is None
    proof_nightly.delay()
    since = rounds_unproven_since()
    assert since is not None
    assert datetime.now(UTC) - timedelta(hours=2) < since < datetime.now(UTC)
    assert " and 6 rounds dealt again" in audit("rounds")
    intruder.does("UPDATE audit_entry SET data = jsonb_set(data, '{until}', '\"2999-01-01T00:00:00+00:00\"')"
                  " WHERE action = %s", ACTION)  # fmt: skip
    forged = rounds_unproven_since()
    assert forged == since, "a proof of the future leaves no round out"
    intruder.does("UPDATE audit_entry SET data = jsonb_set(data, '{rounds_found}', '1') WHERE action = %s", ACTION)
    assert rounds_unproven_since() is None


def test_what_ended_after_the_newest_seal_is_dealt_again_by_every_proof(played: None, intruder: Intruder) -> None:
    """A proof by day checks it again each time, since it may be altered until a seal covers it."""
    assert rounds_unproven_since() is None
    reconciliation_run(user=staff_make(Role.AUDITOR))
    assert rounds_unproven_since() is None, "nothing is sealed"
    proof_nightly.delay()
    by_night = rounds_unproven_since()
    intruder.does("UPDATE audit_entry SET ctime = now() + interval '9 hours' WHERE action = %s", ACTION)
    intruder.does(
        "UPDATE audit_entry SET data = jsonb_set(data, '{until}', to_jsonb(now() + interval '9 hours'))"
        " WHERE action = %s",
        ACTION,
    )
    assert rounds_unproven_since() == by_night
    assert by_night is not None
    assert by_night < DailySeal.objects.get().ctime


def test_the_page_leaves_many_rounds_to_a_worker(played: None, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = staff_make(Role.OPERATOR)
    assert proof_is_short(user=operator)
    monkeypatch.setattr(nightly_proof, "MAX_ROUNDS_AT_ONCE", Round.objects.count())
    assert proof_is_short(user=operator)
    monkeypatch.setattr(nightly_proof, "MAX_ROUNDS_AT_ONCE", Round.objects.count() - 1)
    assert not proof_is_short(user=operator)


def test_a_day_may_be_given_from_which_on_rounds_are_dealt_again(played: None) -> None:
    tomorrow = datetime.now(UTC).date() + timedelta(days=2)
    assert " and 1 round dealt again" in audit("rounds", "--since", tomorrow.isoformat())
    assert " and 6 rounds dealt again" in audit("rounds", "--since", "2026-01-01")
    assert " and 6 rounds dealt again" in audit("rounds", "--full")
    with pytest.raises(CommandError, match="not allowed with"):
        audit("rounds", "--full", "--since", "2026-01-01")


def test_the_command_fails_with_the_first_thing_that_does_not_hold(played: None, intruder: Intruder) -> None:
    intruder.does("UPDATE wallet SET status = 'blocked'")
    with pytest.raises(CommandError, match=r"^The ledger and the rounds do not hold. First: wallet row") as refused:
        audit("all")
    assert refused.value.returncode == 1


def test_beat_sends_the_proof_every_night() -> None:
    tasks = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert "apps.office.tasks.proof_nightly" in tasks


DAYS = 30 if IS_LONG else 24


def test_many_days_of_fair_play_give_no_finding(superuser: psycopg.Connection) -> None:
    """They have a seal each, voids, late commits, removals, rotations, and clocks that were set back."""
    player, token = baccarat_session(bets=1)
    operator = staff_make(Role.OPERATOR)
    slip = Slip((Bet(1, Decimal(1)),), is_list=False)
    today = datetime.now(UTC).date()
    for number in range(DAYS, 0, -1):
        day = today - timedelta(days=number)
        run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))
        if number % 7 == 0:
            newest = Round.objects.filter(player=player, void=None).latest("started_at")
            round_void(operator=operator, round=newest, reason="a test")
            seeds_rotate(player=player, client_seed=f"day-{number}")
        if number == 20:
            stored = {"body_hash": b"", "status": 200, "answer": b"", "ctime": datetime.now(UTC) - timedelta(days=9)}
            StoredAnswer.objects.create(scope="play:0:a-game", key="old", **stored)
        if number == 10:
            stored_answers_delete(now=datetime.now(UTC))
        if number == 15:
            _, blackjack_token = blackjack_session()
            played_out(blackjack_token, "Stand")
            for played_today in Round.objects.order_by("-started_at")[:2]:
                _clock_set_back(superuser, played_today)
        with superuser.transaction():
            if number % 5 == 0:
                superuser.execute(_AUDIT_ENTRY, ["30 s" if number % 10 else "1 hour"])
            daily_seal_take(day=day)
    yesterday_seal_take()  # as a scheduler does whose clock was set back
    assert findings() == []
    assert DailySeal.objects.count() == DAYS


def _clock_set_back(superuser: psycopg.Connection, played: Round) -> None:
    """Give the round, which no seal covers yet, the times that PostgreSQL writes if its clock is 20 hours behind."""
    intruder = Intruder(superuser)
    back = "interval '20 hours'"
    intruder.does(
        f"UPDATE game_round SET started_at = started_at - {back}, ended_at = ended_at - {back} WHERE id = %s", played.pk
    )
    for table in ("wallet_transaction", "baccarat_game_record", "round_action"):
        superuser.execute(f"UPDATE {table} SET ctime = ctime - {back} WHERE round_id = %s", [played.pk])
    intruder.rebuilds_chain(Wallet.objects.get(player_id=played.player_id))
    superuser.execute("SET session_replication_role = origin")


_AUDIT_ENTRY = """
    INSERT INTO audit_entry (ctime, actor, action, subject, data, reason)
    VALUES (now() - %s::interval, 'somebody', 'test.late', '', '{}', '')
"""
"""An entry that commits after the seal of its day, although its time is before the seal."""


def test_a_refund_without_a_round_is_named_though_its_chain_holds(played: None, intruder: Intruder) -> None:
    wallet = Wallet.objects.get(player=Round.objects.filter(game="og-blackjack", how_ended="played").get().player)
    intruder.does(
        "INSERT INTO wallet_transaction (wallet_id, house_account_id, number, kind, change, balance_after, source_key,"
        " reason, hash) SELECT id, house_account_id, row_count + 1, 'refund', 100, 0, 'a gift', '', '' FROM wallet"
        " WHERE id = %s",
        wallet.pk,
    )
    intruder.rebuilds_chain(wallet)
    assert any("a refund belongs to a round, and it names none" in finding for finding in findings())


def test_odds_moved_together_with_payout_round_and_ledger_are_named(intruder: Intruder) -> None:
    """The round's own terms still have the odds that it was played with."""
    player, token = baccarat_session(bets=0)
    for _ in range(12):
        run(
            baccarat_bet_place(
                bettor=Bettor(token_hash=token_hash(token)),
                slip=Slip((Bet(1, Decimal(5)), Bet(2, Decimal(5))), is_list=True),
            )
        )
    won = BaccaratGameRecord.objects.filter(reward_amount__gt=5).latest("pk")
    wallet = Wallet.objects.get(player=player)
    intruder.does(
        "UPDATE baccarat_game_record SET odds = odds + 1, reward_amount = reward_amount + 5 WHERE id = %s", won.pk
    )
    intruder.does("UPDATE game_round SET payout = payout + 5 WHERE id = %s", won.round_id)
    intruder.does(
        "UPDATE wallet_transaction SET change = change + 5 WHERE round_id = %s AND kind = 'reward'", won.round_id
    )
    intruder.rebuilds_chain(wallet)
    for played_round in Round.objects.filter(player=player, started_at__gte=won.round.started_at):
        intruder.link.execute(
            "UPDATE game_round SET balance_after = balance_after + 5,"
            " balance_before = balance_before + CASE WHEN id = %s THEN 0 ELSE 5 END WHERE id = %s",
            (won.round_id, played_round.pk),
        )
    assert [finding for finding in findings() if f"round {won.round_id}" in finding]
