"""One answer for each idempotency key of the partner API and of the back office's forms: stored in the transaction of
the act, and returned again byte for byte.

Bets and actions find and store their answers in their own SQL. A repeated bet is recognised in `_round_settle`
(apps/one_deal/services.py), a repeated action in `_action_take` (the services of a game with actions), and a repeated
message of a table by `caller_check` (apps/tables/session_store.py).

Only answers of committed calls are stored. A refusal changes nothing and may be tried again under its key. The one
exception is `answer_once_after`, for acts that commit by themselves: it stores the answer after the act.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction

from apps.core.errors import BadRequest, IdempotencyKeyReused, MalformedBody
from apps.core.json import canonical
from apps.core.locks import advisory_lock
from apps.core.transactions import transaction_require
from apps.idempotency.models import StoredAnswer

KEPT_DAYS: Final = 8
"""One day more than the seven that docs/protocol.md promises, so that no answer is deleted on its last promised day."""

MAX_KEY_CHARS: Final = 128

_DELETED_AT_ONCE: Final = 5_000
# An answer is never changed, so its place in the table stays. A statement with thousands of keys took twenty times as
# long: in the time of a task it deleted fewer answers than a busy day brings.
_DELETE_SQL: Final = """
    DELETE FROM stored_answer
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM stored_answer WHERE ctime < %s LIMIT %s))
"""


def body_hash(body: object) -> bytes:
    """Return SHA-256 of the body as canonical JSON: equal for `10`, `10.0` and any order of the members.

    Raises MalformedBody for a body that is nested too deeply.
    """
    try:
        return hashlib.sha256(canonical(body)).digest()
    except RecursionError as error:
        raise MalformedBody("the body is nested too deeply") from error


def stored_answer_find(*, scope: str, key: str, body_hash: bytes) -> StoredAnswer | None:
    """Return the key's stored answer, or None: the caller then acts and saves an answer.

    It locks (scope, key) to the end of the caller's transaction, before any row, so a concurrent call with the same key
    waits and finds the answer. Raises IdempotencyKeyReused, Busy, BadRequest (an empty key, or one that is too long or
    not printable).
    """
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isprintable():
        raise BadRequest(f"the idempotency key: 1 to {MAX_KEY_CHARS} printable characters")
    advisory_lock("stored_answer", scope, key)
    answer = StoredAnswer.objects.filter(scope=scope, key=key).first()
    if answer is not None and bytes(answer.body_hash) != body_hash:
        raise IdempotencyKeyReused("this key was used before, with another body")
    return answer


def stored_answer_save(*, scope: str, key: str, body_hash: bytes, answer: bytes) -> None:
    """Store the answer, which is always a success, under its key; it is committed with the caller's transaction."""
    transaction_require()
    StoredAnswer.objects.create(scope=scope, key=key, body_hash=body_hash, status=200, answer=answer)


@transaction.atomic(durable=True)
def answer_once(*, scope: str, key: str, body_hash: bytes, act: Callable[[], bytes]) -> bytes:
    """Return what `act` returns, and store it in the transaction of the act; the same key gets the stored answer.

    A refusal of the act is raised, stores nothing and changes nothing. Raises IdempotencyKeyReused, Busy, BadRequest.
    """
    stored = stored_answer_find(scope=scope, key=key, body_hash=body_hash)
    if stored is not None:
        return bytes(stored.answer)
    answer = act()
    stored_answer_save(scope=scope, key=key, body_hash=body_hash, answer=answer)
    return answer


def answer_once_after(*, scope: str, key: str, body_hash: bytes, act: Callable[[], bytes]) -> bytes:
    """Do the same as `answer_once` for an act that commits by itself, such as an act on the event loop. The answer is
    stored after the act. An act that runs twice must refuse the second time by itself, because it sees what the first
    one changed. Raises the same.
    """
    with transaction.atomic(durable=True):
        stored = stored_answer_find(scope=scope, key=key, body_hash=body_hash)
    if stored is not None:
        return bytes(stored.answer)
    answer = act()
    return answer_once(scope=scope, key=key, body_hash=body_hash, act=lambda: answer)


def stored_answers_delete(*, now: datetime) -> int:
    """Delete the answers older than KEPT_DAYS, a few thousand in each statement, and return their number."""
    old_before = now - timedelta(days=KEPT_DAYS)
    deleted = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(_DELETE_SQL, [old_before, _DELETED_AT_ONCE])
            if not cursor.rowcount:
                return deleted
            deleted += cursor.rowcount
