"""The field of the time from which a change applies, for the forms of changes."""

from datetime import UTC
from typing import Any, Final

from django import forms
from django.utils import timezone

from apps.core.widgets import MinuteInput

APPLY_AT: Final = "apply_at"
"""The name of the field."""


class ApplyAtField(forms.DateTimeField):
    """A time in UTC, whatever the time zone of the page; empty for at once."""

    def __init__(self) -> None:
        super().__init__(
            label="Takes effect (UTC)",
            required=False,
            widget=MinuteInput,
            help_text="Empty: at once. A later change is checked now and made at its time; until then it can be"
            " withdrawn under Scheduled changes.",
        )

    def to_python(self, value: Any) -> Any:
        with timezone.override(UTC):
            return super().to_python(value)
