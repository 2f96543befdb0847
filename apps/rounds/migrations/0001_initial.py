import apps.core.models
import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('core', '0002_change_refuse'),
        ('fairness', '0001_initial'),
        ('partners', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='GameSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('game', models.CharField(max_length=20)),
                ('return_url', models.URLField(blank=True, default='')),
                ('connection', models.CharField(blank=True, default='', editable=False, max_length=32)),
                ('expires_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='accounts.player')),
            ],
            options={
                'db_table': 'game_session',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('game', models.CharField(max_length=20)),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
                ('how_ended', models.CharField(blank=True, choices=[('', 'open'), ('played', 'played'), ('auto_completed', 'auto-completed'), ('voided', 'voided while open')], default='', max_length=20)),
                ('nonce', models.BigIntegerField()),
                ('config_version', models.BigIntegerField()),
                ('terms', models.JSONField(default=dict)),
                ('detail', models.JSONField(default=dict)),
                ('stake', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('payout', apps.core.models.AmountField(decimal_places=8, default=0, max_digits=20)),
                ('balance_before', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('balance_after', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='partners.partner')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='accounts.player')),
                ('seed_pair', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='fairness.seedpair')),
                ('session', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='rounds.gamesession')),
            ],
            options={
                'db_table': 'game_round',
                'ordering': ['-started_at'],
            },
        ),
        migrations.CreateModel(
            name='RoundAction',
            fields=[
                ('pk', models.CompositePrimaryKey('round_id', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('number', models.IntegerField()),
                ('acted_by', models.CharField(choices=[('player', 'player'), ('platform', 'platform')], max_length=10)),
                ('action', models.JSONField()),
                ('events', models.JSONField()),
                ('round', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='actions', to='rounds.round')),
            ],
            options={
                'db_table': 'round_action',
                'ordering': ['round', 'number'],
            },
        ),
        migrations.CreateModel(
            name='RoundVoid',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('by', models.CharField(max_length=160)),
                ('reason', models.TextField()),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='void', to='rounds.round')),
            ],
            options={
                'db_table': 'round_void',
            },
        ),
        migrations.AddIndex(
            model_name='gamesession',
            index=models.Index(fields=['expires_at'], name='game_session_by_expiry'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(fields=['partner', '-started_at'], name='game_round_by_partner'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(fields=['player', '-started_at'], name='game_round_by_player'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(fields=['-started_at'], name='game_round_by_time'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('seed_pair', 'nonce'), name='game_round_nonce_once'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(condition=models.Q(('how_ended', '')), fields=('player', 'game'), name='game_round_one_open'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('how_ended', '')), models.Q(models.Q(('how_ended', ''), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='game_round_ended'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('payout__gte', 0), ('stake__gte', 0)), name='game_round_amounts'),
        ),
        migrations.AddConstraint(
            model_name='roundvoid',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='round_void_reason'),
        ),
    ]
