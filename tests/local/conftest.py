"""A checkout of its own under a closed folder, as it lies in a home; its servers go with it."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from casino.local.data_dirs import ROOT_HOME, home_of

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL", "REDIS_URL")
"""What points the embedded servers away: these tests want servers of their own."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty checkout in a folder that nobody else may enter; what stands in it outlives each test of the module."""
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
def clone(checkout: Path) -> Path:
    """The checkout with the project in it, as a clone would have it, and with its packages installed."""
    left_out = shutil.ignore_patterns(".git", ".venv", ".punto", ".*_cache", "__pycache__", "staticfiles", "tests")
    shutil.copytree(ROOT, checkout, ignore=left_out, dirs_exist_ok=True)
    (checkout / ".venv").symlink_to((ROOT / ".venv").resolve())
    return checkout


@pytest.fixture(scope="module")
def modes_unchanged(checkout: Path) -> Iterator[None]:
    """No folder above the checkout, and none of ours, has another mode or owner when the module's tests are over."""
    watched = [checkout, *checkout.parents, ROOT, *ROOT.parents, ROOT / ".venv", ROOT_HOME.parent]
    before = {folder: _mode(folder) for folder in watched}
    yield
    assert {folder: _mode(folder) for folder in watched} == before


def eventually(holds: Callable[[], bool], *, timeout_s: float = 120) -> None:
    """Return as soon as the condition holds; while it raises OSError or a database error it does not."""
    deadline = time.monotonic() + timeout_s
    while True:
        with suppress(OSError, psycopg.Error):
            if holds():
                return
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def is_alive(process: psutil.Process) -> bool:
    """Whether it runs; one that has ended is there as a zombie until its parent asks for its exit code."""
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _mode(folder: Path) -> tuple[int, int, int]:
    status = folder.stat()
    return status.st_mode, status.st_uid, status.st_gid
