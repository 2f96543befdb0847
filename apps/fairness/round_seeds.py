"""The seeds of one round, from which a replay or a verification deals its cards again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from apps.cards.shoe import Shoe
from apps.core.errors import BadParams
from apps.core.patterns import CLIENT_SEED_RULE
from apps.fairness import engine

MAX_NONCE: Final = 2**63 - 1


class RoundSeeds(Protocol):
    """The seeds that decide the cards of a round, whatever shoe it was dealt from."""

    @property
    def commitment(self) -> str: ...

    def shoe(self, decks: int) -> Shoe: ...


@dataclass(frozen=True, slots=True)
class Seeds:
    """Server seed, client seed and nonce, which decide the cards. Raises BadParams for invalid ones."""

    server_seed: str = field(repr=False)
    client_seed: str
    nonce: int

    def __post_init__(self) -> None:
        if not engine.is_server_seed(self.server_seed):
            raise BadParams("serverSeed: 64 lower-case hexadecimal characters", field="serverSeed")
        if not engine.is_client_seed(self.client_seed):
            raise BadParams(f"clientSeed: {CLIENT_SEED_RULE}", field="clientSeed")
        if not 0 <= self.nonce <= MAX_NONCE:
            raise BadParams(f"nonce: 0 to {MAX_NONCE}", field="nonce")

    @property
    def commitment(self) -> str:
        return engine.commitment(self.server_seed)

    def shoe(self, decks: int) -> engine.FairShoe:
        """Return the round's shoe."""
        return engine.fair_shoe(self.server_seed, self.client_seed, self.nonce, decks=decks)


@dataclass(frozen=True, slots=True)
class TableSeeds:
    """The seeds of a table's round, and the rest of the table's shoe: they decide the cards."""

    server_seed: str = field(repr=False)
    client_seed: str
    """The seats' contributions, joined; it may be empty."""
    nonce: int
    counts: Sequence[int] | None
    """The number of each card that was left at the start; None: an infinite deck."""

    @property
    def commitment(self) -> str:
        return engine.commitment(self.server_seed)

    def shoe(self, decks: int) -> engine.TableShoe:
        """Return the round's shoe, from its first card on."""
        integers = engine.stream(self.server_seed, self.client_seed, self.nonce)
        return engine.TableShoe(integers, self.counts, decks=decks)
