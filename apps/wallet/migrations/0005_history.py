"""How wallets came to be as they are, but for what their ledger says, is kept; so are house accounts."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("wallet", "0004_seal_format_2"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("wallet", left_out=["balance", "row_count", "head"], by_columns=True),
        history_kept("house_account"),
        history_kept("house_snapshot"),
    ]
