"""Refuses bets of a one-deal game: not offered, twice on a deal, a stake outside the limits, more than the balance.

The limits and odds are saved in configuration.py; a bet's context holds them (`bet_context_load` in store.py). Stakes
at live tables are checked elsewhere: `stake_check` in apps/rounds/table_bets.py.
"""

from decimal import Decimal

from apps.core.errors import (
    AmountTooLarge,
    DuplicateGameType,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidGameType,
    TooManyBets,
)
from apps.core.money import MAX_AMOUNT, is_multiple, payout_too_large, plain, quantum_of
from apps.one_deal.engine import BetKind
from apps.one_deal.messages import Slip, Stake
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.store import BetContext


def stakes_check(game: OneDealGame, context: BetContext, slip: Slip) -> dict[BetKind, Decimal]:
    """Return each bet's stake, in the order of the slip. Raises a Refused that says what is wrong."""
    most = len(game.bet_places)
    if not 1 <= len(slip.bets) <= most:
        raise TooManyBets(f"bets: one to {most} on a deal, not {len(slip.bets)}")
    offered = dict(zip(context.game_types or (), context.odds or (), strict=True))
    highest_win = Decimal(0)
    stakes: dict[BetKind, Decimal] = {}
    for number, bet in enumerate(slip.bets):
        place = f"bets.{number}." if slip.is_list else ""
        game_type = _game_type_check(game, context, bet, f"{place}game_type")
        if game_type in stakes:
            raise DuplicateGameType(f"{place}game_type: {game_type.wire_name} is placed twice on this deal")
        stake = stakes[game_type] = Decimal(bet.stake)
        _stake_check(context, stake, f"{place}bet_amount")
        highest_win += stake * Decimal(offered[str(game_type.value)])
    if sum(stakes.values()) > context.balance:
        raise InsufficientFunds(
            f"the wallet holds {plain(context.balance)} {context.currency},"
            f" the bets come to {plain(sum(stakes.values(), Decimal(0)))}"
        )
    if context.balance + highest_win > MAX_AMOUNT:
        raise AmountTooLarge(payout_too_large(context.balance, context.currency))
    return stakes


def _game_type_check(game: OneDealGame, context: BetContext, bet: Stake, field: str) -> BetKind:
    try:
        game_type = game.bets(bet.game_type)  # type: ignore[arg-type]  # 1.0 is 1
    except ValueError:
        raise InvalidGameType(f"{field}: there is no such bet; {min(game.bets)} to {max(game.bets)} exist") from None
    if context.config_id is None:
        raise InvalidGameType(f"{field}: {game.title} is not offered in {context.currency}")
    if str(game_type.value) not in (context.game_types or ()):
        raise InvalidGameType(f"{field}: {game_type.wire_name} is not offered here")
    return game_type


def _stake_check(context: BetContext, stake: Decimal, field: str) -> None:
    if not stake > 0 or not is_multiple(stake, quantum_of(context.decimals)):
        raise InvalidBetAmount(
            f"{field}: {plain(context.bet_min)} to {plain(context.bet_max)}, with at most {context.decimals} decimals"
        )
    if not context.bet_min <= stake <= context.bet_max:
        raise InvalidBetAmount(
            f"{field}: {plain(stake)} is outside the limits, {plain(context.bet_min)} to {plain(context.bet_max)}"
        )
