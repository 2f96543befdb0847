"""Use cases of seed pairs: create, rotate, reveal, draw again (docs/fairness.md).

A player who changes the client seed calls `seeds_rotate` in apps/rounds/services.py, which refuses it while a round is
open and rotates the pair here.

The SQL that writes a round takes the pair's next nonce: `<game>_rounds_settle` (apps/one_deal/sql/store_v3.sql), or
`<game>_actions_save` (the migrations of a game with actions). At live tables the round's number is the nonce.

Lock order: wallets before seed pairs, the seed pair before the round (docs/money.md).
"""

import secrets
from dataclasses import dataclass, field
from typing import Final

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player
from apps.core.errors import BadParams, Busy, ChangeSeedFailed
from apps.core.patterns import CLIENT_SEED_RULE
from apps.fairness import engine
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.seed_encryption import seed_decrypt, seed_encrypt

SERVER_SEED_BYTES: Final = 32
MAX_ROTATIONS_AWAITED: Final = 20


@dataclass(frozen=True, slots=True)
class Draw:
    """The seeds of one round. Its repr omits the server seed, which no code may print."""

    seed_pair_id: int
    commitment: str
    server_seed: str = field(repr=False)
    client_seed: str
    nonce: int

    def shoe(self, decks: int) -> engine.FairShoe:
        """Return the round's shoe, which always has the same order."""
        return engine.fair_shoe(self.server_seed, self.client_seed, self.nonce, decks=decks)


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation of seed pairs: the revealed one, the active one, and the next one."""

    revealed: SeedPair
    active: SeedPair
    next: SeedPair


@transaction.atomic
def seed_pairs_create(*, player: Player) -> SeedPair:
    """Commit to the player's first two server seeds; return the active pair.

    The server chooses its client seed until the player's browser or client proposes one (`client_seed_propose`).
    """
    active = _pair_create(player, SeedStatus.ACTIVE, client_seed=secrets.token_hex(8))
    _pair_create(player, SeedStatus.NEXT)
    return active


def draw_again(pair: SeedPair, nonce: int) -> Draw:
    """Return the seeds of a round of this pair, which may be unrevealed, to continue or replay the round."""
    return Draw(pair.pk, pair.commitment, server_seed_open(pair), pair.client_seed, nonce)


def server_seed_open(pair: SeedPair) -> str:
    """Return the server seed. That of an unrevealed pair must never leave the process."""
    return pair.server_seed or seed_decrypt(bytes(pair.sealed_seed), commitment=pair.commitment)


def seed_pair_lock(*, player_id: int) -> SeedPair:
    """Return the player's active pair, locked until the transaction ends, so that no round is dealt meanwhile.

    If a rotation commits while the statement waits, the statement finds no row, and a new statement finds the new
    active pair. That one may wait for the next rotation. Raises Busy, and SeedPair.DoesNotExist for a player without
    seed pairs.
    """
    active = SeedPair.objects.filter(player_id=player_id, status=SeedStatus.ACTIVE)
    for _ in range(MAX_ROTATIONS_AWAITED):
        if pair := active.select_for_update().first():
            return pair
    if active.exists():
        raise Busy("the seeds are being changed again and again; try again in a moment")
    raise SeedPair.DoesNotExist(f"player {player_id} has no seed pair")


def seed_pair_rotate(*, active: SeedPair, client_seed: str, is_chosen: bool = True) -> Rotation:
    """Reveal `active`, deal from its successor with `client_seed`, and commit to a new successor.

    `is_chosen` is whether the client seed is the player's choice. The caller has locked `active` with `seed_pair_lock`
    in this transaction, and has checked afterwards that the player has no open round
    (`apps.rounds.services.seeds_rotate`). Raises BadParams.
    """
    client_seed_check(client_seed)
    successor = SeedPair.objects.select_for_update().get(player_id=active.player_id, status=SeedStatus.NEXT)
    active.server_seed = server_seed_open(active)
    active.status = SeedStatus.REVEALED
    active.revealed_at = timezone.now()
    active.save(update_fields=["server_seed", "status", "revealed_at"])
    successor.status = SeedStatus.ACTIVE
    successor.client_seed = client_seed
    successor.client_seed_chosen = is_chosen
    successor.save(update_fields=["status", "client_seed", "client_seed_chosen"])
    return Rotation(active, successor, _pair_create(active.player, SeedStatus.NEXT))


@transaction.atomic
def client_seed_propose(*, player: Player, client_seed: str) -> SeedPair:
    """Set the client seed of the first pair to a proposal of the player's browser or client.

    This is allowed once, before the first round; the same proposal again changes nothing. Both server seeds are
    committed by then. Locks the active seed pair. Raises BadParams, ChangeSeedFailed.
    """
    client_seed_check(client_seed)
    pair = seed_pair_lock(player_id=player.pk)
    if pair.client_seed_chosen and pair.client_seed == client_seed:
        return pair
    is_committed = SeedPair.objects.filter(player=player, status=SeedStatus.NEXT).exists()
    if pair.next_nonce or pair.client_seed_chosen or not is_committed:
        raise ChangeSeedFailed("this seed pair keeps its client seed; a new client seed comes with a new pair")
    pair.client_seed = client_seed
    pair.client_seed_chosen = True
    pair.save(update_fields=["client_seed", "client_seed_chosen"])
    return pair


def client_seed_check(client_seed: str) -> None:
    """Raise BadParams unless the text is a valid client seed."""
    if not engine.is_client_seed(client_seed):
        raise BadParams(f"clientSeed: {CLIENT_SEED_RULE}", field="clientSeed")


def _pair_create(player: Player, status: SeedStatus, client_seed: str = "") -> SeedPair:
    server_seed = secrets.token_hex(SERVER_SEED_BYTES)
    commitment = engine.commitment(server_seed)
    return SeedPair.objects.create(
        player=player,
        status=status,
        commitment=commitment,
        sealed_seed=seed_encrypt(server_seed, commitment=commitment),
        client_seed=client_seed,
    )
