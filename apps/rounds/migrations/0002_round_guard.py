"""Rounds end once; their actions and voids are written once; a server seed stays secret while its round is open."""

from django.db import migrations

from apps.core.sql import append_only, sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0001_initial"), ("core", "0002_change_refuse"), ("fairness", "0002_seed_guard")]
    operations = [sql_file(__file__, "0002_round_guard"), *append_only("round_action", "round_void")]
