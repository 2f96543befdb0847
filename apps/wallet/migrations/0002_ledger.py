"""The triggers that make the ledger keep itself."""

from django.db import migrations

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [("wallet", "0001_initial"), ("core", "0002_change_refuse")]
    operations = [
        sql_file(__file__, "0002_ledger"),
        *append_only("wallet_transaction", "house_snapshot", "daily_seal", "sealed_head", "house_account"),
    ]
