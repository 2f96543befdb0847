"""The virtual environment: the two pips that fill it install every package once, each with its hashes."""

import re

import pytest

from casino.local.environment import lock_halves
from tests.support.server import ROOT

PACKAGE = re.compile(r"^\S+==\S+.*(?:\\\n    --hash=sha256:[0-9a-f]{64} ?)+", re.MULTILINE)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_each_half_of_a_lock_file_has_half_of_the_packages_with_their_hashes(name: str) -> None:
    packages = PACKAGE.findall((ROOT / name).read_text())
    first, second = (PACKAGE.findall(half) for half in lock_halves((ROOT / name).read_text()))
    assert sorted(first + second) == sorted(packages)
    assert "".join(packages).count("--hash") == (ROOT / name).read_text().count("--hash")
    assert len(packages) >= 100
    assert abs(len(first) - len(second)) <= 1
