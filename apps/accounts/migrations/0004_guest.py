"""Guests: players without a log-in, until they sign up."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_language_time_zone")]
    operations = [
        migrations.AddField("player", "is_guest", models.BooleanField(default=False)),
        migrations.AddConstraint(
            "player",
            models.CheckConstraint(
                condition=models.Q(("is_guest", False), ("user__isnull", True), _connector="OR"),
                name="player_guest_has_no_user",
            ),
        ),
        migrations.AddIndex(
            "player",
            models.Index(condition=models.Q(("is_guest", True)), fields=["ctime"], name="player_guests"),
        ),
    ]
