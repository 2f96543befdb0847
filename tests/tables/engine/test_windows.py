"""Betting windows: which seats may stake, hidden stakes, and windows without a stake (docs/tables.md)."""

import msgspec
import pytest

from apps.baccarat.table import TABLE as BACCARAT
from apps.blackjack.table import TABLE as BLACKJACK
from apps.core.money import MAX_AMOUNT
from apps.dragon_tiger.table import TABLE as DRAGON_TIGER
from apps.rounds.table_game import PayloadInvalid, TableRefusal
from apps.tables.engine.state import Ending, EventAudience, TablePhase
from apps.tables.engine.transitions import JoinRefused
from tests.tables.engine.table_run import TableRun, contribution_of


def staked_run() -> TableRun:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=5)
    return run


def test_the_first_player_opens_a_window_after_the_commitment() -> None:
    run = TableRun(BACCARAT)
    change = run.join("anna")
    assert [event.type for event in change.events] == ["game_state_update", "seed_commitment", "betting_window_open"]
    commitment, window = change.events[1].fields, change.events[2].fields
    assert commitment["seedHash"] == run.state.chain.commitment
    assert commitment["nonce"] == window["payload"]["roundNumber"] == 1
    assert sum(commitment["shoe"]) == 416
    assert window["timeoutSeconds"] == 15
    assert [offer["type"] for offer in window["payload"]["availableActions"]] == [
        "place_bet", "clear_bets", "ready", "no_bet",
    ]  # fmt: skip


def test_a_window_lists_each_bet_on_offer_with_its_limits_and_odds() -> None:
    run = TableRun(
        BACCARAT,
        limits={"banker": {"minAmount": 1, "maxAmount": "2.5"}, "tie": {"minAmount": 1, "maxAmount": 2}},
        odds={"tie": 9},
    )
    offers = run.told(run.join("anna"), "betting_window_open")[0]["payload"]["availableActions"][0]["betTypes"]
    assert [{**offer, "odds": str(offer["odds"]), "maxAmount": str(offer["maxAmount"])} for offer in offers] == [
        {"betType": "banker", "minAmount": 1, "maxAmount": "2.5", "odds": "0.95"},
        {"betType": "tie", "minAmount": 1, "maxAmount": "2", "odds": "9"},
    ]


def test_the_same_bet_again_adds_up_and_the_limit_binds_the_sum() -> None:
    run = staked_run()
    run.act("anna", "place_bet", betType="player", amount=900)
    assert run.seat("anna").bets == {"player": 90_500}
    assert run.refused("anna", "place_bet", betType="player", amount=96) == "INVALID_AMOUNT"
    run.act("anna", "place_bet", betType="player", amount=95)
    assert run.funds("anna") == 1_000_000 - 100_000


def test_bets_of_several_types_lie_side_by_side_and_are_cleared_together() -> None:
    run = staked_run()
    run.act("anna", "place_bet", betType="tie", amount=2)
    assert run.funds("anna") == 1_000_000 - 700
    run.act("anna", "clear_bets")
    assert run.funds("anna") == 1_000_000
    assert run.seat("anna").bets == {}


def test_no_bet_is_taken_without_effect() -> None:
    run = staked_run()
    before = run.state
    change = run.act("anna", "no_bet")
    assert change.state is before
    assert change.events == ()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"betType": "player", "amount": 0}, "INVALID_AMOUNT"),
        ({"betType": "player", "amount": -5}, "INVALID_AMOUNT"),
        ({"betType": "player", "amount": 2000}, "INVALID_AMOUNT"),
        ({"betType": "dragon_7", "amount": 5}, "INVALID_ACTION"),
    ],
)
def test_a_stake_that_is_not_on_offer_changes_nothing(fields: dict[str, object], code: str) -> None:
    run = staked_run()
    before = run.state
    assert run.refused("anna", "place_bet", **fields) == code
    assert run.state is before


@pytest.mark.parametrize("amount", [10**15, -(10**15), 10**40])
def test_an_amount_that_no_wallet_holds_is_refused_with_what_one_can_hold(amount: int) -> None:
    with pytest.raises(TableRefusal, match="amount is larger than a wallet can hold, 999999999999"):
        staked_run().terms.units(amount, "amount")


def test_a_stake_above_the_wallet_is_refused() -> None:
    run = TableRun(BACCARAT, wallet=700)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=5)
    assert run.refused("anna", "place_bet", betType="player", amount=3) == "INSUFFICIENT_BALANCE"
    run.act("anna", "place_bet", betType="player", amount=2)
    assert run.funds("anna") == 0


def test_amounts_finer_than_the_currency_and_fields_of_the_wrong_type_are_refused() -> None:
    run = staked_run()
    with pytest.raises(PayloadInvalid, match=r"payload\.amount"):
        run.submit("anna", "place_bet", betType="player", amount="5")
    with pytest.raises(PayloadInvalid, match=r"payload\.amount"):
        run.submit("anna", "place_bet", betType="player")


def test_the_window_ends_when_all_are_ready_and_a_new_stake_takes_ready_back() -> None:
    run = staked_run()
    run.join("ben")
    run.act("anna", "ready")
    run.act("anna", "place_bet", betType="player", amount=5)
    assert not run.seat("anna").is_ready
    run.act("anna", "ready")
    run.act("anna", "clear_bets")
    assert not run.seat("anna").is_ready
    run.act("anna", "ready")
    assert run.state.phase is TablePhase.BETTING
    run.act("ben", "ready")
    assert run.state.phase is TablePhase.PAUSE


def test_the_window_ends_at_its_deadline_and_later_stakes_are_refused() -> None:
    run = staked_run()
    run.now += 14_999
    run.act("anna", "place_bet", betType="player", amount=1)
    run.now += 1
    change = run.submit("anna", "place_bet", betType="player", amount=1)
    assert change.refusal is not None
    assert change.refusal.code.value == "BETTING_WINDOW_CLOSED"
    assert [closed.ending for closed in change.closed] == [Ending.SETTLED]
    assert run.result_of("anna")["stakes"] == 6


def test_an_unstaked_window_reveals_its_seed_and_deals_no_card() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    change = run.wait()
    assert [event.type for event in change.events] == [
        "player_action_broadcast", "betting_window_closed", "seed_reveal", "game_state_update",
    ]  # fmt: skip
    broadcast = change.events[0].fields["payload"]
    assert (broadcast["action"], broadcast["timeout"]) == ("no_bet", True)
    (closed,) = change.closed
    assert (closed.ending, closed.drawn, closed.outcomes) == (Ending.UNSTAKED, 0, ())
    assert run.state.shoe == (8,) * 52
    assert run.state.chain.used == 1


def test_three_unstaked_windows_in_a_row_free_the_seat() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    for _ in range(2):
        run.wait_for(TablePhase.PAUSE)
        run.wait_for(TablePhase.BETTING)
    run.act("anna", "place_bet", betType="player", amount=5)
    for _ in range(3):
        run.wait_for(TablePhase.PAUSE)
        assert run.seat("anna") is not None
        run.wait_for(TablePhase.BETTING)
    run.wait()
    assert run.seat("anna") is None
    assert run.changes[-1].freed[0].reason == "idle"
    run.wait()
    assert run.state.phase is TablePhase.WAITING


def test_a_window_opens_only_while_a_seat_is_taken() -> None:
    run = staked_run()
    run.leave("anna")
    assert run.state.phase is TablePhase.PAUSE
    number = run.state.round_number
    run.wait()
    assert run.state.phase is TablePhase.WAITING
    assert run.state.round_number == number


def test_a_stake_stands_when_its_seat_leaves_unless_it_is_cleared_first() -> None:
    run = staked_run()
    run.join("ben")
    run.leave("anna")
    assert run.seat("anna").is_leaving
    run.act("ben", "ready")
    assert run.last_result()["results"][0]["stakes"] == 5
    assert run.seat("anna") is None

    other = staked_run()
    other.act("anna", "clear_bets")
    other.leave("anna")
    assert other.funds("anna") == 1_000_000
    assert other.seat("anna") is None


def test_stakes_are_hidden_at_a_points_table_until_betting_ends() -> None:
    run = TableRun(BLACKJACK, is_points=True)
    run.join("anna")
    run.join("ben")
    change = run.act("anna", "place_bet", amount=60)
    (broadcast,) = run.told(change, "player_action_broadcast")
    assert "amount" not in broadcast["payload"]
    assert run.view()["seats"][0]["stakes"] is None
    assert run.view(1)["seats"][0]["stakes"] == {"main": 60}
    assert run.view(2)["seats"][0]["stakes"] is None
    run.bet_all(ben=10)
    assert run.view()["seats"][0]["stakes"] == {"main": 60}


def test_stakes_are_public_at_a_table_of_a_currency() -> None:
    run = staked_run()
    assert run.view()["seats"][0]["stakes"] == {"player": 5}
    assert run.told(run.changes[-1], "player_action_broadcast")[0]["payload"]["amount"] == 5


def test_at_a_points_table_each_seat_is_told_its_own_highest_stake() -> None:
    run = TableRun(BLACKJACK, is_points=True)
    run.join("anna")
    run.bet_all(anna=200)
    run.wait_for(TablePhase.PAUSE)
    change = run.wait()
    windows = [event for event in change.events if event.type == "betting_window_open"]
    assert [window.audience for window in windows] == [EventAudience.SEAT, EventAudience.WATCHERS]
    assert len({window.id for window in windows}) == 1
    points = run.seat("anna").points
    assert windows[0].fields["payload"]["availableActions"][0]["maxAmount"] == max(points + 200, 100)
    assert windows[1].fields["payload"]["availableActions"][0]["maxAmount"] == 200


def test_a_points_table_binds_all_bets_of_a_game_of_one_deal_together() -> None:
    run = TableRun(DRAGON_TIGER, is_points=True)
    (window,) = [event for event in run.join("anna").events if event.type == "betting_window_open" and event.seat]
    offers = {offer["type"]: offer for offer in window.fields["payload"]["availableActions"]}
    assert {bet["maxAmount"] for bet in offers["place_bet"]["betTypes"]} == {200}
    run.act("anna", "place_bet", betType="dragon", amount=150)
    assert run.refused("anna", "place_bet", betType="tie", amount=51) == "INVALID_AMOUNT"
    run.act("anna", "place_bet", betType="tie", amount=50)


def test_a_session_limit_binds_the_stakes_of_a_round() -> None:
    run = staked_run()
    plain = run.context

    run.context = lambda: msgspec.structs.replace(plain(), stake_limits={1: 600})  # type: ignore[method-assign]
    assert run.refused("anna", "place_bet", betType="tie", amount=2) == "INVALID_AMOUNT"
    run.act("anna", "place_bet", betType="tie", amount=1)


def test_a_bet_above_a_limit_that_has_come_since_can_be_lowered() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    run.act("anna", "place_bet", amount=10)
    plain = run.context
    run.context = lambda: msgspec.structs.replace(plain(), stake_limits={1: 600})  # type: ignore[method-assign]
    run.act("anna", "place_bet", amount=8)
    assert run.refused("anna", "place_bet", amount=9) == "INVALID_AMOUNT"


def test_a_bet_can_be_lowered_with_a_full_wallet_and_not_raised() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    run.act("anna", "place_bet", amount=10)
    run.wallet_start = int(MAX_AMOUNT) * 100
    run.act("anna", "place_bet", amount=8)
    assert run.refused("anna", "place_bet", amount=9) == "INVALID_AMOUNT"


def test_who_is_ready_without_a_bet_has_chosen_so_and_says_it_once() -> None:
    run = staked_run()
    run.join("ben")
    assert [event.type for event in run.act("ben", "ready").events] == ["player_action_broadcast"]
    assert run.act("ben", "ready").events == ()
    run.act("anna", "ready")
    log = run.log[run.state.round.id]  # type: ignore[union-attr]
    assert [(row.seat, row.action.name) for row in log] == [(1, "place_bet"), (2, "ready"), (1, "ready")]


def test_a_late_player_waits_for_the_next_window_where_contributions_are_due() -> None:
    run = TableRun(BACCARAT, real_money=True)
    run.join("anna")
    assert [event.type for event in run.join("ben").events] == ["game_state_update"]
    assert run.state.round.contributions == ((1, contribution_of("anna")),)  # type: ignore[union-attr]
    refusal = run.submit("ben", "place_bet", betType="player", amount=5).refusal
    assert refusal is not None
    assert refusal.code.value == "BETTING_WINDOW_CLOSED"
    assert refusal.message == "this seat sits the round out: its clientSeed counts from the next window on"
    run.wait_for(TablePhase.PAUSE)
    assert [(row.seat, row.action.name) for row in run.log[run.state.round.id]] == [(1, "no_bet")]  # type: ignore[union-attr]
    change = run.wait()
    (window,) = run.told(change, "betting_window_open")
    assert window["payload"]["contributions"] == [
        {"seat": 1, "clientSeed": contribution_of("anna")},
        {"seat": 2, "clientSeed": contribution_of("ben")},
    ]
    run.act("ben", "place_bet", betType="player", amount=5)
    assert run.seat("ben").idle_windows == 0


def test_a_late_player_gets_the_open_window_with_the_time_left_where_none_is_due() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    first = run.events[-1]
    run.now += 5_500
    change = run.join("ben")
    (event,) = [event for event in change.events if event.type == "betting_window_open"]
    assert (event.audience, event.seat) == (EventAudience.SEAT, 2)
    assert event.fields["repeats"] == first.id
    assert str(event.fields["timeoutSeconds"]) == "9.5"
    run.act("ben", "place_bet", betType="player", amount=5)


def test_an_open_window_is_repeated_with_its_commitment_to_a_seat_and_to_a_watcher() -> None:
    run = staked_run()
    run.now += 5_000
    for seat, audience in ((1, EventAudience.SEAT), (None, EventAudience.WATCHERS)):
        commitment, event = run.again(seat)
        assert (commitment.type, commitment.audience) == ("seed_commitment", audience)
        assert commitment.fields["seedHash"] == run.state.round.seed_hash  # type: ignore[union-attr]
        assert event.audience is audience
        assert event.fields["timeoutSeconds"] == 10
        assert event.id != event.fields["repeats"] == run.state.round.window_id  # type: ignore[union-attr]


def test_a_table_of_real_money_asks_for_a_contribution() -> None:
    run = TableRun(BACCARAT, real_money=True)
    for text in ("", "x" * 32, "A" * 32, "a" * 31, "a" * 32 + "\n"):
        with pytest.raises(JoinRefused) as refused:
            run.join("anna", contribution=text)
        assert refused.value.code == "CONTRIBUTION_REQUIRED"


def test_seats_are_given_in_order_and_each_once() -> None:
    run = TableRun(BLACKJACK, seats=3)
    run.join("anna")
    run.join("ben", seat=3)
    run.join("cara")
    assert [run.seat(name).seat for name in ("anna", "ben", "cara")] == [1, 3, 2]
    with pytest.raises(JoinRefused) as refused:
        run.join("dora")
    assert refused.value.code == "TABLE_FULL"
    run.leave("cara")
    with pytest.raises(JoinRefused) as refused:
        run.join("dora", seat=3)
    assert refused.value.code == "SEAT_TAKEN"


def test_joining_again_replaces_the_contribution_from_the_next_window() -> None:
    run = TableRun(BACCARAT, real_money=True)
    run.join("anna")
    frozen = run.state.round.client_seed  # type: ignore[union-attr]
    change = run.join("anna", contribution="b" * 32)
    types = ["game_state_update", "seed_commitment", "betting_window_open"]
    assert [(event.type, event.seat) for event in change.events] == [(name, 1) for name in types]
    assert run.state.round.client_seed == frozen == contribution_of("anna")  # type: ignore[union-attr]
    run.wait_for(TablePhase.PAUSE)
    run.wait()
    assert run.state.round.client_seed == "b" * 32  # type: ignore[union-attr]


def test_joining_again_without_a_contribution_keeps_the_former_one() -> None:
    run = TableRun(BACCARAT)
    run.join("anna", contribution="b" * 32)
    run.join("anna")
    run.wait_for(TablePhase.PAUSE)
    run.wait()
    assert run.state.round.client_seed == "b" * 32  # type: ignore[union-attr]


def test_joining_again_after_leaving_in_mid_round_keeps_the_seat() -> None:
    run = staked_run()
    run.join("ben")
    run.leave("anna")
    assert run.refused("anna", "place_bet", betType="player", amount=5) == "BETTING_WINDOW_CLOSED"
    run.join("anna")
    run.act("ben", "ready")
    assert run.state.phase is TablePhase.BETTING
    run.wait()
    assert run.seat("anna") is not None
