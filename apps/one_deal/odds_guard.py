"""The guard of odds (docs/money.md): a bet that would favour the player waits for an operator."""

from decimal import Decimal
from fractions import Fraction

from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_pct
from apps.core.money import plain
from apps.one_deal.one_deal_game import OneDealGame


def edge_of(game: OneDealGame, game_type: int, odds: Decimal, decks: int) -> Fraction:
    """Return the house edge; a negative one favours the player."""
    return game.house_edge(game.bets(game_type), Fraction(odds), decks)


def pending_reason(edge: Fraction, decks: int) -> str:
    """Return why a row is pending, for the partner and the operator."""
    shoe = "an infinite deck" if decks == INFINITE_DECKS else f"{decks} deck{'s' if decks > 1 else ''}"
    percent = edge_pct(-edge)
    return (
        f"With {shoe} this bet gives the player {plain(percent)} % of each stake:"
        " it is not offered until an operator confirms it in writing."
    )
