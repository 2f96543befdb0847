"""Encryption of stored server seeds: AES-256-GCM with a key from the environment (docs/fairness.md).

An encrypted seed (the columns `sealed_seed`) is one byte for the format, twelve for the GCM nonce, then the ciphertext
and its tag. The commitment is the associated data, so that a seed that was moved to another row cannot be decrypted.
The key cannot be rotated (docs/security.md, "What is not protected").
"""

import hashlib
import secrets
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

_FORMAT: Final = b"\x01"
_NONCE_BYTES: Final = 12


class SeedNotDecrypted(Exception):
    """The seed was altered, or moved to another commitment, or encrypted with another PUNTO_SEED_KEY."""


def seed_encrypt(server_seed: str, *, commitment: str) -> bytes:
    """Return the encrypted seed, bound to its commitment; each call gives a different result."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    text = _cipher(settings.PUNTO_SEED_KEY).encrypt(nonce, server_seed.encode("ascii"), commitment.encode("ascii"))
    return _FORMAT + nonce + text


def seed_decrypt(encrypted: bytes, *, commitment: str) -> str:
    """Return the decrypted seed. Raises SeedNotDecrypted."""
    nonce, text = encrypted[1 : 1 + _NONCE_BYTES], encrypted[1 + _NONCE_BYTES :]
    if encrypted[:1] != _FORMAT:
        raise SeedNotDecrypted("no encrypted seed of a known format")
    try:
        return _cipher(settings.PUNTO_SEED_KEY).decrypt(nonce, text, commitment.encode("ascii")).decode("ascii")
    except (InvalidTag, ValueError):  # ValueError: it was shortened
        raise SeedNotDecrypted("PUNTO_SEED_KEY does not decrypt the seed under its commitment") from None


@lru_cache(maxsize=4)
def _cipher(key_text: str) -> AESGCM:
    # The setting is a text of any length; the cipher needs 32 bytes. It is a random key, not a password.
    return AESGCM(hashlib.sha256(b"punto seed sealing v1:" + key_text.encode()).digest())
