"""Verifies that a build is the released one: its files, its packages, and the definitions in its database.

This file needs nothing but the standard library, and `psql` for the database, so it can be run by somebody who trusts
neither the server nor its packages:

    python apps/build/verify_build.py manifest.json --source /app --packages /venv/lib/python3.11/site-packages \\
        --database postgresql://punto_app@host/punto --public-key HEX

It ends with exit code 0, or with 1 and a line for each difference.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

SOURCE_FOLDERS: Final = ("apps", "casino", "docker", "docs", "locale", "static", "templates")
SOURCE_FILES: Final = ("manage.py", "pyproject.toml", "requirements.lock")
BAD_SIGNATURE: Final = "signature: it is not of this key, or the manifest was altered"
_LEFT_OUT: Final = frozenset({"__pycache__", "node_modules"})
_OF_INSTALLATION: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""Files of a package that say how and where it was installed."""

DEFINITIONS_SQL: Final = """
    SELECT 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        pg_get_functiondef(p.oid)
    FROM pg_proc AS p
    WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
    UNION ALL
    SELECT 'trigger ' || t.tgname || ' on ' || c.relname, pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
    FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
    UNION ALL
    SELECT 'constraint ' || k.conname || ' on ' || c.relname, pg_get_constraintdef(k.oid) || ' ' || k.convalidated::text
    FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
    WHERE k.connamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'grants on ' || c.relname,
        string_agg(r.rolname || ' ' || g.privilege_type, ', ' ORDER BY r.rolname, g.privilege_type)
    FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS g LEFT JOIN pg_roles AS r ON r.oid = g.grantee
    WHERE c.relnamespace = 'public'::regnamespace AND g.grantee <> c.relowner
    GROUP BY c.relname
    UNION ALL
    SELECT 'grants on ' || c.relname || '.' || a.attname,
        string_agg(r.rolname || ' ' || g.privilege_type, ', ' ORDER BY r.rolname, g.privilege_type)
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid CROSS JOIN aclexplode(a.attacl) AS g
    LEFT JOIN pg_roles AS r ON r.oid = g.grantee
    WHERE c.relnamespace = 'public'::regnamespace AND g.grantee <> c.relowner
    GROUP BY c.relname, a.attname
"""
"""What the database itself enforces, by name. Owners are left out: their name is the installation's own."""


def source_hashes(root: Path) -> dict[str, str]:
    """Return the SHA-256 of each source file, by its path below `root`."""
    names = [root / name for name in SOURCE_FILES]
    for folder in SOURCE_FOLDERS:
        names += _files(root / folder)
    return {path.relative_to(root).as_posix(): _sha256(path) for path in sorted(names) if path.is_file()}


def package_hashes(site_packages: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of the installed packages, by its path there."""
    return {
        path.relative_to(site_packages).as_posix(): _sha256(path)
        for path in sorted(_files(site_packages))
        if path.name not in _OF_INSTALLATION
    }


def definition_hashes(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the SHA-256 of each definition in the database, by its name."""
    return {name: hashlib.sha256(definition.encode()).hexdigest() for name, definition in sorted(rows)}


def settings_names(root: Path) -> list[str]:
    """Return the names of all settings, as the source defines them."""
    texts = [path.read_text() for path in sorted((root / "casino" / "settings").glob("*.py"))]
    return sorted({name for text in texts for name in re.findall(r"(?m)^([A-Z][A-Z0-9_]+)\b[^=\n]*=", text)})


def body_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return the canonical text of a manifest without its signature: what is signed."""
    body = {name: value for name, value in manifest.items() if name != "signature"}
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def differences(kind: str, expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a sentence for each name that is missing, additional or different."""
    sentences = []
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            sentences.append(f"{kind} {name}: it is missing")
        elif name not in expected:
            sentences.append(f"{kind} {name}: it is not in the manifest")
        elif expected[name] != found[name]:
            sentences.append(f"{kind} {name}: it is another one")
    return sentences


def signature_holds(manifest: Mapping[str, Any], public_key: bytes) -> bool:
    """Return whether the manifest was signed with the private half of this Ed25519 key (RFC 8032)."""
    try:
        signature = bytes.fromhex(str(manifest["signature"]))
        return _ed25519_holds(public_key, body_bytes(manifest), signature)
    except (KeyError, ValueError):
        return False


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix != ".pyc" and path.is_file() and not _LEFT_OUT.intersection(path.parts):
            yield path


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _database_rows(url: str) -> list[tuple[str, str]]:
    listed = "SELECT coalesce(json_agg(json_build_array(name, definition)), '[]') FROM"
    sql = f"{listed} ({DEFINITIONS_SQL}) AS defined (name, definition)"
    command = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url, "--command", sql]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [(name, text) for name, text in json.loads(done.stdout)]


# Ed25519 as RFC 8032 prints it, section 6, for verification alone.
_P: Final = 2**255 - 19
_Q: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT: Final = pow(2, (_P - 1) // 4, _P)
_Point = tuple[int, int, int, int]


def _plus(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f, g * h, f * g, e * h


def _times(scalar: int, point: _Point) -> _Point:
    total: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _plus(total, point)
        point = _plus(point, point)
        scalar >>= 1
    return total


def _x_of(y: int, sign: int) -> int:
    if y >= _P:
        raise ValueError("this is no point")
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P)
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (not x and sign):
        raise ValueError("this is no point")
    return _P - x if x & 1 != sign else x


def _point_of(text: bytes) -> _Point:
    if len(text) != 32:
        raise ValueError("this is no point")
    number = int.from_bytes(text, "little")
    y = number & ((1 << 255) - 1)
    x = _x_of(y, number >> 255)
    return x, y, 1, x * y % _P


def _ed25519_holds(public_key: bytes, message: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    key, r = _point_of(public_key), _point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if s >= _Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % _Q
    y = 4 * pow(5, _P - 2, _P) % _P
    base: _Point = (_x_of(y, 0), y, 1, _x_of(y, 0) * y % _P)
    left, right = _times(s, base), _plus(r, _times(h, key))
    return not ((left[0] * right[2] - right[0] * left[2]) % _P or (left[1] * right[2] - right[1] * left[2]) % _P)


def _check(options: argparse.Namespace) -> list[str]:
    manifest = json.loads(options.manifest.read_text())
    found: list[str] = []
    if options.public_key and not signature_holds(manifest, bytes.fromhex(options.public_key)):
        found.append(BAD_SIGNATURE)
    parts: tuple[tuple[str, str, Path | str | None, Callable[[Any], dict[str, str]]], ...] = (
        ("source", "file", options.source, source_hashes),
        ("packages", "package file", options.packages, package_hashes),
        ("definitions", "database", options.database, lambda url: definition_hashes(_database_rows(url))),
    )
    for part, kind, place, hashes in parts:
        if place:
            found += differences(kind, manifest[part], hashes(place))
    return found


def _main() -> NoReturn:
    parser = argparse.ArgumentParser(description="Verifies a build against its manifest.", allow_abbrev=False)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--database")
    parser.add_argument("--public-key", default="")
    found = _check(parser.parse_args())
    for sentence in found:
        sys.stdout.write(f"{sentence}\n")
    sys.stdout.write(f"{len(found)} differences\n" if found else "The build is the released one.\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    _main()
