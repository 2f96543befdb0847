"""What an alarm does beside its row, its mail and the public page."""

from apps.evidence.models import EvidenceAlarm


def alarm_follow_up(alarm: EvidenceAlarm, text: str) -> None:
    """Do what follows from a new alarm, in its transaction."""
