"""No round begins where a switch is off; how each switch came to be as it is is kept."""

from django.db import migrations

from apps.core.sql import history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("switches", "0001_initial"),
        ("audit", "0003_row_change"),
        ("core", "0002_change_refuse"),
        ("rounds", "0009_round_by_end"),
        ("tables", "0006_movement_order"),
    ]
    operations = [sql_file(__file__, "0002_guard"), history_kept("switch")]
