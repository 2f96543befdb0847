"""`make test`: how pytest is run."""

import os
import subprocess
import sys
from pathlib import Path

from casino.local.checks import CHECKS

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
    outside["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the other plugins take their time
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
