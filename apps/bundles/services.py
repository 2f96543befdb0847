"""Making a round's bundle: a ZIP file that proves the round without this server (docs/fairness.md)."""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from apps.bundles.contents import PAGE_RULES_FILE, bundle_contents, rules_of

VERIFIER: Final = Path(__file__).parent / "files" / "verify.py"
PAGE: Final = VERIFIER.with_name("verify.html")
_FILES: Final = "@FILES@"
_RULES: Final = "@RULES@"
"""The places of the JSON files' texts and of the rules in the page, which cannot read the files beside it."""
_FIRST_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in it, so that equal contents are equal bytes."""


def bundle_files(*, round_id: UUID, max_movements: int | None = None) -> dict[str, bytes]:
    """Return the files of a bundle by name. Opens a snapshot of its own. Raises Conflict, Round.DoesNotExist."""
    contents = bundle_contents(round_id=round_id, max_movements=max_movements)
    files = {name: _json(value) for name, value in contents.items()}
    game_id = contents["round.json"]["game"]
    files["verify.html"] = _page(files | {"manifest.json": _manifest(files)}, rules_of(game_id, PAGE_RULES_FILE))
    files["verify.py"] = VERIFIER.read_bytes()
    rules = rules_of(game_id)
    if rules is not None:
        files["rules.py"] = rules
    return files | {"manifest.json": _manifest(files)}


def bundle_zip(*, round_id: UUID, max_movements: int | None = None) -> bytes:
    """Return the bundle as a ZIP file. Raises Conflict, Round.DoesNotExist."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in sorted(bundle_files(round_id=round_id, max_movements=max_movements).items()):
            archive.writestr(ZipInfo(name, _FIRST_TIME), content, ZIP_DEFLATED)
    return packed.getvalue()


def bundle_name(round_id: UUID) -> str:
    """Return the name of the ZIP file."""
    return f"round-{str(round_id)[:8]}.zip"


def _page(files: Mapping[str, bytes], rules: bytes | None) -> bytes:
    """Return the page with the rules and the files' texts. No text of a file can end its script element."""
    texts = json.dumps({name: content.decode() for name, content in files.items()}).replace("<", "\\u003c")
    # A module's text, as an expression: what it exports is in the function.
    program = "null"
    if rules is not None:
        program = f"(() => {{\n{rules.decode().replace('export function', 'function')}return {{ settle }};\n}})()"
    return PAGE.read_text("utf-8").replace(_RULES, program).replace(_FILES, texts).encode()


def _manifest(files: Mapping[str, bytes]) -> bytes:
    return _json({name: hashlib.sha256(content).hexdigest() for name, content in files.items()})


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, default=str) + "\n").encode()
