"""Reads the stakes of a solo bet of blackjack, and refuses those outside the limits (saved in configuration.py)."""

from decimal import Decimal
from typing import Any

import msgspec

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.setup import SeatStakes
from apps.blackjack.messages import amount_read
from apps.blackjack.store import ActionContext
from apps.blackjack.wire import STAKE_NAMES
from apps.core.errors import InvalidBetAmount
from apps.core.money import is_multiple, plain


def stakes_read(context: ActionContext, data: dict[str, Any], rules: BlackjackRules) -> SeatStakes:
    """Return the three stakes in smallest units, each within its limits. Raises InvalidBetAmount, MessageError."""
    limits = {name: Decimal(text) for name, text in msgspec.json.decode(context.limits_text or "{}").items()}
    main = stake_read(context, "betAmount", amount_read(data, *STAKE_NAMES["main"]))
    if not limits["bet_min"] <= main <= limits["bet_max"]:
        raise InvalidBetAmount(
            f"betAmount is {plain(main)}; {plain(limits['bet_min'])} to {plain(limits['bet_max'])} is possible"
        )
    side_stakes = []
    for kind in ("perfect_pairs", "poker"):
        wire_name = STAKE_NAMES[kind][0]
        stake = stake_read(context, wire_name, amount_read(data, *STAKE_NAMES[kind]))
        low, high = limits[f"{kind}_min"], limits[f"{kind}_max"]
        if stake and (rules.simple or not high):
            raise InvalidBetAmount(f"{wire_name}: this side bet is not offered")
        if stake and not low <= stake <= high:
            raise InvalidBetAmount(f"{wire_name} is {plain(stake)}; {plain(low)} to {plain(high)} is possible")
        if stake and not main:
            raise InvalidBetAmount(f"{wire_name}: a side bet needs a betAmount above 0")
        side_stakes.append(int(stake / context.quantum))
    return SeatStakes(int(main / context.quantum), *side_stakes)


def stake_read(context: ActionContext, name: str, amount: Decimal | None) -> Decimal:
    """Return the amount of the field `name`, 0 for None. Raises InvalidBetAmount."""
    if amount is None:
        return Decimal(0)
    if amount < 0:
        raise InvalidBetAmount(f"{name} is below 0")
    if not is_multiple(amount, context.quantum):
        raise InvalidBetAmount(
            f"{name} has too many decimals, or is too large: {context.currency} has {context.decimals}"
        )
    return amount
