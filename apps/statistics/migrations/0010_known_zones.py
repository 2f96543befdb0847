"""A partner's time zone is looked for among PostgreSQL's names only if no partner has it."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('statistics', '0009_partner_hour')]

    operations = [sql_file(__file__, '0010_known_zones')]
