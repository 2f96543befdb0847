"""A server seed stays secret as long as a round that it deals is open."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0003_voided_while_open"), ("fairness", "0002_seed_guard")]
    operations = [sql_file(__file__, "0004_open_round_keeps_seed")]
