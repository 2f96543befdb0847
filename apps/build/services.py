"""Makes the manifest of a release, and checks the running build against it."""

import hashlib
import json
import sysconfig
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import connection, transaction

from apps.build.manifest import has_manifest
from apps.build.models import BuildCheck, CheckScope
from apps.build.verify_build import (
    BAD_SIGNATURE,
    DEFINITIONS_SQL,
    body_bytes,
    definition_hashes,
    differences,
    package_hashes,
    settings_names,
    signature_holds,
    source_hashes,
)
from apps.core.errors import NotFound
from apps.events.models import EventKind
from apps.events.services import event_record

DIFFERENCES_KEPT: Final = 100
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
        "definitions": _definitions(),
        "settings": settings_names(root),
    }
    return manifest | {"signature": key.sign(body_bytes(manifest)).hex()}


def build_id() -> str:
    """Return the release's version and the beginning of its manifest's SHA-256, or that this is not a release."""
    if not has_manifest():
        return "no release"
    text = Path(settings.PUNTO_MANIFEST).read_bytes()
    return f"{json.loads(text)['version']} ({hashlib.sha256(text).hexdigest()[:12]})"


def build_check(*, scope: CheckScope, by: str) -> BuildCheck:
    """Compare the build with its manifest, and keep the result; a difference is event 2, another build event 8.

    Opens a transaction of its own. Raises NotFound without a manifest.
    """
    if not has_manifest():
        raise NotFound("this build has no manifest: it is not a release")
    text = Path(settings.PUNTO_MANIFEST).read_bytes()
    manifest = json.loads(text)
    is_signed = bool(settings.PUNTO_BUILD_KEY) and signature_holds(manifest, bytes.fromhex(settings.PUNTO_BUILD_KEY))
    found = _found(manifest, scope)
    if not is_signed:
        found.append(BAD_SIGNATURE if settings.PUNTO_BUILD_KEY else NO_KEY)
    check = BuildCheck(
        scope=scope,
        by=by,
        version=str(manifest["version"])[:40],
        manifest_hash=hashlib.sha256(text).hexdigest(),
        is_signed=is_signed,
        found=len(found),
        differences=found[:DIFFERENCES_KEPT],
    )
    with transaction.atomic():
        former = BuildCheck.objects.order_by("-id").first()
        check.save()
        _events_write(check, former)
    return check


def _found(manifest: dict[str, Any], scope: CheckScope) -> list[str]:
    root = Path(settings.BASE_DIR)
    found = differences("file", manifest["source"], source_hashes(root))
    found += differences("database", manifest["definitions"], _definitions())
    if scope is CheckScope.ALL:
        found += differences("package file", manifest["packages"], package_hashes(_site_packages()))
        names = dict.fromkeys(settings_names(root), "")
        found += differences("setting", dict.fromkeys(manifest["settings"], ""), names)
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
    if former is not None and former.manifest_hash != check.manifest_hash:
        event_record(
            kind=EventKind.SOFTWARE_CHANGED,
            component="build",
            actor=check.by,
            subject=f"build check {check.pk}",
            reason="another build than before",
            before={"version": former.version, "manifest": former.manifest_hash},
            after={"version": check.version, "manifest": check.manifest_hash},
        )


def _definitions() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(DEFINITIONS_SQL)
        return definition_hashes(cursor.fetchall())


def _site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))
