"""Tables whose first rounds deal what a test needs. The seed of a chain decides the deal before a round is played."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from django.db import transaction

from apps.fairness.engine import TableShoe, chain_seed, stream
from apps.fairness.seed_encryption import seed_decrypt
from apps.partners.models import Partner
from apps.rounds.table_game import Bets
from apps.tables.models import GameTable
from apps.tables.registry import table_game_of
from apps.tables.selectors import terms_of
from tests.support.tables import table_make

MAX_TRIES: Final = 200_000
"""Enough for a deal that comes once in ten thousand: it is missed twice in a thousand million searches."""

Wanted = Callable[[Any, TableShoe], bool]
"""A condition on a round after its deal and the shoe that the round continues with."""


def table_dealing(partner: Partner, wanted: Wanted, stakes: list[Bets], **wish: Any) -> GameTable:
    """Return a new table whose first round, with these stakes in seat order and no contribution, is as wanted."""
    for _ in range(MAX_TRIES):
        with transaction.atomic():
            table = table_make(partner, **wish)
            if _are_dealt([wanted], table, _seeds(table, 1), "", stakes):
                return table
            transaction.set_rollback(True)
    raise AssertionError("no such deal was found")


def contribution_dealing(table: GameTable, stakes: list[Bets], *wanted: Wanted) -> str:
    """Return a contribution with which the table's first rounds, one for each condition, are as wanted. The first
    player must use it, and must sit alone during the later rounds. Each round except the last must end with its deal.
    """
    seeds = _seeds(table, len(wanted))
    for number in range(MAX_TRIES):
        contribution = f"{number:032x}"
        if _are_dealt(wanted, table, seeds, contribution, stakes):
            return contribution
    raise AssertionError("no such deal was found")


def gain(table: GameTable, play: Any) -> int:
    """Return what the first seat wins in a round that has ended, in smallest units; below 0 for a loss."""
    result = table_game_of(table.game_type).results(terms_of(table), play)[0]
    return result.paid - result.staked


def _seeds(table: GameTable, rounds: int) -> list[str]:
    """Return the server seeds of the first rounds."""
    chain = table.chains.get()
    last = seed_decrypt(bytes(chain.sealed_seed), commitment=chain.commitment)
    return [chain_seed(last, chain.length, number) for number in range(1, rounds + 1)]


def _are_dealt(
    wanted: Sequence[Wanted], table: GameTable, seeds: list[str], client_seed: str, stakes: list[Bets]
) -> bool:
    deals = _deals(table, seeds, client_seed, stakes)
    return all(is_wanted(*deal) for is_wanted, deal in zip(wanted, deals, strict=True))


def _deals(table: GameTable, seeds: list[str], client_seed: str, stakes: list[Bets]) -> Iterator[tuple[Any, TableShoe]]:
    """Yield each round after its deal, and its shoe."""
    game, terms = table_game_of(table.game_type), terms_of(table)
    counts = None if terms.rules["decks"] is None else (terms.decks,) * 52
    for number, seed in enumerate(seeds, start=1):
        shoe = TableShoe(stream(seed, client_seed, number), counts, decks=terms.decks)
        play = game.round_start(terms, stakes, shoe)
        yield play, shoe
        counts = shoe.counts_after(game.drawn(play))
