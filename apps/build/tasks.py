"""Scheduled work of `apps.build`."""

from celery import shared_task

from apps.build import services
from apps.build.manifest import has_manifest
from apps.build.models import CheckScope


@shared_task
def build_check() -> None:
    """Check the whole build, if it is a release."""
    if has_manifest():
        services.build_check(scope=CheckScope.ALL, by="nightly check")
