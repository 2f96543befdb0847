"""Tables whose first round deals what a test needs: the seed of a chain says so before the round is played."""

from collections.abc import Callable
from typing import Any, Final

from django.db import transaction

from apps.fairness.engine import TableShoe, chain_seed, stream
from apps.fairness.seed_encryption import unseal
from apps.partners.models import Partner
from apps.rounds.table_game import Bets
from apps.tables.models import GameTable
from apps.tables.registry import table_game_of
from apps.tables.selectors import terms_of
from tests.support.tables import table_make

MOST_TRIES: Final = 5_000


def table_dealing(
    partner: Partner, wanted: Callable[[Any, TableShoe], bool], stakes: list[Bets], **wish: Any
) -> GameTable:
    """Return a new table whose first round, with these stakes in seat order and no contribution, is as wanted.

    `wanted` is asked with the round after its deal and with the shoe that it goes on with.
    """
    for _ in range(MOST_TRIES):
        with transaction.atomic():
            table = table_make(partner, **wish)
            if wanted(*_first_deal(table, stakes)):
                return table
            transaction.set_rollback(True)
    raise AssertionError("no such deal was found")


def _first_deal(table: GameTable, stakes: list[Bets]) -> tuple[Any, TableShoe]:
    chain = table.chains.get()
    last = unseal(bytes(chain.sealed_seed), commitment=chain.commitment)
    terms = terms_of(table)
    counts = None if terms.rules["decks"] is None else [terms.decks] * 52
    shoe = TableShoe(stream(chain_seed(last, chain.length, 1), "", 1), counts, decks=terms.decks)
    return table_game_of(table.game_type).round_start(terms, stakes, shoe), shoe
