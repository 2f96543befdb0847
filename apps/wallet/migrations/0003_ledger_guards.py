"""What the ledger refuses besides: NaN, another house account than a wallet began with, a fork of the seals."""

from django.db import migrations, models

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [("wallet", "0002_ledger")]
    operations = [
        sql_file(__file__, "0003_ledger_guards"),
        *append_only("house_account"),
        migrations.AddConstraint(
            model_name="dailyseal",
            constraint=models.UniqueConstraint(fields=["previous_mac"], name="daily_seal_follows_one"),
        ),
    ]
