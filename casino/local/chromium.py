"""Chromium for the browser tests: Debian's packages, installed if they are missing and we are root."""

from pathlib import Path
from typing import Final

from casino.local.debian import packages_install
from casino.local.setup_error import SetupError

CHROMIUM: Final = Path("/usr/bin/chromium")
HEADLESS: Final = Path("/usr/bin/chromium-headless-shell")
"""Chromium without its own windows, which uses less than half the processor time; without it the tests use CHROMIUM."""
# The pages need a font with card suits, which a minimal system does not have.
PACKAGES: Final = ("chromium", "chromium-headless-shell", "fonts-dejavu-core")


def chromium_ensure() -> None:
    """Make sure that Chromium is installed; as root on Debian install it. Raises SetupError that says what to
    install."""
    if CHROMIUM.exists() and HEADLESS.exists():
        return
    missing = f"The browser tests need {CHROMIUM}, and nothing is skipped silently."
    try:
        packages_install(*PACKAGES, missing=missing, otherwise="your system's Chromium at that path")
    except SetupError:
        if not CHROMIUM.exists():
            raise
        print(f"The browser tests take longer without {HEADLESS}.", flush=True)
    if not CHROMIUM.exists():
        raise SetupError(f"{missing}\n{' and '.join(PACKAGES)} did not install it there.")
