"""Reads of the audit trail for services of other apps."""

from collections.abc import Mapping

from apps.audit.models import AuditEntry
from apps.core import json
from apps.core.actor_names import shown_actor


def last_change_text(
    *, action: str, subject: str, partner_id: int | None, after: Mapping[str, object] | None = None
) -> str:
    """Return the last act of this kind on the subject, as the end of a refusal: its actor, time and new values. Empty
    without such an act.

    With `after` the act counts only if it has led to these values.
    """
    last = AuditEntry.objects.filter(action=action, subject=subject).order_by("-pk").first()
    if last is None or (after is not None and last.data.get("after") != json.storable(after)):
        return ""
    who = shown_actor(last.actor, partner_id=partner_id)
    return f": {who} at {last.ctime:%Y-%m-%d %H:%M:%S} UTC: {', '.join(last.data['after'])}"
