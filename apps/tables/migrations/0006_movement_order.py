"""Movements of one wallet in a change are booked in their order: a payout before the next round's stake."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0005_batches")]
    operations = [sql_file(__file__, "0006_movement_order")]
