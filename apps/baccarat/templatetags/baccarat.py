"""Template tags of the baccarat page."""

from typing import Any

from django import template

from apps.baccarat.engine import banker_draws

register = template.Library()


@register.simple_tag
def third_card_table() -> list[dict[str, Any]]:
    """Return whether the banker draws, for each score of two cards below a natural, from the engine's own rule.

    `alone` is for a player without a third card, `thirds` is by the points of that card from 0 to 9.
    """
    return [
        {
            "score": score,
            "alone": banker_draws(score, None),
            "thirds": [banker_draws(score, points) for points in range(10)],
        }
        for score in range(8)
    ]
