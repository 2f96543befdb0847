"""Makes the manifest of a release, and checks the running build against it."""

import hashlib
import json
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import connection, transaction

from apps.build.models import BuildCheck, CheckScope
from apps.build.verify_build import (
    BAD_SIGNATURE,
    DEFINITIONS_SQL,
    body_bytes,
    definition_differences,
    definition_hashes,
    package_differences,
    package_hashes,
    settings_names,
    signature_holds,
    source_differences,
    source_hashes,
)
from apps.core.errors import NotFound
from apps.events.models import EventKind
from apps.events.services import event_record

DIFFERENCES_KEPT: Final = 100
PARTS: Final = ("source", "packages", "definitions", "settings")
NO_KEY: Final = "signature: PUNTO_BUILD_KEY is not set, so nobody knows who made the manifest"


def manifest_make(*, version: str, notes: str, approved_by: str, key: Ed25519PrivateKey) -> dict[str, Any]:
    """Return the signed manifest of this checkout, its packages, and the database that it is connected to.

    The database is a new one with all migrations. No server holds the key.
    """
    root = Path(settings.BASE_DIR)
    manifest: dict[str, Any] = {
        "version": version,
        "notes": notes,
        "approved_by": approved_by,
        "source": source_hashes(root),
        "packages": package_hashes(_site_packages()),
        "definitions": definition_hashes(definition_rows()),
        "settings": settings_names(root),
    }
    return manifest | {"signature": key.sign(body_bytes(manifest)).hex()}


def definition_rows() -> list[tuple[str, str]]:
    """Return the name and text of each definition in the database that this process is connected to."""
    with connection.cursor() as cursor:
        cursor.execute(DEFINITIONS_SQL)
        rows: list[tuple[str, str]] = cursor.fetchall()
    return rows


def build_id() -> str:
    """Return the release's version and the beginning of its manifest's SHA-256, or that this is not a release."""
    manifest = _manifest_read()
    return f"{manifest.version} ({manifest.hash[:12]})" if manifest.content else "no release"


def build_check(*, scope: CheckScope, by: str) -> BuildCheck:
    """Compare the build with its manifest, and keep the result; a difference is event 2, another build event 8.

    A manifest that is missing is a difference if builds are strict, or if there has been a check before: a release
    does not become a checkout of development by itself. Opens a transaction of its own. Raises NotFound if this build
    has no manifest and needs none.
    """
    manifest = _manifest_read()
    if manifest.content is None and not settings.PUNTO_STRICT_BUILD and not BuildCheck.objects.exists():
        raise NotFound("this build has no manifest: it is not a release")
    is_signed, found = False, [f"manifest: {settings.PUNTO_MANIFEST} {manifest.fault}"]
    if manifest.content is not None:
        key = settings.PUNTO_BUILD_KEY
        is_signed = bool(key) and signature_holds(manifest.content, bytes.fromhex(key))
        found = _found(manifest.content, scope)
        if not is_signed:
            found.append(BAD_SIGNATURE if key else NO_KEY)
    check = BuildCheck(
        scope=scope,
        by=by,
        version=manifest.version[:40],
        manifest_hash=manifest.hash,
        is_signed=is_signed,
        found=len(found),
        differences=found[:DIFFERENCES_KEPT],
    )
    with transaction.atomic():
        former = BuildCheck.objects.exclude(manifest_hash="").order_by("-id").first()
        check.save()
        _events_write(check, former)
    return check


@dataclass(frozen=True, slots=True)
class _Manifest:
    """The manifest of this build. Without content `fault` says why, and hash and version are empty."""

    content: dict[str, Any] | None = None
    hash: str = ""
    version: str = ""
    fault: str = ""


def _manifest_read() -> _Manifest:
    try:
        text = Path(settings.PUNTO_MANIFEST).read_bytes()
        content = json.loads(text)
        parts = {name: content[name] for name in (*PARTS, "version")}
    except FileNotFoundError:
        return _Manifest(fault="is missing")
    except (OSError, ValueError, KeyError, TypeError):
        return _Manifest(fault="cannot be read")
    return _Manifest(content, hashlib.sha256(text).hexdigest(), str(parts["version"]))


def _found(manifest: dict[str, Any], scope: CheckScope) -> list[str]:
    found = source_differences(manifest, Path(settings.BASE_DIR))
    found += definition_differences(manifest, definition_rows())
    if scope is CheckScope.ALL:
        found += package_differences(manifest, _site_packages())
    return found


def _events_write(check: BuildCheck, former: BuildCheck | None) -> None:
    if check.found:
        event_record(
            kind=EventKind.AUTHENTICATION_MISMATCH,
            component="build",
            actor=check.by,
            subject=f"build check {check.pk}",
            reason=check.differences[0],
            after={"found": check.found, "differences": check.differences},
        )
    if check.manifest_hash and former is not None and former.manifest_hash != check.manifest_hash:
        event_record(
            kind=EventKind.SOFTWARE_CHANGED,
            component="build",
            actor=check.by,
            subject=f"build check {check.pk}",
            reason="another build than before",
            before={"version": former.version, "manifest": former.manifest_hash},
            after={"version": check.version, "manifest": check.manifest_hash},
        )


def _site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))
