"""The parsed docker files, and the image's content on servers of the test, without a container engine."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from casino.local.data_dirs import home_of
from casino.local.servers import Servers, servers
from casino.settings.waits import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
SECRETS = {
    "POSTGRES_PASSWORD": "superuser-of-the-test",
    "PUNTO_OWNER_PASSWORD": "owner-of-the-test",
    "PUNTO_APP_PASSWORD": "app-of-the-test",
    "SECRET_KEY": "a-secret-of-the-docker-test-0123456789",
    "PUNTO_SEED_KEY": "a-seed-key-of-the-docker-test-0123456789",
    "PUNTO_SEAL_KEY": "a-seal-key-of-the-docker-test-0123456789",
    "PUNTO_SIGN_KEYS": "0123456789abcdef" * 4,
    "PUNTO_ALLOWED_HOSTS": "play.example",
    "PUNTO_TRUSTED_ORIGINS": "https://play.example",
}


def compose_read() -> dict[str, Any]:
    """Return the compose file with its variables filled in and its anchors resolved."""

    def filled(match: re.Match[str]) -> str:
        name, default = match.groups()
        return SECRETS.get(name, default or "")

    text = (ROOT / "docker" / "compose.yml").read_text()
    read: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{(\w+)(?::\?|:-([^}]*))\}", filled, text))
    for service in read["services"].values():
        # A name without a value is passed on if it is set, and SECRETS sets none of these.
        given = service.get("environment", {})
        service["environment"] = {name: value for name, value in given.items() if value is not None}
    return read


def dockerfile_read() -> list[str]:
    """Return the instructions of the Dockerfile, each on one line, without comments."""
    lines = [line for line in (ROOT / "docker" / "Dockerfile").read_text().splitlines() if not line.startswith("#")]
    return [line.strip() for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]


@dataclass(frozen=True, slots=True)
class Image:
    """The files of the image, and servers in the place of the compose file's."""

    folder: Path
    held: Servers

    def environment(self, service: str) -> dict[str, str]:
        """Return a service's environment, with the addresses of the test's servers and the programs of the lock
        file."""
        assert self.held.postgres
        assert self.held.redis
        environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.folder)}
        for name, value in compose_read()["services"][service]["environment"].items():
            text = str(value).replace("@postgres/punto", f"@/punto?host={self.held.postgres.data_dir.sockets}")
            text = text.replace("redis://redis:6379/0", self.held.redis.url)
            environment[name] = text.replace("/seals", str(self.folder))
        return environment

    def command(self, service: str, port: int | None = None) -> list[str]:
        """Return a service's command on loopback at `port`, with its files beside the image's."""
        words = [str(word) for word in compose_read()["services"][service]["command"]]
        if port is not None:
            words[words.index("--port") + 1] = str(port)
        return [word.replace("0.0.0.0", "127.0.0.1").replace("/tmp/", f"{self.folder}/") for word in words]

    def run(self, service: str) -> None:
        """Run a service's command to its end."""
        run([*self.command(service)], cwd=self.folder, environment=self.environment(service))

    @contextmanager
    def running(self, service: str, port: int | None = None) -> Iterator[Path]:
        """Run a service's command in the background, and yield its log."""
        log = self.folder / f"{service}.log"
        with log.open("wb") as output:
            child = subprocess.Popen(
                self.command(service, port), cwd=self.folder, env=self.environment(service), stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            yield log
            assert child.poll() is None, log.read_text()
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGTERM)
            child.wait(timeout=WAIT_S)


def run(words: list[str], *, cwd: Path, environment: dict[str, str]) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    """The image's files as `COPY . .` copies them, and a cluster with the roles of the compose file's script."""
    checkout = tmp_path_factory.mktemp("checkout")
    (checkout / ".punto").mkdir()
    folder = checkout / "app"
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        source = ROOT / line.removeprefix("!")
        if line.startswith("!") and source.is_dir():
            # With bytecode, which the first command would make, and without files that are just being written.
            shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("*.pyc.*"))
        elif line.startswith("!") and source.is_file():
            shutil.copy(source, folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
            patch.delenv(name, raising=False)
        with servers(checkout, "docker", durable=False) as held:
            assert held.postgres
            with psycopg.connect(held.postgres.url("postgres", "postgres"), autocommit=True) as link:
                for statement in ("DROP DATABASE punto", "DROP ROLE punto_owner", "DROP ROLE punto_app"):
                    link.execute(statement)
            yield Image(folder, held)
    shutil.rmtree(home_of(checkout), ignore_errors=True)


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
