"""Server seeds at rest: AES-256-GCM with a key from the environment (docs/fairness.md).

A sealed seed is one byte for the format, twelve for the GCM nonce, then the ciphertext and its tag. The
commitment is bound in as associated data, so that a sealed seed moved to another row does not open.
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
    """Return the seed encrypted, bound to its commitment; twice the same seed gives two texts."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    text = _cipher(settings.PUNTO_SEED_KEY).encrypt(nonce, server_seed.encode("ascii"), commitment.encode("ascii"))
    return _FORMAT + nonce + text


def unseal(sealed: bytes, *, commitment: str) -> str:
    """Return the seed that `seal` was given. Raises SealBroken."""
    nonce, text = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
    if sealed[:1] != _FORMAT:
        raise SealBroken("no sealed seed of a known format")
    try:
        return _cipher(settings.PUNTO_SEED_KEY).decrypt(nonce, text, commitment.encode("ascii")).decode("ascii")
    except InvalidTag:
        raise SealBroken("the sealed seed does not open with PUNTO_SEED_KEY under its commitment") from None


@lru_cache(maxsize=4)
def _cipher(key_text: str) -> AESGCM:
    # The setting is a text of any length; the cipher wants 32 bytes. It is a random key, not a password.
    return AESGCM(hashlib.sha256(b"punto seed sealing v1:" + key_text.encode()).digest())
