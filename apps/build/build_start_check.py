"""The check of the build at the start of a process: of casino/serve, casino/celery.py and `manage.py table_bots`."""

import structlog
from django.conf import settings
from django.db import Error, connections

from apps.build.models import CheckScope
from apps.build.services import build_check
from apps.core.errors import NotFound

log = structlog.get_logger(__name__)


def build_start_check(kind: str) -> None:
    """Check files and database against the manifest before a process of this kind does anything else.

    Raises SystemExit if `PUNTO_STRICT_BUILD` is set, and the build differs, has no manifest, or cannot be checked.
    """
    try:
        check = build_check(scope=CheckScope.START, by=f"start of {kind}")
    except NotFound:  # a checkout of development, which has never had a manifest
        return
    except Error as error:
        log.warning("build_not_checked", process=kind, error=type(error).__name__)
        if settings.PUNTO_STRICT_BUILD:
            raise SystemExit("The build could not be checked, and PUNTO_STRICT_BUILD is set.") from error
        return
    finally:
        connections.close_all()
    if check.found:
        log.error("build_differs", process=kind, found=check.found, first=check.differences[0])
        if settings.PUNTO_STRICT_BUILD:
            raise SystemExit(f"The build differs from its manifest: {check.differences[0]}")
