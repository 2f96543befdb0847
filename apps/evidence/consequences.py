"""What an alarm does beside its row, its mail and the public page."""

from apps.events.models import EventKind
from apps.events.services import event_record
from apps.evidence.models import EvidenceAlarm


def alarm_follow_up(alarm: EvidenceAlarm, text: str) -> None:
    """Do what follows from a new alarm, in its transaction."""
    event_record(kind=EventKind.UNUSUAL, component="RTP watch", subject=f"RTP alarm {alarm.pk}", reason=text)
