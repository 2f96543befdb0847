"""Actions that arrive together for a table are written together, without a statement that reads, and in fewer pages."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):
    dependencies = [("tables", "0004_action_numbers")]
    operations = [
        sql_file(__file__, "0005_batches"),
        migrations.AlterField(
            model_name="gametable",
            name="currency",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=models.deletion.PROTECT,
                related_name="+",
                to="core.currency",
            ),
        ),
        migrations.AlterField(
            model_name="gametable",
            name="partner",
            field=models.ForeignKey(
                db_index=False, on_delete=models.deletion.PROTECT, related_name="+", to="partners.partner"
            ),
        ),
    ]
