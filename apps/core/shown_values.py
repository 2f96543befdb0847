"""Optimistic locking of a row without a version column: the form's version is a number for the shown values.

The form sends it back (`apps.core.form_acts`), so that a later save does not silently undo an earlier one.
"""

from hashlib import sha256

from apps.core import json
from apps.core.errors import OutdatedVersion

_BYTES = 7
"""The number of bytes that fit into the 18 digits of a form's version."""


def shown_version(shown: object) -> int:
    """Return the number that stands for the values."""
    return int.from_bytes(sha256(json.encode(json.storable(shown))).digest()[:_BYTES])


def shown_check(version: int | None, shown: object, *, changed_by: str) -> None:
    """Refuse a change if the form showed other values than the present ones; `changed_by` says who changed them.

    The row with the values is locked. A `version` of None is that of a caller without a form. Raises OutdatedVersion.
    """
    if version is not None and version != shown_version(shown):
        raise OutdatedVersion(
            f"this has been changed since it was read{changed_by}. Nothing was saved: look at it as it is now,"
            " and change it again."
        )
