import apps.core.models
import django.db.models.deletion
import django.db.models.functions.datetime
import simple_history.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0002_change_refuse'),
        ('partners', '0001_initial'),
        ('rounds', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BlackjackConfig',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('active', models.BooleanField(default=True)),
                ('bet_min', apps.core.models.AmountField(decimal_places=8, help_text='0 allows free play', max_digits=20)),
                ('bet_max', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('perfect_pairs_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('perfect_pairs_max', apps.core.models.AmountField(decimal_places=8, help_text='0 turns the side bet off', max_digits=20)),
                ('poker_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('poker_max', apps.core.models.AmountField(decimal_places=8, help_text='0 turns the side bet off', max_digits=20)),
                ('version', models.BigIntegerField(default=1, editable=False)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='blackjack_configs', to='partners.partner')),
            ],
            options={
                'verbose_name': 'blackjack limits',
                'verbose_name_plural': 'blackjack limits',
                'db_table': 'blackjack_config',
                'ordering': ['partner', 'currency'],
            },
        ),
        migrations.CreateModel(
            name='BlackjackTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=2)),
                ('rules', models.JSONField()),
                ('perfect_pairs_odds', models.JSONField()),
                ('poker_odds', models.JSONField()),
                ('fingerprint', models.CharField(editable=False, max_length=64)),
                ('house_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12, null=True)),
                ('perfect_pairs_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12)),
                ('poker_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12)),
                ('reason', models.TextField(blank=True, default='', editable=False)),
                ('confirmed_by', models.CharField(blank=True, default='', editable=False, max_length=160)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('config', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='terms', to='blackjack.blackjackconfig')),
            ],
            options={
                'verbose_name': 'blackjack rules and odds',
                'verbose_name_plural': 'blackjack rules and odds',
                'db_table': 'blackjack_terms',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='BlackjackRound',
            fields=[
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='blackjack', serialize=False, to='rounds.round')),
                ('state', models.JSONField()),
                ('action_count', models.IntegerField(default=1)),
                ('acted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('terms', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blackjack.blackjackterms')),
            ],
            options={
                'db_table': 'blackjack_round',
            },
        ),
        migrations.CreateModel(
            name='HistoricalBlackjackConfig',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('active', models.BooleanField(default=True)),
                ('bet_min', apps.core.models.AmountField(decimal_places=8, help_text='0 allows free play', max_digits=20)),
                ('bet_max', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('perfect_pairs_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('perfect_pairs_max', apps.core.models.AmountField(decimal_places=8, help_text='0 turns the side bet off', max_digits=20)),
                ('poker_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('poker_max', apps.core.models.AmountField(decimal_places=8, help_text='0 turns the side bet off', max_digits=20)),
                ('version', models.BigIntegerField(default=1, editable=False)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(blank=True, editable=False, verbose_name='changed')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('currency', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='core.currency')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='partners.partner')),
            ],
            options={
                'verbose_name': 'historical blackjack limits',
                'verbose_name_plural': 'historical blackjack limits',
                'db_table': 'blackjack_config_history',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalBlackjackTerms',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=2)),
                ('rules', models.JSONField()),
                ('perfect_pairs_odds', models.JSONField()),
                ('poker_odds', models.JSONField()),
                ('fingerprint', models.CharField(editable=False, max_length=64)),
                ('house_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12, null=True)),
                ('perfect_pairs_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12)),
                ('poker_edge', models.DecimalField(decimal_places=8, editable=False, max_digits=12)),
                ('reason', models.TextField(blank=True, default='', editable=False)),
                ('confirmed_by', models.CharField(blank=True, default='', editable=False, max_length=160)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(blank=True, editable=False, verbose_name='changed')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('config', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='blackjack.blackjackconfig')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical blackjack rules and odds',
                'verbose_name_plural': 'historical blackjack rules and odds',
                'db_table': 'blackjack_terms_history',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.AddConstraint(
            model_name='blackjackconfig',
            constraint=models.UniqueConstraint(fields=('partner', 'currency'), name='blackjack_config_one'),
        ),
        migrations.AddConstraint(
            model_name='blackjackconfig',
            constraint=models.CheckConstraint(condition=models.Q(('bet_min__gte', 0), ('perfect_pairs_min__gte', 0), ('poker_min__gte', 0)), name='blackjack_config_min'),
        ),
        migrations.AddConstraint(
            model_name='blackjackconfig',
            constraint=models.CheckConstraint(condition=models.Q(('bet_max__gte', models.F('bet_min')), ('perfect_pairs_max__gte', models.F('perfect_pairs_min')), ('poker_max__gte', models.F('poker_min'))), name='blackjack_config_max'),
        ),
        migrations.AddConstraint(
            model_name='blackjackterms',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 1)), fields=('config',), name='blackjack_terms_active'),
        ),
        migrations.AddConstraint(
            model_name='blackjackterms',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 2)), fields=('config',), name='blackjack_terms_pending'),
        ),
    ]
