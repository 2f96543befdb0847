"""The last days, in UTC. Each test asks for them anew, since a run may go on past midnight."""

from datetime import UTC, date, datetime, timedelta


def today() -> date:
    return datetime.now(UTC).date()


def yesterday() -> date:
    return today() - timedelta(days=1)


def two_days_ago() -> date:
    return today() - timedelta(days=2)


def three_days_ago() -> date:
    return today() - timedelta(days=3)


def last_days() -> list[date]:
    """Return the last three days that have ended. After a seal of each of them no day is missing."""
    return [three_days_ago(), two_days_ago(), yesterday()]
