"""Audit entries are written once."""

from django.db import migrations

from apps.core.sql import append_only


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("core", "0002_change_refuse")]
    operations = append_only("audit_entry")
