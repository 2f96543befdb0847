"""Searches by the UUID of a row, or by its first characters."""

import re
from typing import Any, Final
from uuid import UUID

_UUID_BEGINNING: Final = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{1,4}){0,3}(-?[0-9a-fA-F]{1,12})?-?")


def uuid_lookup(column: str, term: str) -> dict[str, Any] | None:
    """Return the filter for a UUID or its beginning: the eight characters that lists show, or more.

    It is a range of the column's index. Returns None for any other text.
    """
    if is_uuid(term):
        return {column: term}
    if not _UUID_BEGINNING.fullmatch(term):
        return None
    digits = term.replace("-", "").lower()
    return {f"{column}__gte": UUID(digits.ljust(32, "0")), f"{column}__lte": UUID(digits.ljust(32, "f"))}


def is_uuid(text: str) -> bool:
    """Return whether a search term is a whole UUID."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True
