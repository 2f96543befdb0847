"""Ed25519 signatures of seals: the public key is enough to check that a seal is ours.

The keys are in PUNTO_SIGN_KEYS. The first one signs; the others are former keys, whose seals stay valid.
"""

import hashlib
from functools import lru_cache
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

_KEY_ID_CHARS: Final = 16


class Signature(NamedTuple):
    """A signature in hexadecimal, and the id of its key."""

    key_id: str
    text: str


def message_sign(message: bytes) -> Signature:
    """Return the signature of the message by the newest key."""
    keys = _keys_of(settings.PUNTO_SIGN_KEYS)
    key_id = next(iter(keys))
    return Signature(key_id, keys[key_id].sign(message).hex())


def signature_fault(signature: Signature, message: bytes) -> str | None:
    """Return the reason why it is not our signature of the message, or None if it is ours."""
    key = _keys_of(settings.PUNTO_SIGN_KEYS).get(signature.key_id)
    if key is None:
        return "it is signed with a key that is not in PUNTO_SIGN_KEYS"
    try:
        key.public_key().verify(bytes.fromhex(signature.text), message)
    except (InvalidSignature, ValueError):
        return "its signature does not hold"
    return None


def public_keys() -> dict[str, str]:
    """Return the public keys in hexadecimal by their ids, the signing key first."""
    keys = _keys_of(settings.PUNTO_SIGN_KEYS)
    return {key_id: key.public_key().public_bytes_raw().hex() for key_id, key in keys.items()}


@lru_cache(maxsize=4)
def _keys_of(texts: tuple[str, ...]) -> dict[str, Ed25519PrivateKey]:
    """Return the keys by their ids: the beginning of the SHA-256 of the public key."""
    keys = [Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text)) for text in texts]
    return {hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()[:_KEY_ID_CHARS]: key for key in keys}
