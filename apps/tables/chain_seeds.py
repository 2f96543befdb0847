"""The seeds of tables' chains, decrypted in this process when a transition needs one (docs/fairness.md, "At a table").

The last seed of a chain is stored encrypted; every other seed follows from it by hashing. Some seeds in between are
kept as checkpoints, so that no transition hashes thousands of times.
"""

import secrets
from collections import OrderedDict
from typing import Final, NamedTuple
from uuid import uuid4

from django.conf import settings

from apps.core.postgres_pool import Executor
from apps.fairness.engine import chain_seed
from apps.fairness.seed_encryption import seed_decrypt, seed_encrypt
from apps.tables.engine.state import ChainStart

CHECKPOINT: Final = 128
"""The distance between two checkpoints."""
MAX_CHAINS: Final = 1_000

_CHAIN_LOAD: Final = "SELECT commitment, sealed_seed, length FROM table_chain WHERE id = $1"


class NewChain(NamedTuple):
    """A new chain, as the store writes it."""

    start: ChainStart
    sealed_seed: bytes

    def __repr__(self) -> str:
        """Leave the seed out of logs, although it is encrypted."""
        return f"<NewChain {self.start.id}>"


class ChainSeeds:
    """The chains that this process has decrypted, as a least-recently-used cache."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, list[str]] = OrderedDict()
        """The checkpoints by chain, from the last seed down: s_n, s_(n - CHECKPOINT), s_(n - 2 CHECKPOINT), …"""
        self._lengths: dict[str, int] = {}
        self._last: dict[str, tuple[int, str]] = {}
        """The last requested position and seed, by chain: a round requests its own seed several times."""

    async def prepare(self, executor: Executor, chain_id: str) -> None:
        """Decrypt the chain unless it is cached; after that `seed` needs no database."""
        if chain_id in self._kept:
            self._kept.move_to_end(chain_id)
            return
        ((published, encrypted, length),) = await executor.fetch(_CHAIN_LOAD, chain_id)
        self._keep(chain_id, seed_decrypt(bytes(encrypted), commitment=published), length)

    def is_open(self, chain_id: str) -> bool:
        """Return whether `seed` can be called for the chain."""
        return chain_id in self._kept

    def seed(self, chain_id: str, position: int) -> str:
        """Return s_position of a chain after a call of `prepare` or `make` for it."""
        asked, seed = self._last.get(chain_id, (-1, ""))
        if asked != position:
            length = self._lengths[chain_id]
            step = (length - position) // CHECKPOINT
            seed = chain_seed(self._kept[chain_id][step], length - step * CHECKPOINT, position)
            self._last[chain_id] = position, seed
        return seed

    def make(self) -> NewChain:
        """Return a new chain, with s_n from the operating system's random numbers."""
        length = settings.PUNTO_TABLE_CHAIN
        last = secrets.token_hex(32)
        chain_id = str(uuid4())
        self._keep(chain_id, last, length)
        published = self.seed(chain_id, 0)
        return NewChain(ChainStart(chain_id, published, length), seed_encrypt(last, commitment=published))

    def _keep(self, chain_id: str, last: str, length: int) -> None:
        kept = [last]
        for _ in range(length // CHECKPOINT):
            kept.append(chain_seed(kept[-1], CHECKPOINT, 0))
        self._kept[chain_id] = kept
        self._lengths[chain_id] = length
        if len(self._kept) > MAX_CHAINS:
            forgotten, _ = self._kept.popitem(last=False)
            del self._lengths[forgotten]
            self._last.pop(forgotten, None)


chain_seeds: Final = ChainSeeds()
"""The one instance of this process."""
