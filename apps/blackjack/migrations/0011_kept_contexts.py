"""An action of a socket is written only if all of its context is still current, since a socket keeps contexts."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('blackjack', '0010_deviation')]

    operations = [sql_file(__file__, '0011_kept_contexts')]
