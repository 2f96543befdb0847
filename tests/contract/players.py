"""The interface through which the contract tests play a game: each `tests/<game>/contract.py` has one as `PLAYER`."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Protocol

from apps.rounds.game_spec import GameSpec


@dataclass(frozen=True, slots=True)
class Alteration:
    """A change of a record by an intruder: SQL with the round's id as `%(round)s`."""

    name: str
    sql: str


class GamePlayer(Protocol):
    """Plays one game through its services. The sessions are of players at a partner with the demo's offer."""

    alterations: Sequence[Alteration]
    """Changes of the game's own records of any round that `play` has played."""

    def play(self, token: str, chance: Random) -> None:
        """Play one round to its end with random decisions. Stakes are a few units of the currency."""

    def leave_open(self, token: str) -> bool:
        """Begin a round with a face-down card and leave it open. Return False if the game has no open rounds."""

    def texts_of(self, code: str) -> Sequence[str]:
        """Return the texts of a card in pages and answers, besides its code."""


def player_of(game: GameSpec) -> GamePlayer:
    """Return the GamePlayer of the game's tests."""
    player: GamePlayer = import_module(f"tests.{game.slug}.contract").PLAYER
    return player
