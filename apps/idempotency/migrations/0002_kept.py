"""Stored answers are written once, kept for their time, and their removal is written down."""

from django.db import migrations

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("idempotency", "0001_initial"),
        ("core", "0002_change_refuse"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        sql_file(__file__, "0002_kept"),
    ]
