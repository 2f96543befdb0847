"""The version of a form whose row has no column with a version: a number that stands for the values that it showed.

It comes back with the form (`apps.core.form_acts`), so that a later save does not silently take back an earlier one.
"""

from hashlib import sha256

from apps.core import json
from apps.core.errors import OutdatedVersion

_BYTES = 7
"""As many as the 18 digits of a form's version have room for."""


def shown_version(shown: object) -> int:
    """Return the number of values."""
    return int.from_bytes(sha256(json.encode(json.storable(shown))).digest()[:_BYTES])


def shown_check(version: int | None, shown: object, *, changed_by: str) -> None:
    """Refuse a change by somebody to whom other values were shown; `changed_by` says who changed them.

    The row with the values is locked. A `version` of None is of a caller who has read nothing. Raises OutdatedVersion.
    """
    if version is not None and version != shown_version(shown):
        raise OutdatedVersion(
            f"this has been changed since the page was loaded{changed_by}. Nothing was saved: look at it as it is now,"
            " and change it again."
        )
