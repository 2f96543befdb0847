"""A partner's new configuration, told to the sockets that are open: at most once, and nothing depends on it."""

import structlog
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from apps.blackjack.selectors import config_body
from apps.rounds.games import BLACKJACK

log = structlog.get_logger(__name__)


def config_group(partner_id: int, currency_code: str) -> str:
    """Return the name of the group that hears of a partner's new configuration in a currency."""
    return f"{BLACKJACK}.config.{partner_id}.{currency_code}"


def config_announce(partner_id: int, currency_code: str) -> None:
    """Send the configuration as it now stands to the partner's open sockets. Call it after the commit."""
    data = config_body(partner_id=partner_id, currency_code=currency_code)
    message = {"type": "config.changed", "data": data}
    try:
        async_to_sync(get_channel_layer().group_send)(config_group(partner_id, currency_code), message)
    except (RedisError, OSError) as error:
        # Whoever plays next reads the new limits from the database anyway.
        log.warning("config_not_announced", partner=partner_id, error=str(error))
