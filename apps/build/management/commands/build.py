"""`manage.py build manifest` makes the manifest of a release, `manage.py build check` checks this build."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.build.models import CheckScope
from apps.build.services import build_check, manifest_make
from apps.core.count_texts import counted
from apps.core.errors import NotFound


class Command(BaseCommand):
    help = "Makes the signed manifest of a release, or checks this build against its manifest."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        make = acts.add_parser("manifest", help="on the machine of the release, with a new, migrated database")
        make.add_argument("--out", type=Path, required=True)
        make.add_argument("--key", type=Path, required=True, help="file of the Ed25519 key, 64 hexadecimal digits")
        make.add_argument("--release", required=True, help="the version")
        make.add_argument("--notes", type=Path, required=True, help="file of the notes on what changed")
        make.add_argument("--approved-by", required=True)
        acts.add_parser("check", help="the whole build")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["act"] == "manifest":
            self._manifest(options)
            return
        try:
            check = build_check(scope=CheckScope.ALL, by="command")
        except NotFound as refusal:
            raise CommandError(refusal.message) from refusal
        if check.found:
            raise CommandError("\n".join([*check.differences, counted(check.found, "difference")]))
        self.stdout.write(f"The build is release {check.version}.")

    def _manifest(self, options: dict[str, Any]) -> None:
        try:
            key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(options["key"].read_text().strip()))
        except ValueError as error:
            raise CommandError("the key is not 64 hexadecimal digits") from error
        manifest = manifest_make(
            version=options["release"],
            notes=options["notes"].read_text(),
            approved_by=options["approved_by"],
            key=key,
        )
        options["out"].write_text(json.dumps(manifest, sort_keys=True, indent=1) + "\n")
        self.stdout.write(
            f"{options['out']}: {counted(len(manifest['source']), 'file')}, {len(manifest['packages']):,} of packages,"
            f" {counted(len(manifest['definitions']), 'definition')}."
            f" Public key: {key.public_key().public_bytes_raw().hex()}"
        )
