"""Actions that arrive together are written together, and a change from memory is written only if the memory is
current."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from threading import Thread
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.db.models import F

from apps.accounts.models import Player
from apps.core.errors import DomainError, StaleState
from apps.core.postgres_pool import pool
from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.rounds.table_game import SeatAction
from apps.switches.models import Switch, SwitchScope
from apps.tables import table_changes
from apps.tables.engine.state import ActionRefusal, TableChange, TableContext
from apps.tables.engine.transitions import action_submit
from apps.tables.models import GameTable, TableEvent, TableMessage, TableRound, TableSession
from apps.tables.services import table_action_take
from apps.tables.store import MessageUsed, table_load, table_recall, table_save
from apps.tables.table_changes import table_change
from apps.tables.table_snapshot import Caller, Notice, TableSnapshot
from apps.wallet.models import Wallet, WalletStatus, WalletTransaction
from apps.wallet.services import wallet_deposit
from casino.settings.waits import WAIT_S
from tests.support.ledger import Intruder
from tests.support.loop import run_alone
from tests.support.tables import players_make, session_make, sit, table_make
from tests.tables.test_store import caller_of, due_make

BET = {"action": "place_bet", "betType": "player", "amount": 60}


async def taken(caller: Caller, table: GameTable, payload: dict[str, object]) -> str:
    """Carry out an action; return `taken`, the code of the refusal, or the name of the error."""
    answers: list[str] = []
    try:
        await table_action_take(
            caller=caller,
            table_id=str(table.pk),
            payload=payload,
            answer=lambda refusal, _: answers.append("taken" if refusal is None else refusal.code.value),
        )
    except (MessageUsed, DomainError) as error:
        return type(error).__name__
    (answer,) = answers
    return answer


def seated(count: int, *, balance: int = 100) -> tuple[GameTable, list[TableSession]]:
    partner, players = players_make(count, balance=balance)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    sessions = [session_make(player)[0] for player in players]
    for session in sessions:
        sit(session, table)
    return table, sessions


def test_bets_that_arrive_together_are_one_change_each_with_its_own_answer_event_and_money(committed: None) -> None:
    table, sessions = seated(5)
    before = GameTable.objects.get(pk=table.pk).version
    callers = [caller_of(session) for session in sessions]
    amounts = [10, 20, 10_000_000, 30, 40]

    async def all_bet() -> list[str]:
        return await asyncio.gather(
            *(taken(caller, table, BET | {"amount": amount}) for caller, amount in zip(callers, amounts, strict=True))
        )

    answers = run_alone(all_bet())
    assert answers[:2] + answers[3:] == ["taken"] * 4
    assert answers[2] in ("INVALID_AMOUNT", "INSUFFICIENT_BALANCE")
    assert GameTable.objects.get(pk=table.pk).version == before + 1
    assert sorted(Round.objects.values_list("stake", flat=True)) == [10, 20, 30, 40]
    assert sorted(Wallet.objects.filter(player__isnull=False).values_list("balance", flat=True)) == [
        60,
        70,
        80,
        90,
        100,
    ]
    told = TableEvent.objects.get(version=before + 1).event_list()
    assert [event["type"] for event in told] == ["player_action_broadcast"] * 4
    assert len({event["id"] for event in told}) == 4
    assert TableMessage.objects.count() == 5
    assert not proof_run().findings


def test_a_player_who_is_blocked_at_the_table_is_told_so_and_not_that_the_wallet_is_empty(committed: None) -> None:
    table, [session] = seated(1)
    Wallet.objects.filter(player=session.player).update(status=WalletStatus.BLOCKED)
    caller = caller_of(session)
    answers: list[ActionRefusal | None] = []

    async def bet() -> None:
        await table_action_take(
            caller=caller,
            table_id=str(table.pk),
            payload=BET,
            answer=lambda refusal, _: answers.append(refusal),
        )

    run_alone(bet())
    assert [(refusal.code.value, refusal.message) for refusal in answers if refusal] == [
        ("PLAYER_BLOCKED", "you may not stake here: the player or the wallet is blocked")
    ]
    assert Wallet.objects.get(player=session.player).balance == 100


def test_an_action_waits_a_moment_for_those_of_other_seats(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_changes, "GATHER_S", 60)
    table, sessions = seated(2)
    callers = [caller_of(session) for session in sessions]

    async def one_after_the_other() -> int:
        known = await table_load(pool(), str(table.pk))
        first = asyncio.create_task(taken(callers[0], table, BET))
        for _ in range(100):  # more turns of the event loop than a single action waits before its write
            await asyncio.sleep(0)
        assert await taken(callers[1], table, BET) == await first == "taken"
        return known.version

    before = run_alone(one_after_the_other())
    assert GameTable.objects.get(pk=table.pk).version == before + 1


def test_of_two_copies_of_a_message_that_arrive_together_one_is_carried_out(committed: None) -> None:
    table, (session,) = seated(1)
    caller = caller_of(session)

    async def twice() -> list[str]:
        return sorted(await asyncio.gather(taken(caller, table, BET), taken(caller, table, BET)))

    assert run_alone(twice()) == ["MessageUsed", "taken"]
    assert Round.objects.get().stake == 60


def test_a_session_that_ends_before_a_batch_without_a_change_is_written_fails_its_own_message_alone(
    committed: None,
) -> None:
    table, (stays, ends) = seated(2)
    callers = [caller_of(stays), caller_of(ends)]

    def end() -> None:
        session_end(table, ends)
        connection.close()

    def change_nothing(snapshot: TableSnapshot, context: TableContext) -> TableChange[Any]:
        if not snapshot.is_recalled:
            thread = Thread(target=end)
            thread.start()
            thread.join()
        return TableChange(state=snapshot.state)

    async def both() -> list[str]:
        done = await asyncio.gather(
            *(table_change(str(table.pk), change_nothing, caller=caller) for caller in callers), return_exceptions=True
        )
        return [type(each).__name__ for each in done]

    assert run_alone(both()) == ["NoneType", "AuthExpired"]
    assert TableMessage.objects.filter(session_id=stays.pk, message_id=callers[0].message_id).exists()


def test_actions_of_a_batch_that_is_out_of_date_are_carried_out_one_by_one(committed: None) -> None:
    table, sessions = seated(4)
    before = GameTable.objects.get(pk=table.pk).version
    callers = [caller_of(session) for session in sessions]
    callers[2] = callers[1]
    amounts = [10, 20, 20, 10_000_000]
    disturbed: list[int] = []

    def elsewhere() -> None:
        version_change(table, sessions[0])
        connection.close()

    def change_elsewhere(snapshot: TableSnapshot, context: TableContext) -> TableChange[Any]:
        """Change the table as another process does, after it was read for the batch."""
        if not disturbed:
            disturbed.append(snapshot.version)
            thread = Thread(target=elsewhere)
            thread.start()
            thread.join()
        return TableChange(state=snapshot.state)

    async def all_bet() -> list[Any]:
        # Nothing ran between the calls, so they are one batch.
        return await asyncio.gather(
            table_change(str(table.pk), change_elsewhere),
            *(taken(caller, table, BET | {"amount": amount}) for caller, amount in zip(callers, amounts, strict=True)),
        )

    _, *answers = run_alone(all_bet())
    assert disturbed == [before]
    assert answers[:3] == ["taken", "taken", "MessageUsed"]
    assert answers[3] in ("INVALID_AMOUNT", "INSUFFICIENT_BALANCE")
    elsewhere_and_bets = 3
    assert GameTable.objects.get(pk=table.pk).version == before + elsewhere_and_bets
    changes = TableEvent.objects.filter(version__gt=before).order_by("version")
    assert [[event["type"] for event in change.event_list()] for change in changes] == [["player_action_broadcast"]] * 2
    assert sorted(Round.objects.values_list("stake", flat=True)) == [10, 20]
    assert TableMessage.objects.count() == 3
    assert not proof_run().findings


def test_an_answer_that_cannot_be_given_leaves_no_other_request_without_its_own(committed: None) -> None:
    table, sessions = seated(2)
    callers = [caller_of(session) for session in sessions]
    answers: list[str] = []

    def fail(refusal: ActionRefusal | None, again: Sequence[Notice]) -> None:
        raise ConnectionError("the socket is gone")

    async def both() -> list[str]:
        async with asyncio.timeout(WAIT_S):
            first = table_action_take(caller=callers[0], table_id=str(table.pk), payload=BET, answer=fail)
            second = table_action_take(
                caller=callers[1],
                table_id=str(table.pk),
                payload=BET,
                answer=lambda refusal, _: answers.append("taken" if refusal is None else refusal.code.value),
            )
            done = await asyncio.gather(first, second, return_exceptions=True)
        return [type(each).__name__ for each in done]

    assert run_alone(both()) == ["ConnectionError", "NoneType"]
    assert answers == ["taken"]
    assert Round.objects.count() == 2


def deadline_pass(table: GameTable, session: TableSession) -> None:
    GameTable.objects.filter(pk=table.pk).update(deadline=datetime(2026, 1, 1, tzinfo=UTC))


def wallet_change(table: GameTable, session: TableSession) -> None:
    player = Player.objects.get(pk=session.player_id)
    with transaction.atomic():
        wallet_deposit(
            player=player,
            currency_code="FUN",
            amount=Decimal(5),
            transaction_id="while-remembered",
            partner=player.partner,
        )


def player_block(table: GameTable, session: TableSession) -> None:
    Player.objects.filter(pk=session.player_id).update(status="suspended")


def terms_change(table: GameTable, session: TableSession) -> None:
    GameTable.objects.filter(pk=table.pk).update(turn_ms=9000, config_version=F("config_version") + 1)


def version_change(table: GameTable, session: TableSession) -> None:
    GameTable.objects.filter(pk=table.pk).update(version=F("version") + 1)


def session_end(table: GameTable, session: TableSession) -> None:
    TableSession.objects.filter(pk=session.pk).update(ended_at=datetime(2026, 1, 1, tzinfo=UTC))


def socket_lose(table: GameTable, session: TableSession) -> None:
    TableSession.objects.filter(pk=session.pk).update(socket="another")


def nothing(table: GameTable, session: TableSession) -> None: ...


@pytest.mark.parametrize(
    ("happens", "is_saved"),
    [
        (nothing, True),
        (deadline_pass, False),
        (wallet_change, False),
        (player_block, False),
        (terms_change, False),
        (version_change, False),
        (session_end, False),
        (socket_lose, False),
    ],
)
def test_a_change_from_memory_is_written_only_if_all_that_was_remembered_holds(
    committed: None, happens: Callable[[GameTable, TableSession], None], is_saved: bool
) -> None:
    table, (session,) = seated(1)
    caller = caller_of(session)

    async def remember() -> int:
        return (await table_load(pool(), str(table.pk))).version

    version = run_alone(remember())
    happens(table, session)
    standing = GameTable.objects.get(pk=table.pk).version

    async def save() -> bool:
        recalled = table_recall(str(table.pk), least_version=version)
        assert recalled is not None
        change = action_submit(
            recalled.config.game,
            recalled.state,
            recalled.context(drop_ms=1000),
            player=str(session.player_id),
            action=SeatAction("place_bet", amount=60_00, bet_type="player"),
        )
        assert change.refusal is None
        try:
            await table_save(pool(), recalled, change, callers=[caller])
        except StaleState:
            return False
        return True

    assert run_alone(save()) is is_saved
    assert GameTable.objects.get(pk=table.pk).version == standing + is_saved
    assert TableMessage.objects.count() == is_saved
    assert Round.objects.count() == is_saved


def test_money_that_a_wallet_has_spent_elsewhere_is_not_staked_from_memory(committed: None) -> None:
    table, (session,) = seated(1)
    other = table_make(table.partner, game_type="baccarat", currency="FUN", window_s=60)
    sit(session, other)
    assert run_alone(taken(caller_of(session), table, BET)) == "taken"
    assert run_alone(taken(caller_of(session), other, BET)) == "INSUFFICIENT_BALANCE"
    assert run_alone(taken(caller_of(session), other, BET | {"amount": 40})) == "taken"
    assert run_alone(taken(caller_of(session), table, {"action": "clear_bets"})) == "taken"
    assert run_alone(taken(caller_of(session), other, BET)) == "taken"
    assert Wallet.objects.get(player_id=session.player_id).balance == 0
    assert not proof_run().findings


def test_a_payout_covers_the_stake_that_the_same_change_takes_for_the_next_round(committed: None) -> None:
    partner, (player,) = players_make(1, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60, pause_s=0)
    session, _ = session_make(player)
    sit(session, table)
    # One of the two bets wins, or both are returned: the payout is 97.50 at least.
    for side in ("player", "banker"):
        assert run_alone(taken(caller_of(session), table, BET | {"betType": side, "amount": 50})) == "taken"
    due_make(table)
    assert run_alone(taken(caller_of(session), table, BET | {"amount": 90})) == "taken"
    changes = WalletTransaction.objects.filter(wallet__player=player, round_id__isnull=False).order_by("number")
    assert list(changes.values_list("kind", flat=True)) == ["bet", "bet", "reward", "bet"]
    assert not proof_run().findings


def test_a_log_that_counted_on_from_the_round_before_is_whole_and_one_without_its_first_action_is_not(
    committed: None, superuser: psycopg.Connection
) -> None:
    intruder = Intruder(superuser)
    partner, players = players_make(2, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=60, pause_s=0)
    callers = [session_make(player)[0] for player in players]
    for session in callers:
        sit(session, table)
    assert run_alone(taken(caller_of(callers[0]), table, BET | {"amount": 50})) == "taken"
    due_make(table)
    # One change: the other seat's default action ends the window, and the next round begins with a stake.
    assert run_alone(taken(caller_of(callers[1]), table, BET)) == "taken"
    first, second = TableRound.objects.filter(table=table).order_by("number")
    logs = [list(played.actions.values_list("number", flat=True)) for played in (first, second)]
    assert logs == [[1, 2], [1]]
    renumber = "UPDATE table_action SET number = number + 1 WHERE round_id = %s"
    intruder.does(renumber, second.pk)  # as migration 0002 numbered it
    assert not proof_run().findings
    intruder.does(renumber, second.pk)
    assert [finding.what for finding in proof_run().findings] == [
        "it is running, and what is recorded of it does not follow from its seeds and its log"
    ]


def test_a_bet_that_a_switch_refuses_fails_alone_among_those_that_arrive_together(committed: None) -> None:
    table, sessions = seated(3)
    callers = [caller_of(session) for session in sessions]
    Switch.objects.create(scope=SwitchScope.PLAYER, key=str(sessions[1].player_id), is_off=True, reason="a test")

    async def all_bet() -> list[str]:
        return await asyncio.gather(*(taken(caller, table, BET) for caller in callers))

    assert run_alone(all_bet()) == ["taken", "GameDisabled", "taken"]
    assert sorted(Round.objects.values_list("stake", flat=True)) == [60, 60]
    assert Wallet.objects.get(player=sessions[1].player).balance == 100
