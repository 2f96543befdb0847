"""Verifies that a build is the released one: its files, its packages, and the definitions in its database.

This file needs nothing but the standard library, and `psql` for the database, so it can be run by somebody who trusts
neither the server nor its packages:

    python -I verify_build.py manifest.json --source /app --packages /venv/lib/python3.11/site-packages \\
        --database postgresql://punto_app@host/punto --public-key HEX

It ends with exit code 0, or with 1 and a line for each difference. One of the three parts and the key are needed; it
says which parts it has not looked at. Run it with the Python of the installation: bytecode is compared with what this
Python makes of the source.
"""

import argparse
import hashlib
import importlib.machinery
import importlib.util
import json
import marshal
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

SOURCE_FOLDERS: Final = ("apps", "casino", "docker", "docs", "locale", "static", "staticfiles", "templates")
"""The folders of the source, and that of the served static files, which `collectstatic` has made from it."""
SOURCE_FILES: Final = ("manage.py", "pyproject.toml", "requirements.lock")
BAD_SIGNATURE: Final = "signature: it is not of this key, or the manifest was altered"
_CACHE: Final = "__pycache__"
_NOT_IMPORTED: Final = frozenset({"tests", "node_modules"})
"""Folders of a checkout that belong to no release, and whose names nothing imports."""
_OF_INSTALLATION: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""Files of a package that say how and where it was installed."""
_HEADER_BYTES: Final = 16
"""The length of the header of a bytecode file."""

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
    paths = [root / name for name in SOURCE_FILES if (root / name).is_file()]
    for folder in SOURCE_FOLDERS:
        paths += _files(root / folder)
    return {path.relative_to(root).as_posix(): _sha256(path) for path in sorted(paths)}


def package_hashes(site_packages: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of the installed packages, by its path there."""
    return {
        path.relative_to(site_packages).as_posix(): _sha256(path)
        for path in sorted(_files(site_packages))
        if path.name not in _OF_INSTALLATION
    }


def source_differences(manifest: Mapping[str, Any], root: Path) -> list[str]:
    """Return a sentence for each source file and setting that differs, for what hides a package, and for bytecode."""
    found = differences("file", manifest["source"], source_hashes(root))
    found += [f"file {name}: Python imports it before any package, and no release has it" for name in _strays(root)]
    found += _bytecode_differences("file", root, [root / folder for folder in SOURCE_FOLDERS])
    names = (dict.fromkeys(each, "") for each in (manifest["settings"], settings_names(root)))
    return found + differences("setting", *names)


def package_differences(manifest: Mapping[str, Any], site_packages: Path) -> list[str]:
    """Return a sentence for each file of a package that differs, and for bytecode."""
    found = differences("package file", manifest["packages"], package_hashes(site_packages))
    return found + _bytecode_differences("package file", site_packages, [site_packages])


def definition_differences(manifest: Mapping[str, Any], rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return a sentence for each definition in the database that differs."""
    return differences("database", manifest["definitions"], definition_hashes(rows))


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
    """Yield all files but those beside the source in `__pycache__`, and links to folders, which are not followed."""
    for place, folders, names in os.walk(folder):
        if _CACHE in folders:
            folders.remove(_CACHE)
        paths = [Path(place, name) for name in (*names, *folders)]
        yield from (path for path in paths if path.is_symlink() or path.is_file())


def _sha256(path: Path) -> str:
    content = path.read_bytes() if path.is_file() else f"link to {path.readlink()}".encode()
    return hashlib.sha256(content).hexdigest()


def _strays(root: Path) -> list[str]:
    """Return what Python finds in the checkout before the packages, as it is the first folder on its path.

    A folder counts without `__init__.py` too, because it may stand for a part of a package in several folders.
    """
    names = sorted(path.name for path in root.iterdir())
    known = {*SOURCE_FOLDERS, *SOURCE_FILES, *_NOT_IMPORTED}
    return [name for name in names if name not in known and _is_imported(root / name)]


def _is_imported(path: Path) -> bool:
    if path.suffix in (".dist-info", ".egg-info"):
        return True
    if path.is_dir():
        return path.name.isidentifier() and any(_is_module(each) for each in path.rglob("*"))
    return _is_module(path)


def _is_module(path: Path) -> bool:
    return path.name.endswith(tuple(importlib.machinery.all_suffixes()))


def _bytecode(folders: Iterable[Path]) -> list[Path]:
    """Return the files of bytecode beside the source. Elsewhere one is a file like any other, and no release has it."""
    return sorted(path for folder in folders for path in folder.rglob(f"{_CACHE}/*.pyc"))


def _bytecode_differences(kind: str, root: Path, folders: Iterable[Path]) -> list[str]:
    """Return a sentence for each file of bytecode that Python runs although its source says something else.

    Its header alone proves nothing: whoever alters the bytecode leaves the header.
    """
    paths = _bytecode(folders)
    with warnings.catch_warnings(action="ignore"):  # of the compiler, about the source of packages
        altered = [path for path in paths if _is_other_code(path)]
    return [f"{kind} {path.relative_to(root).as_posix()}: it is not what its source says" for path in altered]


def _is_other_code(path: Path) -> bool:
    try:
        source = Path(importlib.util.source_from_cache(str(path)))
        written, text = path.read_bytes(), source.read_bytes()
    except (ValueError, FileNotFoundError):  # Python runs none whose source is gone
        return False
    if not _is_run(written, source):
        return False
    level = re.search(r"\.opt-([12])\.pyc$", path.name)
    try:
        code = marshal.loads(written[_HEADER_BYTES:])  # noqa: S302 - every import of the module does the same
        compiled = compile(text, code.co_filename, "exec", dont_inherit=True, optimize=int(level[1]) if level else 0)
    except (AttributeError, EOFError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        return True
    # Version 0 of the format has no references, which depend on the process that wrote them.
    return marshal.dumps(code, 0) != marshal.dumps(compiled, 0)


def _is_run(bytecode: bytes, source: Path) -> bool:
    """Return whether this Python may run the bytecode as it is, whatever its options for checked hashes are."""
    if bytecode[:4] != importlib.util.MAGIC_NUMBER:
        return False
    if int.from_bytes(bytecode[4:8], "little"):  # it is checked by a hash, or not at all
        return True
    made, length = (int.from_bytes(bytecode[start : start + 4], "little") for start in (8, 12))
    stat = source.stat()
    return (made, length) == (int(stat.st_mtime) & 0xFFFFFFFF, stat.st_size & 0xFFFFFFFF)


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


class _Part(NamedTuple):
    """What can be compared with the manifest."""

    name: str
    option: str
    differences: Callable[[Mapping[str, Any], Any], list[str]]


_PARTS: Final = (
    _Part("files", "source", source_differences),
    _Part("files of packages", "packages", package_differences),
    _Part(
        "definitions in the database",
        "database",
        lambda manifest, url: definition_differences(manifest, _database_rows(url)),
    ),
)


def _main() -> NoReturn:
    parser = argparse.ArgumentParser(description="Verifies a build against its manifest.", allow_abbrev=False)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--source", type=Path, help="the folder of the checkout")
    parser.add_argument("--packages", type=Path, help="the folder site-packages")
    parser.add_argument("--database", help="its address, for psql")
    parser.add_argument("--public-key", required=True, type=bytes.fromhex, help="of the release's key, hexadecimal")
    options = parser.parse_args()
    parts = [part for part in _PARTS if getattr(options, part.option)]
    if not parts:
        parser.error("nothing to look at: name --source, --packages or --database")
    manifest = json.loads(options.manifest.read_text())
    found = [] if signature_holds(manifest, options.public_key) else [BAD_SIGNATURE]
    for part in parts:
        found += part.differences(manifest, getattr(options, part.option))
    missed = [f"{part.name} (--{part.option})" for part in _PARTS if part not in parts]
    missed += _other_bytecode(options)
    for sentence in found:
        sys.stdout.write(f"{sentence}\n")
    if missed:
        sys.stdout.write(f"Not looked at: {', '.join(missed)}.\n")
    whole = "What was looked at is as released." if missed else "The build is the released one."
    sys.stdout.write(f"{len(found)} difference{'s' if len(found) > 1 else ''}\n" if found else f"{whole}\n")
    sys.exit(1 if found else 0)


def _other_bytecode(options: argparse.Namespace) -> list[str]:
    """Return the Pythons, other than this one, that the bytecode is of."""
    folders = [options.source / folder for folder in SOURCE_FOLDERS] if options.source else []
    paths = _bytecode([*folders, options.packages] if options.packages else folders)
    tags = {tag[1] for path in paths if (tag := re.search(r"\.([a-z]+-?\d+)(\.opt-\w+)?\.pyc$", path.name))}
    return sorted(f"bytecode of {tag}" for tag in tags - {sys.implementation.cache_tag})


if __name__ == "__main__":
    _main()
