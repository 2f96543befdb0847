"""Refills of play money: a kind of movement of their own, with rules of their own."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("wallet", "0002_ledger"), ("core", "0003_play_money")]
    operations = [
        migrations.AlterField(
            model_name="wallettransaction",
            name="kind",
            field=models.CharField(
                choices=[
                    ("deposit", "deposit"), ("withdrawal", "withdrawal"), ("bet", "bet"), ("reward", "reward"),
                    ("refund", "refund"), ("adjustment", "adjustment"), ("refill", "refill"),
                ],
                max_length=10,
            ),
        ),
        sql_file(__file__, "0003_refill"),
    ]
