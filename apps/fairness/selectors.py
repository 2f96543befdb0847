"""Reads of a player's seed pairs, without unrevealed server seeds."""

from dataclasses import dataclass

from apps.fairness.models import SeedPair, SeedStatus


@dataclass(frozen=True, slots=True)
class SeedsShown:
    """The seeds that a player sees before a bet."""

    commitment: str
    next_commitment: str
    client_seed: str
    total_bets: int
    """The number of rounds dealt with the active pair."""


def seeds_shown(*, player_id: int) -> SeedsShown:
    """Return the player's commitments and client seed. Raises SeedPair.DoesNotExist."""
    # One statement, since a rotation between two statements would show a pair beside its own successor.
    pairs = SeedPair.objects.filter(player_id=player_id, status__in=[SeedStatus.ACTIVE, SeedStatus.NEXT])
    by_status = {pair.status: pair for pair in pairs.defer("sealed_seed")}
    if len(by_status) < 2:
        raise SeedPair.DoesNotExist(f"player {player_id} has no seed pairs")
    active = by_status[SeedStatus.ACTIVE]
    return SeedsShown(active.commitment, by_status[SeedStatus.NEXT].commitment, active.client_seed, active.next_nonce)
