"""What staff had access to is written once."""

import django.db.models.functions.datetime
from django.db import migrations, models

from apps.core.sql import append_only


class Migration(migrations.Migration):
    initial = True
    dependencies = [("core", "0002_change_refuse")]
    operations = [
        migrations.CreateModel(
            name="StaffAccess",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ctime",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name="created"
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("username", models.CharField(max_length=150)),
                ("role", models.CharField(max_length=20)),
                ("partner_id", models.BigIntegerField(null=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("log_in", "logged in"),
                            ("failed", "failed to log in"),
                            ("locked", "locked after failed log-ins"),
                            ("unlocked", "unlocked"),
                            ("refused", "was refused"),
                            ("file", "saw a file"),
                            ("export", "exported"),
                        ],
                        max_length=10,
                    ),
                ),
                ("address", models.CharField(max_length=45)),
                ("page", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "verbose_name": "access of staff",
                "verbose_name_plural": "accesses of staff",
                "db_table": "staff_access",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["user_id", "-id"], name="staff_access_by_user"),
                    models.Index(fields=["ctime"], name="staff_access_by_time"),
                ],
            },
        ),
        *append_only("staff_access"),
    ]
