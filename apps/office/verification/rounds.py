"""Verification: deals rounds from seeds, and compares recorded rounds with their seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from apps.accounts.models import Player
from apps.core.errors import Conflict
from apps.fairness.seeds import Seeds
from apps.fairness.services import Draw, draw_again
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
    """Deal a recorded round again and compare; seeds need not be revealed. Raises Conflict while it is open."""
    if found.how_ended in {RoundEnd.OPEN, RoundEnd.VOIDED}:
        raise Conflict("the round is open, or was voided before its end: only what was played out can be checked")
    draw = draw_again(found.seed_pair, found.nonce)
    checked = record_check(found, draw)
    faults = list(checked.differences)
    if found.balance_after != found.balance_before - found.stake + found.payout:
        faults.append("the balance after is not the balance before less the stakes, with the payouts")
    return RoundCheck(
        round_id=found.pk,
        game=found.game,
        commitment=draw.commitment,
        client_seed=draw.client_seed,
        nonce=draw.nonce,
        is_revealed=bool(found.seed_pair.server_seed),
        cards=checked.cards,
        faults=faults,
    )


def record_check(found: Round, draw: Draw) -> RecordCheck:
    """Deal a round again up to its current state and compare; also compares the seed with its commitment."""
    seeds = Seeds(draw.server_seed, draw.client_seed, draw.nonce)
    checked = round_explain(found).record_check(seeds)
    if seeds.commitment != draw.commitment:
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
        .exclude(how_ended__in=[RoundEnd.OPEN, RoundEnd.VOIDED])
        .first()
    )
