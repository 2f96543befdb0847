"""The history of changeable rows: the transaction of a change writes it, and the proof compares the rows with it."""

from decimal import Decimal

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.audit.models import RowChange
from apps.audit.row_changes_check import row_changes_check
from apps.audit.services import audit_record
from apps.core.database_snapshot import one_moment
from apps.partners.services import api_key_create
from apps.rounds.game_sessions import game_session_hold, game_session_open
from apps.wallet.models import Wallet, WalletStatus
from apps.wallet.services import wallet_status_set
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.ledger import Intruder, movements_make
from tests.support.nonces import nonce_take

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


def findings() -> list[str]:
    with one_moment(read_only=True):
        return [f"{finding.where}: {finding.what}" for finding in row_changes_check(at_most=20).findings]


def history(table: str, key: object) -> list[tuple[str, dict[str, object]]]:
    rows = RowChange.objects.filter(table_name=table, row_key=str(key)).order_by("number")
    return [(row.op, row.content) for row in rows]


def test_lawful_changes_are_kept_in_order_and_nothing_is_found() -> None:
    player = player_make(balance=Decimal(10))
    operator = staff_make(Role.OPERATOR)
    wallet = Wallet.objects.get(player=player)
    wallet_status_set(operator=operator, wallet=wallet, status=WalletStatus.BLOCKED, reason="a test")
    player_status_set(operator=operator, player=player, status=PlayerStatus.BLOCKED, reason="a test")
    assert [(op, content["status"]) for op, content in history("wallet", wallet.pk)] == [
        ("+", "active"), ("~", "blocked"),
    ]  # fmt: skip
    assert [content["status"] for _, content in history("player", player.pk)] == ["active", "blocked"]
    assert findings() == []


def test_what_a_bet_changes_writes_no_history() -> None:
    """Balance, nonce and the socket of a session follow from other records, and change too often for a history."""
    player = player_make()
    wallet = Wallet.objects.get(player=player)
    session, _ = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    before = RowChange.objects.count()
    movements_make(wallet, 3)
    with transaction.atomic():
        nonce_take(player_id=player.pk)
    game_session_hold(session_id=session.pk, connection="a-socket")
    assert RowChange.objects.count() == before
    assert findings() == []


def test_secrets_and_personal_data_are_kept_as_hashes() -> None:
    user = user_make()
    partner = partner_make()
    with transaction.atomic():
        _, text = api_key_create(partner=partner, name="a key", scopes=["read"], actor="test")
    session, token = game_session_open(player=player_make(), game="og-baccarat", currency_code="FUN")
    game_session_hold(session_id=session.pk, connection="a-socket", address="192.0.2.77")
    kept = str(list(RowChange.objects.values_list("content", flat=True)))
    for secret in (user.password, user.email, text, token, "192.0.2.77"):
        assert secret not in kept
    assert history("account_user", user.pk)[0][1]["password"].startswith("sha256:")  # type: ignore[attr-defined]


def test_a_change_finds_the_former_one_by_the_index_however_long_the_history_is(superuser: psycopg.Connection) -> None:
    """The index is used even though a scan of such a small table would be quick, since the setting avoids scans."""
    superuser.execute("DISCARD PLANS")
    with superuser.transaction():
        superuser.execute("SET LOCAL enable_seqscan = off")
        superuser.execute("INSERT INTO auth_group (name) VALUES ('those who may'), ('those who might')")
        superuser.execute("UPDATE auth_group SET name = name || ' now'")
        scans = superuser.execute(
            "SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'row_change'"
        ).fetchone()
    assert scans == (0, 4)
    assert findings() == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE wallet SET status = 'blocked'", 'its status is "blocked", and its history ends with "active"'),
        ("UPDATE player SET partner_id = partner_id + 1", "its partner_id is"),
        ("UPDATE api_key SET scopes = '{read,wallets}'", 'its scopes is ["read", "wallets"], and its history'),
        ("UPDATE account_user SET role = 'operator'", 'its role is "operator", and its history ends with "player"'),
        ("UPDATE account_user SET password = 'x'", "its password is not the one that its history ends with"),
        ("UPDATE currency SET play_grant = 7 WHERE code = 'FUN'", "its play_grant is 7.0, and its history ends with"),
        ("UPDATE seed_pair SET client_seed = 'theirs' WHERE status = 'active'", 'its client_seed is "theirs"'),
        ("UPDATE seed_pair SET sealed_seed = 'x'", "its sealed_seed is not the one that its history ends with"),
        ("UPDATE audit_entry SET action = 'x'", 'its action is "x", and its history ends with'),
        ("DELETE FROM api_key", "it was removed, and its history does not say so"),
        (
            "INSERT INTO house_account (partner_id, currency_id) SELECT id, 'JPY' FROM partner LIMIT 1",
            "it has no history: it was put there past the triggers",
        ),
        (
            "INSERT INTO auth_group (name) VALUES ('those who may')",
            "it has no history: it was put there past the triggers",
        ),
    ],
)
def test_a_row_that_was_changed_past_the_triggers_is_named(intruder: Intruder, change: str, found: str) -> None:
    with transaction.atomic():
        api_key_create(partner=player_make(user=user_make()).partner, name="a key", scopes=["read"], actor="test")
    assert findings() == []
    try:
        intruder.does(change)
        assert [finding for finding in findings() if found in finding]
    finally:
        intruder.link.execute("UPDATE currency SET play_grant = 1000 WHERE code = 'FUN'")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ('UPDATE row_change SET content = content || \'{"status": "open"}\' WHERE number = 2', "it was altered"),
        ("UPDATE row_change SET op = '+' WHERE number = 2", "it was altered"),
        ("UPDATE row_change SET ctime = ctime - interval '1 us' WHERE number = 2", "it was altered"),
        ("UPDATE row_change SET hash = sha256(hash) WHERE number = 2", "it was altered"),
        ("UPDATE row_change SET row_key = '0' WHERE number = 2", "was removed"),
        ("DELETE FROM row_change WHERE number = 1 AND table_name = 'wallet'", "was removed: version 2 follows"),
        ("DELETE FROM row_change WHERE number = 2", 'its status is "blocked", and its history ends with "active"'),
    ],
)
def test_an_altered_history_is_named(intruder: Intruder, change: str, found: str) -> None:
    wallet = Wallet.objects.get(player=player_make())
    operator = staff_make(Role.OPERATOR)
    wallet_status_set(operator=operator, wallet=wallet, status=WalletStatus.BLOCKED, reason="a test")
    intruder.does(change)
    assert [finding for finding in findings() if found in finding]


@pytest.mark.parametrize("off", ["DISABLE", "ENABLE REPLICA"])
def test_a_trigger_that_is_off_or_gone_is_named(superuser: psycopg.Connection, off: str) -> None:
    with transaction.atomic():
        audit_record(actor="somebody", action="a.b", subject="c")
    superuser.execute(f"ALTER TABLE audit_entry {off} TRIGGER audit_entry_history".encode())
    try:
        assert findings() == ["table audit_entry: its trigger audit_entry_history is switched off"]
    finally:
        superuser.execute("ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_history")
    superuser.execute("ALTER TABLE audit_entry RENAME TO audit_entry_hidden")
    try:
        assert "table audit_entry: no trigger keeps its history any more" in findings()
    finally:
        superuser.execute("ALTER TABLE audit_entry_hidden RENAME TO audit_entry")


def test_the_servers_cannot_write_history_themselves() -> None:
    row = "(table_name, row_key, number, op, content, hash) VALUES ('t', '1', 1, '+', '{}', '')"
    for statement, what in (
        (f"INSERT INTO row_change {row}", "table row_change"),
        ("INSERT INTO row_removal (table_name, row_keys) VALUES ('stored_answer', '{a}')", "table row_removal"),
        ("SELECT row_change_append('t', '1', '+', '{}')", "function row_change_append"),
    ):
        refusal = pytest.raises(DatabaseError, match=f"permission denied for {what}")
        with refusal, connection.cursor() as cursor:
            cursor.execute(statement)


def test_each_column_of_a_table_with_a_history_is_watched_or_left_out(superuser: psycopg.Connection) -> None:
    """An UPDATE trigger of named columns overlooks a column that is added later, so the migration that adds it must
    name it there."""
    overlooked = superuser.execute(
        "SELECT tgrelid::regclass::text, attname FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"
        " JOIN pg_attribute ON attrelid = tgrelid AND attnum > 0 AND NOT attisdropped"
        " WHERE proname = 'row_change_record' AND tgattr <> '' AND attnum <> ALL (tgattr::int2[])"
        " AND attname <> ALL (string_to_array(split_part(encode(tgargs, 'escape'), '\\000', 2), ','))"
    ).fetchall()
    assert overlooked == []


def test_rows_that_are_there_when_a_history_begins_are_in_it(superuser: psycopg.Connection) -> None:
    """An earlier migration created the currencies."""
    ops = RowChange.objects.filter(table_name="currency").values_list("op", flat=True)
    assert set(ops) == {"="}
    assert superuser.execute("SELECT count(*) FROM currency").fetchone() == (len(ops),)
