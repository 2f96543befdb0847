"""Logs of the programs: what they say of faults of theirs."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

BAD_LEVELS: Final = frozenset({"error", "critical"})


def log_faults(logs: Mapping[str, str]) -> Iterator[str]:
    """Yield every line of an error's level but those of answers that say "come back", and every traceback."""
    for name, text in logs.items():
        for line in text.splitlines():
            if "Traceback (most recent call last)" in line or _is_error(line):
                yield f"the log of {name}: {line}"


def _is_error(line: str) -> bool:
    try:
        entry = json.loads(line)
    except ValueError:
        return False
    if not isinstance(entry, dict) or entry.get("level") not in BAD_LEVELS:
        return False
    return entry.get("code") != 503 and not str(entry.get("event")).startswith("Service Unavailable: ")
