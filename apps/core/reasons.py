"""The written reason of an act, which its audit entry keeps."""

from apps.core.errors import BadRequest


def reason_require(reason: str) -> str:
    """Return the reason without spaces around it. Raises BadRequest if nothing is left."""
    text = reason.strip()
    if not text:
        raise BadRequest("reason: say why", field="reason")
    return text
