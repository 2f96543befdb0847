"""What stood at the last look at policy, and events by subject and round for timelines."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('events', '0002_chain'),
    ]

    operations = [
        migrations.AddField(
            model_name='eventwatch',
            name='policy',
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name='significantevent',
            index=models.Index(fields=['subject', '-id'], name='event_by_subject'),
        ),
        migrations.AddIndex(
            model_name='significantevent',
            index=models.Index(condition=models.Q(('round_id__isnull', False)), fields=['round_id'], name='event_by_round'),
        ),
    ]
