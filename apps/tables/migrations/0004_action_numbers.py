"""A round's actions are counted from 1 also where a change has actions of the round before."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0003_history")]
    operations = [sql_file(__file__, "0004_action_numbers")]
