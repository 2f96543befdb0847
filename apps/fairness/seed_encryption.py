"""Encryption of stored server seeds: AES-256-GCM with a key from the environment (docs/fairness.md).

A sealed seed is one byte for the format, twelve for the GCM nonce, then the ciphertext and its tag. The commitment is
the associated data, so that a sealed seed in another row cannot be decrypted.
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


class SealBroken(Exception):
    """The sealed seed was altered, or moved to another commitment, or sealed with another PUNTO_SEED_KEY."""


def seal(server_seed: str, *, commitment: str) -> bytes:
    """Return the encrypted seed, bound to its commitment; each call gives a different result."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    text = _cipher(settings.PUNTO_SEED_KEY).encrypt(nonce, server_seed.encode("ascii"), commitment.encode("ascii"))
    return _FORMAT + nonce + text


def unseal(sealed: bytes, *, commitment: str) -> str:
    """Return the decrypted seed. Raises SealBroken."""
    nonce, text = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
    if sealed[:1] != _FORMAT:
        raise SealBroken("no sealed seed of a known format")
    try:
        return _cipher(settings.PUNTO_SEED_KEY).decrypt(nonce, text, commitment.encode("ascii")).decode("ascii")
    except InvalidTag:
        raise SealBroken("the sealed seed does not open with PUNTO_SEED_KEY under its commitment") from None


@lru_cache(maxsize=4)
def _cipher(key_text: str) -> AESGCM:
    # The setting is a text of any length; the cipher needs 32 bytes. It is a random key, not a password.
    return AESGCM(hashlib.sha256(b"punto seed sealing v1:" + key_text.encode()).digest())
