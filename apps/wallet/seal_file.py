"""The copy of the seals outside the database: an append-only file with one JSON object in each line."""

import fcntl
import json
import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple


class SealLine(NamedTuple):
    """A seal, from the database or the file."""

    day: date
    previous_mac: str
    wallet_count: int
    row_count: int
    heads_hash: str
    mac: str
    format: int = 1
    root: str = ""
    key_id: str = ""
    signature: str = ""


def seal_file_append(path: Path, seals: Iterable[SealLine]) -> None:
    """Append the seals of days after the file's last one, and return after they are on the disk.

    `seals` are in ascending order of days. Processes take turns. If a process died between its commit and this, the
    next one appends its seals. Raises OSError.
    """
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        known = _seals_of(text)
        last = known[-1].day if known else date.min
        lines = b"".join(_line_of(seal) for seal in seals if seal.day > last)
        if not lines:
            return
        if text and not text.endswith(b"\n"):
            # A write was cut short: the incomplete line stays, and is not a seal.
            lines = b"\n" + lines
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # This puts a new file's name on the disk.
    finally:
        os.close(folder)


def seal_file_read(path: Path) -> list[SealLine]:
    """Return the seals of the file in its order; other lines are skipped. Raises OSError."""
    return _seals_of(path.read_bytes())


def _line_of(seal: SealLine) -> bytes:
    return json.dumps(seal._asdict() | {"day": seal.day.isoformat()}).encode() + b"\n"


def _seals_of(text: bytes) -> list[SealLine]:
    return [seal for line in text.splitlines() if (seal := _seal_of(line)) is not None]


def _seal_of(line: bytes) -> SealLine | None:
    try:
        fields = json.loads(line)
        return SealLine(
            day=date.fromisoformat(fields["day"]),
            previous_mac=str(fields["previous_mac"]),
            wallet_count=int(fields["wallet_count"]),
            row_count=int(fields["row_count"]),
            heads_hash=str(fields["heads_hash"]),
            mac=str(fields["mac"]),
            format=int(fields.get("format", 1)),
            root=str(fields.get("root", "")),
            key_id=str(fields.get("key_id", "")),
            signature=str(fields.get("signature", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
