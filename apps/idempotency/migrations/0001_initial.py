import django.contrib.postgres.indexes
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="StoredAnswer",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "scope", "key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("scope", models.CharField(max_length=120)),
                ("key", models.CharField(max_length=128)),
                ("body_hash", models.BinaryField(max_length=32)),
                ("status", models.SmallIntegerField()),
                ("answer", models.BinaryField()),
                (
                    "ctime",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name="created"
                    ),
                ),
            ],
            options={
                "db_table": "stored_answer",
                "indexes": [
                    django.contrib.postgres.indexes.BrinIndex(fields=["ctime"], name="stored_answer_by_time")
                ],
            },
        ),
    ]
