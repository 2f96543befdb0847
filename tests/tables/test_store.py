"""The rows that a change of a table writes, and the changes of them that the database refuses."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.core.errors import DomainError, PlayerBlocked, StaleState
from apps.core.postgres_pool import pool
from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.tables import services, store
from apps.tables.engine.transitions import seat_leave
from apps.tables.errors import InsufficientBalance, LimitExceeded
from apps.tables.models import (
    GameTable,
    TableAction,
    TableChain,
    TableMember,
    TableRound,
    TableSeat,
    TableServer,
    TableSession,
)
from apps.tables.registry import table_game_of
from apps.tables.services import table_action_take, table_deadline_pass, table_leave
from apps.tables.session_sockets import sessions_sweep
from apps.tables.session_store import sessions_end_lapsed
from apps.tables.store import MessageUsed, missed_load, table_load, table_lock, table_save
from apps.tables.table_snapshot import Caller
from apps.wallet.models import Wallet, WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.dealt_tables import table_dealing
from tests.support.loop import run_alone
from tests.support.table_play import PlayedTable
from tests.support.tables import CONTRIBUTION, players_make, session_make, sit, table_make, watch
from tests.support.waiting import lock_wait_await

_numbers = iter(range(1, 10**6))


def message_id() -> str:
    return f"00000000-0000-4000-8000-{next(_numbers):012d}"


def caller_of(session: TableSession) -> Caller:
    """Return a caller whose socket holds the session."""
    TableSession.objects.filter(pk=session.pk).update(socket="held")
    return Caller(session.pk, "held", message_id())


def act(session: TableSession, table: GameTable, **payload: object) -> list:
    """Carry out an action, and return the refusals."""
    caller, answers = caller_of(session), []
    run_alone(
        table_action_take(
            caller=caller,
            table_id=str(table.pk),
            payload=payload,
            answer=lambda refusal, _: answers.append(refusal),
        )
    )
    return answers


def due_make(table: GameTable) -> None:
    """Move the deadline of the running window into the past."""
    state = GameTable.objects.get(pk=table.pk).state
    GameTable.objects.filter(pk=table.pk).update(
        state=state | {"phase_deadline": 1}, version=GameTable.objects.get(pk=table.pk).version + 1
    )


def test_stakes_are_booked_with_the_action_and_payouts_with_the_result(committed: None) -> None:
    partner, (player,) = players_make(1, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    session, _ = session_make(player)
    sit(session, table)
    assert act(session, table, action="place_bet", betType="player", amount=10) == [None]
    assert act(session, table, action="place_bet", betType="player", amount=5) == [None]
    played = Round.objects.get()
    assert (played.stake, played.balance_before, played.balance_after, played.how_ended) == (15, 100, 85, "")
    assert act(session, table, action="clear_bets") == [None]
    assert act(session, table, action="place_bet", betType="tie", amount=7) == [None]
    due_make(table)
    run_alone(table_deadline_pass(table_id=str(table.pk)))
    played.refresh_from_db()
    balance = Wallet.objects.get(player=player).balance
    assert (played.stake, played.how_ended, played.balance_after) == (7, "played", balance)
    assert balance == 100 - 7 + played.payout
    kinds = list(WalletTransaction.objects.filter(round_id=played.pk).order_by("id").values_list("kind", "change"))
    assert kinds[:4] == [("bet", -10), ("bet", -5), ("refund", 15), ("bet", -7)]
    assert TableAction.objects.filter(round_id=played.table_round).count() == 4
    assert not proof_run().findings


def test_a_stake_that_closes_a_window_and_opens_the_next_begins_the_log_of_the_new_round(committed: None) -> None:
    partner, players = players_make(2)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30, pause_s=0)
    anna, ben = (session_make(player)[0] for player in players)
    sit(anna, table)
    sit(ben, table)
    act(anna, table, action="place_bet", betType="tie", amount=10)
    due_make(table)
    assert act(ben, table, action="place_bet", betType="tie", amount=10) == [None]
    logged = TableAction.objects.order_by("round__number", "number")
    assert list(logged.values_list("round__number", "number", "seat", "is_timeout")) == [
        (1, 1, 1, False), (1, 2, 2, True), (2, 1, 2, False),
    ]  # fmt: skip
    assert not proof_run().findings


def test_a_stake_that_was_taken_back_is_a_withdrawn_round(committed: None) -> None:
    partner, (player,) = players_make(1, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    session, _ = session_make(player)
    sit(session, table)
    act(session, table, action="place_bet", betType="tie", amount=10)
    act(session, table, action="clear_bets")
    due_make(table)
    run_alone(table_deadline_pass(table_id=str(table.pk)))
    played = Round.objects.get()
    assert (played.stake, played.payout, played.how_ended) == (0, 0, "withdrawn")
    assert TableRound.objects.order_by("number")[0].ending == "unstaked"
    assert Wallet.objects.get(player=player).balance == 100
    assert not proof_run().findings


def test_a_stake_stands_when_its_seat_leaves_and_the_seat_is_freed_with_the_round(committed: None) -> None:
    partner, (anna, ben) = players_make(2, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    session, _ = session_make(anna)
    sit(session, table)
    sit(session_make(ben)[0], table)
    act(session, table, action="place_bet", betType="banker", amount=10)
    run_alone(table_leave(session_id=session.pk, table_id=str(table.pk)))
    assert TableSeat.objects.filter(player=anna).exists()
    due_make(table)
    run_alone(table_deadline_pass(table_id=str(table.pk)))
    assert Round.objects.get(player=anna).how_ended == "played"
    assert not TableSeat.objects.filter(player=anna).exists()


def test_of_two_changes_at_once_one_is_written(committed: None) -> None:
    partner, players = players_make(3)
    table = table_make(partner, window_s=30)
    for player in players:
        sit(session_make(player)[0], table)

    async def leave_all() -> list[str]:
        snapshot = await table_load(pool(), str(table.pk))

        async def leave(player: str) -> str:
            change = seat_leave(snapshot.config.game, snapshot.state, snapshot.context(drop_ms=1), player=player)
            try:
                await table_save(pool(), snapshot, change)
            except StaleState:
                return "stale"
            return "saved"

        return sorted(await asyncio.gather(*[leave(str(player.pk)) for player in players]))

    assert run_alone(leave_all()) == ["saved", "stale", "stale"]
    assert TableSeat.objects.count() == 2


def test_a_change_that_is_undone_is_not_remembered(committed: None) -> None:
    partner, (anna,) = players_make(1)
    table = table_make(partner, window_s=30)
    sit(session_make(anna)[0], table)

    async def undo() -> tuple[int, int]:
        try:
            async with pool().transaction() as held:
                await table_lock(held, str(table.pk))
                before = await table_load(held, str(table.pk))
                context = before.context(drop_ms=1)
                change = seat_leave(before.config.game, before.state, context, player=str(anna.pk))
                await table_save(held, before, change)
                raise InterruptedError
        except InterruptedError:
            pass
        after = await table_load(pool(), str(table.pk))
        return len(before.state.seats), len(after.state.seats)

    assert run_alone(undo()) == (1, 1)


def test_a_session_watches_so_many_tables_and_each_again(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_MEMBERSHIPS", 2)
    partner, (player,) = players_make(1)
    session, _ = session_make(player)
    first, second, third = (table_make(partner) for _ in range(3))
    for table in (first, second, first):
        watch(session, table)
    with pytest.raises(LimitExceeded, match="a session sees at most 2 tables"):
        watch(session, third)
    assert TableMember.objects.count() == 2


def test_a_seat_is_taken_while_the_session_begins_to_watch_the_table(committed: None) -> None:
    """The page does both at once for a player who leaves a seat and takes one again."""
    partner, (player,) = players_make(1)
    table = table_make(partner, window_s=30)
    session, _ = session_make(player)
    with ThreadPoolExecutor(1) as watchers:
        with transaction.atomic():
            GameTable.objects.select_for_update().get(pk=table.pk)  # as `seat_take` begins
            watching = watchers.submit(watch, session, table)
            lock_wait_await()
            TableSession.objects.filter(pk=session.pk).update(changes=1)
            TableMember.objects.create(table=table, session=session)
        watching.result(timeout=WAIT_S)
    assert TableMember.objects.get().session_id == session.pk


def test_a_message_is_carried_out_once_by_two_processes(committed: None) -> None:
    partner, (player,) = players_make(1, balance=100)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    session, _ = session_make(player)
    sit(session, table)
    caller = caller_of(session)

    async def bet() -> str:
        payload = {"action": "place_bet", "betType": "tie", "amount": 1}
        try:
            await table_action_take(caller=caller, table_id=str(table.pk), payload=payload, answer=lambda *_: None)
        except MessageUsed:
            return "used"
        return "taken"

    async def bet_twice() -> list[str]:
        return sorted(await asyncio.gather(asyncio.to_thread(run_alone, bet()), asyncio.to_thread(run_alone, bet())))

    assert asyncio.run(bet_twice()) == ["taken", "used"]
    assert Round.objects.get().stake == 1


def test_at_a_table_for_real_money_a_seat_contributes_to_the_seed(committed: None) -> None:
    partner, (player,) = players_make(1, currency="EUR")
    table = table_make(partner, game_type="baccarat", currency="EUR", window_s=30)
    session, _ = session_make(player, currency="EUR")
    with pytest.raises(DomainError) as refused:
        sit(session, table)
    assert refused.value.code == "CONTRIBUTION_REQUIRED"
    assert sit(session, table, contribution=CONTRIBUTION) == 1
    assert TableRound.objects.get().client_seed == CONTRIBUTION


def test_the_database_keeps_what_a_table_has_written(committed: None) -> None:
    partner, (player,) = players_make(1)
    table = table_make(partner, game_type="baccarat", window_s=30)
    session, _ = session_make(player)
    sit(session, table)
    act(session, table, action="place_bet", betType="tie", amount=10)
    played = TableRound.objects.get()
    refused = [
        lambda: TableRound.objects.filter(pk=played.pk).update(client_seed="other"),
        lambda: TableRound.objects.filter(pk=played.pk).update(shoe=None),
        lambda: TableRound.objects.filter(pk=played.pk).update(
            seed="0" * 64, ending="settled", ended_at="2026-01-01 00:00Z"
        ),
        lambda: TableRound.objects.filter(pk=played.pk).delete(),
        lambda: TableAction.objects.update(is_timeout=True),
        lambda: TableAction.objects.all().delete(),
        lambda: TableChain.objects.update(length=1),
        lambda: GameTable.objects.filter(pk=table.pk).update(version=0),
        lambda: GameTable.objects.filter(pk=table.pk).update(currency="FUN"),
    ]
    for write in refused:
        with pytest.raises(DatabaseError), transaction.atomic():
            write()
    due_make(table)
    run_alone(table_deadline_pass(table_id=str(table.pk)))
    with pytest.raises(DatabaseError), transaction.atomic():
        TableRound.objects.exclude(ending="").update(detail={})


def test_many_sessions_lapse_a_few_at_a_time(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.tables.session_store.ENDED_AT_ONCE", 2)
    _, (player,) = players_make(1)
    sessions = [session_make(player)[0] for _ in range(5)]
    TableSession.objects.exclude(pk=sessions[0].pk).update(expires_at="2026-01-01 00:00Z")
    run_alone(sessions_sweep())
    assert list(TableSession.objects.filter(ended_at=None)) == [sessions[0]]


def test_a_table_that_fails_does_not_keep_the_seats_of_other_tables(committed: None) -> None:
    partner, players = players_make(3)
    tables = [table_make(partner, window_s=30) for _ in players]
    for player, table in zip(players, tables, strict=True):
        sit(session_make(player)[0], table)
    GameTable.objects.filter(pk=tables[0].pk).update(state={"phase": "unknown"})
    TableSession.objects.update(expires_at="2026-01-01 00:00Z")
    run_alone(sessions_sweep())
    assert list(TableSeat.objects.values_list("table_id", flat=True)) == [tables[0].pk]


def test_a_silent_session_is_ended_while_a_server_holds_its_socket_and_lasts_its_time_without(committed: None) -> None:
    _, (player,) = players_make(1)
    held, free = session_make(player)[0], session_make(player)[0]
    server = TableServer.objects.create()
    TableSession.objects.filter(pk=held.pk).update(server=server, socket="a-socket")
    TableSession.objects.update(active_at=timezone.now() - timedelta(hours=2))
    run_alone(sessions_end_lapsed(idle_slack_s=30))
    assert list(TableSession.objects.filter(ended_at=None)) == [free]


def test_a_table_with_a_player_is_not_closed_as_an_empty_one(committed: None) -> None:
    partner, (player,) = players_make(1)
    taken, empty = table_make(partner), table_make(partner)
    sit(session_make(player)[0], taken)
    for table in (taken, empty):
        run_alone(services.table_close_empty(table_id=str(table.pk)))
    assert list(GameTable.objects.filter(is_open=True)) == [taken]


def test_a_table_is_recalled_until_a_deadline_is_due_or_the_clock_was_read_long_ago(
    committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner, (player,) = players_make(1)
    taken, empty = table_make(partner, window_s=30), table_make(partner)
    sit(session_make(player)[0], taken)

    def recalled(table_id: str, version: int, *, ahead_s: float = 0) -> bool:
        clock = SimpleNamespace(monotonic_ns=lambda: time.monotonic_ns() + int(ahead_s * 10**9))
        with monkeypatch.context() as patch:
            patch.setattr(store, "time", clock)
            return store.table_recall(table_id, least_version=version) is not None

    async def check(table_id: str, lasts_s: float) -> None:
        version = (await table_load(pool(), table_id)).version
        assert [recalled(table_id, version, ahead_s=each) for each in (0, lasts_s - 5, lasts_s + 1)] == [
            True,
            True,
            False,
        ]
        assert not recalled(table_id, version + 1)
        known = store._known[table_id]
        store._remember(pool(), table_id, known._replace(version=version - 1))
        assert store._known[table_id] is known

    run_alone(check(str(taken.pk), 30))
    run_alone(check(str(empty.pk), store.CLOCK_TRUSTED_MS / 1000))


def test_who_has_seen_nothing_that_is_stored_is_sent_the_last_round_and_the_running_one(
    committed: None,
) -> None:
    partner, (player,) = players_make(1)
    table = PlayedTable(table_make(partner, window_s=30), [player])
    for _ in range(3):
        table.round_play()
    table.next_window()

    async def revealed(last_seen: str | None) -> int:
        missed = await missed_load(
            pool(), str(table.table.pk), game_type="blackjack", last_seen=last_seen, until=table.table.version + 100
        )
        return sum(b'"seed_reveal"' in body for change in missed for _, _, _, body in change.events)

    assert [run_alone(revealed(seen)) for seen in (None, str(uuid4()))] == [1, 1]


def test_a_player_has_one_seat_at_a_table_and_keeps_it_with_another_session(committed: None) -> None:
    partner, (player,) = players_make(1)
    table = table_make(partner, window_s=30)
    first, second = session_make(player)[0], session_make(player)[0]
    assert sit(first, table, seat=3) == 3
    assert sit(second, table) == 3
    seat = TableSeat.objects.get()
    assert (seat.seat, seat.session_id) == (3, second.pk)
    assert [refusal.code.value for refusal in act(first, table, action="ready")] == ["NOT_YOUR_TURN"]


@pytest.mark.parametrize("why", ["all is staked", "the player is blocked"])
def test_a_player_who_may_stake_no_more_comes_back_in_another_session_and_plays_the_hand(
    committed: None, why: str
) -> None:
    partner, (player,) = players_make(1, balance=100)
    game = table_game_of("blackjack")
    table = table_dealing(partner, lambda play, _: not game.is_over(play), [{"main": 10_000}], currency="FUN")
    first, second = session_make(player)[0], session_make(player)[0]
    sit(first, table)
    assert act(first, table, action="place_bet", amount=100) == [None]
    assert act(first, table, action="ready") == [None]
    if why == "the player is blocked":
        Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    with pytest.raises((InsufficientBalance, PlayerBlocked)):
        sit(second, table_make(partner, currency="FUN"))
    assert sit(second, table) == 1
    assert act(second, table, action="stand") == [None]


def test_the_bets_of_a_seat_are_told_in_the_games_order_whichever_process_settles_them(committed: None) -> None:
    partner, (player,) = players_make(1)
    table = table_make(partner, game_type="baccarat", currency="FUN", window_s=30)
    session, _ = session_make(player)
    sit(session, table)
    for bet in ("tie", "banker", "player"):
        act(session, table, action="place_bet", betType=bet, amount=1)
    due_make(table)
    run_alone(table_deadline_pass(table_id=str(table.pk)))
    (row,) = TableRound.objects.get(ending="settled").detail["results"]
    assert [hand["betType"] for hand in row["hands"]] == ["player", "banker", "tie"]
    assert not proof_run().findings
