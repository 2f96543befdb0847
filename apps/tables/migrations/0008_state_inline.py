"""A table's state is stored in its row and not compressed: it is written with every change."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0007_event_text")]
    operations = [sql_file(__file__, "0008_state_inline")]
