"""Verifying: seeds to cards for whoever asks, and a recorded round held against what it must have been."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from apps.accounts.models import Player
from apps.core.errors import Conflict, NotFound
from apps.fairness.services import draw_again
from apps.office.verification.baccarat import baccarat_deal_again, baccarat_differences
from apps.office.verification.blackjack import blackjack_differences, blackjack_play_again, blackjack_record_deal_again
from apps.office.verification.seeds import DealtAgain, Seeds
from apps.rounds.games import BACCARAT, BLACKJACK
from apps.rounds.models import Round, RoundEnd


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """A recorded round against its seeds; without `faults` it is as it must be."""

    round_id: UUID
    game: str
    commitment: str
    client_seed: str
    nonce: int
    is_revealed: bool
    cards: list[str]
    faults: list[str]


def deal_again(
    game: str, seeds: Seeds, *, rules: Mapping[str, Any], actions: Sequence[Any], quantum: Decimal
) -> DealtAgain:
    """Return the round of these seeds. Raises NotFound (no such game), BadParams."""
    if game == BACCARAT:
        return baccarat_deal_again(seeds, rules)
    if game == BLACKJACK:
        return blackjack_play_again(seeds, rules, actions, quantum=quantum)
    raise NotFound(f"there is no game {game[:20]!r}")


def round_check(found: Round) -> RoundCheck:
    """Deal a recorded round again and compare. Needs no reveal, and tells no seed. Raises Conflict while it is open."""
    if found.how_ended in {RoundEnd.OPEN, RoundEnd.VOIDED}:
        raise Conflict("the round is open, or was voided before its end: only what was played out can be checked")
    draw = draw_again(found.seed_pair, found.nonce)
    seeds = Seeds(draw.server_seed, draw.client_seed, draw.nonce)
    differences = {BACCARAT: baccarat_differences, BLACKJACK: blackjack_differences}[found.game]
    cards, faults = differences(found, seeds)
    if seeds.commitment != draw.commitment:
        faults.append("the server seed is not the one that was committed to")
    if found.balance_after != found.balance_before - found.stake + found.payout:
        faults.append("the balance after is not the balance before less the stakes, with the payouts")
    return RoundCheck(
        round_id=found.pk,
        game=found.game,
        commitment=draw.commitment,
        client_seed=draw.client_seed,
        nonce=draw.nonce,
        is_revealed=bool(found.seed_pair.server_seed),
        cards=cards,
        faults=faults,
    )


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


def record_deal_again(found: Round, seeds: Seeds) -> DealtAgain:
    """Return the round of these seeds with the record's own rules and actions."""
    if found.game == BACCARAT:
        return baccarat_deal_again(seeds, {"decks": found.terms["decks"]})
    return blackjack_record_deal_again(found, seeds)
