"""Movements that are no play are found without reading those that are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wallet", "0005_history")]
    operations = [
        migrations.AddIndex(
            "wallettransaction",
            models.Index(
                condition=models.Q(kind__in=["deposit", "withdrawal", "adjustment", "refill"]),
                fields=["wallet", "-id"],
                name="wallet_transaction_transfers",
            ),
        ),
    ]
