"""Build verification: the server and a script without the server's packages name the same differences."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from apps.build.models import BuildCheck, CheckScope
from apps.build.services import build_check, manifest_make
from apps.build.verify_build import BAD_SIGNATURE, body_bytes, signature_holds
from apps.core.errors import NotFound
from apps.events.models import SignificantEvent
from casino.local.postgres import programs
from tests.conftest import superuser_url
from tests.support.server import ROOT, app_url

pytestmark = pytest.mark.usefixtures("committed")

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw().hex()


class Release:
    """A manifest of this checkout, and what both checks say of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = manifest_make(version="9.9", notes="a test", approved_by="Anna", key=KEY)
        self.write(self.manifest)

    def write(self, manifest: dict[str, Any]) -> None:
        self.path.write_text(json.dumps(manifest))

    def signed(self, **parts: Any) -> None:
        """Write the manifest with other parts, signed by the same key."""
        body = {name: value for name, value in (self.manifest | parts).items() if name != "signature"}
        self.write(body | {"signature": KEY.sign(body_bytes(body)).hex()})

    def told(self, scope: CheckScope = CheckScope.START) -> list[str]:
        """Return the differences, which the server and the script both name."""
        found: list[str] = build_check(scope=scope, by="test").differences
        said = self.script(scope)
        return found if found == said else [*found, "the script says", *said]

    def script(self, scope: CheckScope) -> list[str]:
        words = ["--source", str(ROOT), "--public-key", PUBLIC]
        if scope is CheckScope.ALL:
            words += ["--packages", sysconfig.get_path("purelib")]
        done = subprocess.run(
            [sys.executable, "-I", "apps/build/verify_build.py", str(self.path), *words, "--database", superuser_url()],
            cwd=ROOT, env=os.environ | {"PATH": f"{programs()}:{os.environ['PATH']}"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        lines = done.stdout.splitlines()
        assert (done.returncode == 0) == (lines == ["The build is the released one."])
        return sorted(lines[:-1])


@pytest.fixture
def release(tmp_path: Path, settings: Any) -> Release:
    settings.PUNTO_MANIFEST = str(tmp_path / "manifest.json")
    settings.PUNTO_BUILD_KEY = PUBLIC
    return Release(tmp_path / "manifest.json")


def test_what_differs_from_the_release_is_named_by_the_server_and_the_script(
    release: Release, superuser: psycopg.Connection
) -> None:
    assert release.told(CheckScope.ALL) == []
    assert not SignificantEvent.objects.exists()

    packages = release.manifest["packages"]
    release.signed(packages=packages | {"django/__init__.py": "00"})
    assert release.told(CheckScope.ALL) == ["package file django/__init__.py: it is another one"]
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
    # The manifests were other ones three times, and the first one came back.
    assert kinds.count("software_changed") == 4


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


def test_nothing_starts_from_a_build_that_differs_if_builds_are_strict(release: Release) -> None:
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
    for kind in ("sockets", "worker"):
        words = [sys.executable, "-m", "casino.serve", kind]
        done = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 1
        assert "apps/gone.py: it is missing" in done.stderr
    assert list(BuildCheck.objects.order_by("id").values_list("by", flat=True)) == [
        "start of sockets", "start of worker",
    ]  # fmt: skip


def test_without_a_manifest_there_is_nothing_to_check(settings: Any, tmp_path: Path) -> None:
    settings.PUNTO_MANIFEST = str(tmp_path / "none.json")
    with pytest.raises(NotFound):
        build_check(scope=CheckScope.ALL, by="test")
    assert not BuildCheck.objects.exists()
