"""Debian packages that the tests need besides Python's."""

import os
import shutil
import subprocess
from typing import Final

from casino.local.setup_error import SetupError

RETRIES: Final = ("-o", "Acquire::Retries=5")


def packages_install(*packages: str, missing: str, otherwise: str) -> None:
    """Install packages as root on Debian; otherwise raise SetupError with `missing` and how to install it."""
    wish = f"apt-get install --no-install-recommends {' '.join(packages)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SetupError(f"{missing}\nInstall it: {wish} (as root, on Debian), or {otherwise}.")
    print(f"Installing {' and '.join(packages)} (once) ...", flush=True)
    environment = dict(os.environ) | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", *RETRIES, "update", "-q"],
        ["apt-get", *RETRIES, "install", "-q", "-y", "--no-install-recommends", *packages],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SetupError(f"{missing}\n`{' '.join(command)}` failed:\n{done.stderr.strip()[-1500:]}")
