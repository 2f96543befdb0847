"""A table's offer has uses of pay tables of its own."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("paytables", "0002_guards")]
    operations = [
        migrations.AddField("paytableuse", "table_id", models.UUIDField(null=True)),
        migrations.AddField("paytableuse", "table_version", models.BigIntegerField(null=True)),
        migrations.AddConstraint(
            "paytableuse",
            models.UniqueConstraint(
                fields=["table_id", "table_version"],
                condition=models.Q(ends__isnull=True, table_id__isnull=False),
                name="paytable_use_of_table",
            ),
        ),
        migrations.AddConstraint(
            "paytableuse",
            models.CheckConstraint(
                condition=models.Q(table_id__isnull=True, table_version__isnull=True)
                | models.Q(table_id__isnull=False, table_version__isnull=False),
                name="paytable_use_table",
            ),
        ),
        sql_file(__file__, "0003_table_use"),
    ]
