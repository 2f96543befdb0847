"""The chains of seeds that a process keeps, without a database."""

import asyncio

import pytest
from django.conf import LazySettings

from apps.fairness.engine import chain_seed
from apps.tables import chain_seeds
from apps.tables.chain_seeds import CHECKPOINT, ChainSeeds


def test_a_seed_is_the_hash_of_the_next_one_from_whichever_checkpoint_it_is_computed(settings: LazySettings) -> None:
    length = settings.PUNTO_TABLE_CHAIN = 2 * CHECKPOINT + 5
    seeds = ChainSeeds()
    chain = seeds.make().start
    last = seeds.seed(chain.id, length)
    for position in (0, 4, 5, 6, CHECKPOINT, CHECKPOINT + 5, CHECKPOINT + 6, length - 1, length, 1):
        assert seeds.seed(chain.id, position) == chain_seed(last, length, position)
    assert chain.commitment == seeds.seed(chain.id, 0)


def test_the_chain_that_was_not_asked_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_seeds, "MAX_CHAINS", 2)
    seeds = ChainSeeds()
    first, second = (seeds.make().start.id for _ in range(2))
    asyncio.run(seeds.prepare(None, first))  # type: ignore[arg-type]  # it is there, so that nothing is read
    third = seeds.make().start.id
    assert [seeds.is_open(each) for each in (first, second, third)] == [True, False, True]
    assert set(seeds._lengths) == set(seeds._last) == {first, third}


def test_a_new_chain_does_not_print_its_seed() -> None:
    chain = ChainSeeds().make()
    assert repr(chain) == f"<NewChain {chain.start.id}>"
