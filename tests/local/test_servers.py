"""The embedded servers: private, intact after a crash, and started and stopped by one process."""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import psutil
import psycopg
import pytest
from kombu import Connection
from redis import Redis as Client

from casino import env
from casino.local import data_dirs
from casino.local.postgres import Postgres
from casino.local.redis import Redis
from casino.local.servers import Servers, servers, throwaway_servers
from casino.local.setup_error import SetupError, from_os_error
from casino.local.supervisor import RestartLimits, Supervisor
from tests.local.conftest import ROOT, eventually, is_alive, modes_unchanged

pytestmark = pytest.mark.xdist_group("local-servers")


def start_and_die(checkout: Path) -> int:
    """Start servers in another process, write a row, kill that process; return the id of the server that it left."""
    program = """
import os, pathlib, signal, sys, psycopg
from casino.local.servers import servers
with servers(pathlib.Path(sys.argv[1]), "run", durable=False) as held:
    with psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE kept (n integer)")
    print(held.postgres.child.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(checkout)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return int(done.stdout)


def table_store(checkout: Path, name: str) -> None:
    """Make a table that is on the disk: servers that end properly write it, even without durable commits."""
    with (
        servers(checkout, "run", durable=False) as held,
        psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link,
    ):
        link.execute(f"CREATE TABLE {name} (n integer)")


def test_servers_start_and_change_no_mode(checkout: Path) -> None:
    with modes_unchanged(checkout), servers(checkout, "run", durable=False) as held:
        environment = held.environment()
        with psycopg.connect(environment["DATABASE_OWNER_URL"]) as owner:
            owner.execute("CREATE TABLE made_by_owner (n integer)")
            listening = owner.execute("SHOW listen_addresses").fetchone()
        with psycopg.connect(environment["DATABASE_URL"]) as app:
            role = app.execute("SELECT current_user, usesuper FROM pg_user WHERE usename = current_user").fetchone()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute("SELECT * FROM made_by_owner")
        with Client.from_url(environment["REDIS_URL"]) as client:
            assert client.ping()
            assert client.config_get("port") == {"port": "0"}
        assert held.postgres is not None
        server = psutil.Process(held.postgres.child.pid)  # type: ignore[union-attr]
        assert server.uids().real != 0
        assert held.postgres.data_dir.sockets.stat().st_mode & 0o777 == 0o700
    assert listening == ("",)
    assert role == ("punto_app", False)
    assert not server.is_running()


def test_each_client_reaches_a_path_with_a_space_and_a_percent_sign() -> None:
    account = data_dirs.unprivileged_account() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="100% my punto ") as name:
        folder = Path(name)
        if account:
            os.chown(folder, account.uid, account.gid)
        data_dir = data_dirs.DataDir(folder=folder, sockets=folder, logs=folder, account=account)
        held = Servers(Postgres(data_dir, durable=False), Redis(data_dir, durable=False))
        held.start()
        try:
            environment = held.environment()
            psycopg.connect(environment["DATABASE_URL"]).close()
            psycopg.connect(
                host=env.database(environment["DATABASE_URL"])["HOST"], user="punto_app", dbname="punto"
            ).close()
            with Client.from_url(env.redis_database(environment["REDIS_URL"], 1)) as client:
                assert client.ping()
            with Connection(env.broker(environment["REDIS_URL"])) as broker:
                broker.ensure_connection(max_retries=1)
        finally:
            held.stop()


def test_the_same_purpose_is_served_once(checkout: Path) -> None:
    again = servers(checkout, "run", durable=False)
    with (
        servers(checkout, "run", durable=False),
        pytest.raises(SetupError, match="runs from this folder already"),
        again,
    ):
        pytest.fail("two servers on one folder of data")


def test_a_killed_start_leaves_a_server_that_the_next_one_stops(checkout: Path) -> None:
    left = psutil.Process(start_and_die(checkout))
    assert is_alive(left)
    with servers(checkout, "run", durable=False) as held:
        assert not is_alive(left)
        with psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link:
            assert link.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_lock_file_with_the_id_of_some_other_process_is_stale(checkout: Path) -> None:
    lock = data_dirs.data_dir_for(checkout, "run").folder / "postgres" / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{lock.parent}\n1\n5432\n{lock.parent}\n\n\nready\n")
    with servers(checkout, "run", durable=False) as held:
        assert held.postgres is not None
        assert held.postgres.child is not None
        assert lock.read_text().split()[0] == str(held.postgres.child.pid)


def test_servers_that_are_killed_are_started_again(checkout: Path) -> None:
    table_store(checkout, "survived")
    said: list[str] = []
    stop_requests: queue.SimpleQueue[int] = queue.SimpleQueue()
    with servers(checkout, "run", durable=False) as held:
        supervisor = Supervisor(
            held.embedded(), limits=RestartLimits(first_pause_s=0), say=said.append, clear=lambda: None
        )
        watching = threading.Thread(target=supervisor.watch, args=(stop_requests,))
        watching.start()
        killed = [psutil.Process(server.child.pid) for server in held.embedded() if server.child]
        for process in killed:
            process.kill()
        eventually(lambda: psycopg.connect(held.environment()["DATABASE_URL"]).close() is None)
        eventually(lambda: [server.exit_code() for server in held.embedded()] == [None, None])
        stop_requests.put(signal.SIGTERM)
        watching.join()
        with psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link:
            assert link.execute("SELECT count(*) FROM survived").fetchone() == (0,)
        with Client.from_url(held.environment()["REDIS_URL"]) as client:
            assert client.ping()
        assert not [process for process in killed if process.is_running()]
    assert sorted(said) == [
        "PostgreSQL was ended by SIGKILL; it is started again in 0.0 s",
        "Redis was ended by SIGKILL; it is started again in 0.0 s",
    ]


def test_a_start_succeeds_after_one_that_was_killed_while_creating_the_data(checkout: Path) -> None:
    program = """
import pathlib, sys
from casino.local.servers import servers
with servers(pathlib.Path(sys.argv[1]), "other", durable=False):
    pass
"""
    folder = data_dirs.data_dir_for(checkout, "other").folder
    first = subprocess.Popen([sys.executable, "-c", program, str(checkout)], cwd=ROOT)
    with first:
        eventually(lambda: any(folder.glob("postgres.new*/PG_VERSION")))
        first.kill()
    with (
        servers(checkout, "other", durable=False) as held,
        psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link,
    ):
        assert link.execute("SELECT current_user").fetchone() == ("punto_owner",)


def test_damaged_data_is_explained_and_left_unchanged(checkout: Path) -> None:
    table_store(checkout, "undamaged")
    control = data_dirs.data_dir_for(checkout, "run").folder / "postgres" / "global" / "pg_control"
    whole = control.read_bytes()
    control.write_bytes(bytes(len(whole)))
    try:
        refusal = pytest.raises(SetupError, match=r"(?s)PostgreSQL did not start\. It says:.*FATAL")
        with refusal, servers(checkout, "run", durable=False):
            pytest.fail("a damaged database was served")
    finally:
        control.write_bytes(whole)
    with (
        servers(checkout, "run", durable=False) as held,
        psycopg.connect(held.environment()["DATABASE_OWNER_URL"]) as link,
    ):
        assert link.execute("SELECT count(*) FROM undamaged").fetchone() == (0,)


def test_a_test_run_leaves_nothing_and_removes_the_remains_of_a_killed_one(checkout: Path) -> None:
    left = data_dirs.data_dir_for(checkout, "test-1")
    (left.folder / "something").write_text("")
    with throwaway_servers(checkout) as held:
        assert not left.folder.exists()
        assert held.postgres is not None
        folder = held.postgres.data_dir.folder
        assert folder.is_dir()
        assert data_dirs.data_dirs_of(checkout, "test-") == [folder.name]
    assert data_dirs.data_dirs_of(checkout, "test-") == []
    assert list((checkout / ".punto").glob("test-*")) == []


def test_a_full_disk_is_explained(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_dirs, "MIN_FREE_BYTES", 2**62)
    refusal = pytest.raises(
        SetupError, match=r"(?s)The disk is full: \d+ MB are free at .* nothing that was saved is lost"
    )
    with refusal, servers(checkout, "run", durable=False):
        pytest.fail("started on a full disk")
    assert "The disk is full (data/file)" in str(from_os_error(OSError(28, "No space left on device", "data/file")))


def test_a_path_too_long_for_a_socket_gets_a_short_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_dirs, "ROOT_HOME", tmp_path / "root")
    checkout = tmp_path / ("long" * 30)
    checkout.mkdir()
    data_dir = data_dirs.data_dir_for(checkout, "run")
    assert len(os.fsencode(data_dir.sockets)) <= data_dirs.MAX_SOCKET_FOLDER_BYTES
    data_dirs.data_dir_remove(data_dir)
    assert not data_dir.sockets.exists()
