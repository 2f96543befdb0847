"""Our commands of the docker files, run outside a container, since tests have no container engine.

Three kinds of commands are not run: `useradd`, the installation of packages (`make test` does the same from the same
lock file), and the programs of other images. `make test` starts `web` and the worker; `make soak` also starts `sockets`
and beat, which have the same environment.

In `make test` the `migrate` service finds the database of an earlier version, without the tables of one app, and the
static files of two packages are left out; in `make soak` it finds an empty database, and all files are compressed.
"""

import json
import posixpath
import re
import socket
import subprocess

import psycopg
import pytest

from casino.local.postgres import APP, OWNER, programs
from casino.settings.waits import WAIT_S
from tests.docker.conftest import ROOT, SECRETS, Image, compose_read, dockerfile_read, run
from tests.local.conftest import eventually
from tests.support.long_form import IS_LONG
from tests.support.static_heads import MAX_STATIC_HEAD_BYTES, NGINX_BYTES
from tests.support.template_database import earlier_version_load

SLOW_TO_COMPRESS = ("admin", "drf_spectacular_sidecar")
"""Packages whose static files take more than half of the time of a build."""

pytestmark = pytest.mark.xdist_group("docker")


@pytest.fixture(scope="module")
def migrated(image: Image, django_db_setup: None) -> Image:
    """A database with the roles of the image's script and the tables of the `migrate` service."""
    assert image.held.postgres
    host = str(image.held.postgres.data_dir.sockets)
    psql = {"PATH": f"{programs()}:/usr/bin:/bin", "PGHOST": host}
    run(["sh", str(ROOT / "docker" / "postgres-roles.sh")], cwd=image.folder, environment=SECRETS | psql)
    isready = compose_read()["services"]["postgres"]["healthcheck"]["test"][1:]
    run(isready, cwd=image.folder, environment=psql)
    if not IS_LONG:
        earlier_version_load(image.held.postgres.url(OWNER), image.folder.parent)
    image.run("migrate")
    with psycopg.connect(image.held.postgres.url(APP)) as link:
        link.execute("SELECT FROM player_note")
    collect = next(line for line in dockerfile_read() if "collectstatic" in line).removeprefix("RUN ")
    if not IS_LONG:
        collect += "".join(f" --ignore {package}" for package in SLOW_TO_COMPRESS)
    settings = {"DJANGO_SETTINGS_MODULE": "casino.settings.prod", "PATH": image.environment("web")["PATH"]}
    run(["sh", "-c", collect], cwd=image.folder, environment=settings)
    return image


def is_healthy(image: Image, service: str, port: int) -> bool:
    words = compose_read()["services"][service]["healthcheck"]["test"][1:]
    done = subprocess.run(
        [*words[:-1], str(port)], cwd=image.folder, env=image.environment(service), capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.parametrize("service", ["web", "sockets"] if IS_LONG else ["web"])
def test_a_server_becomes_healthy(migrated: Image, service: str, port: int) -> None:
    assert not is_healthy(migrated, service, port)
    with migrated.running(service, port):
        eventually(lambda: socket.create_connection(("127.0.0.1", port), timeout=5).close() is None)
        assert is_healthy(migrated, service, port)
        if service == "web":
            static_head_check(migrated, port)


def static_head_check(image: Image, port: int) -> None:
    """Check the status line and headers of a script: `tests/e2e/test_weight.py` adds their size for each file."""
    files = json.loads((image.folder / "staticfiles" / "staticfiles.json").read_text())["paths"]
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as link:
        address = f"/static/{files['portal/js/money.js']}"
        link.sendall(f"GET {address} HTTP/1.1\r\nHost: play.example\r\nAccept-Encoding: br\r\n\r\n".encode())
        answer = link.makefile("rb")
        head = b"".join(iter(answer.readline, b"\r\n")).decode().lower() + "\r\n"
    assert head.startswith("http/1.1 200")
    assert "content-encoding: br\r\n" in head
    assert "immutable" in head
    assert "x-content-type-options: nosniff" in head
    assert len(head) + NGINX_BYTES <= MAX_STATIC_HEAD_BYTES, head


@pytest.mark.parametrize(
    ("service", "sign"), [("worker", "ready."), ("beat", "beat: Starting...")] if IS_LONG else [("worker", "ready.")]
)
def test_the_worker_and_beat_start_by_their_commands(migrated: Image, service: str, sign: str) -> None:
    with migrated.running(service) as log:
        eventually(lambda: sign in log.read_text())


def test_every_module_imports_the_others_by_their_digests(migrated: Image) -> None:
    """Otherwise a browser asks for each of them again after a minute, and mixes two versions after an upgrade."""
    folder = migrated.folder / "staticfiles"
    files = json.loads((folder / "staticfiles.json").read_text())["paths"]
    places = (migrated.folder / "static", *migrated.folder.glob("apps/*/static"))
    ours = {file.relative_to(place).as_posix() for place in places for file in place.rglob("*.js")}
    assert len(ours) > 50
    imported: set[str] = set()
    for name in ours:
        script = (folder / files[name]).read_text()
        # Types of the type checker, in comments, name files too.
        words = r"^(?:import|export)\s(?:[^;\"']*\sfrom\s+)?|(?:await|return|=|=>) import\("
        for address in re.findall(rf"""(?m)(?:{words})["']([./][^"']+)["'](?!\)\.[A-Z])""", script):
            target = posixpath.normpath(posixpath.join(f"/static/{posixpath.dirname(name)}", address))
            imported.add(target.removeprefix("/static/"))
    assert len(imported) > 50
    assert imported <= set(files.values())


def test_files_are_compressed_under_the_names_that_pages_ask_for(migrated: Image) -> None:
    folder = migrated.folder / "staticfiles"
    asked_for = set(json.loads((folder / "staticfiles.json").read_text())["paths"].values())
    compressed = {path.relative_to(folder).as_posix().removesuffix(".br") for path in folder.rglob("*.br")}
    assert len(compressed) > 100
    assert compressed <= asked_for
    assert not [name for name in asked_for if "redoc" in name or name.startswith("rest_framework/")]


def test_a_missing_secret_stops_the_start_and_is_named(migrated: Image) -> None:
    environment = migrated.environment("web")
    del environment["PUNTO_SEAL_KEY"]
    done = subprocess.run(
        ["python", "manage.py", "check"],
        cwd=migrated.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "PUNTO_SEAL_KEY is not set: the server does not start without it" in done.stderr
