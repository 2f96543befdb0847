"""What each game's tests tell the contract: how its rounds are played (`tests/<game>/contract.py`, as `PLAYER`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Protocol

from apps.rounds.game_spec import GameSpec


@dataclass(frozen=True, slots=True)
class Alteration:
    """Something of a record that an intruder changes: SQL with the round's id as `%(round)s`."""

    name: str
    sql: str


class GamePlayer(Protocol):
    """Plays one game through its services. The sessions given are of players whose partner has the demo's offer."""

    alterations: Sequence[Alteration]
    """Of the game's own records of a round that `play` has played, whatever its cards."""

    def play(self, token: str, chance: Random) -> None:
        """Play one round to its end, with decisions by chance. Stakes are a few units of the currency."""

    def leave_open(self, token: str) -> bool:
        """Begin a round in which a card lies face down, and leave it open. False: no round of the game stays open."""

    def texts_of(self, code: str) -> Sequence[str]:
        """Return how a card may be written in pages and answers, beside its code."""


def player_of(game: GameSpec) -> GamePlayer:
    """Return the player that the game's tests have."""
    player: GamePlayer = import_module(f"tests.{game.slug}.contract").PLAYER
    return player
