"""Node and the packages of package-lock.json, for the checks of scripts and the tests of generated clients.

The packages are installed in `node_modules`. The served product needs neither.
"""

import fcntl
import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from casino.local.debian import packages_install
from casino.local.setup_error import SetupError

MIN_NODE: Final = (18, 19)
PACKAGES: Final = ("nodejs", "npm")
STAMP: Final = ".punto-lock"


def node_ensure(checkout: Path) -> None:
    """Make sure that Node and the locked packages are installed; install them if possible. Raises SetupError."""
    version = ".".join(map(str, MIN_NODE))
    missing = f"The checks of scripts need Node {version} or newer with npm, and nothing is skipped silently."
    if not (shutil.which("node") and shutil.which("npm")):
        packages_install(*PACKAGES, missing=missing, otherwise="Node from elsewhere, on your PATH")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    found = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if found < MIN_NODE:
        raise SetupError(f"{missing} This is {said or 'none that starts'}.")
    _packages_make(checkout)


def script_checks(checkout: Path) -> dict[str, list[str]]:
    """Return the checks of scripts by name, as commands to run in the checkout."""
    tests = sorted(str(path.relative_to(checkout)) for path in checkout.glob("tests/**/*.test.js"))
    return {
        "eslint": ["node", "node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "."],
        "tsc": ["node", "node_modules/typescript/bin/tsc", "--project", "tsconfig.json"],
        "node --test": ["node", "--test", *tests],
    }


def _packages_make(checkout: Path) -> None:
    if _is_current(checkout):
        return
    (checkout / ".punto").mkdir(mode=0o700, exist_ok=True)
    with (checkout / ".punto" / "node.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two concurrent runs one installs and the other waits
        if _is_current(checkout):
            return
        print("Installing the packages of package-lock.json into node_modules (once) ...", flush=True)
        # None of the packages needs an install script.
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SetupError(
                f"The packages of package-lock.json could not be installed:\n{done.stderr.strip()[-1500:]}\n"
                "The usual causes are the network and a full disk. Run the command again."
            )
        (checkout / "node_modules" / STAMP).write_text(_digest(checkout))


def _is_current(checkout: Path) -> bool:
    stamp = checkout / "node_modules" / STAMP
    return stamp.is_file() and stamp.read_text() == _digest(checkout)


def _digest(checkout: Path) -> str:
    return hashlib.sha256((checkout / "package-lock.json").read_bytes()).hexdigest()
