"""The log of a key's requests keeps the code of a refusal, and the field that it names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("partners", "0007_by_slug")]
    operations = [
        migrations.AddField("apikeyrequest", "code", models.CharField(max_length=40, null=True)),
        migrations.AddField("apikeyrequest", "field", models.CharField(max_length=60, null=True)),
    ]
