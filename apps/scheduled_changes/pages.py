"""Scheduled changes on the pages of the configurations that they change."""

from typing import Any

from django.utils.safestring import SafeString

from apps.core.actor_names import shown_actor
from apps.core.form_acts import changed_message
from apps.core.office_html import lines_html, link_html, table_html, time_html
from apps.scheduled_changes.models import ScheduledChange
from apps.scheduled_changes.selectors import changes_waiting
from apps.scheduled_changes.services import change_in_words


def scheduled_html(config: Any) -> SafeString:
    """Return the table of a configuration's changes that wait."""
    rows = [
        (
            link_html("scheduled_changes_scheduledchange", change.pk, time_html(change.apply_at)),
            change_html(change),
            shown_actor(change.asked_by),
        )
        for change in changes_waiting(config)
    ]
    return table_html(("takes effect (UTC)", "what", "by"), rows, empty="None.")


def change_html(change: ScheduledChange) -> SafeString:
    """Return what holds when the change has taken effect, a line for each value."""
    words = change_in_words(change)
    return lines_html(words, {name: name for name in words})


def scheduled_note(config: Any) -> str:
    """Return a sentence about the changes that wait, for the form of another change; empty if there are none."""
    times = [f"{change.apply_at:%Y-%m-%d %H:%M}" for change in changes_waiting(config)]
    if not times:
        return ""
    return f"Scheduled changes take effect at {', '.join(times)} UTC, and then replace what is saved here."


def saved_message(saved: Any, version: int) -> str | None:
    """Return the message after a form of this `version` was saved, if it is another than the usual one.

    `saved` is the configuration, or the change that was scheduled.
    """
    if isinstance(saved, ScheduledChange):
        return f"The change is scheduled for {saved.apply_at:%Y-%m-%d %H:%M} UTC. It can be withdrawn until then."
    return changed_message(saved.version != version)
