"""Bets of several players in one transaction: what becomes of one of them is no matter of the others."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import connection

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.baccarat.bets import Bet, IdempotencyKey, Slip
from apps.baccarat.bracket import Bettor
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratGameRecord
from apps.baccarat.services import baccarat_bet
from apps.core import json
from apps.core.errors import Outpaced
from apps.core.lines import MOST_TOGETHER, answer_awaited
from apps.core.statement import Asking, Question, Row
from apps.idempotency.models import StoredAnswer
from apps.rounds.models import Round
from apps.rounds.services import token_hash
from apps.wallet.models import WalletTransaction
from tests.support.baccarat import Seat, seat_make
from tests.support.factories import staff_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

KEY = "'told apart' by \\ \" {,} and NULL"
"""What an array of texts has to carry as it is."""


@pytest.fixture
def seats() -> list[Seat]:
    """As many players as go together, each of a partner of his own."""
    return [seat_make() for _ in range(MOST_TOGETHER)]


def bet(seat: Seat, *game_types: GameType, key: str | None = None) -> Asking[bytes]:
    """Return the work of a bet of 10 on each of the types."""
    slip = Slip(tuple(Bet(game_type, Decimal(10)) for game_type in game_types), is_list=True)
    idempotency = None if key is None else IdempotencyKey(key, b"hash of the body")
    return baccarat_bet(bettor=Bettor(token_hash=token_hash(seat.token)), slip=slip, idempotency=idempotency)


def at_once(bets: Sequence[Asking[Any]]) -> list[Any]:
    """Carry out all of the work at the same moment; return the answers and errors."""

    async def gathered() -> list[Any]:
        return await asyncio.gather(*[answer_awaited(one) for one in bets], return_exceptions=True)

    return run(gathered())


def transactions() -> int:
    """Return how many transactions have written the rounds that there are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT xmin::text) FROM game_round")
        return int(cursor.fetchone()[0])


def written_check(seat: Seat, answer: bytes) -> None:
    """Check that round, records, movements and balance of the player are those of the answer."""
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


def test_bets_of_the_same_moment_are_one_transaction(seats: list[Seat]) -> None:
    types = [tuple(GameType)[:3][: 1 + number % 3] for number in range(len(seats))]
    answers = at_once([bet(seat, *some, key=KEY) for seat, some in zip(seats, types, strict=True)])
    all_check(seats, answers)
    assert transactions() == 1
    stored = {bytes(row.answer) for row in StoredAnswer.objects.filter(key=KEY)}
    assert stored == set(answers)
    assert at_once([bet(seat, *some, key=KEY) for seat, some in zip(seats, types, strict=True)]) == answers


def test_more_bets_than_go_together_are_all_placed(seats: list[Seat]) -> None:
    more = [*seats, *[seat_make() for _ in range(MOST_TOGETHER + 3)]]
    all_check(more, at_once([bet(seat, GameType.TIE) for seat in more]))
    assert transactions() == 3


def test_a_locked_wallet_holds_up_nobody_else(seats: list[Seat], superuser: psycopg.Connection) -> None:
    wallet_id = seats[3].player.wallets.get().pk
    with superuser.transaction():
        superuser.execute("SELECT FROM wallet WHERE id = %s FOR UPDATE", [wallet_id])
        answers = at_once([bet(seat, GameType.TIE) for seat in seats])
    assert isinstance(answers.pop(3), Outpaced)
    locked = seats.pop(3)
    all_check(seats, answers)
    assert not Round.objects.filter(player=locked.player).exists()
    all_check([locked], at_once([bet(locked, GameType.TIE)]))


def test_a_player_is_blocked_and_opened_while_a_bet_of_his_is_written(
    seats: list[Seat], superuser: psycopg.Connection
) -> None:
    """A bet's commit holds its player against deletion: the operator waits for no bet, and no bet for the operator."""
    player, operator = seats[0].player, staff_make(Role.OPERATOR)
    with superuser.transaction():
        superuser.execute("SELECT FROM player WHERE id = %s FOR KEY SHARE", [player.pk])
        for status in (PlayerStatus.BLOCKED, PlayerStatus.ACTIVE):
            player_status_set(operator=operator, player=player, status=status, reason="a test")
    all_check(seats, at_once([bet(seat, GameType.TIE) for seat in seats]))


def test_of_two_bets_with_one_nonce_one_is_placed(seats: list[Seat]) -> None:
    answers = at_once([bet(seats[0], GameType.TIE), *[bet(seat, GameType.TIE) for seat in seats[:-1]]])
    assert isinstance(answers.pop(1), Outpaced)
    all_check(seats[:-1], answers)
    assert transactions() == 1


def test_what_postgres_refuses_of_one_is_refused_to_this_one(seats: list[Seat]) -> None:
    """One bet's odds cannot be read as numbers: PostgreSQL refuses the transaction, so each bet goes alone."""

    def spoilt(asking: Asking[bytes]) -> Asking[bytes]:
        row: Row | None = yield next(asking)
        statement, parameters = asking.send(row)
        row = yield Question(statement, tuple("{x}" if one == "{8}" else one for one in parameters))
        raise AssertionError(row)

    bets = [bet(seat, GameType.TIE) for seat in seats]
    bets[5] = spoilt(bets[5])
    answers = at_once(bets)
    assert isinstance(answers.pop(5), psycopg.errors.InvalidTextRepresentation)
    unlucky = seats.pop(5)
    all_check(seats, answers)
    assert transactions() == len(seats)
    assert not Round.objects.filter(player=unlucky.player).exists()


def test_who_may_not_bet_is_told_so_in_company(seats: list[Seat], superuser: psycopg.Connection) -> None:
    strangers = [bet(seats[0], GameType.TIE) for _ in range(2)]
    superuser.execute("UPDATE game_session SET ended_at = now() WHERE id = %s", [seats[0].session.pk])
    superuser.execute("UPDATE player SET status = 'blocked' WHERE id = %s", [seats[1].player.pk])
    answers = at_once([*strangers, *[bet(seat, GameType.TIE) for seat in seats[1:]]])
    assert [getattr(answer, "code", "") for answer in answers[:3]] == [*["AUTHENTICATION_FAILED"] * 2, "PLAYER_BLOCKED"]
    all_check(seats[2:], answers[3:])
