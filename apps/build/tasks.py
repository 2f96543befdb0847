"""Scheduled work of `apps.build`."""

from contextlib import suppress

from celery import shared_task

from apps.build import services
from apps.build.models import CheckScope
from apps.core.errors import NotFound


@shared_task
def build_check() -> None:
    """Check the whole build, if it is a release."""
    with suppress(NotFound):
        services.build_check(scope=CheckScope.ALL, by="nightly check")
