"""Metrics of the running server processes: the time of their answers to bets, and the number of their sockets.

Each process counts by itself and reports to Redis every few seconds, so that no bet and no frame waits for it. The back
office adds the processes up. Refusals are counted by code and hour in the same way. Nothing depends on these figures,
and they are lost with Redis.
"""

import socket
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from threading import Lock, Thread
from typing import Any, Final
from uuid import uuid4

import redis
import structlog
from django.conf import settings
from redis.commands.core import Script
from redis.exceptions import RedisError

from apps.core import json
from apps.core.redis_pools import redis_pool

TELL_S: Final = 5
WINDOWS: Final = 12
"""The number of windows of `TELL_S` for which durations are kept: a minute."""
STALE_S: Final = 3 * TELL_S
"""A process that has reported nothing for this long counts as ended."""
BOUNDS: Final = tuple(0.0001 * 2 ** (step / 4) for step in range(76))
"""The upper ends of the classes of durations in seconds, from 0.1 ms to 44 s, each 1.19 times the one before."""
_PAUSE_S: Final = 10
"""Seconds without a further request after Redis did not answer, so that not every page waits for it."""
REFUSAL_HOURS: Final = 24
"""The number of hours for which refusals are counted, with the running one."""
_TELL: Final = f"""
local now = redis.call('TIME')[1]
redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
redis.call('EXPIRE', KEYS[1], {20 * STALE_S})
local hour = KEYS[2] .. ':' .. math.floor(now / 3600)
for i = 3, #ARGV, 2 do
    redis.call('HINCRBY', hour, ARGV[i], ARGV[i + 1])
end
if #ARGV > 2 then
    redis.call('EXPIRE', hour, {3600 * (REFUSAL_HOURS + 1)})
end
"""
# Returns the codes and numbers of the last hours, one after the other.
_REFUSALS: Final = f"""
local hour, found = math.floor(redis.call('TIME')[1] / 3600), {{}}
for back = 0, {REFUSAL_HOURS - 1} do
    for _, text in ipairs(redis.call('HGETALL', KEYS[1] .. ':' .. (hour - back))) do
        found[#found + 1] = text
    end
end
return found
"""
# Returns the reports of the running processes and the length of the queue, and forgets ended processes.
_READ: Final = f"""
local now, told = tonumber(redis.call('TIME')[1]), {{}}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
    local at, text = string.match(all[i + 1], '^(%d+) (.*)$')
    if now - tonumber(at) <= {STALE_S} then
        told[#told + 1] = text
    else
        redis.call('HDEL', KEYS[1], all[i])
    end
end
return {{redis.call('LLEN', KEYS[2]), told}}
"""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServedNow:
    """The load of all processes together."""

    processes: int
    hosts: frozenset[str]
    """The names of the machines or containers that they run on."""
    sockets: int
    answers: int
    """Answers to bets in the last minute."""
    p99_s: float | None
    """The time that 99 of 100 answers did not exceed; None without answers."""
    queue: int
    """Tasks that wait for a worker."""


class ProcessMeter:
    """The counts of this process. Thread-safe except for a lost count now and then, which does no harm.

    Its thread outlives a test, so the meter keeps the Redis and the key of its creation.
    """

    def __init__(self) -> None:
        self.sockets = 0
        self._refusals: Counter[str] = Counter()
        self._redis_url = settings.REDIS_URL
        self._key = _key()
        self._name = uuid4().hex
        self._window = [0] * (len(BOUNDS) + 1)
        self._windows: deque[list[int]] = deque(maxlen=WINDOWS)
        self._thread: Thread | None = None
        self._lock = Lock()

    def answered(self, seconds: float) -> None:
        """Count an answer to a bet."""
        self._window[bisect_left(BOUNDS, seconds)] += 1
        if self._thread is None or not self._thread.is_alive():
            self.start()

    def refused(self, code: str) -> None:
        """Count a bet or an action that was answered with an error."""
        self._refusals[code] += 1
        self.start()

    def socket_opened(self) -> None:
        """Count an opened socket."""
        self.sockets += 1
        self.start()

    def socket_closed(self) -> None:
        """Count a closed socket."""
        self.sockets -= 1

    def tell(self) -> None:
        """Report this process's last minute to Redis. Raises RedisError."""
        window, self._window = self._window, [0] * len(self._window)
        self._windows.append(window)
        answers = [sum(counts) for counts in zip(*self._windows, strict=True)]
        told = json.encode({"host": socket.gethostname(), "sockets": self.sockets, "answers": answers})
        refusals, self._refusals = self._refusals, Counter()
        counts = [text for code, count in refusals.items() for text in (code, str(count))]
        keys = [self._key, _refusals_key(self._key)]
        _script(self._redis_url, _TELL)(keys=keys, args=[self._name, told, *counts])

    def start(self) -> None:
        """Report from now on, even if there is nothing to count."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # A forked process has no threads.
                self._thread = Thread(target=self._tell_all, name="meter", daemon=True)
                self._thread.start()

    def _tell_all(self) -> None:
        is_away = False
        while True:
            time.sleep(TELL_S)
            try:
                self.tell()
            except RedisError as error:
                if not is_away:
                    logger.warning("meter_not_sent", error=type(error).__name__)
                is_away = True
            else:
                is_away = False


@cache
def process_meter() -> ProcessMeter:
    """Return the meter of this process."""
    return ProcessMeter()


def served_now() -> ServedNow | None:
    """Return the load of all processes; None if Redis does not answer, or has not answered just before."""
    answer = _asked(_READ, [_key(), _QUEUE])
    return None if answer is None else _summed(answer[0], [json.decode_object(text) for text in answer[1]])


def served_by_process() -> list[ServedNow] | None:
    """Return the load of each process, those with the most answers first; None if Redis does not answer."""
    answer = _asked(_READ, [_key(), _QUEUE])
    if answer is None:
        return None
    each = [_summed(answer[0], [json.decode_object(text)]) for text in answer[1]]
    return sorted(each, key=lambda one: (-one.answers, -one.sockets))


def tasks_waiting() -> Counter[str] | None:
    """Return the number of the oldest waiting tasks by name, of `MAX_TASKS_READ`; None if Redis does not answer."""
    answer = _asked(_TASKS, [_QUEUE])
    return None if answer is None else Counter(_task_name(text) for text in answer)


def refusals_by_code() -> Counter[str] | None:
    """Return the bets and actions of the last hours that were refused, by code; None if Redis does not answer."""
    answer = _asked(_REFUSALS, [_refusals_key(_key())])
    if answer is None:
        return None
    found: Counter[str] = Counter()
    for code, count in zip(answer[::2], answer[1::2], strict=True):
        found[code] += int(count)
    return found


def percentile_s(counts: Sequence[int], share: float) -> float | None:
    """Return the upper end of the class that contains this percentile of all durations; None without durations."""
    total = sum(counts)
    if not total:
        return None
    place = next(place for place, sofar in enumerate(accumulate(counts)) if sofar >= share * total)
    return BOUNDS[min(place, len(BOUNDS) - 1)]


class _Away:
    """The time until which Redis is not asked."""

    until = 0.0


_QUEUE: Final = "celery"
"""Celery's key of the tasks that wait. New ones are put in front."""
MAX_TASKS_READ: Final = 1_000
_TASKS: Final = f"return redis.call('LRANGE', KEYS[1], -{MAX_TASKS_READ}, -1)"


def _asked(script: str, keys: Sequence[str]) -> Any:
    """Return the answer of a script of ours; None if Redis does not answer, at once if it did not a moment ago."""
    if time.monotonic() < _Away.until:
        return None
    try:
        return _script(settings.REDIS_URL, script)(keys=list(keys), args=[])
    except RedisError:
        _Away.until = time.monotonic() + _PAUSE_S
        return None


def _task_name(message: str) -> str:
    """Return the name of a task from Celery's message."""
    headers = json.decode_object(message).get("headers")
    return str(headers.get("task", "unknown")) if isinstance(headers, dict) else "unknown"


def _summed(queue: int, told: Sequence[Mapping[str, Any]]) -> ServedNow:
    same = [process["answers"] for process in told if len(process["answers"]) == len(BOUNDS) + 1]
    counts = [sum(each) for each in zip(*same, strict=True)]
    return ServedNow(
        processes=len(told),
        hosts=frozenset(str(process.get("host", "unknown")) for process in told),
        sockets=sum(int(process["sockets"]) for process in told),
        answers=sum(counts),
        p99_s=percentile_s(counts, 0.99),
        queue=int(queue),
    )


def _key() -> str:
    return f"{settings.PUNTO_REDIS_PREFIX}:meters"


def _refusals_key(key: str) -> str:
    return f"{key}:refusals"


@lru_cache(maxsize=8)
def _script(redis_url: str, text: str) -> Script:
    return redis.Redis(connection_pool=redis_pool(redis_url, decode_responses=True)).register_script(text)
