"""A database that another version of Punto has migrated."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def as_owner() -> None:
    """Run as the owner, who migrates; tests have the servers' role otherwise."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


def test_an_unknown_migration_is_named_and_nothing_is_migrated() -> None:
    MigrationRecorder(connection).record_applied("wallet", "0009_of_tomorrow")
    with pytest.raises(CommandError, match=r"another version of Punto: wallet\.0009_of_tomorrow is not known here"):
        call_command("migrate", verbosity=0)


def test_our_own_migrations_are_known() -> None:
    call_command("migrate", verbosity=0)
    assert ("wallet", "0002_ledger") in MigrationRecorder(connection).applied_migrations()
