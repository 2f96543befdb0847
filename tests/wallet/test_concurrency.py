"""Concurrent movements. Each test has a twin that shows the race without the lock."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import count
from threading import Barrier

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from apps.accounts.models import Player
from apps.core.errors import Busy, Refused
from apps.wallet.ledger_check import ledger_check
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_lock, wallet_move, wallet_open, wallet_withdraw
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make
from tests.support.ledger import move
from tests.support.waiting import and_close, lock_wait_await

pytestmark = pytest.mark.usefixtures("committed")

AtOnce = Callable[[int, Callable[[], object]], list[str]]


@pytest.fixture
def player() -> Player:
    return player_make(balance=Decimal(10))


@pytest.fixture
def wallet(player: Player) -> Wallet:
    return Wallet.objects.get(player=player)


def balance_of(wallet: Wallet) -> Decimal:
    wallet.refresh_from_db()
    return wallet.balance


def gift_once(player: Player, lock: Callable[..., Wallet]) -> None:
    """Give five to a player who has less than fifteen: lock, read, decide, move."""
    with transaction.atomic():
        wallet = lock(player_id=player.pk, currency_code="FUN")
        if wallet.balance >= 15:
            raise Refused("the gift was given")
        wallet_move(wallet_id=wallet.pk, kind=Kind.DEPOSIT, change=Decimal(5), source_key=f"gift:{next(numbers)}")


numbers = count(1)


def test_a_decision_under_the_lock_is_made_once(player: Player, wallet: Wallet, at_once: AtOnce) -> None:
    assert at_once(2, lambda: gift_once(player, wallet_lock)) == ["Refused", "ok"]
    assert balance_of(wallet) == 15


def test_without_the_lock_the_decision_is_made_twice(player: Player, wallet: Wallet, at_once: AtOnce) -> None:
    both_have_read = Barrier(2)

    def read_wallet_unlocked(*, player_id: int, currency_code: str) -> Wallet:
        read = Wallet.objects.get(player_id=player_id, currency_id=currency_code)
        both_have_read.wait(timeout=WAIT_S)
        return read

    assert at_once(2, lambda: gift_once(player, read_wallet_unlocked)) == ["ok", "ok"]
    assert balance_of(wallet) == 20


def second_movement(wallet: Wallet) -> Decimal:
    """Move while another movement of the wallet is not yet committed, and return the balance after."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            wallet_move(wallet_id=wallet.pk, kind=Kind.DEPOSIT, change=Decimal(1), source_key="first")
            # A session outside the transaction looks for the one that waits for it.
            second = pool.submit(and_close(lambda: move(wallet, Kind.DEPOSIT, "2")))
            with ThreadPoolExecutor(1) as watcher:
                watcher.submit(and_close(lock_wait_await)).result()
        return second.result(timeout=WAIT_S)


def test_a_movement_waits_for_the_one_before_it(wallet: Wallet) -> None:
    assert second_movement(wallet) == 13
    assert balance_of(wallet) == 13


@pytest.fixture
def ledger_in_two_steps(superuser: psycopg.Connection) -> Iterator[None]:
    """The trigger replaced by one that reads the wallet before it writes; the original is restored afterwards."""
    (source,) = superuser.execute("SELECT pg_get_functiondef('wallet_transaction_append'::regproc)").fetchone()
    superuser.execute(
        """
        CREATE OR REPLACE FUNCTION wallet_transaction_append() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        BEGIN
            SELECT house_account_id, row_count + 1, balance + NEW.change, sha256(head)
              INTO NEW.house_account_id, NEW.number, NEW.balance_after, NEW.hash FROM wallet WHERE id = NEW.wallet_id;
            UPDATE wallet SET balance = NEW.balance_after, row_count = NEW.number, head = NEW.hash
             WHERE id = NEW.wallet_id;
            RETURN NEW;
        END $$
        """
    )
    yield
    superuser.execute(source)


@pytest.mark.usefixtures("ledger_in_two_steps")
def test_without_the_trigger_s_lock_two_movements_take_one_number(wallet: Wallet) -> None:
    """Both read the same balance. The unique number refuses the second row, so no money is lost."""
    with pytest.raises(IntegrityError, match="wallet_transaction_number"):
        second_movement(wallet)
    assert balance_of(wallet) == 11


def test_concurrent_movements_are_numbered_without_gaps(wallet: Wallet, at_once: AtOnce) -> None:
    assert at_once(8, lambda: [move(wallet, Kind.DEPOSIT, "0.01") for _ in range(5)]) == ["ok"] * 8
    assert balance_of(wallet) == Decimal("10.40")
    assert list(
        WalletTransaction.objects.filter(wallet=wallet).order_by("number").values_list("number", flat=True)
    ) == list(range(1, 42))
    with transaction.atomic():
        assert ledger_check().findings == []


def test_of_ten_concurrent_withdrawals_with_a_balance_for_five_five_are_made(
    player: Player, wallet: Wallet, at_once: AtOnce
) -> None:
    def withdraw() -> None:
        with transaction.atomic():
            wallet_withdraw(
                player=player,
                currency_code="FUN",
                amount=Decimal(2),
                transaction_id=f"{next(numbers)}",
                partner=player.partner,
            )

    assert at_once(10, withdraw) == ["InsufficientFunds"] * 5 + ["ok"] * 5
    assert balance_of(wallet) == 0


def test_one_source_key_moves_money_once(wallet: Wallet, at_once: AtOnce) -> None:
    def bet() -> None:
        with transaction.atomic():
            wallet_move(wallet_id=wallet.pk, kind=Kind.BET, change=Decimal(-1), source_key="one")

    assert at_once(4, bet) == ["MovementRepeated"] * 3 + ["ok"]
    assert balance_of(wallet) == 9


def test_a_wallet_opened_concurrently_is_created_once(player: Player, at_once: AtOnce) -> None:
    assert at_once(4, lambda: wallet_open(player=player, currency_code="EUR")) == ["ok"] * 4
    assert Wallet.objects.filter(player=player, currency_id="EUR").count() == 1


@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param(lambda wallet: wallet_lock(player_id=wallet.player_id, currency_code="FUN"), id="lock"),
        pytest.param(lambda wallet: move(wallet, Kind.DEPOSIT, "1"), id="move"),
    ],
)
def test_a_lock_that_is_not_free_in_time_is_busy(
    wallet: Wallet, superuser: psycopg.Connection, attempt: Callable[[Wallet], object]
) -> None:
    def impatiently() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '20ms'")
            attempt(wallet)

    with superuser.transaction():
        superuser.execute("SELECT FROM wallet FOR UPDATE")
        with pytest.raises(Busy) as refused:
            impatiently()
    assert refused.value.retry_after_s == 1
