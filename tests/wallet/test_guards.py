"""Changes that the database refuses: to the servers' role by privileges, to the owner by triggers."""

from decimal import Decimal

import psycopg
import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from psycopg import errors
from simple_history.models import HistoricalChanges

from apps.core.models import AppendOnly
from apps.fairness.models import SeedPair
from apps.rounds.models import RoundEnd
from apps.wallet.models import HouseAccount, Wallet, WalletTransaction
from tests.support.factories import player_make
from tests.support.ledger import round_make

pytestmark = pytest.mark.django_db

APPEND_ONLY_TABLES = {
    model._meta.db_table: model._meta.concrete_fields[0].column
    for model in apps.get_models()
    if issubclass(model, (AppendOnly, HistoricalChanges, HouseAccount))
}
"""The tables, each with one of its columns."""
CHANGES = ["UPDATE {} SET {column} = {column}", "DELETE FROM {}", "TRUNCATE {} CASCADE"]


@pytest.fixture
def wallet() -> Wallet:
    return Wallet.objects.get(player=player_make(balance=Decimal(10)))


def refusal(statement: str, *, as_owner: bool = False) -> psycopg.Error:
    """Run one statement that must be refused, and return PostgreSQL's refusal."""

    def run() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            if as_owner:
                cursor.execute("RESET ROLE")
            cursor.execute(statement)

    with pytest.raises(DatabaseError) as refused:
        run()
    cause = refused.value.__cause__
    assert isinstance(cause, psycopg.Error)
    return cause


def test_the_append_only_tables_are_the_expected_ones() -> None:
    assert {
        "audit_entry", "baccarat_config_history", "baccarat_game_record", "daily_seal", "house_account",
        "house_snapshot", "round_action", "round_void", "sealed_head", "wallet_transaction",
    } <= APPEND_ONLY_TABLES.keys()  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("table", sorted(APPEND_ONLY_TABLES))
def test_a_row_of_an_append_only_table_cannot_change(table: str, change: str) -> None:
    """The table may be empty: the privilege is missing, and the trigger fires for the statement."""
    statement = change.format(table, column=APPEND_ONLY_TABLES[table])
    assert isinstance(refusal(statement), errors.InsufficientPrivilege)
    assert isinstance(refusal(statement, as_owner=True), errors.RestrictViolation)


@pytest.mark.parametrize(
    "change",
    ["balance = balance + 1", "row_count = 0", "head = ''", "player_id = player_id", "house_account_id = 1"],
)
def test_a_wallet_changes_with_its_ledger_alone(wallet: Wallet, change: str) -> None:
    assert isinstance(refusal(f"UPDATE wallet SET {change}"), errors.InsufficientPrivilege)


@pytest.mark.parametrize(
    "change",
    [
        "balance = balance + 1",
        "row_count = 0",
        "head = ''",
        "player_id = player_id + 1",
        "currency_id = 'EUR'",
        "house_account_id = house_account_id + 1",
    ],
)
def test_the_owner_cannot_change_a_wallet(wallet: Wallet, change: str) -> None:
    assert isinstance(refusal(f"UPDATE wallet SET {change}", as_owner=True), errors.RestrictViolation)


@pytest.mark.parametrize("table", ["wallet", "game_round", "seed_pair", "house_account"])
@pytest.mark.parametrize("as_owner", [False, True])
def test_money_and_rounds_cannot_be_deleted(table: str, as_owner: bool) -> None:
    expected = errors.RestrictViolation if as_owner else (errors.RestrictViolation, errors.InsufficientPrivilege)
    for statement in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
        assert isinstance(refusal(statement, as_owner=as_owner), expected)


def test_a_house_account_cannot_change_its_partner(wallet: Wallet) -> None:
    change = "UPDATE house_account SET partner_id = partner_id + 1"
    assert isinstance(refusal(change), errors.InsufficientPrivilege)
    assert isinstance(refusal(change, as_owner=True), errors.RestrictViolation)


@pytest.mark.parametrize("change", ["payout = payout + 1", "detail = '{}'", "ended_at = now()", "stake = 0"])
@pytest.mark.parametrize("as_owner", [False, True])
def test_an_ended_round_cannot_change(wallet: Wallet, change: str, as_owner: bool) -> None:
    round_make(wallet.player, stake="1", payout="0")
    assert isinstance(refusal(f"UPDATE game_round SET {change}", as_owner=as_owner), errors.RestrictViolation)


@pytest.mark.parametrize(
    "change",
    [
        "id = gen_random_uuid()",
        "partner_id = partner_id + 1",
        "player_id = player_id + 1",
        "currency_id = 'EUR'",
        "game = 'x'",
        "started_at = now() + interval '1 second'",
        "seed_pair_id = seed_pair_id + 1",
        "nonce = nonce + 1",
        "config_version = config_version + 1",
        "paytable_id = 1",
        "terms = '{\"decks\": 1}'",
        "balance_before = balance_before + 1",
        "stake = stake - 1",
        "payout = payout - 1",
    ],
)
def test_an_open_round_keeps_what_it_was_dealt_with(wallet: Wallet, change: str) -> None:
    round_make(wallet.player, stake="1", payout="1", how_ended=RoundEnd.OPEN)
    for as_owner in (False, True):
        error = refusal(f"UPDATE game_round SET {change}", as_owner=as_owner)
        assert isinstance(error, errors.RestrictViolation)
        assert "keeps what it was dealt with" in str(error)


@pytest.mark.parametrize("change", ["commitment = 'x'", "next_nonce = next_nonce - 1", "sealed_seed = 'x'"])
@pytest.mark.parametrize("as_owner", [False, True])
def test_a_seed_pair_cannot_go_back(wallet: Wallet, change: str, as_owner: bool) -> None:
    round_make(wallet.player, stake="1", payout="0")
    assert SeedPair.objects.exists()
    assert isinstance(refusal(f"UPDATE seed_pair SET {change}", as_owner=as_owner), errors.RestrictViolation)


@pytest.mark.parametrize(("column", "value"), [("balance", "5"), ("row_count", "1"), ("head", "'x'")])
def test_a_wallet_begins_empty(wallet: Wallet, column: str, value: str) -> None:
    columns = "player_id, house_account_id, status, currency_id"
    error = refusal(
        f"INSERT INTO wallet ({columns}, {column})"
        f" SELECT player_id, house_account_id, status, 'EUR', {value} FROM wallet"
    )
    assert isinstance(error, errors.CheckViolation)
    assert "begins empty" in str(error)


def test_values_computed_by_the_ledger_cannot_be_inserted(wallet: Wallet) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO wallet_transaction"
            " (wallet_id, house_account_id, number, kind, change, balance_after, source_key, reason, hash)"
            " VALUES (%s, 0, 77, 'deposit', 1, 999, 'k', '', 'chosen')",
            [wallet.pk],
        )
    row = WalletTransaction.objects.get(source_key="k")
    assert (row.number, row.balance_after, row.house_account_id) == (2, 11, wallet.house_account_id)
    wallet.refresh_from_db()
    assert (wallet.balance, bytes(wallet.head)) == (11, bytes(row.hash))
    assert bytes(row.hash) != b"chosen"


def test_a_movement_of_nan_is_refused(wallet: Wallet) -> None:
    error = refusal(
        "INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, reason)"
        f" VALUES ({wallet.pk}, 'deposit', 'NaN', 'k', '')"
    )
    assert isinstance(error, errors.CheckViolation)
