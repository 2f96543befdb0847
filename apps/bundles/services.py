"""Making a round's bundle: a ZIP file that proves the round without this server (docs/fairness.md)."""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from apps.bundles.contents import bundle_contents, rules_of

VERIFIER: Final = Path(__file__).parent / "files" / "verify.py"
PAGE: Final = VERIFIER.with_name("verify.html")
_FILES: Final = "@FILES@"
"""The place of the JSON files' texts in the page, which cannot read the files beside it."""
_FIRST_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in it, so that equal contents are equal bytes."""


def bundle_files(*, round_id: UUID) -> dict[str, bytes]:
    """Return the files of a bundle by name. Opens a snapshot of its own. Raises Conflict, Round.DoesNotExist."""
    contents = bundle_contents(round_id=round_id)
    files = {name: _json(value) for name, value in contents.items()}
    files["verify.html"] = _page(files)
    files["verify.py"] = VERIFIER.read_bytes()
    rules = rules_of(contents["round.json"]["game"])
    if rules is not None:
        files["rules.py"] = rules
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return files | {"manifest.json": _json(digests)}


def bundle_zip(*, round_id: UUID) -> bytes:
    """Return the bundle as a ZIP file. Raises Conflict, Round.DoesNotExist."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in sorted(bundle_files(round_id=round_id).items()):
            archive.writestr(ZipInfo(name, _FIRST_TIME), content, ZIP_DEFLATED)
    return packed.getvalue()


def bundle_name(round_id: UUID) -> str:
    """Return the name of the ZIP file."""
    return f"round-{str(round_id)[:8]}.zip"


def _page(files: Mapping[str, bytes]) -> bytes:
    """Return the page with the files' texts. No text can end its script element."""
    texts = json.dumps({name: content.decode() for name, content in files.items()}).replace("<", "\\u003c")
    return PAGE.read_text("utf-8").replace(_FILES, texts).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, default=str) + "\n").encode()
