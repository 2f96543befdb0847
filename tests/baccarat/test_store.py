"""The two statements of a bet: a write is refused if its context is stale, and bets of one batch do not affect each
other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import connection
from msgspec.structs import replace

from apps.baccarat.engine import GameType, deal, public_outcome
from apps.baccarat.one_deal_game import BACCARAT
from apps.core.batcher import BATCH_SIZE
from apps.core.errors import StaleState
from apps.core.money import quantum_of
from apps.core.postgres_pool import Executor, pool
from apps.one_deal.engine import bets_settle
from apps.one_deal.store import BetContext, StoredBetAnswer, bet_context_load, bet_lock, bet_save
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from apps.rounds.models import Round
from apps.rounds.services import seeds_rotate
from casino.settings.waits import WAIT_S
from tests.support.baccarat import Seat, seat_make
from tests.support.loop import run
from tests.support.waiting import and_close, lock_wait_await, lock_waits_await

pytestmark = pytest.mark.usefixtures("committed")

TEN_ON_TIE = {GameType.TIE: Decimal(10)}


async def load(executor: Executor, seat: Seat) -> BetContext:
    """Return the context of a bet of this player."""
    bettor = Bettor(token_hash=token_hash(seat.token))
    context = await bet_context_load(BACCARAT, executor, bettor, currency=None, idempotency_key=None)
    assert context is not None
    return context


async def settle(
    executor: Executor, context: BetContext, *, key: str | None = None, outdated: dict[str, Any] | None = None
) -> None:
    """Deal a bet of ten on a tie, and write it as if the members in `outdated` had been read."""
    outcome, odds = deal(context.shoe()), context.terms(BACCARAT).odds
    await bet_save(
        BACCARAT,
        executor,
        replace(context, **outdated or {}),
        round_id=uuid4(),
        detail=public_outcome(outcome),
        results=bets_settle(BACCARAT.settle, outcome, TEN_ON_TIE, odds, quantum=quantum_of(context.decimals)),
        stored=None if key is None else StoredBetAnswer(key, b"hash", b"{}"),
    )


async def bet(seat: Seat, *, key: str | None = None) -> None:
    """Read, deal, write."""
    await settle(pool(), await load(pool(), seat), key=key)


def at_once(bets: Callable[[], Sequence[Awaitable[None]]]) -> list[Any]:
    """Run all the bets concurrently; return None or the error of each."""

    async def gathered() -> list[Any]:
        return await asyncio.gather(*bets(), return_exceptions=True)

    return run(gathered())


def transactions() -> int:
    """Return how many transactions have written the existing rounds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT xmin::text) FROM game_round")
        return int(cursor.fetchone()[0])


def bettors(seats: Sequence[Seat]) -> list[bool]:
    """Return for each seat whether its player has a round."""
    return [Round.objects.filter(player=seat.player).exists() for seat in seats]


def test_a_full_batch_of_bets_is_read_and_written_in_one_transaction() -> None:
    seats = [seat_make() for _ in range(BATCH_SIZE)]
    assert at_once(lambda: [bet(seat) for seat in seats]) == [None] * BATCH_SIZE
    assert bettors(seats) == [True] * BATCH_SIZE
    assert transactions() == 1


@pytest.mark.parametrize("table", ["wallet", "seed_pair"])
def test_a_bet_whose_rows_are_locked_is_stale_and_delays_no_other(superuser: psycopg.Connection, table: str) -> None:
    seats = [seat_make() for _ in range(BATCH_SIZE)]
    with superuser.transaction():
        superuser.execute(f"SELECT FROM {table} WHERE player_id = %s FOR UPDATE".encode(), [seats[3].player.pk])
        answers = at_once(lambda: [bet(seat) for seat in seats])
    assert isinstance(answers.pop(3), StaleState)
    assert answers == [None] * (BATCH_SIZE - 1)
    assert bettors(seats) == [number != 3 for number in range(BATCH_SIZE)]
    assert at_once(lambda: [bet(seats[3])]) == [None]


def test_of_two_concurrent_bets_of_one_player_one_is_written() -> None:
    seats = [seat_make() for _ in range(3)]
    answers = at_once(lambda: [bet(seat) for seat in (seats[0], *seats)])
    assert isinstance(answers.pop(1), StaleState)
    assert answers == [None] * 3
    assert Round.objects.count() == 3


def test_a_bet_under_a_key_used_meanwhile_is_stale_and_the_others_are_written() -> None:
    seats = [seat_make() for _ in range(3)]

    async def settle_all() -> list[Any]:
        await settle(pool(), await load(pool(), seats[0]), key="k1")
        contexts = [await load(pool(), seat) for seat in seats]
        return await asyncio.gather(*[settle(pool(), one, key="k1") for one in contexts], return_exceptions=True)

    answers = run(settle_all())
    assert isinstance(answers.pop(0), StaleState)
    assert answers == [None, None]
    assert bettors(seats) == [True, True, True]
    assert Round.objects.count() == 3


def test_a_bet_of_a_server_of_the_former_version_is_written_during_an_upgrade() -> None:
    """It sends none of the members that the statement checks since then."""
    seat = seat_make()

    async def settled() -> None:
        context = await load(pool(), seat)
        await settle(pool(), context, outdated=dict.fromkeys(("commitment", "client_seed", "decimals")))

    run(settled())
    assert Round.objects.get().player == seat.player


@pytest.mark.parametrize(
    "outdated",
    [
        {"balance": Decimal(999)}, {"nonce": 1}, {"commitment": "0" * 64}, {"client_seed": "another"},
        {"config_version": 2}, {"decimals": 3}, {"session_id": 0}, {"partner_id": 0}, {"player_id": 0},
        {"wallet_id": 0}, {"seed_pair_id": 0}, {"config_id": 0}, {"currency": "EUR"}, {"paytable_id": None},
    ],
    ids=lambda outdated: next(iter(outdated)),
)  # fmt: skip
def test_a_bet_with_any_outdated_member_of_its_context_is_stale(outdated: dict[str, Any]) -> None:
    seat = seat_make()

    async def settled() -> None:
        await settle(pool(), await load(pool(), seat), outdated=outdated)

    with pytest.raises(StaleState):
        run(settled())
    assert not Round.objects.exists()


def test_a_bet_with_locks_waits_and_is_then_written(superuser: psycopg.Connection) -> None:
    seat = seat_make()

    async def bet_with_locks() -> None:
        async with pool().transaction() as transaction:
            await bet_lock(transaction, await load(transaction, seat))
            await settle(transaction, await load(transaction, seat))

    with ThreadPoolExecutor(2) as threads:
        with superuser.transaction():
            superuser.execute("SELECT FROM wallet WHERE player_id = %s FOR UPDATE", [seat.player.pk])
            waiting = [threads.submit(and_close(lambda: run(bet_with_locks()))) for _ in range(2)]
            lock_wait_await()
        for one in waiting:
            one.result(timeout=WAIT_S)
    assert sorted(Round.objects.values_list("nonce", flat=True)) == [0, 1]


def test_a_bet_that_waits_during_a_rotation_locks_the_new_seed_pair(superuser: psycopg.Connection) -> None:
    seat = seat_make()

    async def bet_with_locks() -> None:
        async with pool().transaction() as transaction:
            await bet_lock(transaction, await load(transaction, seat))
            await settle(transaction, await load(transaction, seat))

    with ThreadPoolExecutor(2) as threads:
        with superuser.transaction():
            superuser.execute("SELECT FROM seed_pair WHERE player_id = %s FOR SHARE", [seat.player.pk])
            rotation = threads.submit(and_close(lambda: seeds_rotate(player=seat.player, client_seed="new")))
            lock_wait_await()
            waiting = threads.submit(and_close(lambda: run(bet_with_locks())))
            lock_waits_await(2)
        rotation.result(timeout=WAIT_S)
        waiting.result(timeout=WAIT_S)
    assert Round.objects.get().seed_pair.client_seed == "new"


def test_the_repr_of_a_context_does_not_contain_the_server_seed() -> None:
    seat = seat_make()

    async def loaded() -> BetContext:
        return await load(pool(), seat)

    context = run(loaded())
    assert repr(context) == f"<BetContext of player {seat.player.pk}, nonce 0>"
