"""Concurrent bets of several players: the outcome of one does not affect the others."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from decimal import Decimal
from typing import Any

import asyncpg
import psycopg
import pytest
from django.db import connection, transaction

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratGameRecord
from apps.core import json
from apps.core.batcher import BATCH_SIZE
from apps.idempotency.models import StoredAnswer
from apps.one_deal.messages import Bet, IdempotencyKey, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from apps.rounds.models import Round
from apps.wallet.models import WalletTransaction
from tests.support.baccarat import Seat, seat_make
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.factories import staff_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

KEY = "'told apart' by \\ \" {,} and NULL"
"""Characters that a text array must escape."""


@pytest.fixture
def seats() -> list[Seat]:
    """As many players as one batch holds, each of another partner."""
    return [seat_make() for _ in range(BATCH_SIZE)]


def bet(seat: Seat, *game_types: GameType, key: str | None = None) -> Coroutine[Any, Any, bytes]:
    """Return the coroutine of a bet of 10 on each type."""
    idempotency = None if key is None else IdempotencyKey(key, b"hash of the body")
    bets = tuple(Bet(game_type, Decimal(10)) for game_type in game_types)
    slip = Slip(bets, is_list=True, idempotency=idempotency)
    return baccarat_bet_place(bettor=Bettor(token_hash=token_hash(seat.token)), slip=slip)


def at_once(bets: Sequence[Coroutine[Any, Any, bytes]]) -> list[Any]:
    """Run all the coroutines concurrently; return the answers and errors."""

    async def gathered() -> list[Any]:
        return await asyncio.gather(*bets, return_exceptions=True)

    return run(gathered())


def transactions() -> int:
    """Return how many transactions have written the existing rounds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT xmin::text) FROM game_round")
        return int(cursor.fetchone()[0])


def written_check(seat: Seat, answer: bytes) -> None:
    """Check that the player's round, records, movements and balance agree with the answer."""
    told: dict[str, Any] = json.decode_object(answer)
    round_ = Round.objects.get(player=seat.player)
    records = list(BaccaratGameRecord.objects.filter(player=seat.player).order_by("id"))
    movements = list(WalletTransaction.objects.filter(round_id=round_.pk).order_by("number"))
    payout = sum(record.reward_amount for record in records)
    assert str(round_.pk) == told["round_id"]
    assert round_.detail["player"] == told["player"] == records[0].player_cards
    assert [record.game_type for record in records] == [row["game_type"] for row in told["bets"]]
    assert [record.reward_amount for record in records] == [row["reward_amount"] for row in told["bets"]]
    assert (round_.stake, round_.payout) == (10 * len(records), payout)
    assert [row.change for row in movements] == [-round_.stake, *([payout] if payout else [])]
    assert {row.record_id for row in movements} == {records[0].pk if len(records) == 1 else None}
    assert told["balance"] == seat.balance == round_.balance_after == 1000 - round_.stake + payout


def all_check(seats: Sequence[Seat], answers: Sequence[bytes]) -> None:
    for seat, answer in zip(seats, answers, strict=True):
        written_check(seat, answer)


def test_concurrent_bets_are_one_transaction(seats: list[Seat]) -> None:
    types = [tuple(GameType)[:3][: 1 + number % 3] for number in range(len(seats))]
    answers = at_once([bet(seat, *some, key=KEY) for seat, some in zip(seats, types, strict=True)])
    all_check(seats, answers)
    assert transactions() == 1
    stored = {bytes(row.answer) for row in StoredAnswer.objects.filter(key=KEY)}
    assert stored == set(answers)
    assert at_once([bet(seat, *some, key=KEY) for seat, some in zip(seats, types, strict=True)]) == answers


def test_more_bets_than_one_batch_holds_are_all_placed(seats: list[Seat]) -> None:
    more = [*seats, *[seat_make() for _ in range(BATCH_SIZE + 3)]]
    all_check(more, at_once([bet(seat, GameType.TIE) for seat in more]))
    assert transactions() == 3


def test_a_bet_on_a_locked_wallet_waits_and_delays_no_other(seats: list[Seat], superuser: psycopg.Connection) -> None:
    wallet_id = seats[3].player.wallets.get().pk

    async def rest_placed_while_one_waits() -> tuple[list[Any], bytes]:
        with superuser.transaction():
            superuser.execute("SELECT FROM wallet WHERE id = %s FOR UPDATE", [wallet_id])
            waiting = asyncio.create_task(bet(seats[3], GameType.TIE))
            rest = await asyncio.gather(*[bet(seat, GameType.TIE) for seat in seats if seat is not seats[3]])
            assert not waiting.done()
        return rest, await waiting

    answers, last = run(rest_placed_while_one_waits())
    all_check([seat for seat in seats if seat is not seats[3]], answers)
    written_check(seats[3], last)


def test_a_player_can_be_blocked_and_opened_while_its_bet_is_written(
    seats: list[Seat], superuser: psycopg.Connection
) -> None:
    """A bet locks its player against deletion only: neither the operator nor the bet waits for the other."""
    player, operator = seats[0].player, staff_make(Role.OPERATOR)
    with superuser.transaction():
        superuser.execute("SELECT FROM player WHERE id = %s FOR KEY SHARE", [player.pk])
        for status in (PlayerStatus.BLOCKED, PlayerStatus.ACTIVE):
            player_status_set(operator=operator, player=player, status=status, reason="a test")
    all_check(seats, at_once([bet(seat, GameType.TIE) for seat in seats]))


def test_concurrent_bets_of_one_player_have_consecutive_nonces(seats: list[Seat]) -> None:
    answers = at_once([bet(seat, GameType.TIE) for seat in (seats[0], *seats)])
    assert [json.decode_object(answer)["nonce"] for answer in answers[:2]] in ([0, 1], [1, 0])
    all_check(seats[1:], answers[2:])
    assert Round.objects.filter(player=seats[0].player).count() == 2


@pytest.fixture
def fault_of_one(seats: list[Seat], superuser: psycopg.Connection) -> Iterator[Seat]:
    """A player for whose records PostgreSQL raises an unexpected error."""
    superuser.execute(
        "CREATE FUNCTION fault_raise() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN RAISE EXCEPTION 'a fault of the test'; END $$"
    )
    superuser.execute(
        "CREATE TRIGGER fault BEFORE INSERT ON baccarat_game_record FOR EACH ROW"
        f" WHEN (NEW.user_id = {seats[5].player.pk}) EXECUTE FUNCTION fault_raise()".encode()
    )
    yield seats[5]
    superuser.execute("DROP FUNCTION fault_raise CASCADE")


def test_an_error_of_postgresql_about_one_bet_refuses_that_bet_alone(seats: list[Seat], fault_of_one: Seat) -> None:
    """PostgreSQL rolls the batch back, so each bet is sent again alone."""
    answers = at_once([bet(seat, GameType.TIE) for seat in seats])
    assert isinstance(answers.pop(5), asyncpg.RaiseError)
    seats.remove(fault_of_one)
    all_check(seats, answers)
    assert transactions() == len(seats)
    assert not Round.objects.filter(player=fault_of_one.player).exists()


def test_a_bet_inside_a_transaction_of_the_caller_is_refused(seats: list[Seat]) -> None:
    with transaction.atomic(), pytest.raises(transaction.TransactionManagementError, match="commits by itself"):
        run(bet(seats[0], GameType.TIE))
    assert not Round.objects.exists()


def test_a_refused_bet_in_a_batch_gets_its_own_refusal(seats: list[Seat], superuser: psycopg.Connection) -> None:
    strangers = [bet(seats[0], GameType.TIE) for _ in range(2)]
    superuser.execute("UPDATE game_session SET ended_at = now() WHERE id = %s", [seats[0].session.pk])
    superuser.execute("UPDATE player SET status = 'blocked' WHERE id = %s", [seats[1].player.pk])
    answers = at_once([*strangers, *[bet(seat, GameType.TIE) for seat in seats[1:]]])
    assert [getattr(answer, "code", "") for answer in answers[:3]] == [*["AUTHENTICATION_FAILED"] * 2, "PLAYER_BLOCKED"]
    all_check(seats[2:], answers[3:])
