"""A timeline reads a partner's events in the order of their times."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

# Among millions of rows an index takes longer than the servers' statements may, and it waits for all that run.
_NO_LIMITS = "SET statement_timeout = 0; SET lock_timeout = 0"
_LIMITS = "RESET statement_timeout; RESET lock_timeout"


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL builds an index beside acts only outside of a transaction

    dependencies = [("events", "0003_policy_watch")]

    operations = [
        migrations.RunSQL(_NO_LIMITS, _LIMITS),
        # A build that was ended leaves an index that is not valid.
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS event_by_partner_time", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "significantevent", models.Index(fields=["partner_id", "-ctime"], name="event_by_partner_time")
        ),
        migrations.RunSQL(_LIMITS, _NO_LIMITS),
    ]
