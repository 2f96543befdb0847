"""Checks are written once."""

from django.db import migrations

from apps.core.sql import append_only, history_kept


class Migration(migrations.Migration):
    dependencies = [("build", "0001_initial"), ("core", "0002_change_refuse"), ("audit", "0003_row_change")]
    operations = [*append_only("build_check"), history_kept("build_check")]
