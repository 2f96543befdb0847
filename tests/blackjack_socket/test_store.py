"""The two statements of an action: a write is refused if its context is stale, and actions of one batch do not affect
each other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import count
from typing import Any, cast
from uuid import uuid4

import psycopg
import pytest
from msgspec.structs import replace

from apps.accounts.models import Player, Role
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.actions import Action, Move
from apps.blackjack.engine.events import StakeTaken
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import Pace, Phase
from apps.blackjack.store import (
    ActionContext,
    ActionRecord,
    StoredActionAnswer,
    action_context_load,
    action_lock,
    action_save,
)
from apps.core.batcher import BATCH_SIZE
from apps.core.errors import StaleState
from apps.core.postgres_pool import Executor, pool
from apps.idempotency.models import StoredAnswer as StoredAnswerRow
from apps.rounds.game_sessions import game_session_hold, game_session_open
from apps.rounds.models import ActedBy, Round, RoundAction, RoundEnd
from apps.rounds.services import round_void
from casino.settings.waits import WAIT_S
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import blackjack_offer, hard_eleven, seeds_choose
from tests.support.factories import staff_make, wallet_make
from tests.support.loop import run
from tests.support.waiting import and_close, lock_wait_await

pytestmark = pytest.mark.usefixtures("committed")

SETUP = RoundSetup(rules=SOLO_RULES, stakes=(SeatStakes(1000, 0, 0),), pace=Pace.SOLO, odds={})
_keys = count(1)


def seat(player: Player, currency: str = "FUN") -> int:
    """Open a session that is bound to a socket; return its id."""
    session, _ = game_session_open(player=player, game=BLACKJACK, currency_code=currency)
    game_session_hold(session_id=session.pk, connection="socket")
    return int(session.pk)


def player_with_a_hard_eleven() -> Player:
    """Return a player whose first round goes on after each hit and each double."""
    player = offered_player()
    seeds_choose(player, hard_eleven, cards=4)
    return player


async def load(executor: Executor, session_id: int, move: Move | None) -> ActionContext:
    """Return the context of the action; None stands for a bet."""
    context = await action_context_load(
        executor, is_bet=move is None, session_id=session_id, socket="socket", event_id="none"
    )
    assert context is not None
    return context


async def save(
    executor: Executor,
    session_id: int,
    context: ActionContext,
    move: Move | None,
    *,
    event_id: str | None = None,
    outdated: dict[str, Any] | None = None,
) -> None:
    """Bet ten, or take the move, and write it as if the members in `outdated` had been read."""
    if move is None:
        before, setup = None, SETUP
        after, events = round_start(setup, context.shoe(SOLO_RULES.decks))
    else:
        before, setup = context.state(), context.setup()
        after, events = apply_action(before, Action(move), context.shoe(SOLO_RULES.decks))
    paid_before = seat_account(before.seats[0]).paid if before else 0
    is_over = after.phase is Phase.SETTLED
    record = ActionRecord(
        round_id=context.round_id or uuid4(),
        number=1 if before is None else context.action_count + 1,
        setup=setup,
        state=after,
        detail=b"{}" if is_over else None,
        acted_by=ActedBy.PLAYER,
        action={"move": move.value if move else "bet"},
        events=events,
        debit=sum(event.amount for event in events if isinstance(event, StakeTaken)) * context.quantum,
        credit=(seat_account(after.seats[0]).paid - paid_before) * context.quantum,
        how_ended=RoundEnd.PLAYED if is_over else RoundEnd.OPEN,
    )
    stored = StoredActionAnswer(session_id, "socket", event_id or f"key-{next(_keys)}", b"hash", b"{}")
    read = replace(context, **outdated or {})
    await action_save(executor, read, record=record, stored=stored)


async def act(session_id: int, move: Move | None = None, *, event_id: str | None = None) -> None:
    """Read, act, write."""
    await save(pool(), session_id, await load(pool(), session_id, move), move, event_id=event_id)


def at_once(acts: Callable[[], Sequence[Awaitable[None]]]) -> list[Any]:
    """Run all the actions concurrently; return None or the error of each."""

    async def gathered() -> list[Any]:
        return await asyncio.gather(*acts(), return_exceptions=True)

    return run(gathered())


def transactions(superuser: psycopg.Connection) -> int:
    """Return how many transactions have written the existing actions."""
    row = superuser.execute("SELECT count(DISTINCT xmin::text) FROM round_action").fetchone()
    assert row is not None
    return int(row[0])


def test_a_full_batch_of_actions_is_read_and_written_in_one_transaction(superuser: psycopg.Connection) -> None:
    sessions = [seat(player_with_a_hard_eleven()) for _ in range(BATCH_SIZE)]
    assert at_once(lambda: [act(one) for one in sessions]) == [None] * BATCH_SIZE
    assert transactions(superuser) == 1
    moves = [Move.HIT, Move.DOUBLE, Move.STAND] * BATCH_SIZE
    assert at_once(lambda: [act(one, move) for one, move in zip(sessions, moves, strict=False)]) == [None] * BATCH_SIZE
    assert transactions(superuser) == 2


LOCKED = {
    "wallet": "SELECT FROM wallet WHERE player_id = %s FOR UPDATE",
    "seed pair": "SELECT FROM seed_pair WHERE player_id = %s FOR UPDATE",
    "state": "SELECT FROM blackjack_round JOIN game_round ON id = round_id WHERE player_id = %s"
    " FOR UPDATE OF blackjack_round",
    "round": "SELECT FROM game_round WHERE player_id = %s FOR UPDATE",
}


@pytest.mark.parametrize(
    ("move", "locked", "is_saved"),
    [
        pytest.param(None, "wallet", False, id="bet-wallet"),
        pytest.param(None, "seed pair", False, id="bet-seed-pair"),
        pytest.param(Move.HIT, "wallet", True, id="hit-wallet"),
        pytest.param(Move.HIT, "state", False, id="hit-state"),
        pytest.param(Move.HIT, "round", True, id="hit-round"),
        pytest.param(Move.DOUBLE, "wallet", False, id="double-wallet"),
        pytest.param(Move.DOUBLE, "state", False, id="double-state"),
        pytest.param(Move.DOUBLE, "round", False, id="double-round"),
    ],
)
def test_an_action_whose_rows_are_locked_is_stale_and_delays_no_other(
    superuser: psycopg.Connection, move: Move | None, locked: str, is_saved: bool
) -> None:
    players = [player_with_a_hard_eleven() for _ in range(3)]
    sessions = [seat(player) for player in players]
    if move is not None:
        assert at_once(lambda: [act(one) for one in sessions]) == [None] * 3
    before = RoundAction.objects.count()
    with superuser.transaction():
        superuser.execute(LOCKED[locked].encode(), [players[1].pk])
        answers = at_once(lambda: [act(one, move) for one in sessions])
    assert [type(answer) for answer in answers] == [type(None), type(None) if is_saved else StaleState, type(None)]
    assert RoundAction.objects.count() - before == 2 + is_saved
    if not is_saved:
        assert at_once(lambda: [act(sessions[1], move)]) == [None]


@pytest.mark.parametrize("move", [Move.HIT, Move.DOUBLE])
def test_of_two_concurrent_moves_of_one_round_one_is_written(move: Move) -> None:
    sessions = [seat(player_with_a_hard_eleven()) for _ in range(2)]
    assert at_once(lambda: [act(one) for one in sessions]) == [None] * 2
    answers = at_once(lambda: [act(one, move) for one in (sessions[0], *sessions)])
    assert [type(answer) for answer in answers] == [type(None), StaleState, type(None)]


@pytest.mark.parametrize("event_ids", [("one", "two"), ("same", "same")])
def test_of_two_concurrent_bets_from_two_wallets_one_is_written(event_ids: tuple[str, str]) -> None:
    player = player_with_a_hard_eleven()
    wallet_make(player=player, balance=Decimal(100), currency="EUR")
    blackjack_offer(player.partner, currency="EUR")
    sessions = [seat(player), seat(player, "EUR"), seat(player_with_a_hard_eleven())]
    answers = at_once(lambda: [act(one, event_id=key) for one, key in zip(sessions, (*event_ids, "x"), strict=True)])
    assert [type(answer) for answer in answers] == [type(None), StaleState, type(None)]
    assert Round.objects.count() == StoredAnswerRow.objects.count() == 2


def test_a_bet_beside_an_open_round_is_stale_and_the_others_are_written() -> None:
    sessions = [seat(player_with_a_hard_eleven()) for _ in range(2)]
    assert at_once(lambda: [act(sessions[0])]) == [None]
    answers = at_once(lambda: [act(one) for one in sessions])
    assert [type(answer) for answer in answers] == [StaleState, type(None)]
    assert Round.objects.count() == 2


@pytest.mark.parametrize("move", [Move.HIT, Move.STAND, Move.DOUBLE])
def test_a_move_in_a_round_that_was_voided_meanwhile_is_stale(move: Move) -> None:
    session_id = seat(player_with_a_hard_eleven())
    operator = staff_make(Role.OPERATOR)

    async def read() -> ActionContext:
        return await load(pool(), session_id, move)

    assert at_once(lambda: [act(session_id)]) == [None]
    context = run(read())
    round_void(operator=operator, round=Round.objects.get(), reason="a test")
    (answer,) = at_once(lambda: [save(pool(), session_id, context, move)])
    assert isinstance(answer, StaleState)
    assert RoundAction.objects.count() == 1


class _FormerServer:
    """The pool as servers before migration 0011 use it: they name neither the socket nor what is checked with it."""

    async def query(self, statement: str, item: dict[str, Any]) -> Any:
        new = {"socket", "decimals", "commitment", "client_seed"}
        return await pool().query(statement, {name: value for name, value in item.items() if name not in new})


@pytest.mark.parametrize("move", [None, Move.HIT])
def test_an_action_of_a_server_of_a_former_version_is_written_during_an_upgrade(move: Move | None) -> None:
    session_id = seat(player_with_a_hard_eleven())
    former = cast("Executor", _FormerServer())

    async def read_and_save(move: Move | None, outdated: dict[str, Any]) -> None:
        await save(former, session_id, await load(pool(), session_id, move), move, outdated=outdated)

    if move is None:
        for outdated in ({"nonce": 1}, {"balance": Decimal(999)}):
            with pytest.raises(StaleState):
                run(read_and_save(None, outdated))
    run(read_and_save(None, {}))
    if move is not None:
        run(read_and_save(move, {}))
    assert RoundAction.objects.count() == (1 if move is None else 2)


OUTDATED = [{"balance": Decimal(999)}, {"decimals": 3}, {"wallet_id": 0}]
OUTDATED_BETS = [
    {"nonce": 1}, {"commitment": "0" * 64}, {"client_seed": "another"}, {"seed_pair_id": 0}, {"config_version": 2},
    {"terms_id": 0}, {"player_id": 0}, {"paytable_id": 0},
]  # fmt: skip


@pytest.mark.parametrize(
    ("move", "outdated"),
    [(None, outdated) for outdated in OUTDATED + OUTDATED_BETS] + [(Move.HIT, outdated) for outdated in OUTDATED],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else str(value),
)
def test_an_action_with_any_outdated_member_of_its_context_is_stale(
    move: Move | None, outdated: dict[str, Any]
) -> None:
    session_id = seat(player_with_a_hard_eleven())
    if move is not None:
        assert at_once(lambda: [act(session_id)]) == [None]
    before = RoundAction.objects.count()

    async def read_and_save() -> None:
        await save(pool(), session_id, await load(pool(), session_id, move), move, outdated=outdated)

    with pytest.raises(StaleState):
        run(read_and_save())
    assert RoundAction.objects.count() == before


@pytest.mark.parametrize("move", [None, Move.DOUBLE])
def test_an_action_with_locks_waits_and_is_then_written(superuser: psycopg.Connection, move: Move | None) -> None:
    player = player_with_a_hard_eleven()
    session_id = seat(player)
    if move is not None:
        assert at_once(lambda: [act(session_id)]) == [None]

    async def act_with_locks() -> None:
        async with pool().transaction() as transaction:
            await action_lock(transaction, await load(transaction, session_id, move))
            await save(transaction, session_id, await load(transaction, session_id, move), move)

    with ThreadPoolExecutor(1) as threads:
        with superuser.transaction():
            superuser.execute(LOCKED["state" if move else "seed pair"].encode(), [player.pk])
            waiting = threads.submit(and_close(lambda: run(act_with_locks())))
            lock_wait_await()
        waiting.result(timeout=WAIT_S)
    assert RoundAction.objects.count() == (2 if move else 1)


def test_the_repr_of_a_context_does_not_contain_the_server_seed() -> None:
    player = player_with_a_hard_eleven()
    session_id = seat(player)

    async def loaded() -> ActionContext:
        return await load(pool(), session_id, None)

    assert repr(run(loaded())) == f"<ActionContext of player {player.pk}, round None, nonce 0>"
