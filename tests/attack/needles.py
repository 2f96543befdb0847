"""Finds many secrets in a text of any length, in each form that they may be written in."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

HEX: Final = re.compile(rb"[0-9A-Fa-f]{32,}")
WORD: Final = re.compile(rb"[0-9a-z]{32,}")
UUID: Final = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KEY: Final = re.compile(rb"punto_[A-Za-z0-9_-]{20,}")
CANARY: Final = re.compile(rb"canary-[0-9a-f]{24}")
BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]{42,}")
PASSWORD_HASH: Final = re.compile(rb"pbkdf2_sha256\$[0-9]+\$[A-Za-z0-9]+\$[A-Za-z0-9+/=]+")
BASE64_CHARS: Final = 42
"""Length of 32 bytes in base 64 without the last character, which stands for fewer bits."""


@dataclass(slots=True)
class Needles:
    """The secrets that are searched for, each with its kind."""

    kinds: dict[bytes, str] = field(default_factory=dict)

    def add(self, kind: str, secret: str) -> None:
        """Search for a secret as written; for a hexadecimal one also as bytes and in base 64."""
        self.kinds[secret.encode()] = kind
        if re.fullmatch("[0-9a-f]{64}", secret):
            raw = bytes.fromhex(secret)
            for data in (raw, secret.encode()):
                self.kinds[b64encode(data)[:BASE64_CHARS]] = kind
            self.kinds[raw] = kind

    def hashed(self, kind: str, secret: str) -> None:
        """Search for the hash of a secret that a table stores."""
        self.add(kind, sha256(secret.encode()).hexdigest())

    def found(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the kind and the text of each secret in the data."""
        seen: set[bytes] = set()
        for candidate in _candidates(data):
            kind = self.kinds.get(candidate)
            if kind is not None and candidate not in seen:
                seen.add(candidate)
                yield kind, candidate
        for match in PASSWORD_HASH.finditer(data):
            yield "password hash", match[0]

    def found_raw(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Do the same for data of a binary column, which may also hold a secret of 32 bytes as bytes."""
        yield from self.found(data)
        for secret, kind in self.kinds.items():
            if len(secret) == 32 and not secret.isascii() and secret in data:
                yield kind, secret


def _candidates(data: bytes) -> Iterator[bytes]:
    for match in HEX.finditer(data):
        yield from _windows(match[0].lower(), 64)
    for match in WORD.finditer(data):
        yield from _windows(match[0], 32)
    for match in BASE64.finditer(data):
        text = match[0].replace(b"-", b"+").replace(b"_", b"/")
        yield from _windows(text, BASE64_CHARS)
    for form in (UUID, KEY, CANARY):
        for match in form.finditer(data):
            yield match[0]


def _windows(text: bytes, size: int) -> Iterator[bytes]:
    for start in range(len(text) - size + 1):
        yield text[start : start + size]


Permitted = Callable[[str, bytes], bool]
"""Returns whether a secret of this kind, in this form, may stand in the place that is searched."""


def nothing(_kind: str, _secret: bytes) -> bool:
    """Permit no secret."""
    return False


def leaks(needles: Needles, texts: Mapping[str, bytes], permitted: Permitted = nothing) -> Iterator[str]:
    """Yield a fault for each secret in a place that must not hold it."""
    for where, data in texts.items():
        for kind, secret in needles.found_raw(data):
            if not permitted(kind, secret):
                yield f"{kind} in {where}"
