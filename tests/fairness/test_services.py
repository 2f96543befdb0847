"""Seed pairs: rotation, reveal, encryption at rest, and the lock of the active pair."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import count
from threading import Event
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.cards.card import Card
from apps.core.errors import BadParams, Busy, ChangeSeedFailed
from apps.fairness import services
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.opened_pairs import OpenedPair
from apps.fairness.round_seeds import Seeds, TableSeeds
from apps.fairness.seed_encryption import SeedNotDecrypted, seed_decrypt, seed_encrypt
from apps.fairness.services import (
    client_seed_propose,
    draw_again,
    seed_pair_lock,
    seed_pair_rotate,
    server_seed_open,
)
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make
from tests.support.nonces import nonce_take
from tests.support.waiting import lock_wait_await, patiently


def seeded_player() -> tuple[int, SeedPair]:
    player = player_make()
    return player.pk, SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)


@pytest.mark.django_db
def test_a_new_player_has_two_commitments_and_a_client_seed() -> None:
    player_id, active = seeded_player()
    pairs = SeedPair.objects.filter(player_id=player_id).order_by("pk")
    assert [pair.status for pair in pairs] == [SeedStatus.ACTIVE, SeedStatus.NEXT]
    assert active.client_seed
    assert not active.client_seed_chosen
    assert pairs[0].commitment != pairs[1].commitment


@pytest.mark.django_db
def test_the_commitment_is_the_hash_of_the_seed() -> None:
    _, active = seeded_player()
    seed = server_seed_open(active)
    assert len(seed) == 64
    assert sha256(seed.encode("ascii")).hexdigest() == active.commitment


@pytest.mark.django_db
def test_the_row_of_an_unrevealed_pair_does_not_hold_the_seed() -> None:
    _, active = seeded_player()
    seed = server_seed_open(active)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(p)::text, sealed_seed FROM seed_pair p WHERE id = %s", [active.pk])
        text, sealed = cursor.fetchone()
    assert seed not in text
    assert seed.encode() not in bytes(sealed)
    assert bytes.fromhex(seed) not in bytes(sealed)


@pytest.mark.django_db
def test_a_draw_does_not_print_its_server_seed() -> None:
    _, active = seeded_player()
    draw = draw_again(active, 0)
    assert draw.server_seed == server_seed_open(active)
    assert draw.server_seed not in repr(draw)
    assert draw.commitment in repr(draw)


@pytest.mark.parametrize(
    "seeds",
    [Seeds("ab" * 32, "mine", 0), TableSeeds("ab" * 32, "mine", 0, None), OpenedPair("ab" * 32, "mine")],
    ids=["round", "table", "pair"],
)
def test_no_seeds_print_their_server_seed(seeds: Seeds | TableSeeds | OpenedPair) -> None:
    assert seeds.server_seed not in repr(seeds)
    assert "mine" in repr(seeds)


@pytest.mark.parametrize("damage", ["commitment", "text", "format"])
def test_an_altered_or_moved_seed_cannot_be_decrypted(damage: str) -> None:
    sealed = seed_encrypt("ab" * 32, commitment="c" * 64)
    assert seed_decrypt(sealed, commitment="c" * 64) == "ab" * 32
    broken = {
        "commitment": (sealed, "d" * 64),
        "text": (sealed[:-1] + bytes([sealed[-1] ^ 1]), "c" * 64),
        "format": (b"\x02" + sealed[1:], "c" * 64),
    }[damage]
    with pytest.raises(SeedNotDecrypted):
        seed_decrypt(broken[0], commitment=broken[1])


def test_another_key_cannot_open_a_seed(settings: pytest.FixtureRequest) -> None:
    sealed = seed_encrypt("ab" * 32, commitment="c" * 64)
    settings.PUNTO_SEED_KEY = "another key of thirty-two characters or more"  # type: ignore[attr-defined]
    with pytest.raises(SeedNotDecrypted):
        seed_decrypt(sealed, commitment="c" * 64)


@pytest.mark.django_db
def test_a_pair_deals_a_nonce_the_same_each_time_and_another_nonce_otherwise() -> None:
    _, active = seeded_player()

    def cards_of(nonce: int) -> list[Card]:
        shoe = draw_again(active, nonce).shoe(8)
        return [shoe[index] for index in range(10)]

    assert cards_of(1) == cards_of(1) != cards_of(0)


@pytest.mark.django_db
def test_a_player_without_pairs_has_none_to_lock() -> None:
    with pytest.raises(SeedPair.DoesNotExist):
        seed_pair_lock(player_id=0)


@pytest.mark.django_db
def test_rotation_reveals_the_old_pair_and_commits_to_a_new_one() -> None:
    player_id, first = seeded_player()
    second = SeedPair.objects.get(player_id=player_id, status=SeedStatus.NEXT)
    seed = server_seed_open(first)
    nonce_take(player_id=player_id)
    rotation = seed_pair_rotate(active=seed_pair_lock(player_id=player_id), client_seed="mine")
    assert (rotation.revealed.pk, rotation.revealed.server_seed) == (first.pk, seed)
    assert (rotation.active.pk, rotation.active.client_seed, rotation.active.next_nonce) == (second.pk, "mine", 0)
    assert rotation.next.commitment not in {first.commitment, second.commitment}
    statuses = SeedPair.objects.filter(player_id=player_id).order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["revealed", "active", "next"]
    assert nonce_take(player_id=player_id).commitment == second.commitment


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "a b", "a|b", "ä", "x" * 65, "\n"])
def test_an_invalid_client_seed_changes_nothing(text: str) -> None:
    player_id, first = seeded_player()
    with pytest.raises(BadParams):
        seed_pair_rotate(active=seed_pair_lock(player_id=player_id), client_seed=text)
    assert SeedPair.objects.get(pk=first.pk).status == SeedStatus.ACTIVE


@pytest.mark.django_db
def test_the_browser_can_propose_the_first_client_seed_once() -> None:
    player = player_make()
    first = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    pair = client_seed_propose(player=player, client_seed="from-the-browser")
    assert (pair.pk, pair.client_seed, pair.client_seed_chosen) == (first.pk, "from-the-browser", True)
    assert client_seed_propose(player=player, client_seed="from-the-browser").pk == pair.pk
    with pytest.raises(ChangeSeedFailed):
        client_seed_propose(player=player, client_seed="again")
    assert nonce_take(player_id=player.pk).client_seed == "from-the-browser"


@pytest.mark.django_db
def test_no_proposal_after_the_first_round() -> None:
    player = player_make()
    nonce_take(player_id=player.pk)
    with pytest.raises(ChangeSeedFailed):
        client_seed_propose(player=player, client_seed="too-late")


@pytest.mark.django_db
def test_the_database_refuses_a_reveal_of_another_seed() -> None:
    _, active = seeded_player()
    with pytest.raises(IntegrityError, match="seed_pair_reveals_commitment"), transaction.atomic():
        SeedPair.objects.filter(pk=active.pk).update(
            status=SeedStatus.REVEALED, server_seed="0" * 64, revealed_at=timezone.now()
        )
    assert SeedPair.objects.get(pk=active.pk).status == SeedStatus.ACTIVE


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        "next_nonce = 0",
        "client_seed = 'other'",
        "sealed_seed = ''",
        "commitment = repeat('0', 64)",
        "status = 'next'",
        "player_id = player_id + 1",
    ],
)
def test_the_database_refuses_to_turn_a_pair_back(change: str) -> None:
    player_id, active = seeded_player()
    nonce_take(player_id=player_id)
    with (
        pytest.raises(IntegrityError, match="does not go back"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE seed_pair SET {change} WHERE id = %s", [active.pk])


@pytest.mark.django_db
def test_the_database_refuses_to_reveal_a_pair_that_has_never_dealt() -> None:
    player_id, _ = seeded_player()
    pair = SeedPair.objects.get(player_id=player_id, status=SeedStatus.NEXT)
    revealed = {"status": SeedStatus.REVEALED, "server_seed": server_seed_open(pair), "revealed_at": timezone.now()}
    with pytest.raises(IntegrityError, match="does not go back"), transaction.atomic():
        SeedPair.objects.filter(pk=pair.pk).update(client_seed="mine", **revealed)


@pytest.mark.django_db
def test_the_database_refuses_another_round_of_a_revealed_pair() -> None:
    player_id, revealed = seeded_player()
    seed_pair_rotate(active=seed_pair_lock(player_id=player_id), client_seed="mine")
    with pytest.raises(IntegrityError, match="counts up as long as it deals"), transaction.atomic():
        SeedPair.objects.filter(pk=revealed.pk).update(next_nonce=1)


@pytest.mark.django_db
def test_the_database_refuses_to_deal_without_a_client_seed() -> None:
    _, active = seeded_player()
    with pytest.raises(IntegrityError, match="this is no active seed pair"), transaction.atomic():
        SeedPair.objects.filter(pk=active.pk).update(client_seed="")


def test_a_lock_that_waits_for_a_rotation_is_of_the_new_pair(committed: None) -> None:
    """The lock waits for the row that is being revealed, and must then lock the next pair."""
    player_id, _ = seeded_player()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            active = seed_pair_lock(player_id=player_id)
            found = pool.submit(patiently(atomic_lock(player_id)))
            lock_wait_await()
            rotation = seed_pair_rotate(active=active, client_seed="new")
        assert found.result(timeout=WAIT_S) == rotation.active


def test_a_lock_that_waits_for_two_rotations_is_of_the_pair_after_both(committed: None) -> None:
    """Each rotation replaces the row that the lock waits for; the second begins before the lock finds the first one's
    pair."""
    player_id, _ = seeded_player()
    looks_again, is_held = Event(), Event()
    looks = count()

    def hold_second(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "FOR UPDATE" in sql and next(looks) == 1:
            looks_again.set()
            assert is_held.wait(WAIT_S)
        return execute(sql, *rest)

    def lock() -> int:
        with connection.execute_wrapper(hold_second), transaction.atomic():
            return int(seed_pair_lock(player_id=player_id).pk)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            active = seed_pair_lock(player_id=player_id)
            found = pool.submit(patiently(lock))
            lock_wait_await()
            seed_pair_rotate(active=active, client_seed="first")
        assert looks_again.wait(WAIT_S)
        with transaction.atomic():
            active = seed_pair_lock(player_id=player_id)
            is_held.set()
            lock_wait_await()
            rotation = seed_pair_rotate(active=active, client_seed="second")
        assert found.result(timeout=WAIT_S) == rotation.active.pk


def test_a_lock_during_endless_rotations_is_busy(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    player_id, _ = seeded_player()
    monkeypatch.setattr(services, "MAX_ROTATIONS_AWAITED", 1)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            active = seed_pair_lock(player_id=player_id)
            call = pool.submit(patiently(atomic_lock(player_id)))
            lock_wait_await()
            seed_pair_rotate(active=active, client_seed="new")
        with pytest.raises(Busy):
            call.result(timeout=WAIT_S)


def atomic_lock(player_id: int) -> Callable[[], SeedPair]:
    """Return the call that locks the player's active pair in a transaction of its own."""

    def lock() -> SeedPair:
        with transaction.atomic():
            return seed_pair_lock(player_id=player_id)

    return lock
