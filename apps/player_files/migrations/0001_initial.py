"""Notes on players: written once, with their history."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from apps.core.sql import append_only, history_kept


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("accounts", "0004_guest"),
        ("audit", "0003_row_change"),
        ("core", "0002_change_refuse"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="PlayerNote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ctime",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name="created"
                    ),
                ),
                ("text", models.TextField()),
                ("is_internal", models.BooleanField()),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="accounts.player",
                    ),
                ),
            ],
            options={
                "db_table": "player_note",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["player", "-id"], name="player_note_newest")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("text", ""), _negated=True), name="player_note_text")
                ],
            },
        ),
        *append_only("player_note"),
        history_kept("player_note", hashed=["text"]),
    ]
