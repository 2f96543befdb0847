"""Chromium for the browser tests: Debian's, installed where it is missing and we may."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from casino.local.trouble import Trouble

CHROMIUM: Final = Path("/usr/bin/chromium")
# The page's signs (card suits among them) need a font with them: a bare machine has none.
PACKAGES: Final = ("chromium", "fonts-dejavu-core")
RETRIES: Final = ("-o", "Acquire::Retries=5")


def chromium_ensure() -> None:
    """Return with Chromium in its place; installs it as root on Debian. Raises Trouble that says what to install."""
    if CHROMIUM.exists():
        return
    missing = f"The browser tests need {CHROMIUM}, and nothing is skipped silently."
    wish = f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Trouble(f"{missing}\nInstall it: {wish} (as root, on Debian), or your system's Chromium at that path.")
    print(f"Installing {' and '.join(PACKAGES)} (once) ...", flush=True)
    environment = dict(os.environ) | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", *RETRIES, "update", "-q"],
        ["apt-get", *RETRIES, "install", "-q", "-y", "--no-install-recommends", *PACKAGES],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Trouble(f"{missing}\n`{' '.join(command)}` failed:\n{done.stderr.strip()[-1500:]}")
    if not CHROMIUM.exists():
        raise Trouble(f"{missing}\n{wish} did not put it there.")
