"""Encryption of the stored secrets of second factors (docs/security.md, "Secrets").

django-allauth stores the secrets of authenticator apps and recovery codes as its adapter gives them
(`apps/portal/adapters.py`).
"""

import base64
import hashlib
from functools import lru_cache
from typing import Final

from cryptography.fernet import Fernet
from django.conf import settings

_FERNET_START: Final = "gAAAAA"
"""How a Fernet token begins: the version, and the first bytes of the time. No secret in base 32 or 16 begins so."""


def factor_secret_encrypt(secret: str) -> str:
    """Return the encrypted secret; each call gives a different text."""
    return _fernet(settings.PUNTO_SEED_KEY).encrypt(secret.encode()).decode()


def factor_secret_decrypt(stored: str) -> str:
    """Return the secret. A text that is not encrypted is the secret itself, stored by a process of a former version
    while migration 0009 ran.

    Raises cryptography's InvalidToken if it was altered or encrypted with another PUNTO_SEED_KEY.
    """
    if not stored.startswith(_FERNET_START):
        return stored
    return _fernet(settings.PUNTO_SEED_KEY).decrypt(stored).decode()


@lru_cache(maxsize=4)
def _fernet(key_text: str) -> Fernet:
    # Fernet takes 32 bytes in base 64. The setting is a random key, not a password. Seeds have another key from it.
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"punto second factors v1:" + key_text.encode()).digest()))
