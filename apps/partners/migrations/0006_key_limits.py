"""Keys may end by themselves and be bound to addresses, and their last requests are kept."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("partners", "0005_name_once")]
    operations = [
        migrations.AddField("apikey", "expires_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "apikey",
            "allowed_addresses",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=49), blank=True, default=list, size=None
            ),
        ),
        sql_file(__file__, "0006_key_limits"),
        migrations.CreateModel(
            name="ApiKeyRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("time", models.DateTimeField()),
                ("method", models.CharField(max_length=7)),
                ("path", models.CharField(max_length=300)),
                ("status", models.SmallIntegerField()),
                ("address", models.CharField(max_length=45)),
                (
                    "key",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="requests",
                        to="partners.apikey",
                    ),
                ),
            ],
            options={
                "verbose_name": "API request",
                "db_table": "api_key_request",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["key", "-id"], name="api_key_request_by_key")],
            },
        ),
    ]
