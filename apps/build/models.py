"""Checks of the build against its manifest, each with its findings."""

from django.db import models

from apps.core.models import AppendOnly


class CheckScope(models.TextChoices):
    """What a check covers."""

    START = "start", "start: own files and database"
    ALL = "all", "all: packages, settings and signature too"


class BuildCheck(AppendOnly):
    """One check of the build."""

    scope = models.CharField(max_length=5, choices=CheckScope.choices)
    by = models.CharField(max_length=160)
    """A log-in, or what started it."""
    version = models.CharField(max_length=40)
    manifest_hash = models.CharField(max_length=64)
    """The hexadecimal SHA-256 of the manifest."""
    is_signed = models.BooleanField()
    """Whether the manifest has a signature of `PUNTO_BUILD_KEY`."""
    found = models.IntegerField()
    differences = models.JSONField()
    """The first differences, a sentence each."""

    class Meta:
        db_table = "build_check"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"build check {self.pk}"
