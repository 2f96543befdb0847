"""`apps.blackjack.store` beside `apps.blackjack.play`, whose place it takes: equal answers, equal rows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest

from apps.accounts.models import Player
from apps.blackjack import play, store
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.actions import legal_actions
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.messages import EventType, Inbound, WireAction
from apps.blackjack.services import _bet, _move, _step
from apps.blackjack.wire import Purse
from apps.core.errors import StaleState
from apps.core.pool import Asker, Row, pool
from apps.core.statement import answer
from apps.rounds.models import ActedBy, RoundEnd
from apps.rounds.services import game_session_hold, game_session_open
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import blackjack_offer, seeds_choose, values_are
from tests.support.factories import player_make, wallet_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

Load = Callable[[Asker], Awaitable[store.ActionContext | None]]
SOCKET = "socket"
_numbers = count(1)


@dataclass
class Act:
    """An action worked out: how it was written before, and how it is now."""

    desk: play.Desk
    context: store.ActionContext
    session_id: int | None
    step: play.Step
    kept: play.Kept | None

    @property
    def record(self) -> store.ActionRecord:
        step = self.step
        return store.ActionRecord(
            round_id=step.round_id, number=step.number, setup=step.setup, state=step.state,
            detail=None if step.detail is None else step.detail.encode(), acted_by=step.acted_by, action=step.action,
            events=step.events, debit=step.debit, credit=step.credit, how_ended=step.how_ended,
        )  # fmt: skip

    @property
    def stored(self) -> store.StoredAnswer | None:
        return None if self.kept is None else store.StoredAnswer(*[getattr(self.kept, n) for n in FIELDS])


FIELDS = ("event_id", "body_hash", "answer")


def seat(player: Player, currency: str = "FUN") -> int:
    """Open a session that a socket holds; return its id."""
    session, _ = game_session_open(player=player, game=BLACKJACK, currency_code=currency)
    game_session_hold(session_id=session.pk, connection=SOCKET)
    return int(session.pk)


def loaded(load: Load) -> store.ActionContext | None:
    async def work() -> store.ActionContext | None:
        return await load(pool())

    return run(work())


def both(session_id: int, *, bet: bool, socket: str = SOCKET, key: str = "none") -> tuple[Any, Any]:
    """Read in both ways for a first action, or for one on the open round."""
    asked = {"session_id": session_id, "socket": socket, "event_id": key}
    former = answer((play.desk_of_bet if bet else play.desk_of_move)(**asked))
    load = store.bet_context_load if bet else store.move_context_load
    return former, loaded(lambda asker: load(asker, **asked))


def same_check(former: play.Desk | None, latter: store.ActionContext | None) -> None:
    """Check that both read the same, to the last zero."""
    assert former is not None
    assert latter is not None
    names = {"session_live": "is_session_live", "may_play": "may_stake"}
    for name in play.Desk.__slots__:
        before, after = getattr(former, name), getattr(latter, names.get(name, name))
        assert (after, str(after)) == (before, str(before)), name


def worked_out(session_id: int, name: WireAction, data: dict[str, Any] | None = None, *, key: str = "") -> Act:
    """Read in both ways, check that it is the same, and work out the action."""
    desk, context = both(session_id, bet=name is WireAction.BET)
    same_check(desk, context)
    message = Inbound(EventType.ROUND_ACTION, "any", BLACKJACK, name, data or {})
    turn = answer(_bet(desk, message.body) if name is WireAction.BET else _move(desk, message))
    assert run_may_stake(context) is answer(play.may_stake(desk))
    purse = Purse(desk.balance - turn.debit + turn.credit, desk.quantum)
    step = _step(desk, turn, desk.round_id or uuid4(), purse, ActedBy.PLAYER, name.value)
    kept = (
        None if key is None else play.Kept(key or f"key {next(_numbers)}'\\", bytes(range(32)), b'{"\xc3\xa9": "\\""}')
    )
    return Act(desk, context, session_id, step, kept)


def run_may_stake(context: store.ActionContext) -> bool:
    async def work() -> bool:
        return await store.may_stake_load(pool(), context)

    return run(work())


class Items:
    """Takes what a store asks for, to be asked together."""

    def __init__(self) -> None:
        self.items: list[object] = []
        self.sql = ""

    async def ask(self, sql: str, item: object) -> Row:
        self.sql = sql
        self.items.append(item)
        return (True,)


class Undone(Exception):
    """Undoes a transaction."""


TABLES = {
    "game_round": "id",
    "blackjack_round": "round_id",
    "round_action": "round_id",
    "wallet_transaction": "round_id",
    "stored_answer": None,
    "seed_pair": None,
    "wallet": None,
}


def rows_sql(rounds: list[UUID]) -> str:
    """Return the statement that reads all that an action writes, but what a clock or a sequence fills."""
    ids = ", ".join(f"'{one}'" for one in rounds)
    own = "{ctime,started_at,ended_at,acted_at,hash,head,mtime}"
    parts = [
        f"SELECT '{table}', (to_jsonb({table}) - '{own}'::text[]"
        + (" - 'id'" if table == "wallet_transaction" else "")
        + f")::text FROM {table}"
        + (f" WHERE {key} IN ({ids})" if key else "")
        for table, key in TABLES.items()
    ]
    ended = f"SELECT 'ended', id || ' ' || (ended_at IS NOT NULL) FROM game_round WHERE id IN ({ids})"
    return " UNION ALL ".join([*parts, ended]) + " ORDER BY 1, 2"


def written_now(acts: list[Act]) -> tuple[list[bool], list[Any]]:
    """Write all of them together as the store does, read what was written, undo it."""

    async def write() -> tuple[list[bool], list[Any]]:
        items = Items()
        for act in acts:
            await store.action_save(items, act.context, session_id=act.session_id, record=act.record, stored=act.stored)
        result: tuple[list[bool], list[Any]] = ([], [])
        try:
            async with pool().transaction() as transaction:
                text = msgspec.json.encode(items.items).decode()
                answers = [tuple(row) for row in await transaction.fetch(items.sql, text)]
                rows = [tuple(row) for row in await transaction.fetch(rows_sql([act.step.round_id for act in acts]))]
                result = ([saved for _, saved in sorted(answers)], rows)
                raise Undone
        except Undone:
            return result

    return run(write())


def written_formerly(acts: list[Act], superuser: psycopg.Connection) -> tuple[list[bool], list[Any]]:
    """Write one after the other as it was done before."""
    saved = []
    for act in acts:
        try:
            answer(play.step_save(desk=act.desk, session_id=act.session_id, step=act.step, kept=act.kept))
        except StaleState:
            saved.append(False)
        else:
            saved.append(True)
    return saved, superuser.execute(rows_sql([act.step.round_id for act in acts]).encode()).fetchall()


def compare(acts: list[Act], superuser: psycopg.Connection) -> list[bool]:
    """Check that both ways write the same; return which actions were written."""
    now, formerly = written_now(acts), written_formerly(acts, superuser)
    assert now[0] == formerly[0]
    assert now[1] == formerly[1]
    assert len([row for row in now[1] if row[0] == "round_action"]) >= sum(now[0])
    return now[0]


def play_on(session_id: int, superuser: psycopg.Connection, *, prefer: tuple[str, ...] = ()) -> None:
    """Take actions on the open round until it is over, each written in both ways."""
    while (desk := both(session_id, bet=False)[0]).round_id is not None:
        names = {move.value for move in _legal(desk)}
        name = next((one for one in (*prefer, "stand") if one in names), None)
        if "decline" in names:
            act = worked_out(
                session_id, WireAction.PEEK, {"acceptedInsurance": "insure" in names and "insure" in prefer}
            )
        elif name is None:
            act = worked_out(session_id, WireAction.HIT)
        else:
            act = worked_out(session_id, WireAction(name.title()))
        assert compare([act], superuser) == [True]


def _legal(desk: play.Desk) -> Any:
    return legal_actions(desk.state(), None)


BET = {"betAmount": 10}


@pytest.mark.parametrize(
    ("values", "prefer"),
    [
        pytest.param((6, 6, 5, 10), ("double",), id="double"),
        pytest.param((8, 6, 8, 10), ("split",), id="split"),
        pytest.param((2, 6, 3, 10), ("hit",), id="hit"),
        pytest.param((10, 1, 9, 5), ("insure",), id="insurance"),
        pytest.param((10, 1, 9, 10), (), id="dealers-natural"),
        pytest.param((10, 10, 6, 6), ("surrender",), id="surrender"),
    ],
)
def test_a_round_writes_the_same(
    superuser: psycopg.Connection, values: tuple[int, ...], prefer: tuple[str, ...]
) -> None:
    player = offered_player()
    seeds_choose(player, values_are(*values), cards=4)
    session_id = seat(player)
    same_check(*both(session_id, bet=True))
    same_check(*both(session_id, bet=False))
    assert compare([worked_out(session_id, WireAction.BET, BET)], superuser) == [True]
    same_check(*both(session_id, bet=True))
    play_on(session_id, superuser, prefer=prefer)
    assert superuser.execute("SELECT how_ended FROM game_round").fetchall() == [("played",)]


def test_a_round_that_ends_with_its_bet_writes_the_same(superuser: psycopg.Connection) -> None:
    player = offered_player()
    seeds_choose(player, values_are(1, 6, 10, 10), cards=4)
    session_id = seat(player)
    stakes = BET | {"perfecPairsBetAmount": 5, "pokerBetAmount": 1}
    assert compare([worked_out(session_id, WireAction.BET, stakes)], superuser) == [True]


def test_a_free_bet_writes_the_same(superuser: psycopg.Connection) -> None:
    player = player_make(balance=Decimal(0))
    blackjack_offer(player.partner, rules=SOLO_RULES, bet_min=Decimal(0))
    session_id = seat(player)
    assert compare([worked_out(session_id, WireAction.BET, {"betAmount": 0})], superuser) == [True]
    play_on(session_id, superuser)


def test_actions_of_the_same_moment_write_the_same(superuser: psycopg.Connection) -> None:
    sessions = []
    for _ in range(8):
        player = offered_player()
        seeds_choose(player, values_are(6, 6, 5, 10), cards=4)
        sessions.append(seat(player))
    assert compare([worked_out(one, WireAction.BET, BET) for one in sessions], superuser) == [True] * 8
    names = [WireAction.HIT, WireAction.DOUBLE, WireAction.STAND] * 3
    acts = [worked_out(one, name) for one, name in zip(sessions, names, strict=False)]
    assert compare(acts, superuser) == [True] * 8


def test_which_actions_are_not_written_is_the_same(superuser: psycopg.Connection) -> None:
    """Of a bet and a double the wallet has moved; a round has gone on; a nonce is taken; the others are written."""
    players = [offered_player() for _ in range(6)]
    for player in players:
        seeds_choose(player, values_are(6, 6, 5, 10), cards=4)
    sessions = [seat(player) for player in players]
    begun = sessions[:4]
    assert compare([worked_out(one, WireAction.BET, BET) for one in begun], superuser) == [True] * 4
    acts = [worked_out(one, WireAction.DOUBLE) for one in begun[:2]]
    acts += [worked_out(one, WireAction.STAND) for one in begun[2:]]
    acts += [worked_out(one, WireAction.BET, BET) for one in sessions[4:]]
    for number in (0, 2, 4):
        superuser.execute(
            "INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, reason)"
            " SELECT id, 'deposit', 1, 'moved ' || id, '' FROM wallet WHERE player_id = %s",
            [players[number].pk],
        )
    superuser.execute(
        "UPDATE blackjack_round SET action_count = 2 FROM game_round"
        " WHERE id = round_id AND player_id = %s", [players[3].pk]
    )  # fmt: skip
    superuser.execute("UPDATE seed_pair SET next_nonce = 5 WHERE player_id = %s", [players[5].pk])
    # A stand that moves no money does not look at the wallet.
    assert compare(acts, superuser) == [False, True, True, False, False, False]


@pytest.mark.parametrize("table", ["player", "wallet", "partner"])
def test_what_is_read_of_who_is_blocked_is_the_same(superuser: psycopg.Connection, table: str) -> None:
    player = offered_player()
    session_id = seat(player)
    change = {"partner": "active = false"}.get(table, "status = 'blocked'")
    superuser.execute(f"UPDATE {table} SET {change}".encode())
    former, latter = both(session_id, bet=True)
    same_check(former, latter)
    assert latter.may_stake is False
    move = both(session_id, bet=False)
    same_check(*move)
    assert run_may_stake(move[1]) is answer(play.may_stake(move[0])) is False


def test_what_is_read_in_odd_cases_is_the_same(superuser: psycopg.Connection) -> None:
    player = offered_player()
    wallet_make(player=player, balance=Decimal(3), currency="EUR")
    session_id, euros = seat(player), seat(player, "EUR")
    for bet in (True, False):
        same_check(*both(euros, bet=bet))
        same_check(*both(session_id, bet=bet, socket="another"))
        assert both(0, bet=bet) == (None, None)
    act = worked_out(session_id, WireAction.BET, BET, key="k1")
    compare([act], superuser)
    for bet in (True, False):
        same_check(*both(session_id, bet=bet, key="k1"))
    superuser.execute("UPDATE game_session SET ended_at = now()")
    superuser.execute("UPDATE blackjack_terms SET status = 0")
    for bet in (True, False):
        same_check(*both(session_id, bet=bet))


def test_what_the_platform_reads_and_writes_is_the_same(superuser: psycopg.Connection) -> None:
    player = offered_player()
    seeds_choose(player, values_are(6, 6, 5, 10), cards=4)
    session_id = seat(player)
    bet = worked_out(session_id, WireAction.BET, BET)
    compare([bet], superuser)
    round_id = bet.step.round_id
    for number in count(2):
        desk = answer(play.desk_of_round(round_id=round_id))
        context = loaded(lambda asker: store.platform_context_load(asker, round_id=round_id))
        if desk is None:
            assert context is None
            break
        assert context is not None
        same_check(desk, context)
        message = Inbound(
            EventType.ROUND_ACTION, "any", BLACKJACK, WireAction.STAND if number == 2 else WireAction.HIT, {}
        )
        turn = answer(_move(desk, message))
        purse = Purse(desk.balance - turn.debit + turn.credit, desk.quantum)
        step = _step(desk, turn, round_id, purse, ActedBy.PLATFORM, "Stand")
        assert compare([Act(desk, context, None, step, None)], superuser) == [True]
    assert superuser.execute("SELECT how_ended FROM game_round").fetchall() == [(RoundEnd.AUTO_COMPLETED.value,)]
