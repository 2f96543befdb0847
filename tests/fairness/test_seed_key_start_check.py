"""No process starts with a PUNTO_SEED_KEY that does not decrypt the database's seeds."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from celery.signals import beat_init, worker_init
from django.core.management import call_command

from apps.fairness.models import SeedPair
from apps.fairness.seed_key_start_check import seed_key_start_check
from casino.serve.__main__ import main
from tests.support.factories import player_make

pytestmark = pytest.mark.usefixtures("committed")

STARTS: dict[str, Callable[[], object]] = {
    "web": lambda: main(["web"]),
    "sockets": lambda: main(["sockets"]),
    "worker": lambda: worker_init.send(sender=None),
    "beat": lambda: beat_init.send(sender=None),
    "bots": lambda: call_command("table_bots", server="http://127.0.0.1:9"),
    "seeds_renew": lambda: call_command("seeds_renew", reason="a restore"),
    "demo": lambda: call_command("demo"),
}
"""The start of each kind of process, and of each command that makes seeds. Celery's programs send these signals at
their start."""


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.parametrize("kind", STARTS)
def test_no_kind_of_process_starts_with_another_seed_key(kind: str, settings: Any) -> None:
    player_make()
    pairs = list(SeedPair.objects.values_list("pk", "status"))
    settings.PUNTO_DEMO_PASSWORD = "a fixed demo password"
    settings.PUNTO_SEED_KEY = "another key " * 4
    with pytest.raises(SystemExit, match="PUNTO_SEED_KEY is not the key"):
        STARTS[kind]()
    assert list(SeedPair.objects.values_list("pk", "status")) == pairs


def test_a_new_database_and_the_right_key_start(settings: Any) -> None:
    seed_key_start_check("web")
    player_make()
    seed_key_start_check("web")
    right = settings.PUNTO_SEED_KEY
    settings.PUNTO_SEED_KEY = "another key " * 4
    player_make()
    settings.PUNTO_SEED_KEY = right
    seed_key_start_check("web")  # a later player of a process with another key does not shut out the right one


def test_one_altered_seed_keeps_no_process_from_starting(superuser: psycopg.Connection) -> None:
    altered = player_make()
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute("UPDATE seed_pair SET sealed_seed = '\\x01' WHERE player_id = %s", [altered.pk])
    with pytest.raises(SystemExit):
        seed_key_start_check("web")
    player_make()
    seed_key_start_check("web")
