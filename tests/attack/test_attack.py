"""The attack: every part attacks a deployment, and no fault is found.

`make test` runs four parts with the fewest attempts that they make, on a copy of the tests' migrated database. Floods,
oracles and kills take the most time. Tests of servers (`tests/serve`, `tests/tables`), of the back office
(`tests/office/test_query.py`) and of killed processes (docs/index.md, "Tests") see the same faults. `make soak` runs
the attack of 90 seconds with every part, which migrates a database of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from casino.local.__main__ import CHECKOUT
from tests.attack.__main__ import PARTS, SHORT_S
from tests.support.long_form import IS_LONG
from tests.support.template_database import migrated_dump

pytestmark = pytest.mark.xdist_group("attack")

SECONDS = SHORT_S if IS_LONG else 6
MIN_ATTEMPTS = (
    {"races": 100, "kills": 50, "floods": 50, "frames": 300, "http": 500, "oracles": 500, "secrets": 200}
    if IS_LONG
    else {"races": 50, "frames": 100, "http": 200, "secrets": 200}
)


def test_the_attack_makes_enough_attempts_in_every_part_and_finds_no_fault(
    django_db_setup: None, tmp_path: Path
) -> None:
    words = ["-m", "tests.support.bound", "-m", "tests.attack", "--seconds", str(SECONDS), "--json"]
    if not IS_LONG:
        migrated_dump(migrated := tmp_path / "migrated.sql")
        words += ["--migrated", str(migrated), "--parts", *MIN_ATTEMPTS]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, *words], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("{"), done.stderr[-3000:]
    report = json.loads(done.stdout)
    parts = {part["name"]: part for part in report["parts"]}
    faults = [f"{name}: {fault}" for name, part in parts.items() for fault in part["faults"]]
    assert sum(part["fault_count"] for part in parts.values()) == 0, "\n".join(faults)
    assert parts.keys() == MIN_ATTEMPTS.keys()
    assert MIN_ATTEMPTS.keys() == PARTS.keys() or not IS_LONG
    for name, least in MIN_ATTEMPTS.items():
        assert parts[name]["attempts"] >= least, name
    assert done.returncode == 0
