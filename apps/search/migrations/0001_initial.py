"""Saved filters of lists."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("listing", models.CharField(max_length=80)),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=1000)),
                ("is_shared", models.BooleanField(default=False)),
                (
                    "ctime",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name="created"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "saved_filter",
                "ordering": ["name"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_shared", True)), fields=["listing"], name="saved_filter_shared"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "listing", "name"), name="saved_filter_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="saved_filter_name"
                    ),
                ],
            },
        ),
    ]
