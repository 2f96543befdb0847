"""A house account's balance is a sum over all its wallets, which a column for an amount may not hold.

The number of decimals stays, so PostgreSQL rewrites no row.
"""

from django.db import migrations

from apps.core.models import AmountSumField


class Migration(migrations.Migration):
    dependencies = [("wallet", "0008_newest_transfers")]

    operations = [
        migrations.AlterField("housesnapshot", "balance", AmountSumField()),
    ]
