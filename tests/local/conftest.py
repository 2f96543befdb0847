"""A checkout for the test alone in a private folder, like one in a home folder. Its servers are stopped at the end of
the test."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from casino.local.data_dirs import ROOT_HOME, home_of
from casino.settings.waits import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL", "REDIS_URL")
"""Variables that point to other servers. They are removed, since these tests start servers of their own."""


@contextmanager
def private_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make an empty checkout in a private folder. At the end remove the data of its servers."""
    home = tmp_path_factory.mktemp("home")
    home.chmod(0o700)
    checkout = home / "my punto"
    (checkout / ".punto").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in OUTSIDE:
            patch.delenv(name, raising=False)
        yield checkout
    shutil.rmtree(home_of(checkout), ignore_errors=True)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty checkout. The tests of a module share its content."""
    with private_checkout(tmp_path_factory) as checkout:
        yield checkout


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout with the project's files and installed packages. All tests of a worker share the data of its `run`,
    since the first start fills the database, which takes long."""
    # Bytecode is copied too, since each of the first programs would compile all modules. Files that are being written
    # at the moment are not copied.
    names = (".git", ".venv", ".punto", ".*_cache", "*.pyc.*", "node_modules", "staticfiles", "tests")
    with private_checkout(tmp_path_factory) as clone:
        shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*names), dirs_exist_ok=True)
        (clone / ".venv").symlink_to((ROOT / ".venv").resolve())
        yield clone


@contextmanager
def modes_unchanged(checkout: Path) -> Iterator[None]:
    """Check that the block changes neither mode nor owner of the folders above the checkout and of the project."""
    watched = [checkout, *checkout.parents, ROOT, *ROOT.parents, ROOT / ".venv", ROOT_HOME.parent]
    before = {folder: _mode(folder) for folder in watched}
    yield
    assert {folder: _mode(folder) for folder in watched} == before


def eventually(holds: Callable[[], bool], *, timeout_s: float = WAIT_S) -> None:
    """Return as soon as the condition holds. OSError and database errors count as not holding."""
    deadline = time.monotonic() + timeout_s
    while True:
        with suppress(OSError, psycopg.Error):
            if holds():
                return
        assert time.monotonic() < deadline, "the condition did not hold in time"
        time.sleep(0.1)


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs. An ended one stays as a zombie until its parent reads its exit code."""
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _mode(folder: Path) -> tuple[int, int, int]:
    status = folder.stat()
    return status.st_mode, status.st_uid, status.st_gid
