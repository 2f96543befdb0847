import apps.core.models
import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import simple_history.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('core', '0003_play_money'),
        ('fairness', '0002_seed_guard'),
        ('partners', '0002_default_currency'),
        ('rounds', '0003_refill_guard'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DragonTigerConfig',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=1)),
                ('decks', models.PositiveSmallIntegerField(default=8, help_text='1 to 8; 9 is an infinite deck', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(9)])),
                ('bet_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('bet_max', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('version', models.BigIntegerField(default=1, editable=False)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('currency', models.ForeignKey(db_column='currency', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(app_label)s_configs', to='partners.partner')),
            ],
            options={
                'verbose_name': 'dragon tiger limits',
                'verbose_name_plural': 'dragon tiger limits',
                'db_table': 'dragon_tiger_config',
                'ordering': ['partner', 'currency'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='DragonTigerGameRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('bet_amount', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('odds', models.DecimalField(decimal_places=4, max_digits=10)),
                ('result_type', models.SmallIntegerField(choices=[(1, 'UserWin'), (2, 'UserLost'), (3, 'Draw')])),
                ('reward_amount', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('nonce', models.BigIntegerField()),
                ('config_version', models.BigIntegerField()),
                ('game_type', models.SmallIntegerField(choices=[(1, 'DragonTigerGameBetDragon'), (2, 'DragonTigerGameBetTiger'), (3, 'DragonTigerGameBetTie'), (4, 'DragonTigerGameBetSuitedTie')])),
                ('dragon_cards', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=3), size=None)),
                ('tiger_cards', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=3), size=None)),
                ('config', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='dragon_tiger.dragontigerconfig')),
                ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('player', models.ForeignKey(db_column='user_id', db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(app_label)s_records', to='accounts.player')),
                ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='%(app_label)s_records', to='rounds.round')),
                ('seed_pair', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='fairness.seedpair')),
            ],
            options={
                'verbose_name': 'dragon tiger record',
                'db_table': 'dragon_tiger_game_record',
                'ordering': ['-id'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='DragonTigerOddsConfig',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=1)),
                ('odds', models.DecimalField(decimal_places=4, help_text='X to 1', max_digits=10)),
                ('reason', models.TextField(blank=True, default='', editable=False)),
                ('confirmed_by', models.CharField(blank=True, default='', editable=False, max_length=160)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('game_type', models.PositiveSmallIntegerField(choices=[(1, 'DragonTigerGameBetDragon'), (2, 'DragonTigerGameBetTiger'), (3, 'DragonTigerGameBetTie'), (4, 'DragonTigerGameBetSuitedTie')])),
                ('dragon_tiger_config', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='odds_rows', to='dragon_tiger.dragontigerconfig')),
            ],
            options={
                'verbose_name': 'dragon tiger odds',
                'verbose_name_plural': 'dragon tiger odds',
                'db_table': 'dragon_tiger_odds_config',
                'ordering': ['dragon_tiger_config', 'game_type', '-status'],
            },
        ),
        migrations.CreateModel(
            name='HistoricalDragonTigerConfig',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=1)),
                ('decks', models.PositiveSmallIntegerField(default=8, help_text='1 to 8; 9 is an infinite deck', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(9)])),
                ('bet_min', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('bet_max', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('version', models.BigIntegerField(default=1, editable=False)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(blank=True, editable=False, verbose_name='changed')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('currency', models.ForeignKey(blank=True, db_column='currency', db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='core.currency')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('partner', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='partners.partner')),
            ],
            options={
                'verbose_name': 'historical dragon tiger limits',
                'verbose_name_plural': 'historical dragon tiger limits',
                'db_table': 'dragon_tiger_config_history',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalDragonTigerOddsConfig',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('status', models.PositiveSmallIntegerField(choices=[(0, 'inactive'), (1, 'active'), (2, 'pending')], default=1)),
                ('odds', models.DecimalField(decimal_places=4, help_text='X to 1', max_digits=10)),
                ('reason', models.TextField(blank=True, default='', editable=False)),
                ('confirmed_by', models.CharField(blank=True, default='', editable=False, max_length=160)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('mtime', models.DateTimeField(blank=True, editable=False, verbose_name='changed')),
                ('game_type', models.PositiveSmallIntegerField(choices=[(1, 'DragonTigerGameBetDragon'), (2, 'DragonTigerGameBetTiger'), (3, 'DragonTigerGameBetTie'), (4, 'DragonTigerGameBetSuitedTie')])),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('dragon_tiger_config', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='dragon_tiger.dragontigerconfig')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical dragon tiger odds',
                'verbose_name_plural': 'historical dragon tiger odds',
                'db_table': 'dragon_tiger_odds_config_history',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.AddConstraint(
            model_name='dragontigerconfig',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 1)), fields=('partner', 'currency'), name='dragon_tiger_config_active'),
        ),
        migrations.AddConstraint(
            model_name='dragontigerconfig',
            constraint=models.CheckConstraint(condition=models.Q(('bet_min__gt', 0)), name='dragon_tiger_config_min'),
        ),
        migrations.AddConstraint(
            model_name='dragontigerconfig',
            constraint=models.CheckConstraint(condition=models.Q(('bet_max__gte', models.F('bet_min'))), name='dragon_tiger_config_max'),
        ),
        migrations.AddConstraint(
            model_name='dragontigerconfig',
            constraint=models.CheckConstraint(condition=models.Q(('decks__gte', 1), ('decks__lte', 9)), name='dragon_tiger_config_decks'),
        ),
        migrations.AddIndex(
            model_name='dragontigergamerecord',
            index=models.Index(fields=['partner', '-id'], name='dragon_tiger_record_by_partner'),
        ),
        migrations.AddIndex(
            model_name='dragontigergamerecord',
            index=models.Index(fields=['player', '-id'], name='dragon_tiger_record_by_player'),
        ),
        migrations.AddIndex(
            model_name='dragontigergamerecord',
            index=models.Index(fields=['result_type', '-id'], name='dragon_tiger_record_by_result'),
        ),
        migrations.AddIndex(
            model_name='dragontigergamerecord',
            index=models.Index(fields=['ctime'], name='dragon_tiger_record_by_time'),
        ),
        migrations.AddIndex(
            model_name='dragontigergamerecord',
            index=models.Index(fields=['game_type', '-id'], name='dragon_tiger_record_by_bet'),
        ),
        migrations.AddConstraint(
            model_name='dragontigergamerecord',
            constraint=models.UniqueConstraint(fields=('round', 'game_type'), name='dragon_tiger_record_one_bet'),
        ),
        migrations.AddConstraint(
            model_name='dragontigergamerecord',
            constraint=models.CheckConstraint(condition=models.Q(('bet_amount__gt', 0), models.Q(models.Q(('result_type', 1), ('reward_amount__gte', models.F('bet_amount'))), models.Q(('result_type', 2), ('reward_amount', 0)), models.Q(('result_type', 3), ('reward_amount__gte', 0), ('reward_amount__lte', django.db.models.expressions.CombinedExpression(models.F('bet_amount'), '/', models.Value(2)))), _connector='OR')), name='dragon_tiger_record_amounts'),
        ),
        migrations.AddConstraint(
            model_name='dragontigeroddsconfig',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 1)), fields=('dragon_tiger_config', 'game_type'), name='dragon_tiger_odds_active'),
        ),
        migrations.AddConstraint(
            model_name='dragontigeroddsconfig',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 2)), fields=('dragon_tiger_config', 'game_type'), name='dragon_tiger_odds_pending'),
        ),
        migrations.AddConstraint(
            model_name='dragontigeroddsconfig',
            constraint=models.CheckConstraint(condition=models.Q(('odds__gte', 0)), name='dragon_tiger_odds_not_negative'),
        ),
    ]
