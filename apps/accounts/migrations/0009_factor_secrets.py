"""Encrypts the secrets of second factors that are stored as they are."""

from collections.abc import Callable
from typing import Any

from django.db import migrations

from apps.accounts.factor_secrets import factor_secret_decrypt, factor_secret_encrypt

SECRETS = ("secret", "seed")
"""The members of allauth's `data` that its adapter encrypts: of authenticator apps, of recovery codes."""


def secrets_encrypt(apps: Any, _schema_editor: Any) -> None:
    _rewrite(apps, lambda stored: factor_secret_encrypt(factor_secret_decrypt(stored)))


def secrets_decrypt(apps: Any, _schema_editor: Any) -> None:
    _rewrite(apps, factor_secret_decrypt)


def _rewrite(apps: Any, rewritten: Callable[[str], str]) -> None:
    for row in apps.get_model("mfa", "Authenticator").objects.select_for_update().iterator():
        row.data |= {name: rewritten(row.data[name]) for name in SECRETS if name in row.data}
        row.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_by_name"), ("mfa", "0003_authenticator_type_uniq")]

    operations = [migrations.RunPython(secrets_encrypt, secrets_decrypt)]
