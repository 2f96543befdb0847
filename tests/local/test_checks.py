"""`make test`: how it runs pytest, and what its checks of scripts find."""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from casino.local.checks import CHECKS, Beside, all_run, checks_environment
from casino.local.node import node_ensure, script_checks
from casino.local.servers import Servers
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]

GROUPED = """
import os, pathlib, pytest
pytestmark = pytest.mark.xdist_group("one")

@pytest.mark.parametrize("n", range(5))
def test_worker(n):
    with pathlib.Path("workers").open("a") as file:
        print(os.environ["PYTEST_XDIST_WORKER"], file=file)
"""


def test_the_tests_of_a_group_run_in_one_worker(tmp_path: Path) -> None:
    for name in ("test_one.py", "test_other.py"):
        (tmp_path / name).write_text(GROUPED)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    outside["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the other plugins slow the run down
    plain = ["-p", "xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *CHECKS["pytest"], *plain],
        cwd=tmp_path,
        env=outside,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    workers = (tmp_path / "workers").read_text().split()
    assert len(workers) == 10
    assert len(set(workers)) == 1


def test_the_checks_keep_bytecode_although_the_user_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = checks_environment(Servers(postgres=None, redis=None))
    child = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"]
    assert subprocess.run(child, env=environment, capture_output=True, text=True, check=True).stdout == "False\n"


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_checks_beside_pytest_are_shown_and_their_failures_count(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = {
        "good": python("print('all is good')"),
        "bad": python("import sys; sys.exit('line 1 is bad')"),
        "pytest": python("print('2 passed')"),
    }
    assert all_run(commands, tmp_path, dict(os.environ)) == {"good": 0, "bad": 1, "pytest": 0}
    said = capfd.readouterr().out
    for part in ("all is good\n", "== good: ok", "line 1 is bad\n", "== bad: FAILED", "2 passed\n", "== pytest: ok"):
        assert part in said


def test_a_stop_ends_the_running_check_and_starts_no_other(tmp_path: Path) -> None:
    waiting = python(f"import pathlib, signal; pathlib.Path({str(tmp_path / 'runs')!r}).touch(); signal.pause()")
    later = python(f"import pathlib; pathlib.Path({str(tmp_path / 'later')!r}).touch()")
    beside = Beside({"waiting": waiting, "later": later}, tmp_path, dict(os.environ))
    with ThreadPoolExecutor(1) as thread:
        codes = thread.submit(beside.run)
        wait_until((tmp_path / "runs").exists, "the check runs")
        beside.stop()
        assert codes.result() == {"waiting": -signal.SIGTERM}
    assert not (tmp_path / "later").exists()


@pytest.mark.parametrize(
    ("name", "good", "bad", "said"),
    [
        pytest.param(
            "eslint",
            f"export function showIt() {{}}\n\nexport class Table {{\n{'  // a line' + chr(10)}}}\n",
            f"export function itShow() {{}}\n\nexport class Table {{\n{('  // a line' + chr(10)) * 250}}}\n",
            ["begins with a verb: itShow", "252 lines, more than 250"],
            id="a-function-named-without-a-verb-and-a-class-of-more-than-250-lines",
        ),
        pytest.param(
            "tsc",
            "/** @param {string} text */\nexport function show(text) {\n  return text;\n}\n\nshow('1');\n",
            "/** @param {string} text */\nexport function show(text) {\n  return text;\n}\n\nshow(1);\n\n"
            "export const one = (a) => a;\n",
            ["not assignable to parameter of type 'string'", "implicitly has an 'any' type"],
            id="a-wrong-type-and-a-parameter-without-a-type",
            marks=pytest.mark.soak,
        ),
        pytest.param(
            "node --test",
            "import { test } from 'node:test';\ntest('one', () => {});\n",
            "import { test } from 'node:test';\ntest('one', () => { throw new Error('it broke'); });\n",
            ["it broke"],
            id="a-test-that-fails",
        ),
    ],
)
def test_a_faulty_script_fails_its_check(tmp_path: Path, name: str, good: str, bad: str, said: list[str]) -> None:
    """The check of a new checkout names the bad script of two, and not the good one."""
    node_ensure(ROOT)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    for file in ("eslint.config.js", "tsconfig.json", "package.json"):
        shutil.copy(ROOT / file, tmp_path)
    for script, text in (("the-good", good), ("the-bad", bad)):
        path = tmp_path / (f"tests/{script}.test.js" if name == "node --test" else f"static/portal/js/{script}.js")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run(script_checks(tmp_path)[name], cwd=tmp_path, capture_output=True, text=True, check=False)
    message = done.stdout + done.stderr
    assert done.returncode != 0
    assert [part for part in ("the-bad", *said) if part not in message] == []
    assert "the-good" not in message
