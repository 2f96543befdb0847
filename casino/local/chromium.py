"""Chromium for the browser tests: Debian's, installed where it is missing and we may."""

from pathlib import Path
from typing import Final

from casino.local.debian import packages_install
from casino.local.setup_error import SetupError

CHROMIUM: Final = Path("/usr/bin/chromium")
# The page's signs (card suits among them) need a font with them: a bare machine has none.
PACKAGES: Final = ("chromium", "fonts-dejavu-core")


def chromium_ensure() -> None:
    """Return with Chromium in its place; installs it as root on Debian. Raises SetupError that says what to install."""
    if CHROMIUM.exists():
        return
    missing = f"The browser tests need {CHROMIUM}, and nothing is skipped silently."
    packages_install(*PACKAGES, missing=missing, otherwise="your system's Chromium at that path")
    if not CHROMIUM.exists():
        raise SetupError(f"{missing}\n{' and '.join(PACKAGES)} did not put it there.")
