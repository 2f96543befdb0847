import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SeedPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('next', 'committed, not yet in use'), ('active', 'dealing'), ('revealed', 'revealed')], max_length=10)),
                ('commitment', models.CharField(max_length=64, unique=True)),
                ('sealed_seed', models.BinaryField()),
                ('server_seed', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('client_seed', models.CharField(blank=True, default='', max_length=64)),
                ('client_seed_chosen', models.BooleanField(default=False)),
                ('next_nonce', models.BigIntegerField(default=0)),
                ('ctime', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('revealed_at', models.DateTimeField(editable=False, null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seed_pairs', to='accounts.player')),
            ],
            options={
                'db_table': 'seed_pair',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'active')), fields=('player',), name='seed_pair_active'), models.UniqueConstraint(condition=models.Q(('status', 'next')), fields=('player',), name='seed_pair_next')],
            },
        ),
    ]
