"""Seed pairs are decrypted together. A pair that does not match its commitment is left out."""

import psycopg
import pytest

from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.opened_pairs import OpenedPair, pairs_open
from apps.fairness.services import draw_again
from tests.support.factories import player_make

SEED = "f" * 64


def pair_make() -> SeedPair:
    return SeedPair.objects.get(player=player_make(), status=SeedStatus.ACTIVE)


@pytest.mark.django_db
def test_opened_pairs_deal_the_rounds_of_their_nonces() -> None:
    pairs = [pair_make(), pair_make()]
    opened = pairs_open([pair.pk for pair in pairs])
    for pair in pairs:
        for nonce in (0, 7):
            shoe, again = draw_again(pair, nonce).shoe(8), opened[pair.pk].shoe(nonce, 8)
            assert [again[place] for place in range(6)] == [shoe[place] for place in range(6)]


@pytest.mark.parametrize(
    "change",
    [
        "commitment = md5(commitment) || md5(commitment)",
        "sealed_seed = sealed_seed || '\\x00'",
        "sealed_seed = ''",
        f"server_seed = '{SEED}'",
        "server_seed = 'short'",
        "client_seed = 'a|b'",
    ],
)
def test_a_pair_that_is_not_what_was_committed_to_is_left_out(
    committed: None, superuser: psycopg.Connection, change: str
) -> None:
    pair, other = pair_make(), pair_make()
    assert pairs_open([pair.pk, other.pk, 0]).keys() == {pair.pk, other.pk}
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(f"UPDATE seed_pair SET {change} WHERE id = %s", [pair.pk])  # type: ignore[arg-type]
    assert pairs_open([pair.pk, other.pk, 0]).keys() == {other.pk}


def test_an_opened_pair_does_not_print_its_server_seed() -> None:
    assert SEED not in repr(OpenedPair(SEED, "theirs"))
