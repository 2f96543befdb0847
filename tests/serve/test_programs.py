"""All shipped files start processes through `casino.serve`, so no process runs without its limits."""

import re
from pathlib import Path

import pytest

from casino.local.run import _programs
from casino.serve.__main__ import MODULES, WITH_SOCKETS, parser
from tests.docker.conftest import compose_read, dockerfile_read

ROOT = Path(__file__).parents[2]
SERVE = ["python", "-m", "casino.serve"]
SERVICES = ("web", "sockets", "worker", "beat")
STARTERS = ("docker", "casino/local", "casino/bench", "tests/support", "Makefile", ".ci/run")


@pytest.mark.parametrize("name", SERVICES)
def test_the_compose_file_starts_each_service_by_its_kind(name: str) -> None:
    command = compose_read()["services"][name]["command"]
    assert command[:3] == SERVE
    assert parser().parse_args(command[3:]).kind == name
    assert "--with-sockets" not in command


def test_the_image_starts_one_of_the_kinds_by_itself() -> None:
    words = re.findall(r'"([^"]+)"', next(line for line in dockerfile_read() if line.startswith("CMD ")))
    assert words[:3] == SERVE
    parser().parse_args(words[3:])


def test_make_run_starts_its_programs_by_their_kinds() -> None:
    started = {}
    programs = _programs(8000)
    assert programs.pop("bots")[0][:2] == ["django", "table_bots"]  # players, who serve nothing
    for name, (words, _) in programs.items():
        assert words[0] == "casino.serve"
        started[name] = parser().parse_args(words[1:])
    assert {name: options.kind for name, options in started.items()} == {
        "web": "web",
        "worker": "worker",
        "beat": "beat",
    }
    assert started["web"].with_sockets is True


def test_no_shipped_file_starts_a_server_or_celery_directly() -> None:
    paths = [path for name in STARTERS for path in [ROOT / name, *(ROOT / name).rglob("*")] if path.is_file()]
    assert len(paths) > 20
    named = re.compile(r"""["' /](granian|uvicorn|daphne|celery)(?:["']?,| )(?!\[)|uvicorn\.run\(""")
    commands = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        if path.suffix != ".pyc"
        for line in path.read_text().splitlines()
        if named.search(line) and not line.lstrip().startswith("#")
    ]
    assert commands == []


def test_every_kind_has_its_module() -> None:
    assert set(MODULES) == {*SERVICES, WITH_SOCKETS}
    for module in MODULES.values():
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
