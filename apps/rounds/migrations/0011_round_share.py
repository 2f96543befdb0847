"""Players show rounds to others by a link."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

from apps.core.sql import history_kept, sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("rounds", "0010_device"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        migrations.CreateModel(
            name="RoundShare",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(editable=False, max_length=32, unique=True)),
                ("ctime", models.DateTimeField(db_default=Now(), editable=False, verbose_name="created")),
                ("withdrawn_at", models.DateTimeField(editable=False, null=True)),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="shares", to="rounds.round"
                    ),
                ),
            ],
            options={
                "db_table": "round_share",
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("withdrawn_at__isnull", True)), fields=("round",), name="round_share_one"
                    )
                ],
            },
        ),
        sql_file(__file__, "0011_round_share"),
        history_kept("round_share", hashed=["code"]),
    ]
