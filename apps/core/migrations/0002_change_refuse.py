"""The function behind every append-only table, and the currencies every installation starts with."""

from django.db import migrations

from apps.core.sql import sql_file

CURRENCIES = [("FUN", "play money", 2), ("EUR", "euro", 2), ("JPY", "yen", 0), ("BTC", "bitcoin", 8)]


def currencies_create(apps, schema_editor):
    """Fill the table `currency`."""
    currency = apps.get_model("core", "Currency")
    currency.objects.bulk_create(currency(code=code, name=name, decimals=n) for code, name, n in CURRENCIES)


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]
    operations = [
        sql_file(__file__, "0002_change_refuse"),
        migrations.RunPython(currencies_create, migrations.RunPython.noop),
    ]
