"""Acts are found by kind, by their subject and by who did them, for first pages, timelines and players' files."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_row_change")]
    operations = [
        migrations.AddIndex("auditentry", models.Index(fields=["action", "-ctime"], name="audit_entry_by_action")),
        migrations.AddIndex(
            "auditentry", models.Index(fields=["subject", "-id"], name="audit_entry_by_subject")
        ),
        migrations.AddIndex(
            "auditentry", models.Index(fields=["actor_user_id", "-id"], name="audit_entry_by_actor")
        ),
    ]
