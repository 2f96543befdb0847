"""The relations back from partner, player and round are named by a pattern. Nothing of the database changes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("baccarat", "0006_former_settle")]
    operations = [
        migrations.AlterField(
            model_name="baccaratconfig",
            name="partner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="%(app_label)s_configs",
                to="partners.partner",
            ),
        ),
        migrations.AlterField(
            model_name="baccaratgamerecord",
            name="player",
            field=models.ForeignKey(
                db_column="user_id",
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="%(app_label)s_records",
                to="accounts.player",
            ),
        ),
        migrations.AlterField(
            model_name="baccaratgamerecord",
            name="round",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="%(app_label)s_records",
                to="rounds.round",
            ),
        ),
    ]
