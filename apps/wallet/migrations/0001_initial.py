import apps.core.models
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('core', '0002_change_refuse'),
        ('partners', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='DailySeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('day', models.DateField(unique=True)),
                ('previous_mac', models.CharField(blank=True, max_length=64)),
                ('wallet_count', models.BigIntegerField()),
                ('row_count', models.BigIntegerField()),
                ('heads_hash', models.CharField(max_length=64)),
                ('mac', models.CharField(max_length=64)),
            ],
            options={
                'db_table': 'daily_seal',
                'ordering': ['-day'],
                'constraints': [models.UniqueConstraint(fields=('previous_mac',), name='daily_seal_follows_one')],
            },
        ),
        migrations.CreateModel(
            name='HouseAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('partner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='house_accounts', to='partners.partner')),
            ],
            options={
                'db_table': 'house_account',
            },
        ),
        migrations.CreateModel(
            name='HouseSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('balance', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('row_count', models.BigIntegerField()),
                ('house_account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='wallet.houseaccount')),
            ],
            options={
                'db_table': 'house_snapshot',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SealedHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('wallet_id', models.BigIntegerField()),
                ('row_count', models.BigIntegerField()),
                ('head', models.BinaryField(max_length=32)),
                ('seal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='heads', to='wallet.dailyseal')),
            ],
            options={
                'db_table': 'sealed_head',
            },
        ),
        migrations.CreateModel(
            name='Wallet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('active', 'active'), ('blocked', 'blocked')], default='active', max_length=10)),
                ('balance', apps.core.models.AmountField(db_default=0, decimal_places=8, editable=False, max_digits=20)),
                ('row_count', models.BigIntegerField(db_default=0, editable=False)),
                ('head', models.BinaryField(db_default=b'', max_length=32)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='core.currency')),
                ('house_account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='wallets', to='wallet.houseaccount')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='wallets', to='accounts.player')),
            ],
            options={
                'db_table': 'wallet',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='WalletTransaction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('number', models.BigIntegerField(editable=False)),
                ('kind', models.CharField(choices=[('deposit', 'deposit'), ('withdrawal', 'withdrawal'), ('bet', 'bet'), ('reward', 'reward'), ('refund', 'refund'), ('adjustment', 'adjustment')], max_length=10)),
                ('change', apps.core.models.AmountField(decimal_places=8, max_digits=20)),
                ('balance_after', apps.core.models.AmountField(decimal_places=8, editable=False, max_digits=20)),
                ('round_id', models.UUIDField(null=True)),
                ('record_id', models.BigIntegerField(null=True)),
                ('source_key', models.CharField(max_length=160)),
                ('reason', models.TextField(blank=True, default='')),
                ('hash', models.BinaryField(max_length=32)),
                ('house_account', models.ForeignKey(db_constraint=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.houseaccount')),
                ('wallet', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='transactions', to='wallet.wallet')),
            ],
            options={
                'db_table': 'wallet_transaction',
                'ordering': ['-id'],
            },
        ),
        migrations.AddConstraint(
            model_name='houseaccount',
            constraint=models.UniqueConstraint(fields=('partner', 'currency'), name='house_account_one'),
        ),
        migrations.AddIndex(
            model_name='housesnapshot',
            index=models.Index(fields=['house_account', '-id'], name='house_snapshot_newest'),
        ),
        migrations.AddConstraint(
            model_name='sealedhead',
            constraint=models.UniqueConstraint(fields=('seal', 'wallet_id'), name='sealed_head_one'),
        ),
        migrations.AddConstraint(
            model_name='wallet',
            constraint=models.UniqueConstraint(fields=('player', 'currency'), name='wallet_one'),
        ),
        migrations.AddConstraint(
            model_name='wallet',
            constraint=models.CheckConstraint(condition=models.Q(('balance__gte', 0)), name='wallet_balance_not_negative'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(fields=['round_id'], name='wallet_transaction_by_round'),
        ),
        migrations.AddIndex(
            model_name='wallettransaction',
            index=models.Index(fields=['ctime'], name='wallet_transaction_by_time'),
        ),
        migrations.AddConstraint(
            model_name='wallettransaction',
            constraint=models.UniqueConstraint(fields=('source_key',), name='wallet_transaction_source_key'),
        ),
        migrations.AddConstraint(
            model_name='wallettransaction',
            constraint=models.UniqueConstraint(fields=('wallet', 'number'), name='wallet_transaction_number'),
        ),
    ]
