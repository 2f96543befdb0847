"""Announcements to blackjack's open sockets: a partner's new configuration."""

from asgiref.sync import async_to_sync

from apps.blackjack.selectors import config_body
from apps.core.pubsub import announce


def config_topic(partner_id: int, currency_code: str) -> str:
    """Return the topic of a partner's configuration in a currency."""
    return f"config.{partner_id}.{currency_code}"


def config_announce(partner_id: int, currency_code: str) -> None:
    """Announce the current configuration to the partner's open sockets. Call it after the commit."""
    data = config_body(partner_id=partner_id, currency_code=currency_code)
    # The next bet reads the new limits from the database in any case.
    async_to_sync(announce)([config_topic(partner_id, currency_code)], {"type": "config.changed", "data": data})
