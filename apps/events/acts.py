"""The acts of the audit trail that are significant events, with their kinds.

tests/events/test_acts.py lists every act of the code with its kind, or without one. These acts have none: exports and
notes, which change nothing that is played or decided; requests, schedules and rejections of acts, because the act
itself is an event when it is carried out; and acts that other code records as an event with more details.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from apps.events.models import EventKind
from apps.events.services import EventContent

_KINDS: Final = (
    (r"round\.void|table\.round\.void", EventKind.OVERRIDE),
    (r"wallet\.(adjust|status)|player\.status", EventKind.ACCOUNT_CHANGED),
    (r"statistics\.corrected", EventKind.DATA_CHANGED),
    (r"data\.lost", EventKind.DATA_LOST),
    (r"\w+_config\.(set|withdraw)|\w+_odds\.(set|confirm|withdraw)", EventKind.GAME_CHANGED),
    (r"\w+\.(limits|terms|terms\.confirm|terms\.withdraw)", EventKind.GAME_CHANGED),
    (r"table\.(create|configure|open|close)|switch\.\w+", EventKind.GAME_CHANGED),
    (r"partner\.\w+|api_key\.(create|restrict|revoke)|staff\.[\w.]+|user\.\w+", EventKind.POLICY_CHANGED),
    (r"threshold\.set|paytable\.on_alarm|rtp\.publish", EventKind.POLICY_CHANGED),
    (r"rtp_alarm\.close", EventKind.UNUSUAL),
)
_ROUND: Final = re.compile(r"round ([0-9a-f-]{36})")
_FREE: Final = "free_play"


def event_of_act(
    *, actor: str, action: str, subject: str, partner_id: int | None, data: Mapping[str, Any], reason: str
) -> EventContent | None:
    """Return the event of an act, or None. An act that changed nothing is no event. Raises TypeError if the values
    before or after have no names, because pages and reports need them.
    """
    kind = next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, action)), None)
    before, after = (_named_values(data, name) for name in ("before", "after"))
    if kind is None or (before == after and "before" in data):
        return None
    if kind is EventKind.GAME_CHANGED and before.get(_FREE, False) != after.get(_FREE, False):
        kind = EventKind.INCENTIVE_CHANGED
    named = _ROUND.fullmatch(subject)
    amount = data.get("amount")
    return EventContent(
        kind=kind,
        component=action.split(".", maxsplit=1)[0],
        actor=actor,
        subject=subject,
        reason=reason,
        partner_id=partner_id,
        before=before,
        after=after,
        round_id=UUID(named[1]) if named else None,
        amount=None if amount is None else Decimal(amount),
        currency=data.get("currency") or "",
    )


def _named_values(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    told = data.get(name) or {}
    if not isinstance(told, Mapping):
        raise TypeError(f"{name}: named values are expected, and not {told!r}")
    return told
