"""A timeline reads a partner's and a log-in's acts in the order of their times. It replaces two indexes."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

# Among millions of rows an index takes longer than the servers' statements may, and it waits for all that run.
_NO_LIMITS = "SET statement_timeout = 0; SET lock_timeout = 0"
_LIMITS = "RESET statement_timeout; RESET lock_timeout"


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL builds an index beside acts only outside of a transaction

    dependencies = [("audit", "0005_row_change_index")]

    operations = [
        migrations.RunSQL(_NO_LIMITS, _LIMITS),
        # A build that was ended leaves an index that is not valid.
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS audit_entry_by_actor_time", migrations.RunSQL.noop),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS audit_entry_by_partner_time", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "auditentry", models.Index(fields=["actor_user_id", "-ctime"], name="audit_entry_by_actor_time")
        ),
        AddIndexConcurrently(
            "auditentry", models.Index(fields=["partner_id", "-ctime"], name="audit_entry_by_partner_time")
        ),
        RemoveIndexConcurrently("auditentry", "audit_entry_by_actor"),
        migrations.AlterField("auditentry", "partner_id", models.BigIntegerField(null=True)),
        migrations.RunSQL(_LIMITS, _NO_LIMITS),
    ]
