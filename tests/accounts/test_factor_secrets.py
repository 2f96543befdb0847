"""Secrets of second factors are stored encrypted, and those of former versions are encrypted by a migration."""

from importlib import import_module
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from cryptography.fernet import InvalidToken
from django.apps import apps

from apps.accounts.factor_secrets import factor_secret_decrypt, factor_secret_encrypt
from apps.accounts.models import Role, User
from tests.support.factories import staff_make

pytestmark = pytest.mark.django_db

migration = import_module("apps.accounts.migrations.0009_factor_secrets")


@pytest.fixture
def user() -> User:
    return staff_make(Role.AUDITOR)


def stored(user: User) -> dict[str, Any]:
    """Return what the table has of the user's factors: by kind, all its members."""
    return {row.type: row.data for row in Authenticator.objects.filter(user=user)}


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def test_the_table_has_neither_the_secret_of_an_authenticator_nor_the_seed_of_recovery_codes(user: User) -> None:
    secret = generate_totp_secret()
    factor = TOTP.activate(user, secret)
    codes = RecoveryCodes.activate(user)
    text = str(stored(user))
    assert secret not in text
    assert factor_secret_decrypt(stored(user)["recovery_codes"]["seed"]) not in text
    assert TOTP(Authenticator.objects.get(pk=factor.instance.pk)).validate_code(code_of(secret))
    assert RecoveryCodes(Authenticator.objects.get(pk=codes.instance.pk)).get_unused_codes() == codes.get_unused_codes()


def test_the_migration_encrypts_what_is_stored_as_it_is_once_and_can_be_undone(user: User) -> None:
    secret = generate_totp_secret()
    Authenticator.objects.create(user=user, type="totp", data={"secret": secret})
    Authenticator.objects.create(user=user, type="recovery_codes", data={"seed": "0a" * 20, "used_mask": 3})
    assert TOTP(Authenticator.objects.get(user=user, type="totp")).validate_code(code_of(secret))
    for _ in range(2):
        migration.secrets_encrypt(apps, None)
        text = str(stored(user))
        assert secret not in text
        assert "0a" * 20 not in text
        assert factor_secret_decrypt(stored(user)["totp"]["secret"]) == secret
        assert stored(user)["recovery_codes"]["used_mask"] == 3
    migration.secrets_decrypt(apps, None)
    assert stored(user) == {"totp": {"secret": secret}, "recovery_codes": {"seed": "0a" * 20, "used_mask": 3}}


def test_another_key_or_an_altered_text_gives_no_secret(settings: Any) -> None:
    encrypted = factor_secret_encrypt("ABCDEFGH")
    with pytest.raises(InvalidToken):
        factor_secret_decrypt(encrypted[:30] + ("A" if encrypted[30] != "A" else "B") + encrypted[31:])
    settings.PUNTO_SEED_KEY = "another key " * 4
    with pytest.raises(InvalidToken):
        factor_secret_decrypt(encrypted)
