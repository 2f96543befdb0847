"""Players keep the tiles of the lobby that they want in front."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_guest"),
    ]
    operations = [
        migrations.CreateModel(
            name="PlayerFavourite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tile", models.CharField(max_length=48)),
                ("ctime", models.DateTimeField(db_default=Now(), editable=False, verbose_name="created")),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="favourites", to="accounts.player"
                    ),
                ),
            ],
            options={
                "db_table": "player_favourite",
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("player", "tile"), name="player_favourite_one")],
            },
        ),
    ]
