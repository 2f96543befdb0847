"""What a session that comes back is told of the events that it has missed."""

from apps.tables.catch_up import _missed_bodies
from apps.tables.store import MissedEvents

OWN, OTHER = 7, 8
EVENTS = MissedEvents(
    events=[
        ("for-all", None, [], b'{"n":1}'),
        ("own", OWN, [], b'{"n":2}'),
        ("anothers", OTHER, [], b'{"n":3}'),
        ("for-watchers", None, [OWN], b'{"n":4}'),
        ("last", None, [OTHER], b'{"n":5}'),
    ],
    told_ms=1000,
)


def test_missed_events_are_those_for_the_session_after_the_last_that_it_has_seen() -> None:
    for seen, numbers in ((None, [1, 2, 5]), ("for-all", [2, 5]), ("own", [5]), ("last", []), ("unknown", [1, 2, 5])):
        bodies = [b'{"timestamp":1000,"n":%d}' % number for number in numbers]
        assert _missed_bodies([EVENTS], OWN, seen) == bodies
