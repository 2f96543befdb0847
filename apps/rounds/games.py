"""The games, by their id on the wire."""

from typing import Final

BACCARAT: Final = "og-baccarat"
BLACKJACK: Final = "og-blackjack"

GAMES: Final = (BACCARAT, BLACKJACK)
