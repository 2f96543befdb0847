"""What the watch keeps is written once."""

from django.db import migrations

from apps.core.sql import append_only, history_kept

TABLES = (
    "evidence_day",
    "evidence_alarm",
    "evidence_alarm_close",
    "evidence_alarm_mail",
    "rtp_publication",
    "paytable_on_alarm",
)


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0001_initial"),
        ("audit", "0003_row_change"),
        ("core", "0002_change_refuse"),
    ]
    operations = [*append_only(*TABLES), *(history_kept(table) for table in TABLES)]
