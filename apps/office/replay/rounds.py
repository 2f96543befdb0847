"""Rounds of any game dealt again, step by step, for people to look at.

What is shown comes out of the engines: the round's cards are drawn anew from its seed pair, and the page says
whether they are those of the record. Of a round that is still open only what lay open is shown.
"""

from collections.abc import Callable
from typing import Final

from apps.office.replay.baccarat import baccarat_replay
from apps.office.replay.blackjack import blackjack_replay
from apps.office.replay.parts import Replay
from apps.rounds.games import BACCARAT, BLACKJACK
from apps.rounds.models import Round

_REPLAYS: Final[dict[str, Callable[[Round], Replay]]] = {BACCARAT: baccarat_replay, BLACKJACK: blackjack_replay}


def round_replay(row: Round) -> Replay:
    """Return the round's replay; its seed pair and currency should be read with it."""
    if row.game not in _REPLAYS:
        return Replay((), None, "There is no replay of this game.")
    return _REPLAYS[row.game](row)
