"""Events and thresholds are written once; all events are one chain."""

from django.db import migrations

from apps.core.sql import append_only, history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [("events", "0001_initial"), ("core", "0002_change_refuse"), ("audit", "0003_row_change")]
    operations = [
        sql_file(__file__, "0002_chain"),
        *append_only("significant_event", "event_link", "event_threshold"),
        history_kept("event_threshold"),
    ]
