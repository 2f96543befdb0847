"""Finds faults in the logs of the programs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

BAD_LEVELS: Final = frozenset({"error", "critical"})


def log_faults(logs: Mapping[str, str], passed: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every traceback and every line of level error, except lines about answers that ask to retry.

    Lines of loggers whose names begin with one of `passed` are left out.
    """
    for name, text in logs.items():
        for line in text.splitlines():
            entry = _entry(line)
            if passed and str(entry.get("logger", "")).startswith(passed):
                continue
            if "Traceback (most recent call last)" in line or _is_error(entry):
                yield f"the log of {name}: {line}"


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _is_error(entry: dict[str, Any]) -> bool:
    if entry.get("level") not in BAD_LEVELS:
        return False
    return entry.get("code") != 503 and not str(entry.get("event")).startswith("Service Unavailable: ")
