"""An embedded table may get a new code, with which its page is shown again in another language."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0007_launch")]
    operations = [sql_file(__file__, "0008_launch_code_again")]
