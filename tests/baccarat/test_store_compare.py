"""`apps.baccarat.store` beside `apps.baccarat.bracket`, whose place it takes: equal answers, equal rows."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from django.utils import timezone

from apps.accounts.models import Player
from apps.baccarat import bracket, store
from apps.baccarat.bets import cards_of, detail_of, draw_of, terms_of
from apps.baccarat.engine import BetResult, Deal, GameType, bets_settle, deal
from apps.baccarat.models import BaccaratConfig
from apps.baccarat.services import OddsChange, baccarat_odds_set
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.core.errors import StaleState
from apps.core.lines import answer_awaited
from apps.core.money import quantum_of
from apps.core.pool import Row, pool
from apps.core.statement import Asking, answer
from apps.rounds.services import token_hash
from tests.support.baccarat import TESTER, Seat, offer_make, seat_make
from tests.support.factories import player_make, user_make, wallet_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

TYPES = tuple(GameType)[:3]

Settled = tuple[bracket.Opening, store.BetContext, dict[str, Any]]


def both(seat: Seat, *, currency: str | None = None, key: str | None = None) -> tuple[Any, Any]:
    """Read for the holder of the seat's token in both ways."""
    hashed = token_hash(seat.token)
    former = answer(bracket.bet_open(bracket.Bettor(token_hash=hashed), currency=currency, idempotency_key=key))
    return former, context(store.Bettor(token_hash=hashed), currency=currency, key=key)


def context(bettor: store.Bettor, *, currency: str | None = None, key: str | None = None) -> store.BetContext | None:
    async def load() -> store.BetContext | None:
        return await store.bet_context_load(pool(), bettor, currency=currency, idempotency_key=key)

    return run(load())


def same_check(former: tuple[Any, ...] | None, latter: tuple[Any, ...] | None) -> None:
    """Check that both read the same, in the same types, to the last zero."""
    assert former is not None
    assert latter is not None
    assert tuple(latter) == tuple(former)
    assert [str(value) for value in latter] == [str(value) for value in former]


def test_what_is_read_for_a_bet_is_the_same() -> None:
    seat = seat_make("1000.50")
    same_check(*both(seat))
    same_check(*both(seat, currency="FUN", key="k1"))
    seat.bet({"game_type": 3, "bet_amount": 10}, key="k1")
    same_check(*both(seat, key="k1"))
    same_check(*both(seat, key="k2"))
    wallet_make(player=seat.player, balance=Decimal(7), currency="EUR")
    same_check(*both(seat, currency="EUR"))
    offer_make(seat.player.partner, currency="EUR", decks=9)
    same_check(*both(seat, currency="EUR"))
    same_check(*both(seat, currency="NOK"))


@pytest.mark.parametrize("table", ["player", "wallet", "partner", "player wallet partner", "game_session", "offer"])
def test_what_is_read_for_a_bet_that_may_not_be_is_the_same(superuser: psycopg.Connection, table: str) -> None:
    seat = seat_make()
    seat.bet({"game_type": 3, "bet_amount": 10}, key="k1")
    changes = {
        "player": "UPDATE player SET status = 'blocked'",
        "wallet": "UPDATE wallet SET status = 'blocked'",
        "partner": "UPDATE partner SET active = false",
        "offer": "UPDATE baccarat_odds_config SET status = 0",
        "game_session": "UPDATE game_session SET currency_id = 'EUR'",
    }
    for name in table.split():
        superuser.execute(changes[name])
    same_check(*both(seat))
    same_check(*both(seat, key="k1"))
    if table == "offer":
        superuser.execute("UPDATE baccarat_config SET status = 0")
        same_check(*both(seat))


@pytest.mark.parametrize("how", [Seat.expire, Seat.end])
def test_nothing_is_read_for_a_session_that_is_over(how: Callable[[Seat], None]) -> None:
    seat = seat_make()
    how(seat)
    assert both(seat) == (None, None)


def test_nothing_is_read_for_a_session_of_another_game_or_of_none() -> None:
    player = player_make()
    other = Seat(player, game=BLACKJACK)
    assert both(other) == (None, None)
    other.token = "nothing"
    assert both(other) == (None, None)
    assert context(store.Bettor()) is None


def test_what_is_read_for_a_logged_in_user_is_the_same() -> None:
    user = user_make()
    player = player_make(balance=Decimal(5), user=user)
    offer_make(player.partner)
    for currency in (None, "EUR"):
        former = bracket.bet_open(bracket.Bettor(user_id=user.pk), currency=currency, idempotency_key=None)
        same_check(answer(former), context(store.Bettor(user_id=user.pk), currency=currency))


def settled(seat: Seat, types: tuple[GameType, ...], key: str | None) -> Settled:
    """Return a bet of 10 on each of the types, read in both ways and dealt once."""
    opening, latter = both(seat, key=key)
    terms = terms_of(opening)
    outcome: Deal = deal(draw_of(opening).shoe(opening.decks))
    stakes = dict.fromkeys(types, Decimal("10.00"))
    results: list[BetResult] = bets_settle(outcome, stakes, terms.odds, quantum=quantum_of(opening.decimals))
    answer_text = b'{"so": "\\u00e9 \' \\\\ {}"}'
    written = {
        "round_id": uuid4(),
        "results": results,
        "cards": cards_of(outcome),
        "terms": terms.text,
        "detail": detail_of(outcome),
        "stored": None if key is None else (key, bytes(range(32)), answer_text),
    }
    return opening, latter, written


class Items:
    """Takes what a store asks for, to be asked together."""

    def __init__(self) -> None:
        self.items: list[object] = []
        self.sql = ""

    async def ask(self, sql: str, item: object) -> Row:
        self.sql = sql
        self.items.append(item)
        return (True,)


TABLES = {
    "game_round": "id",
    "baccarat_game_record": "round_id",
    "wallet_transaction": "round_id",
    "stored_answer": None,
    "seed_pair": None,
    "wallet": None,
}
OF_THEIR_OWN = "{id,ctime,started_at,ended_at,hash,head,record_id,mtime}"
"""Columns that a clock or a sequence fills, and what follows from them."""


def rows_sql(rounds: list[UUID]) -> str:
    """Return the statement that reads all that a bet writes, but what is each writing's own."""
    ids = ", ".join(f"'{one}'" for one in rounds)
    parts = [
        f"SELECT '{table}' AS t, (to_jsonb({table}) - '{OF_THEIR_OWN}'::text[])::text AS row FROM {table}"
        + (f" WHERE {key} IN ({ids})" if key else "")
        for table, key in TABLES.items()
    ]
    linked = (
        "SELECT 'links', w.number || ' ' || coalesce(r.game_type::text, '-') || ' ' || w.source_key"
        f" FROM wallet_transaction w LEFT JOIN baccarat_game_record r ON r.id = w.record_id WHERE w.round_id IN ({ids})"
    )
    return " UNION ALL ".join([*parts, linked]) + " ORDER BY 1, 2"


def written_now(bets: list[Settled], superuser: psycopg.Connection) -> tuple[list[Any], list[Any]]:
    """Write all of the bets together as the store does, read what was written, undo it; return answers and rows."""
    rounds = [written["round_id"] for _, _, written in bets]

    class Undone(Exception):
        pass

    async def write() -> tuple[list[Any], list[Any]]:
        items = Items()
        for _, latter, written in bets:
            await store.bet_settle(items, latter, **written)
        result: tuple[list[Any], list[Any]] = ([], [])
        try:
            async with pool().transaction() as transaction:
                text = msgspec.json.encode(items.items).decode()
                answers = [tuple(row) for row in await transaction.fetch(items.sql, text)]
                rows = [tuple(row) for row in await transaction.fetch(rows_sql(rounds))]
                result = ([settled for _, settled in sorted(answers)], rows)
                raise Undone
        except Undone:
            return result

    return run(write())


def written_formerly(bets: list[Settled], superuser: psycopg.Connection) -> tuple[list[Any], list[Any]]:
    """Write all of the bets together as it was done before; return answers and rows."""

    async def write() -> list[Any]:
        asking: list[Asking[None]] = [bracket.bet_settle(opening, **written) for opening, _, written in bets]
        return await asyncio.gather(*[answer_awaited(one) for one in asking], return_exceptions=True)

    errors = run(write())
    assert all(error is None or isinstance(error, StaleState) for error in errors), errors
    rows = superuser.execute(rows_sql([written["round_id"] for _, _, written in bets]).encode()).fetchall()
    return [error is None for error in errors], rows


def compare(bets: list[Settled], superuser: psycopg.Connection) -> list[Any]:
    """Check that both ways write the same; return which bets were written."""
    now, formerly = written_now(bets, superuser), written_formerly(bets, superuser)
    assert now[0] == formerly[0]
    assert now[1] == formerly[1]
    assert len([row for row in now[1] if row[0] == "game_round"]) == sum(now[0])
    return now[0]


@pytest.mark.parametrize("number", range(3))
def test_what_a_bet_alone_writes_is_the_same(superuser: psycopg.Connection, number: int) -> None:
    seat = seat_make("100.5")
    for key in (None, "k1"):
        assert compare([settled(seat, TYPES[: number + 1], key)], superuser) == [True]


def test_what_bets_of_the_same_moment_write_is_the_same(superuser: psycopg.Connection) -> None:
    seats = [seat_make(f"{100 + number}.25") for number in range(8)]
    for turn in range(4):
        bets = [
            settled(seat, TYPES[: 1 + (number + turn) % 3], f"k'{turn}" if number % 2 else None)
            for number, seat in enumerate(seats)
        ]
        assert compare(bets, superuser) == [True] * 8


def test_which_bets_are_not_written_is_the_same(superuser: psycopg.Connection) -> None:
    """Of eight one has a wallet that moved, one a nonce that was taken, one a locked wallet, two the same nonce."""
    seats = [seat_make() for _ in range(7)]
    bets = [settled(seat, TYPES[:2], None) for seat in seats]
    bets.insert(5, settled(seats[4], TYPES[2:], "k1"))
    wallet_make(player=seats[0].player, currency="EUR")
    superuser.execute(
        "INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, reason)"
        " SELECT id, 'deposit', 1, 'moved', '' FROM wallet WHERE player_id = %s AND currency_id = 'FUN'",
        [seats[0].player.pk],
    )
    superuser.execute("UPDATE seed_pair SET next_nonce = 1 WHERE player_id = %s", [seats[1].player.pk])
    with superuser.transaction():
        superuser.execute("SELECT FROM wallet WHERE player_id = %s FOR UPDATE", [seats[2].player.pk])
        superuser.execute("SELECT FROM seed_pair WHERE player_id = %s FOR UPDATE", [seats[3].player.pk])
        with psycopg.connect(superuser.info.dsn, autocommit=True) as other:
            assert compare(bets, other) == [False, False, False, False, True, False, True, True]


def test_a_log_in_bets_without_a_session(superuser: psycopg.Connection) -> None:
    user = user_make()
    player: Player = player_make(balance=Decimal(50), user=user)
    offer_make(player.partner)
    opening = answer(bracket.bet_open(bracket.Bettor(user_id=user.pk), currency=None, idempotency_key=None))
    latter = context(store.Bettor(user_id=user.pk))
    assert opening is not None
    assert latter is not None
    seat = seat_make()
    _, _, written = settled(seat, TYPES, "k1")
    assert compare([(opening, latter, written)], superuser) == [True]


def test_odds_and_versions_are_the_same_after_changes(superuser: psycopg.Connection) -> None:
    seat = seat_make()
    config = BaccaratConfig.objects.get()
    change = OddsChange(config.pk, GameType.TIE, Decimal("7.1234"))
    baccarat_odds_set(partner=config.partner, actor=TESTER, changes=[change])
    seat.session.expires_at = timezone.now() + timedelta(hours=1)
    seat.session.save()
    same_check(*both(seat))
    assert compare([settled(seat, TYPES, None)], superuser) == [True]
