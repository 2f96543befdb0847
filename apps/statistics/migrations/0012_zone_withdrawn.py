"""A time zone that was chosen and has not begun can be withdrawn; its row stays, with who withdrew it, when and why."""

from django.db import migrations, models

from apps.core.sql import sql_file


class Migration(migrations.Migration):

    dependencies = [('statistics', '0011_hour_bets')]

    operations = [
        migrations.AddField(
            model_name='partnerzone',
            name='withdrawn_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='partnerzone',
            name='withdrawn_by',
            field=models.CharField(blank=True, db_default='', default='', max_length=160),
        ),
        migrations.AddField(
            model_name='partnerzone',
            name='withdrawn_reason',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.RemoveConstraint(model_name='partnerzone', name='partner_zone_from'),
        migrations.AddConstraint(
            model_name='partnerzone',
            constraint=models.UniqueConstraint(
                condition=models.Q(('withdrawn_at__isnull', True)),
                fields=('partner', 'from_day'),
                name='partner_zone_from',
            ),
        ),
        migrations.AddConstraint(
            model_name='partnerzone',
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(('withdrawn_at__isnull', True), ('withdrawn_by', ''), ('withdrawn_reason', '')),
                    models.Q(
                        ('withdrawn_at__isnull', False),
                        models.Q(('withdrawn_by', ''), _negated=True),
                        models.Q(('withdrawn_reason', ''), _negated=True),
                    ),
                    _connector='OR',
                ),
                name='partner_zone_withdrawn',
            ),
        ),
        sql_file(__file__, '0012_zone_withdrawn'),
    ]
