"""Checks the events: the chain's hashes are computed again, without the database's own function."""

import hashlib
from typing import Final

from apps.core.database_snapshot import rows_stream, text_settle
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require

_CHAIN_SQL: Final = """
    SELECT link.number, coalesce(link.event_id, event.id), event.id IS NOT NULL,
        (extract(epoch FROM link.ctime) * 1000000)::bigint, link.hash,
        jsonb_build_array(
            event.id, event.ctime, event.kind, event.component, event.actor, event.authorised_by, event.partner_id,
            event.subject, event.reason, event.before, event.after, event.round_id, event.amount, event.currency,
            event.once
        )::text
    FROM event_link AS link FULL JOIN significant_event AS event ON event.id = link.event_id
    ORDER BY link.number NULLS LAST, event.id
"""


def events_check() -> Check:
    """Check that every event is a link of the whole chain, and as it was when it was linked.

    The caller has opened `one_moment`. `checked` counts links.
    """
    transaction_require()
    text_settle()
    findings: list[Finding] = []
    number, head, is_broken = 0, b"", False
    for held_number, event_id, is_there, ctime_us, held_hash, content in rows_stream(_CHAIN_SQL):
        where = f"significant_event row {event_id}"
        if held_number is None:
            findings.append(Finding(where, "it has no event_link row: it was added past the triggers"))
            continue
        number += 1
        text = f"{held_number}|{ctime_us}|{content}"
        fault = None
        if held_number != number:
            fault = f"event_link row {number} before it was removed, or number {held_number} is not its own"
            number = held_number
        elif not is_there:
            fault = f"it was removed, or event_link row {number} was altered"
        elif hashlib.sha256(head + text.encode()).digest() != bytes(held_hash):
            fault = f"it was altered, or event_link row {number} was: the hash is another one"
        if fault and not is_broken:
            findings.append(Finding(where, fault))
            is_broken = True  # After the first fault every hash is wrong.
        head = bytes(held_hash)
    return Check(number, findings)
