"""Build verification: the server and a script without the server's packages name the same differences."""

import gc
import json
import os
import py_compile
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery.schedules import crontab
from celery.signals import beat_init, worker_init
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse

from apps.accounts.models import Role
from apps.build.build_start_check import build_start_check
from apps.build.models import BuildCheck, CheckScope
from apps.build.services import build_check, definition_rows, manifest_make
from apps.build.tasks import build_check as nightly
from apps.build.verify_build import (
    BAD_SIGNATURE,
    body_bytes,
    definition_hashes,
    package_differences,
    package_hashes,
    settings_names,
    signature_holds,
    source_differences,
    source_hashes,
)
from apps.core.errors import NotFound
from apps.events.models import SignificantEvent
from casino.local.postgres import programs
from casino.serve.__main__ import main
from casino.settings.waits import WAIT_S
from tests.conftest import superuser_url
from tests.support.factories import staff_make
from tests.support.office_browser import OfficeBrowser
from tests.support.server import ROOT, app_url

pytestmark = pytest.mark.usefixtures("committed")

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw().hex()


class Release:
    """A manifest of this checkout, and the results of both checks of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = manifest_of_this()
        self.write(self.manifest)

    def write(self, manifest: dict[str, Any]) -> None:
        self.path.write_text(json.dumps(manifest))

    def signed(self, **parts: Any) -> None:
        """Write the manifest with other parts, signed by the same key."""
        body = {name: value for name, value in (self.manifest | parts).items() if name != "signature"}
        self.write(body | {"signature": KEY.sign(body_bytes(body)).hex()})

    def told(self) -> list[str]:
        """Return the differences of files and database, which the server and the script both name."""
        found: list[str] = build_check(scope=CheckScope.START, by="test").differences
        *said, not_looked_at, _ = script(self.path, "--source", ROOT, "--database", superuser_url())
        assert not_looked_at.startswith("Not looked at: files of packages")
        return found if sorted(found) == sorted(said) else [*found, "the script says", *said]


@cache
def manifest_of_this() -> dict[str, Any]:
    """Return the manifest of this checkout, which takes three seconds."""
    return manifest_make(version="9.9", notes="a test", approved_by="Anna", key=KEY)


def script(manifest: Path, *words: object, key: str = PUBLIC) -> list[str]:
    """Return the output of the script, after a check that its last line agrees with its exit code."""
    done = subprocess.run(
        [sys.executable, "-I", "apps/build/verify_build.py", manifest, *map(str, words), "--public-key", key],
        cwd=ROOT, env=os.environ | {"PATH": f"{programs()}:{os.environ['PATH']}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    lines = done.stdout.splitlines()
    assert (done.returncode == 0) == (" as released" in lines[-1] or lines[-1] == "The build is the released one.")
    return lines


@pytest.fixture
def release(tmp_path: Path, settings: Any) -> Release:
    settings.PUNTO_MANIFEST = str(tmp_path / "manifest.json")
    settings.PUNTO_BUILD_KEY = PUBLIC
    return Release(tmp_path / "manifest.json")


def test_what_differs_from_the_release_is_named_by_the_server_and_the_script(
    release: Release, superuser: psycopg.Connection
) -> None:
    assert release.told() == []
    assert not SignificantEvent.objects.exists()

    packages = release.manifest["packages"]
    release.signed(packages=packages | {"django/__init__.py": "00"})
    assert build_check(scope=CheckScope.ALL, by="test").differences == [
        "package file django/__init__.py: it is another one"
    ]
    source = {name: value for name, value in release.manifest["source"].items() if name != "manage.py"}
    release.signed(source=source | {"apps/gone.py": "00"})
    assert release.told() == ["file apps/gone.py: it is missing", "file manage.py: it is not in the manifest"]
    release.write(release.manifest | {"version": "9.8"})
    assert release.told() == [BAD_SIGNATURE]
    release.write(release.manifest)

    body = superuser.execute("SELECT pg_get_functiondef('change_refuse()'::regprocedure)").fetchone()
    assert body is not None
    changes = {
        "CREATE OR REPLACE FUNCTION change_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'": body[
            0
        ],
        "ALTER TABLE game_round DISABLE TRIGGER round_switch": "ALTER TABLE game_round ENABLE TRIGGER round_switch",
        "GRANT DELETE ON wallet_transaction TO punto_app": "REVOKE DELETE ON wallet_transaction FROM punto_app",
    }
    named = ["function change_refuse()", "trigger round_switch on game_round", "grants on wallet_transaction"]
    for (change, back), name in zip(changes.items(), named, strict=True):
        superuser.execute(change)  # type: ignore[arg-type]
        try:
            assert release.told() == [f"database {name}: it is another one"]
        finally:
            superuser.execute(back)  # type: ignore[arg-type]
    assert release.told() == []
    found = list(BuildCheck.objects.order_by("id").values_list("found", flat=True))
    assert found == [0, 1, 2, 1, 1, 1, 1, 0]
    kinds = list(SignificantEvent.objects.order_by("id").values_list("kind", flat=True))
    assert kinds.count("authentication_mismatch") == 6
    # Three different manifests ran, and then the first one again.
    assert kinds.count("software_changed") == 4


def test_an_operator_checks_the_whole_build_by_a_button_and_beat_does_at_four(release: Release) -> None:
    packages = release.manifest["packages"]
    release.signed(packages=packages | {"django/__init__.py": "00"})
    operator = staff_make(Role.OPERATOR)
    browser = OfficeBrowser()
    browser.force_login(operator)
    answer = browser.post(reverse("admin:build_buildcheck_add"), {})
    assert answer.status_code == 302
    check = BuildCheck.objects.get()
    assert (check.scope, check.by, check.found) == (CheckScope.ALL, operator.username, 1)
    page = browser.get(reverse("admin:build_buildcheck_change", args=[check.pk])).content.decode()
    assert "package file django/__init__.py: it is another one" in page
    every_night = settings.CELERY_BEAT_SCHEDULE["check the build"]
    assert (every_night["task"], every_night["schedule"]) == (nightly.name, crontab(hour=4, minute=0))


def test_two_manifests_of_one_build_are_the_same_bytes(release: Release) -> None:
    again = manifest_make(version="9.9", notes="a test", approved_by="Anna", key=KEY)
    assert json.dumps(again) == json.dumps(release.manifest)


def test_a_signature_holds_for_its_key_and_content_alone() -> None:
    body = {"version": "1", "notes": "ä"}
    manifest = body | {"signature": KEY.sign(body_bytes(body)).hex()}
    assert signature_holds(manifest, bytes.fromhex(PUBLIC))
    other = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
    assert not signature_holds(manifest, other)
    assert not signature_holds(manifest | {"version": "2"}, bytes.fromhex(PUBLIC))
    assert not signature_holds(body, bytes.fromhex(PUBLIC))
    for signature in ("", "zz", "00" * 64, "ff" * 64):
        assert not signature_holds(body | {"signature": signature}, bytes.fromhex(PUBLIC))


def test_nothing_starts_from_a_build_that_differs_if_builds_are_strict(release: Release, tmp_path: Path) -> None:
    release.signed(source=release.manifest["source"] | {"apps/gone.py": "00"})
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.test",
        "DATABASE_URL": app_url(),
        "DATABASE_OWNER_URL": app_url(),
        "REDIS_URL": settings.REDIS_URL,
        "PUNTO_MANIFEST": str(release.path),
        "PUNTO_BUILD_KEY": PUBLIC,
        "PUNTO_STRICT_BUILD": "1",
    }
    for kind in (["sockets"], ["worker"], ["beat", "--schedule", str(tmp_path / "beat")]):
        words = [sys.executable, "-m", "casino.serve", *kind]
        done = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=WAIT_S
        )
        assert done.returncode == 1
        assert "apps/gone.py: it is missing" in done.stderr
    assert list(BuildCheck.objects.order_by("id").values_list("by", flat=True)) == [
        "start of sockets", "start of worker", "start of beat",
    ]  # fmt: skip


STARTS: dict[str, Callable[[], object]] = {
    "web": lambda: main(["web"]),
    "sockets": lambda: main(["sockets"]),
    "worker": lambda: worker_init.send(sender=None),
    "beat": lambda: beat_init.send(sender=None),
    "bots": lambda: call_command("table_bots", server="http://127.0.0.1:1"),
}
"""The start of each kind of process. Celery's programs send these signals at their start, whoever starts them."""


@pytest.mark.parametrize("kind", STARTS)
def test_no_kind_of_process_starts_without_a_manifest_if_builds_are_strict(
    kind: str, settings: Any, tmp_path: Path
) -> None:
    settings.PUNTO_MANIFEST, settings.PUNTO_STRICT_BUILD = str(tmp_path / "none.json"), True
    try:
        with pytest.raises(SystemExit, match=r"none\.json is missing"):
            STARTS[kind]()
    finally:
        gc.enable()
    assert BuildCheck.objects.get().by == f"start of {kind}"


def test_a_manifest_that_is_gone_is_a_difference_after_a_check(release: Release) -> None:
    assert build_check(scope=CheckScope.START, by="test").found == 0
    for lose, said in (
        (lambda: release.path.write_text("{"), "cannot be read"),
        (release.path.unlink, "is missing"),
    ):
        lose()
        build_start_check("web")
        nightly()
        checks = BuildCheck.objects.order_by("-id")[:2]
        assert {(check.found, check.differences[0]) for check in checks} == {
            (1, f"manifest: {release.path} {said}"),
        }
    release.write(release.manifest)
    build_start_check("web")
    kinds = list(SignificantEvent.objects.order_by("id").values_list("kind", flat=True))
    assert kinds == ["authentication_mismatch"] * 4  # the same manifest again is not another build


def test_without_a_manifest_there_is_nothing_to_check(settings: Any, tmp_path: Path) -> None:
    settings.PUNTO_MANIFEST = str(tmp_path / "none.json")
    with pytest.raises(NotFound):
        build_check(scope=CheckScope.ALL, by="test")
    build_start_check("web")
    nightly()
    assert not BuildCheck.objects.exists()


@pytest.fixture
def installed(tmp_path: Path) -> tuple[Path, Path]:
    """A checkout and a folder of packages with compiled modules, and the manifest of both."""
    root, packages = tmp_path / "app", tmp_path / "packages"
    for module in (root / "apps" / "a.py", root / "casino" / "settings" / "base.py", packages / "redis" / "client.py"):
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text("def paid(stake):\n    return stake\n")
        py_compile.compile(str(module))
    (root / "staticfiles").mkdir()
    (root / "staticfiles" / "table.1f3a.js").write_text("play()")
    manifest = {
        "version": "1", "source": source_hashes(root), "packages": package_hashes(packages),
        "definitions": definition_hashes(definition_rows()), "settings": settings_names(root),
    }  # fmt: skip
    manifest["signature"] = KEY.sign(body_bytes(manifest)).hex()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return root, packages


def test_a_changed_byte_of_an_installed_package_or_a_collected_file_is_named(
    installed: tuple[Path, Path], tmp_path: Path
) -> None:
    root, packages = installed
    words = tmp_path / "manifest.json", "--source", root, "--packages", packages, "--database", superuser_url()
    assert script(*words) == ["The build is the released one."]
    client = packages / "redis" / "client.py"
    client.write_text(client.read_text().replace("return stake", "return 9 * stake"))
    (root / "staticfiles" / "table.1f3a.js").write_text("cheat()")
    assert script(*words) == [
        "file staticfiles/table.1f3a.js: it is another one",
        "package file redis/client.py: it is another one",
        "2 differences",
    ]


def bytecode_write(source: Path, text: str, mode: py_compile.PycInvalidationMode) -> Path:
    """Compile another text into the bytecode of a source, with a header that fits the source."""
    kept, stat = source.read_bytes(), source.stat()
    source.write_text(text)
    compiled = Path(py_compile.compile(str(source), invalidation_mode=mode))
    code = compiled.read_bytes()[16:]
    source.write_bytes(kept)
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    py_compile.compile(str(source), invalidation_mode=mode)
    compiled.write_bytes(compiled.read_bytes()[:16] + code)
    return compiled


@pytest.mark.parametrize("mode", py_compile.PycInvalidationMode)
def test_bytecode_that_python_would_run_instead_of_its_source_is_named(
    installed: tuple[Path, Path], mode: py_compile.PycInvalidationMode
) -> None:
    root, packages = installed
    manifest = json.loads((root.parent / "manifest.json").read_text())
    assert source_differences(manifest, root) == package_differences(manifest, packages) == []
    for source, differences, folder in (
        (root / "apps" / "a.py", source_differences, root),
        (packages / "redis" / "client.py", package_differences, packages),
    ):
        altered = bytecode_write(source, "def paid(stake):\n    return 9 * stake\n", mode)
        (said,) = differences(manifest, folder)
        assert said.endswith(f"file {altered.relative_to(folder)}: it is not what its source says")
        altered.write_bytes(altered.read_bytes()[:16] + b"no code")
        assert differences(manifest, folder) == [said]
        py_compile.compile(str(source), invalidation_mode=mode, optimize=2)
        altered.write_bytes(bytes(16))  # of another Python, or out of date: it is not run
        assert differences(manifest, folder) == []


def test_bytecode_without_a_source_is_named_where_python_imports_it(installed: tuple[Path, Path]) -> None:
    root, packages = installed
    manifest = json.loads((root.parent / "manifest.json").read_text())
    for folder in (root / "apps", packages / "redis"):
        py_compile.compile(str(next(folder.glob("*.py"))), cfile=str(folder / "hidden.pyc"))
        (folder / "__pycache__" / f"gone.{sys.implementation.cache_tag}.pyc").write_bytes(b"of a module that is gone")
        (folder / "linked").symlink_to("/tmp")
    assert source_differences(manifest, root) == [
        "file apps/hidden.pyc: it is not in the manifest",
        "file apps/linked: it is not in the manifest",
    ]
    assert package_differences(manifest, packages) == [
        "package file redis/hidden.pyc: it is not in the manifest",
        "package file redis/linked: it is not in the manifest",
    ]


@pytest.mark.parametrize(
    "name", ["redis.py", "redis.pyc", "redis.abi3.so", "redis/__init__.py", "zope/interface/__init__.py", "a.dist-info"]
)
def test_what_python_would_import_before_a_package_is_named(installed: tuple[Path, Path], name: str) -> None:
    root, _ = installed
    manifest = json.loads((root.parent / "manifest.json").read_text())
    for known in ("tests/__init__.py", "README.md", "seals/seals.jsonl", ".venv/lib/a.py"):
        (root / known).parent.mkdir(exist_ok=True, parents=True)
        (root / known).touch()
    assert source_differences(manifest, root) == []
    (root / name).parent.mkdir(exist_ok=True, parents=True)
    (root / name).touch()
    top = name.partition("/")[0]
    assert source_differences(manifest, root) == [
        f"file {top}: Python imports it before any package, and no release has it",
    ]


def test_the_script_says_what_it_has_not_looked_at(installed: tuple[Path, Path], tmp_path: Path) -> None:
    root, packages = installed
    manifest = tmp_path / "manifest.json"
    assert script(manifest, "--source", root) == [
        "Not looked at: files of packages (--packages), definitions in the database (--database).",
        "What was looked at is as released.",
    ]
    (packages / "redis" / "__pycache__" / "client.cpython-399.opt-1.pyc").touch()
    said = script(manifest, "--source", root, "--packages", packages, key="00" * 32)
    assert said == [
        BAD_SIGNATURE,
        "Not looked at: definitions in the database (--database), bytecode of cpython-399.",
        "1 difference",
    ]
    for words, complaint in (
        (["--public-key", PUBLIC], "nothing to look at"),
        (["--source", str(root)], "required: --public-key"),
    ):
        done = subprocess.run(
            [sys.executable, "-I", "apps/build/verify_build.py", str(manifest), *words],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert complaint in done.stderr
