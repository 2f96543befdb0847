"""Opens the seeds of many pairs together, for proofs that deal many rounds again."""

from collections.abc import Collection
from dataclasses import dataclass, field

from apps.core.errors import BadParams
from apps.fairness import engine
from apps.fairness.models import SeedPair
from apps.fairness.round_seeds import Seeds
from apps.fairness.seed_encryption import SeedNotDecrypted
from apps.fairness.services import server_seed_open


@dataclass(frozen=True, slots=True)
class OpenedPair:
    """A pair whose server seed matches its commitment."""

    server_seed: str = field(repr=False)
    client_seed: str

    def shoe(self, nonce: int, decks: int) -> engine.FairShoe:
        """Return the shoe of the pair's round with this nonce, which is 0 or more."""
        return engine.fair_shoe(self.server_seed, self.client_seed, nonce, decks=decks)


def pairs_open(pair_ids: Collection[int]) -> dict[int, OpenedPair]:
    """Return the pairs by id. A pair that is missing, cannot be opened or does not match its commitment is left out."""
    opened = {}
    for pair in SeedPair.objects.filter(pk__in=pair_ids):
        try:
            seeds = Seeds(server_seed_open(pair), pair.client_seed, 0)
        except (SeedNotDecrypted, BadParams):
            continue
        if seeds.commitment == pair.commitment:
            opened[pair.pk] = OpenedPair(seeds.server_seed, seeds.client_seed)
    return opened
