"""The guard of odds (docs/money.md): decides whether a bet favours the player and has to wait for an operator.

configuration.py asks it wherever odds or decks are saved. A game with rules of its own has its own guard beside them,
and live tables have `_edges_check` (apps/tables/table_creation.py).
"""

from decimal import Decimal
from fractions import Fraction

from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_pct
from apps.core.money import plain
from apps.one_deal.one_deal_game import OneDealGame


def edge_of(game: OneDealGame, game_type: int, odds: Decimal, decks: int) -> Fraction:
    """Return the house edge; a negative one favours the player."""
    return game.house_edge(game.bets(game_type), Fraction(odds), decks)


def pending_reason(game: OneDealGame, game_type: int, odds: Decimal, decks: int) -> str:
    """Return why these odds have to wait, for the partner and the operator; an empty text if they need not."""
    edge = edge_of(game, game_type, odds, decks)
    if edge >= 0:
        return ""
    return (
        f"With {_shoe(decks)} this bet gives the player {plain(edge_pct(-edge))} % of each stake:"
        " it is not offered until an operator confirms it in writing."
    )


def no_edge_reason(decks: int) -> str:
    """Return the reason of odds that had to wait with other decks, and with these would not have to."""
    return f"With {_shoe(decks)} this bet does not favour the player: it is offered when its odds are saved again."


def _shoe(decks: int) -> str:
    return "an infinite deck" if decks == INFINITE_DECKS else f"{decks} deck{'s' if decks > 1 else ''}"
