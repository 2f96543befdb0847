"""Metrics of processes: they are added up over all processes, and no process waits for them."""

import json
import socket
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import redis
from django.conf import LazySettings

from apps.core import metrics
from apps.core.metrics import BOUNDS, ProcessMeter, percentile_s, refusals_by_code, served_now, tasks_waiting
from casino.bench.clients import bearers, load_run
from tests.support.baccarat import seat_make
from tests.support.server import Server, port_free
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def own_prefix(settings: LazySettings, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Write under keys of this test alone. The test of a server keeps the server's prefix."""
    monkeypatch.setattr(metrics._Away, "until", 0.0)
    if "shared_server" not in request.fixturenames:
        settings.PUNTO_REDIS_PREFIX = f"{settings.PUNTO_REDIS_PREFIX}:{request.node.name}"


@pytest.fixture
def silent_redis(settings: LazySettings) -> Iterator[socket.socket]:
    """A Redis that takes connections and never answers."""
    settings.PUNTO_REDIS_TIMEOUT_S = 1
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.REDIS_URL = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
        yield listener


def test_processes_are_added_up_and_one_that_has_ended_is_forgotten(settings: LazySettings) -> None:
    first, second = ProcessMeter(), ProcessMeter()
    for meter, seconds in ((first, 0.003), (second, 0.2)):
        meter.socket_opened()
        for _ in range(50):
            meter.answered(seconds)
        meter.tell()
    served = served_now()
    assert served is not None
    assert (served.processes, served.sockets, served.answers) == (2, 2, 100)
    assert served.p99_s is not None
    assert 0.2 <= served.p99_s < 0.24
    link = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)
    key = f"{settings.PUNTO_REDIS_PREFIX}:meters"
    told = link.hget(key, second._name)
    assert isinstance(told, str)
    at, text = told.split(" ", 1)
    link.hset(key, second._name, f"{int(at) - metrics.STALE_S - 5} {text}")
    left = served_now()
    assert left is not None
    assert (left.processes, left.sockets, left.answers) == (1, 1, 50)
    assert link.hexists(key, second._name) is False


def test_a_process_that_has_nothing_to_do_reports_with_its_host() -> None:
    ProcessMeter().tell()
    served = served_now()
    assert served is not None
    assert (served.processes, served.hosts, served.answers) == (1, {socket.gethostname()}, 0)


def test_a_minute_later_an_answer_no_longer_counts() -> None:
    meter = ProcessMeter()
    meter.answered(0.003)
    for _ in range(metrics.WINDOWS):
        meter.tell()
    first = served_now()
    meter.tell()
    second = served_now()
    assert (first and first.answers, second and second.answers) == (1, 0)


def test_refusals_are_added_up_by_code_over_processes_and_for_a_day(settings: LazySettings) -> None:
    first, second = ProcessMeter(), ProcessMeter()
    for meter, codes in ((first, ("RATE_LIMITED", "GAME_DISABLED")), (second, ("RATE_LIMITED",))):
        for code in codes:
            meter.refused(code)
        meter.tell()
        meter.tell()  # told once
    assert refusals_by_code() == {"RATE_LIMITED": 2, "GAME_DISABLED": 1}
    link = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)
    (hour,) = link.keys(f"{settings.PUNTO_REDIS_PREFIX}:meters:refusals:*")
    assert 24 * 3600 <= link.ttl(hour) <= 25 * 3600
    number = int(hour.rpartition(":")[2])
    link.rename(hour, hour.replace(str(number), str(number - 23)))
    assert refusals_by_code() == {"RATE_LIMITED": 2, "GAME_DISABLED": 1}
    link.rename(hour.replace(str(number), str(number - 23)), hour.replace(str(number), str(number - 25)))
    assert refusals_by_code() == {}


def test_a_task_that_waits_is_known_by_its_name(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_QUEUE", f"{settings.PUNTO_REDIS_PREFIX}:queue")
    link = redis.Redis.from_url(settings.REDIS_URL)
    for message in ({"headers": {"task": "apps.a"}}, {"headers": {"task": "apps.b"}}, {"headers": {"task": "apps.a"}}):
        link.lpush(metrics._QUEUE, json.dumps({"body": "", **message}))
    assert tasks_waiting() == {"apps.a": 2, "apps.b": 1}


def test_a_meter_keeps_the_redis_that_it_was_made_with(settings: LazySettings) -> None:
    meter = ProcessMeter()
    former, settings.REDIS_URL = settings.REDIS_URL, f"redis://127.0.0.1:{port_free()}/0"
    meter.tell()
    settings.REDIS_URL = former
    served = served_now()
    assert served is not None
    assert served.processes == 1


def test_a_silent_redis_is_asked_once_and_then_left_alone(silent_redis: socket.socket) -> None:
    assert served_now() is None
    silent_redis.accept()[0].close()
    silent_redis.setblocking(False)
    assert served_now() is None
    with pytest.raises(BlockingIOError):
        silent_redis.accept()


@pytest.mark.parametrize(
    ("counts", "place"),
    [([0, 0, 0], None), ([98, 0, 2], 2), ([99, 0, 1], 0), ([0] * len(BOUNDS) + [1], len(BOUNDS) - 1)],
)
def test_a_percentile_is_the_upper_end_of_its_class(counts: list[int], place: int | None) -> None:
    assert percentile_s(counts, 0.99) == (None if place is None else BOUNDS[place])


def test_a_server_tells_how_long_its_bets_took(committed: None, shared_server: Server) -> None:
    wait_until(
        lambda: (now := served_now()) is not None and now.processes >= 1, "the idle server has told Redis of itself"
    )
    seat = seat_make("1000")
    figures = load_run(
        "http", port=shared_server.port, method="POST", path="/api/game/baccarat/bet",
        body='{"game_type": 1, "bet_amount": 1}', credentials=bearers([seat.token]), connections=1, seconds=0.5,
    )  # fmt: skip

    def is_told() -> bool:
        served = served_now()
        return served is not None and served.answers >= figures["count"] > 0 and served.p99_s is not None

    wait_until(is_told, "the server has told Redis of its bets")
    refused = Request(
        f"{shared_server.url}/api/game/baccarat/bet",
        b'{"game_type": 1, "bet_amount": 0}',
        {"Authorization": f"Bearer {seat.token}", "Content-Type": "application/json"},
    )
    with pytest.raises(HTTPError) as answer:
        urlopen(refused)
    code = json.loads(answer.value.read())["code"]
    wait_until(lambda: (refusals_by_code() or {}).get(code, 0) >= 1, "the server has told Redis of the refusal")
