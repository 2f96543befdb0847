"""Verification: deals rounds from seeds, and compares recorded rounds with their seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from apps.accounts.models import Player
from apps.core.errors import Conflict
from apps.fairness.round_seeds import RoundSeeds, Seeds
from apps.fairness.seed_encryption import SeedNotDecrypted
from apps.rounds.explanation import RecordCheck, Redeal
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import game_of
from apps.rounds.selectors import round_explain


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """The comparison of a recorded round with its seeds; it is correct if `faults` is empty."""

    round_id: UUID
    game: str
    commitment: str
    client_seed: str
    nonce: int
    is_revealed: bool
    cards: list[str]
    faults: list[str]


def redeal(game: str, seeds: Seeds, *, rules: Mapping[str, Any], actions: Sequence[Any], quantum: Decimal) -> Redeal:
    """Deal the round of these seeds. Raises NotFound (no such game), BadParams."""
    return game_of(game).verification.redeal(seeds, rules=rules, actions=actions, quantum=quantum)


def round_check(found: Round) -> RoundCheck:
    """Deal a recorded round again and compare. Needs no reveal, and reveals no seed. Raises Conflict while it is
    open."""
    if found.how_ended not in {RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED}:
        raise Conflict("the round is open, or ended before it was played: only what was played out can be checked")
    checked = record_check(found)
    source = round_explain(found).source
    faults = list(checked.differences)
    # At a table the wallet may pay for other rounds before this one ends: there the proof compares each movement.
    if found.table_round is None and found.balance_after != found.balance_before - found.stake + found.payout:
        faults.append("the balance after is not the balance before less the stakes, with the payouts")
    return RoundCheck(
        round_id=found.pk,
        game=found.game,
        commitment=source.commitment,
        client_seed=source.client_seed,
        nonce=source.nonce,
        is_revealed=bool(source.server_seed),
        cards=checked.cards,
        faults=faults,
    )


def record_check(found: Round, seeds: RoundSeeds | None = None) -> RecordCheck:
    """Deal a round of any state again, as far as it went, and compare it, and the seed with its commitment. `seeds` are
    those of the round, if the caller has already opened them. A seed that cannot be decrypted is a difference: it, or
    PUNTO_SEED_KEY, is another one than when the round was dealt.
    """
    explanation = round_explain(found)
    try:
        seeds = seeds or explanation.seeds_open()
    except SeedNotDecrypted as error:
        return RecordCheck([], [f"it cannot be dealt again: {error}"])
    checked = explanation.record_check(seeds)
    if seeds.commitment != explanation.source.commitment:
        checked.differences.append("the server seed is not the one that was committed to")
    return checked


def round_dealt_from(player: Player, game: str, seeds: Seeds) -> Round | None:
    """Return the player's ended round of these seeds, if there is one."""
    return (
        Round.objects.select_related("seed_pair", "currency")
        .filter(
            player=player,
            game=game,
            nonce=seeds.nonce,
            seed_pair__commitment=seeds.commitment,
            seed_pair__client_seed=seeds.client_seed,
        )
        .filter(how_ended__in=[RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED])
        .first()
    )
