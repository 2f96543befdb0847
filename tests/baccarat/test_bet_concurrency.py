"""Concurrent bets of one player."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from decimal import Decimal
from itertools import pairwise

import asyncpg
import psycopg
import pytest
from django.db import transaction

from apps.accounts.models import Player
from apps.baccarat.engine import GameType, Winner
from apps.core.errors import DomainError, InsufficientFunds
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import seed_pair_lock
from apps.idempotency.models import StoredAnswer
from apps.one_deal.messages import Bet, IdempotencyKey, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from apps.rounds.models import Round
from apps.wallet.models import WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.baccarat import Seat, seat_make, seeds_choose
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.loop import run
from tests.support.waiting import and_close, lock_waits_await

pytestmark = pytest.mark.usefixtures("committed")

THREADS = 20


def bet_place(seat: Seat, game_type: GameType, stake: str, idempotency: IdempotencyKey | None = None) -> bytes:
    bettor = Bettor(token_hash=token_hash(seat.token))
    slip = Slip((Bet(game_type, Decimal(stake)),), is_list=False, idempotency=idempotency)
    return run(baccarat_bet_place(bettor=bettor, slip=slip))


def outcomes(bets: list[Callable[[], bytes]]) -> Counter[str]:
    """Place all the bets, THREADS at a time, and count the outcomes."""

    def one(bet: Callable[[], bytes]) -> str:
        try:
            bet()
        except DomainError as error:
            return error.code
        return "ok"

    with ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(lambda bet: and_close(lambda: one(bet))(), bets))


def ledger_check(player: Player) -> None:
    """Check that the nonces and the running balance have no gap and end at the balance."""
    wallet = player.wallets.get()
    rows = list(WalletTransaction.objects.filter(wallet=wallet).order_by("number"))
    assert [row.number for row in rows] == list(range(1, wallet.row_count + 1))
    assert all(after.balance_after == before.balance_after + after.change for before, after in pairwise(rows))
    assert wallet.balance == rows[-1].balance_after == sum(row.change for row in rows)
    rounds = list(Round.objects.filter(player=player).order_by("nonce"))
    assert [round_.nonce for round_ in rounds] == list(range(len(rounds)))
    assert all(before.balance_after == after.balance_before for before, after in pairwise(rounds))
    assert rounds[-1].balance_after == wallet.balance


def test_of_two_hundred_losing_bets_with_a_balance_for_ten_ten_are_placed() -> None:
    seat = seat_make("100")
    seeds_choose(seat.player, lambda outcome: outcome.winner is not Winner.TIE, rounds=10)
    counted = outcomes([lambda: bet_place(seat, GameType.TIE, "10")] * 200)
    assert counted == {"ok": 10, "INSUFFICIENT_FUNDS": 190}
    assert seat.balance == 0
    assert SeedPair.objects.get(player=seat.player, status=SeedStatus.ACTIVE).next_nonce == 10
    ledger_check(seat.player)


def test_on_fair_shoes_the_balance_never_falls_below_zero() -> None:
    seat = seat_make("30")
    bets = [lambda game_type=game_type: bet_place(seat, game_type, "10") for game_type in [*GameType][:3] * 20]
    counted = outcomes(bets)
    assert set(counted) <= {"ok", "INSUFFICIENT_FUNDS"}
    assert counted["ok"] == Round.objects.count() >= 3
    assert not WalletTransaction.objects.filter(balance_after__lt=0).exists()
    ledger_check(seat.player)


def test_concurrent_bets_under_one_key_are_one_bet() -> None:
    seat = seat_make()
    answers: list[bytes] = []
    idempotency = IdempotencyKey("k1", b"h" * 32)

    def bet() -> bytes:
        answers.append(bet_place(seat, GameType.PLAYER, "10", idempotency))
        return answers[-1]

    assert outcomes([bet] * THREADS) == {"ok": THREADS}
    assert len(set(answers)) == 1
    assert Round.objects.count() == StoredAnswer.objects.count() == 1


# A write checks that its context is still current


def two_bets_held_up(seat: Seat) -> list[Exception | None]:
    """Place two bets of the whole balance while the seed pair is locked. Unlock it when both wait; return their
    errors."""
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            seed_pair_lock(player_id=seat.player.pk)
            bets: list[Future[bytes]] = [
                pool.submit(and_close(lambda: bet_place(seat, GameType.TIE, "10"))) for _ in range(2)
            ]
            lock_waits_await(2)
        return sorted([bet.exception(timeout=WAIT_S) for bet in bets], key=str)


@pytest.fixture
def without_the_stale_check(superuser: psycopg.Connection) -> Iterator[None]:
    """Remove the stale check from `baccarat_rounds_settle`: it writes although wallet and seed pair have changed."""
    (careful,) = superuser.execute("SELECT pg_get_functiondef('baccarat_rounds_settle'::regproc)").fetchone() or ()
    looks = r" AND (wallet.balance = item.balance|seed_pair.next_nonce = item.nonce)| SKIP LOCKED"
    careless, replaced = re.subn(looks, "", careful)
    assert replaced == 3
    superuser.execute(careless)
    yield
    superuser.execute(careful)


def test_the_second_bet_sees_the_balance_after_the_first() -> None:
    seat = seat_make("10")
    seeds_choose(seat.player, lambda outcome: outcome.winner is not Winner.TIE)
    errors = [error for error in two_bets_held_up(seat) if error is not None]
    assert [type(error) for error in errors] == [InsufficientFunds]
    assert str(errors[0]) == "the wallet holds 0 FUN, the bets come to 10"


@pytest.mark.usefixtures("without_the_stale_check")
def test_without_the_stale_check_both_bets_are_dealt_with_one_nonce() -> None:
    """Only the unique key of the record then stops the second round."""
    seat = seat_make("20")
    seeds_choose(seat.player, lambda outcome: outcome.winner is not Winner.TIE)
    errors = [error for error in two_bets_held_up(seat) if error is not None]
    assert [type(error) for error in errors] == [asyncpg.UniqueViolationError]
    assert "game_round_nonce_once" in str(errors[0])
    assert seat.balance == 10
