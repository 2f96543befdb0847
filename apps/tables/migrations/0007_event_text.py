"""Events are stored as text, and a seat's round is written once when it ends."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0006_movement_order")]
    operations = [
        migrations.AlterField(model_name="tableevent", name="events", field=models.TextField()),
        sql_file(__file__, "0007_event_text"),
    ]
