"""Whether this build has a manifest. It can be asked before Django is set up."""

from pathlib import Path

from django.conf import settings


def has_manifest() -> bool:
    """Return whether this build has a manifest. A checkout of development has none."""
    return Path(settings.PUNTO_MANIFEST).is_file()
