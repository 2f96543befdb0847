"""The back office calls a user a log-in, as the documentation does."""

from django.db import migrations


class Migration(migrations.Migration):
    """Changes no table."""

    dependencies = [("accounts", "0006_by_reference")]

    operations = [
        migrations.AlterModelOptions(
            name="user", options={"verbose_name": "log-in", "verbose_name_plural": "log-ins"}
        ),
    ]
