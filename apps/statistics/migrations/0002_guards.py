"""Closed days never change."""

from django.db import migrations

from apps.core.sql import append_only, history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("statistics", "0001_initial"),
        ("audit", "0003_row_change"),
        ("core", "0002_change_refuse"),
    ]
    operations = [
        sql_file(__file__, "0002_guards"),
        *append_only("statistics_day", "partner_zone"),
        history_kept("statistics_day"),
        history_kept("partner_zone"),
    ]
