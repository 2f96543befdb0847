"""Stakes on the rounds of tables: a round without a seed pair of the player's, whose stake may be taken back."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("rounds", "0004_history")]
    operations = [
        migrations.AddField("round", "table_round", models.UUIDField(editable=False, null=True)),
        migrations.AddField("round", "seat", models.PositiveSmallIntegerField(editable=False, null=True)),
        migrations.AlterField(
            "round",
            "seed_pair",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rounds",
                to="fairness.seedpair",
            ),
        ),
        migrations.AlterField(
            "round",
            "how_ended",
            models.CharField(
                blank=True,
                choices=[
                    ("", "open"),
                    ("played", "played"),
                    ("auto_completed", "auto-completed"),
                    ("voided", "voided while open"),
                    ("withdrawn", "withdrawn"),
                ],
                default="",
                max_length=20,
            ),
        ),
        migrations.RemoveConstraint("round", "game_round_one_open"),
        migrations.AddConstraint(
            "round",
            models.UniqueConstraint(
                condition=models.Q(("how_ended", "")),
                fields=("player", "game", "table_round"),
                name="game_round_one_open",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            "round",
            models.UniqueConstraint(
                condition=models.Q(("table_round__isnull", False)),
                fields=("table_round", "player"),
                name="game_round_table_once",
            ),
        ),
        migrations.AddConstraint(
            "round",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("seat__isnull", True), ("seed_pair__isnull", False), ("table_round__isnull", True)),
                    models.Q(("seat__isnull", False), ("seed_pair__isnull", True), ("table_round__isnull", False)),
                    _connector="OR",
                ),
                name="game_round_dealt_from",
            ),
        ),
        sql_file(__file__, "0005_table_round"),
    ]
