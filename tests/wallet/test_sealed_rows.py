"""Seals of format 2 cover every append-only table, row by row."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.db.migrations import RunSQL
from django.db.migrations.loader import MigrationLoader
from pytest_django import Settings

from apps.audit.models import AuditEntry, RowRemoval
from apps.audit.services import audit_record
from apps.core.errors import Conflict
from apps.core.models import AppendOnly
from apps.idempotency.models import StoredAnswer
from apps.idempotency.services import stored_answers_delete
from apps.office.proof import ProofScope, proof_run
from apps.rounds.models import Round, RoundEnd
from apps.statistics.services import partner_zone_set, partner_zone_withdraw
from apps.wallet.models import DailySeal, SealedBlock, SealedHead, SealedSection, Wallet
from apps.wallet.seal_file import SealLine
from apps.wallet.sealed_heads import format_1_digest, kept_heads
from apps.wallet.sealed_rows import SEAL_TABLES, sealed_tables
from apps.wallet.seals import daily_seal_take, seal_mac, yesterday_seal_take
from tests.support.factories import partner_make, player_make
from tests.support.ledger import Intruder, movements_make, round_make
from tests.support.tampering import put_back, tables_of
from tests.support.waiting import transactions_await
from tests.wallet.last_days import last_days, three_days_ago, today, two_days_ago, yesterday

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


def act_write(subject: str = "a thing") -> AuditEntry:
    with transaction.atomic():
        audit_record(actor="somebody", action="test.act", subject=subject)
    return AuditEntry.objects.latest("pk")


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run(scope=ProofScope.LEDGER).findings]


def keys_of(day: date, table: str) -> list[str]:
    """Return the keys of the rows of the table that the day's seal covers."""
    blocks = SealedBlock.objects.filter(section__seal__day=day, section__type="table", section__name=table)
    return [key for block in blocks.order_by("number") for key in block.row_keys]


def test_the_sealed_tables_are_all_that_refuse_changes() -> None:
    written_once = {model._meta.db_table for model in apps.get_models() if issubclass(model, AppendOnly)}
    with transaction.atomic():
        names = {table.name for table in sealed_tables()}
    assert written_once - SEAL_TABLES <= names
    assert {"game_round", "blackjack_round", "baccarat_config_history", "house_account"} <= names


def test_tables_that_any_version_has_sealed_are_sealed() -> None:
    """After an upgrade the seals of the former version have their sections, and the next seals must have them too."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    texts = [
        str(operation.sql)
        for migration in loader.disk_migrations.values()
        for operation in migration.operations
        if isinstance(operation, RunSQL)
    ]
    refused = {
        table
        for text in texts
        for table in re.findall(
            r"BEFORE UPDATE[A-Z ]* ON (\w+)\s+FOR EACH STATEMENT EXECUTE FUNCTION change_refuse", text
        )
    }
    assert {"partner_zone", "audit_entry", "wallet_transaction"} <= refused
    with transaction.atomic():
        names = {table.name for table in sealed_tables()}
    assert refused - SEAL_TABLES <= names


def test_a_sealed_time_zone_may_be_withdrawn_and_nothing_else_of_it_may_change(intruder: Intruder) -> None:
    chosen, other = (
        partner_zone_set(partner=partner_make(), zone="Asia/Tokyo", from_day=today() + timedelta(days=9), actor="test")
        for _ in range(2)
    )
    daily_seal_take(day=two_days_ago())
    partner_zone_withdraw(chosen=chosen, reason="a wrong city", actor="test")
    daily_seal_take(day=yesterday())
    assert [finding for finding in findings() if "partner_zone" in finding] == []
    intruder.does(f"UPDATE partner_zone SET by = 'somebody else' WHERE id = {other.pk}")
    assert f"partner_zone row {other.pk}: it is not as it was sealed on {two_days_ago()}" in findings()


def test_a_row_is_in_one_seal_and_the_next_one_has_those_that_came_since() -> None:
    first = act_write()
    daily_seal_take(day=three_days_ago())
    second = act_write()
    daily_seal_take(day=two_days_ago())
    daily_seal_take(day=yesterday())
    assert [keys_of(day, "audit_entry") for day in last_days()] == [
        [str(first.pk)],
        [str(second.pk)],
        [],
    ]
    assert findings() == []


def test_a_row_that_commits_30_s_late_is_in_the_next_seal(superuser: psycopg.Connection) -> None:
    """Its time and its number are before those of rows that are already sealed."""
    act_write()
    with superuser.transaction():
        superuser.execute(
            "INSERT INTO audit_entry (ctime, actor, action, subject, data, reason)"
            " VALUES (now() - interval '30 s', 'somebody', 'test.late', '', '{}', '')"
        )
        superuser.execute(
            "INSERT INTO round_action (ctime, round_id, number, acted_by, action, events)"
            " VALUES (now() - interval '30 s', %s, 1, 'player', '{}', '[]')",
            [uuid4()],
        )
        act_write()
        daily_seal_take(day=three_days_ago())
    act_write()
    daily_seal_take(day=two_days_ago())
    late = AuditEntry.objects.get(action="test.late")
    assert str(late.pk) not in keys_of(three_days_ago(), "audit_entry")
    assert str(late.pk) in keys_of(two_days_ago(), "audit_entry")
    assert (len(keys_of(three_days_ago(), "round_action")), len(keys_of(two_days_ago(), "round_action"))) == (0, 1)
    daily_seal_take(day=yesterday())
    assert [finding for finding in findings() if "audit_entry" in finding or "sealed" in finding] == []


def test_a_round_is_sealed_when_it_has_ended() -> None:
    player = player_make()
    round_make(player, stake="0", payout="0", how_ended=RoundEnd.OPEN)
    daily_seal_take(day=three_days_ago())
    assert keys_of(three_days_ago(), "game_round") == []
    held = Round.objects.get()
    held.how_ended, held.ended_at = RoundEnd.PLAYED, datetime.now(UTC)
    held.save(update_fields=["how_ended", "ended_at"])
    daily_seal_take(day=two_days_ago())
    assert keys_of(two_days_ago(), "game_round") == [str(held.pk)]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE audit_entry SET reason = 'another' WHERE id = %s", "it is not as it was sealed"),
        ("UPDATE audit_entry SET data = '{\"a\": 1}' WHERE id = %s", "it is not as it was sealed"),
        ("DELETE FROM audit_entry WHERE id = %s", "it was removed: it was sealed"),
    ],
)
def test_a_sealed_row_that_was_altered_or_removed_is_named(intruder: Intruder, change: str, what: str) -> None:
    rows = [act_write(f"thing {number}") for number in range(3)]
    daily_seal_take(day=three_days_ago())
    intruder.does(change, rows[1].pk)
    assert f"audit_entry row {rows[1].pk}: {what} on {three_days_ago()}" in findings()


def test_a_row_put_among_sealed_ones_is_named(intruder: Intruder) -> None:
    act_write()
    for day in last_days():
        daily_seal_take(day=day)
        transactions_await()
    intruder.does(
        "INSERT INTO audit_entry (id, ctime, actor, action, subject, data, reason)"
        " SELECT -7, ctime, actor, action, subject, data, reason FROM audit_entry LIMIT 1"
    )
    what = "it is in no seal, and stands among rows that are sealed: it was put there later"
    assert f"audit_entry row -7: {what}" in findings()


def test_a_row_that_is_dated_back_past_the_seals_is_named(intruder: Intruder) -> None:
    for day in (three_days_ago(), two_days_ago()):
        daily_seal_take(day=day)
        transactions_await()
    round_id = uuid4()
    intruder.does(
        "INSERT INTO round_action (ctime, round_id, number, acted_by, action, events)"
        " VALUES (now() - interval '3 days', %s, 1, 'player', '{}', '[]')",
        round_id,
    )
    daily_seal_take(day=yesterday())
    assert any(finding.startswith(f"round_action row ({round_id},1): it is in no seal") for finding in findings())


def test_a_fingerprint_made_to_fit_is_named_by_the_seal(intruder: Intruder) -> None:
    act_write()
    daily_seal_take(day=three_days_ago())
    intruder.does("UPDATE audit_entry SET reason = 'another'")
    intruder.does(
        "UPDATE sealed_block SET fingerprints = ARRAY[sha256('made to fit')] FROM sealed_section"
        " WHERE sealed_section.id = section_id AND name = 'audit_entry'"
    )
    assert f"seal of {three_days_ago()}: the fingerprints of audit_entry kept with it were altered" in findings()


ALTERED_PARTS = (
    ("sealed_section", "UPDATE {} SET content = content || ' '", "its sections do not give its root"),
    ("sealed_section", "UPDATE {} SET name = 'x' WHERE type = 'moment'", "its sections do not give its root"),
    ("sealed_section", "DELETE FROM {} WHERE name = 'audit_entry'", "its sections do not give its root"),
    ("daily_seal", "UPDATE {} SET signature = repeat('0', 128)", "its signature does not hold"),
    ("daily_seal", "UPDATE {} SET key_id = 'x'", "it is signed with a key that is not in PUNTO_SIGN_KEYS"),
    ("daily_seal", "UPDATE {} SET ctime = ctime - interval '1 s'", "its time is not the one that was sealed"),
    ("sealed_block", "UPDATE {} SET section_id = -section_id", "it belongs to no seal"),
    ("sealed_block", "UPDATE {} SET number = number + 7, row_keys = row_keys || '{{x}}'", "kept with it were altered"),
)


def test_an_altered_part_of_a_seal_is_named(intruder: Intruder, subtests: pytest.Subtests) -> None:
    act_write()
    daily_seal_take(day=yesterday())
    known = tables_of(intruder.link)
    for table, change, what in ALTERED_PARTS:
        with subtests.test(change), put_back(known[table]):
            intruder.does(change.format(table))
            assert [finding for finding in findings() if what in finding]
    assert findings() == []


def test_a_table_that_was_sealed_is_never_absent_again(intruder: Intruder) -> None:
    act_write()
    daily_seal_take(day=two_days_ago())
    daily_seal_take(day=yesterday())
    intruder.does(
        "DELETE FROM sealed_section WHERE name = 'audit_entry'"
        " AND seal_id = (SELECT id FROM daily_seal WHERE day = %s)",
        yesterday(),
    )
    assert f"seal of {yesterday()}: it has no section table audit_entry, which belongs to it" in findings()


def test_former_sign_keys_hold_and_unknown_ones_do_not(settings: Settings) -> None:
    daily_seal_take(day=two_days_ago())
    (former,) = settings.PUNTO_SIGN_KEYS
    newer = "ab" * 32
    settings.PUNTO_SIGN_KEYS = (newer, former)
    yesterday_seal_take()
    assert findings() == []
    assert len({seal.key_id for seal in DailySeal.objects.all()}) == 2
    settings.PUNTO_SIGN_KEYS = (newer,)
    found = [finding for finding in findings() if "PUNTO_SIGN_KEYS" in finding]
    assert found == [
        f"seal of {two_days_ago()} in the database: it is signed with a key that is not in PUNTO_SIGN_KEYS"
    ]


def test_seals_of_format_1_stay_valid_and_are_followed_by_format_2() -> None:
    wallet = Wallet.objects.get(player=player_make())
    movements_make(wallet, 2)
    wallet.refresh_from_db()
    with transaction.atomic():
        former = DailySeal.objects.create(
            day=two_days_ago(), previous_mac="", wallet_count=0, row_count=0, heads_hash="", mac="", format=1
        )
        SealedHead.objects.create(seal=former, wallet_id=wallet.pk, row_count=2, head=wallet.head)
        heads = format_1_digest(kept_heads(former.pk))
        transaction.set_rollback(True)
    line = SealLine(day=two_days_ago(), previous_mac="", **heads._asdict(), mac="")
    line = line._replace(mac=seal_mac(line))
    former = DailySeal.objects.create(**line._asdict())
    SealedHead.objects.create(seal=former, wallet_id=wallet.pk, row_count=2, head=wallet.head)
    assert [finding for finding in findings() if str(two_days_ago()) in finding] == []
    signed = yesterday_seal_take()
    assert signed.previous_mac == former.mac
    assert list(signed.heads.values_list("wallet_id", "row_count")) == [(wallet.pk, 2)], "a signed seal keeps it too"
    assert findings() == []


def test_a_day_that_has_not_ended_is_not_sealed() -> None:
    with pytest.raises(Conflict):
        daily_seal_take(day=today() + timedelta(days=1))
    with pytest.raises(Exception, match="daily_seal_day_has_ended"), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO daily_seal (day, previous_mac, wallet_count, row_count, heads_hash, mac)"
            " VALUES ((now() AT TIME ZONE 'UTC')::date, '', 0, 0, '', '')"
        )


def test_a_seal_of_the_future_is_named_and_keeps_nobody_from_sealing(intruder: Intruder) -> None:
    daily_seal_take(day=two_days_ago())
    future = today() + timedelta(days=300)
    intruder.does(
        "INSERT INTO daily_seal (ctime, day, previous_mac, wallet_count, row_count, heads_hash, mac)"
        " SELECT %s, %s, mac, wallet_count, row_count, heads_hash, mac FROM daily_seal",
        future + timedelta(days=2), future,
    )  # fmt: skip
    yesterday_seal_take()
    assert DailySeal.objects.filter(day=yesterday()).exists()
    assert f"seal of {future}: the day has not ended by the database's clock" in findings()


def test_a_day_that_was_left_out_is_named_and_the_next_is_sealed_all_the_same() -> None:
    daily_seal_take(day=three_days_ago())
    daily_seal_take(day=yesterday())
    assert findings() == [f"seal of {two_days_ago()}: there is none, and the day has ended"]


def test_a_column_that_was_added_since_keeps_older_fingerprints_valid(superuser: psycopg.Connection) -> None:
    act_write()
    daily_seal_take(day=two_days_ago())
    superuser.execute("ALTER TABLE audit_entry ADD COLUMN tried integer DEFAULT 7")
    try:
        yesterday_seal_take()
        assert findings() == []
    finally:
        superuser.execute("ALTER TABLE audit_entry DROP COLUMN tried")


def test_many_rows_are_sealed_in_blocks(superuser: psycopg.Connection) -> None:
    superuser.execute(
        "INSERT INTO audit_entry (actor, action, subject, data, reason)"
        " SELECT 'somebody', 'test.many', n::text, '{}', '' FROM generate_series(1, 2500) AS n"
    )
    yesterday_seal_take()
    assert SealedBlock.objects.filter(section__name="audit_entry").count() == 3
    assert len(keys_of(yesterday(), "audit_entry")) == 2500
    assert SealedSection.objects.filter(type="table", name="audit_entry").count() == 1
    assert findings() == []


def test_the_proof_does_not_compare_each_sealed_row_with_each_row_of_its_table(superuser: psycopg.Connection) -> None:
    """After some days its time was the square of the number of rows, for as long as none of them differed. With a third
    of these rows PostgreSQL made no such plan."""
    for day in last_days():
        superuser.execute(
            "INSERT INTO audit_entry (actor, action, subject, data, reason)"
            " SELECT 'somebody', 'test.many', n::text, '{}', '' FROM generate_series(1, 1500) AS n"
        )
        daily_seal_take(day=day)
    superuser.execute("ANALYZE audit_entry, sealed_block, sealed_section")  # autovacuum does; few seals are no reason
    plan = proof_plan(superuser, "audit_entry")
    assert re.search("(Hash|Merge) (Left|Right) Join", plan), plan
    assert "Nested Loop Left Join" not in plan, plan


def test_the_proof_does_not_look_for_each_removed_answer_in_each_removal(superuser: psycopg.Connection) -> None:
    """Its time was the square of the answers that had ever been removed: seven seconds for 10,000 of them, and a day
    for a million."""
    superuser.execute(
        "INSERT INTO stored_answer (scope, key, body_hash, status, answer, ctime)"
        " SELECT 'play:1:a-game', n::text, '', 200, '{}', now() - interval '9 days' FROM generate_series(1, 6000) AS n"
    )
    yesterday_seal_take()
    assert stored_answers_delete(now=datetime.now(UTC)) == 6000
    assert RowRemoval.objects.count() > 1
    plan = proof_plan(superuser, "stored_answer")
    assert "row_removal" in plan
    assert "SubPlan" not in plan, plan
    assert "Nested Loop Left Join" not in plan, plan


def proof_plan(superuser: psycopg.Connection, table: str) -> str:
    """Prove the ledger, which is in order, and return the plan of the comparison of this table's rows."""
    asked = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "fingerprint IS DISTINCT FROM" in sql and params["table"] == table:
            asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert findings() == []
    ((sql, params),) = asked
    return "\n".join(line for (line,) in superuser.execute(f"EXPLAIN {sql}".encode(), params))


def test_an_amount_is_fingerprinted_to_its_last_decimal(intruder: Intruder) -> None:
    played = round_make(player_make(), stake="0", payout="0")
    yesterday_seal_take()
    intruder.does("UPDATE game_round SET balance_before = balance_before + 0.00000001 WHERE id = %s", played.pk)
    assert f"game_round row {played.pk}: it is not as it was sealed on {yesterday()}" in findings()
    assert Round.objects.get().balance_before == Decimal("0.00000001")


def answer_store(*, days_old: int) -> StoredAnswer:
    return StoredAnswer.objects.create(
        scope="play:1:a-game", key=f"key-{days_old}", body_hash=b"", status=200, answer=b"{}",
        ctime=datetime.now(UTC) - timedelta(days=days_old),
    )  # fmt: skip


def test_answers_that_are_removed_when_their_time_has_passed_are_no_finding() -> None:
    answer_store(days_old=9)
    answer_store(days_old=1)
    yesterday_seal_take()
    assert stored_answers_delete(now=datetime.now(UTC)) == 1
    assert findings() == []
    (removal,) = RowRemoval.objects.all()
    assert (removal.table_name, removal.row_keys) == ("stored_answer", ["(play:1:a-game,key-9)"])


def test_an_answer_of_less_than_seven_days_is_neither_changed_nor_removed() -> None:
    answer_store(days_old=7).delete()
    answer_store(days_old=6)
    for statement in ("DELETE FROM stored_answer", "UPDATE stored_answer SET status = 500"):
        with pytest.raises(DatabaseError, match="is refused"), connection.cursor() as cursor:
            cursor.execute(statement)


def test_an_answer_that_was_removed_past_the_triggers_is_named(intruder: Intruder) -> None:
    answer_store(days_old=9)
    yesterday_seal_take()
    intruder.does("DELETE FROM stored_answer")
    assert findings() == [f"stored_answer row (play:1:a-game,key-9): it was removed: it was sealed on {yesterday()}"]


def test_an_answer_removed_before_its_time_is_named_though_the_removal_is_written_down(intruder: Intruder) -> None:
    """The answer came after the first of the two seals, which is younger than seven days."""
    daily_seal_take(day=two_days_ago())
    answer_store(days_old=1)
    daily_seal_take(day=yesterday())
    key = "(play:1:a-game,key-1)"
    intruder.does("DELETE FROM stored_answer")
    intruder.does("INSERT INTO row_removal (table_name, row_keys) VALUES (%s, %s)", "stored_answer", [key])
    assert f"stored_answer row {key}: it was removed: it was sealed on {yesterday()}" in findings()


def test_a_removal_that_was_too_early_is_named_however_late_the_proof_is(intruder: Intruder) -> None:
    former = daily_seal_take(day=today() - timedelta(days=20))
    intruder.does("UPDATE daily_seal SET ctime = now() - interval '8 days' WHERE id = %s", former.pk)
    answer_store(days_old=1)
    daily_seal_take(day=yesterday())
    key = "(play:1:a-game,key-1)"
    intruder.does("DELETE FROM stored_answer")
    intruder.does(
        "INSERT INTO row_removal (table_name, row_keys, ctime) VALUES ('stored_answer', %s, now() - interval '2 days')",
        [key],
    )
    early = f"stored_answer row {key}: it was removed: it was sealed on {yesterday()}"
    assert early in findings()
    intruder.does("UPDATE row_removal SET ctime = now() WHERE table_name = 'stored_answer'")
    assert early not in findings()


def test_removals_are_sealed_themselves(intruder: Intruder) -> None:
    answer_store(days_old=9)
    daily_seal_take(day=two_days_ago())
    stored_answers_delete(now=datetime.now(UTC))
    daily_seal_take(day=yesterday())
    removal = RowRemoval.objects.get()
    intruder.does("UPDATE row_removal SET row_keys = row_keys || '{another}'")
    assert f"row_removal row {removal.pk}: it is not as it was sealed on {yesterday()}" in findings()
