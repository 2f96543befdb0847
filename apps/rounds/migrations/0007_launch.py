"""Wishes of a launch, and the one-time code of an embedded table."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0006_paytable")]
    operations = [
        migrations.AddField("gamesession", "cashier_url", models.URLField(blank=True, default="")),
        migrations.AddField("gamesession", "language", models.CharField(blank=True, default="", max_length=8)),
        migrations.AddField(
            "gamesession", "code_hash", models.CharField(editable=False, max_length=64, null=True, unique=True)
        ),
        migrations.AddField("gamesession", "code_expires_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("gamesession", "code_spent_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddConstraint(
            "gamesession",
            models.CheckConstraint(
                condition=models.Q(code_expires_at__isnull=True, code_hash__isnull=True, code_spent_at__isnull=True)
                | models.Q(code_expires_at__isnull=False, code_hash__isnull=False, code_spent_at__isnull=True)
                | models.Q(
                    code_expires_at__isnull=False,
                    code_hash__isnull=False,
                    code_spent_at__lt=models.F("code_expires_at"),
                ),
                name="game_session_code",
            ),
        ),
        sql_file(__file__, "0007_launch"),
    ]
