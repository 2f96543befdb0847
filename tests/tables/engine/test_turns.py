"""Decisions at a blackjack table: turns, requests, deadlines, questions to all at once, speed mode (docs/tables.md)."""

from collections.abc import Callable

import msgspec
import pytest

from apps.blackjack.table import TABLE as BLACKJACK
from apps.cards.card import Card
from apps.tables.engine.replay import ReplayError, round_replay
from apps.tables.engine.state import TablePhase
from tests.tables.engine.table_run import TableRun, seed_where

PLAYERS = ("anna", "ben", "cara")
TURN_MS = 20_000


def value(*cards: Card) -> int:
    total = sum(card.value for card in cards)
    return total + 10 if total <= 11 and any(card.value == 1 for card in cards) else total


def calm(seats: int) -> Callable[[list[Card]], bool]:
    """Accept deals without a natural, a pair, or an ace or ten for the dealer: every seat has a plain turn."""

    def accepts(cards: list[Card]) -> bool:
        dealer = cards[seats]
        hands = [(cards[seat], cards[seats + 1 + seat]) for seat in range(seats)]
        return 2 <= dealer.value <= 6 and all(12 <= value(*hand) <= 16 and hand[0].value > 1 for hand in hands)

    return accepts


def ace_up(seats: int, *, natural: bool) -> Callable[[list[Card]], bool]:
    """Accept deals with an ace for the dealer, with or without a natural, and no natural for a player."""

    def accepts(cards: list[Card]) -> bool:
        hands = [(cards[seat], cards[seats + 1 + seat]) for seat in range(seats)]
        hole = cards[2 * seats + 1]
        plain = all(value(*hand) in range(12, 20) for hand in hands)
        return cards[seats].value == 1 and (hole.value == 10) == natural and plain

    return accepts


_CALM = {seats: calm(seats) for seats in (1, 2, 3)}
_ACE = {(seats, natural): ace_up(seats, natural=natural) for seats in (1, 2, 3) for natural in (False, True)}


def dealt(accepts: Callable[[list[Card]], bool], players: int, **terms: object) -> TableRun:
    """Return a table in mid-round with an accepted deal, where each player has staked 10."""
    terms.setdefault("rules", {})
    run = TableRun(BLACKJACK, seed=seed_where(accepts, 6), **terms)  # type: ignore[arg-type]
    for player in PLAYERS[:players]:
        run.join(player)
    run.bet_all(**dict.fromkeys(PLAYERS[:players], 10))
    return run


def test_seats_act_in_their_order_and_are_asked_one_by_one() -> None:
    run = dealt(_CALM[3], 3)
    for player in PLAYERS:
        assert run.turns() == [player]
        run.act(player, "stand")
    assert run.state.phase is TablePhase.PAUSE
    assert [item["seat"] for item in run.last_result()["results"]] == [1, 2, 3]


def test_a_request_goes_to_its_seat_alone_and_says_what_is_on_offer() -> None:
    run = dealt(_CALM[2], 2)
    (request,) = [event for event in run.events if event.type == "game_action_request"]
    assert request.seat == 1
    assert request.fields["timeoutSeconds"] == 20
    assert request.fields["payload"]["availableActions"][:3] == [
        {"type": "hit"},
        {"type": "stand"},
        {"type": "double_down", "minAmount": 10, "maxAmount": 10},
    ]


def test_each_decision_has_a_full_turn_of_its_own() -> None:
    run = dealt(_CALM[1], 1)
    first = run.state.requests[0]
    run.now += 15_000
    run.act("anna", "hit")
    if run.state.requests:
        assert run.state.requests[0].deadline == run.now + TURN_MS
        assert run.state.requests[0].id != first.id


def test_a_decision_or_bet_without_a_request_is_refused() -> None:
    run = dealt(_CALM[2], 2)
    before = run.state
    assert run.refused("ben", "hit") == "NOT_YOUR_TURN"
    assert run.refused("nobody", "hit") == "NOT_YOUR_TURN"
    assert run.refused("ben", "place_bet", amount=10) == "BETTING_WINDOW_CLOSED"
    assert run.state is before
    run.act("anna", "stand")
    assert run.refused("anna", "hit") == "NOT_YOUR_TURN"


def test_a_decision_is_out_of_turn_without_a_round_and_too_late_after_the_result() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    assert run.refused("anna", "hit") == "NOT_YOUR_TURN"
    run = dealt(_CALM[1], 1)
    run.act("anna", "stand")
    assert run.refused("anna", "hit") == "ROUND_COMPLETE"


def test_a_refused_decision_keeps_the_first_deadline_and_repeats_the_request() -> None:
    run = dealt(_CALM[2], 2)
    first = run.state.requests[0]
    run.now += 7_000
    change = run.submit("anna", "split")
    assert change.refusal is not None
    assert change.refusal.code.value == "INVALID_ACTION"
    (again,) = change.events
    assert (again.fields["repeats"], again.fields["timeoutSeconds"]) == (first.id, 13)
    assert again.id != first.id
    assert run.state.requests == (first,)
    (repeated,) = run.again(1)
    assert repeated.fields["repeats"] == first.id
    run.now += 13_000
    assert run.refused("anna", "hit") == "TIMEOUT"


def test_joining_again_in_mid_hand_repeats_the_request_with_the_time_left() -> None:
    run = dealt(_CALM[1], 1)
    first = run.state.requests[0]
    run.now += 7_000
    state, again = run.join("anna").events
    assert [(event.type, event.seat) for event in (state, again)] == [
        ("game_state_update", 1),
        ("game_action_request", 1),
    ]
    assert (again.fields["repeats"], again.fields["timeoutSeconds"]) == (first.id, 13)


def test_a_time_out_stands_the_hand_and_is_broadcast_as_a_timeout() -> None:
    run = dealt(_CALM[2], 2)
    change = run.wait()
    (broadcast,) = run.told(change, "player_action_broadcast")
    assert (broadcast["payload"]["action"], broadcast["payload"]["timeout"]) == ("stand", True)
    assert run.turns() == ["ben"]
    assert change.actions[0].timeout
    assert run.refused("anna", "hit") == "TIMEOUT"
    run.wait()
    run.wait_for(TablePhase.BETTING)
    assert run.refused("anna", "hit") == "NOT_YOUR_TURN"


def test_who_has_left_on_their_turn_and_come_back_has_not_run_out_of_time() -> None:
    run = dealt(_CALM[2], 2)
    run.leave("anna")
    run.join("anna")
    assert run.refused("anna", "hit") == "NOT_YOUR_TURN"


def test_a_replay_refuses_decisions_out_of_turn() -> None:
    run = dealt(_CALM[2], 2)
    run.act("anna", "stand")
    run.act("ben", "stand")
    record = run.records[-1]
    with pytest.raises(ReplayError, match="not the turn of seat 2"):
        round_replay(BLACKJACK, msgspec.structs.replace(record, actions=record.actions[::-1]))


def test_who_takes_a_seat_in_the_pause_has_not_the_hand_of_who_has_left_it() -> None:
    run = dealt(_CALM[2], 2)
    run.leave("anna")
    run.act("ben", "stand")
    run.join("cara", seat=1)
    assert run.state.phase is TablePhase.PAUSE
    assert ["hands" in seat for seat in run.view()["seats"]] == [False, True]


def test_who_is_ready_is_so_until_the_window_closes() -> None:
    run = dealt(_CALM[2], 2)
    assert [seat["ready"] for seat in run.view()["seats"]] == [False, False]


def test_the_score_at_a_points_table_is_what_was_won_less_what_was_staked() -> None:
    run, score = TableRun(BLACKJACK, is_points=True), 0
    run.join("anna")
    for _ in range(3):
        run.bet_all(anna=10)
        run.wait_for(TablePhase.PAUSE)
        score += run.result_of("anna")["net"]
        assert run.seat("anna").points == score
        run.wait()


def test_an_answer_that_comes_at_the_deadline_is_too_late() -> None:
    run = dealt(_CALM[2], 2)
    run.now += TURN_MS
    change = run.submit("anna", "hit")
    assert change.refusal is not None
    assert change.refusal.code.value == "TIMEOUT"
    assert [row.action.name for row in change.actions] == ["stand"]
    run.act("ben", "stand")
    assert len(run.result_of("anna")["hands"][0]["cards"]) == 2


def test_an_answer_a_millisecond_before_the_deadline_counts() -> None:
    run = dealt(_CALM[2], 2)
    run.now += TURN_MS - 1
    run.act("anna", "hit")


def test_leaving_in_mid_round_plays_the_hand_by_default_actions_and_frees_the_seat_after_the_result() -> None:
    run = dealt(_CALM[3], 3)
    run.leave("ben")
    assert run.turns() == ["anna"]
    run.act("anna", "stand")
    assert run.turns() == ["cara"]
    assert run.seat("ben") is not None
    run.act("cara", "stand")
    assert run.seat("ben") is None
    assert run.result_of("ben")["stakes"] == 10


def test_a_player_who_leaves_on_their_turn_stands_at_once() -> None:
    run = dealt(_CALM[2], 2)
    run.leave("anna")
    assert run.turns() == ["ben"]


def test_a_dropped_seat_is_asked_again_when_its_player_is_back_and_left_after_two_minutes() -> None:
    run = dealt(_CALM[2], 2, turn_ms=60_000)
    run.drop("anna")
    run.now += 50_000
    run.back("anna")
    (again,) = run.again(1)
    assert again.fields["timeoutSeconds"] == 10
    run.act("anna", "stand")
    run.drop("ben")
    run.wait_for(TablePhase.PAUSE)
    assert run.seat("ben") is not None
    while run.state.seat_of("ben") is not None:
        run.wait()
    assert any(freed.player == "ben" and freed.reason == "dropped" for change in run.changes for freed in change.freed)


def test_a_seat_whose_time_without_a_socket_runs_is_not_given_more() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    run.drop("anna")
    due = run.seat("anna").drop_deadline
    run.wait(1)
    run.drop("anna")
    assert run.seat("anna").drop_deadline == due


def test_a_seat_that_is_dropped_while_another_one_decides_is_left_once() -> None:
    run = dealt(_CALM[2], 2)
    plain = run.context
    run.context = lambda: msgspec.structs.replace(plain(), drop_ms=1_000)  # type: ignore[method-assign]
    run.drop("ben")
    run.wait(1_000)
    assert (run.turns(), run.seat("ben").is_leaving, run.seat("ben").drop_deadline) == (["anna"], True, None)
    run.act("anna", "stand")
    assert run.seat("ben") is None


def test_a_seat_without_a_socket_is_left_two_minutes_after_it_was_taken() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna", has_socket=False)
    run.wait(119_999 - (run.now - 1_000_000))
    if run.seat("anna") is not None:
        run.wait(1)
    assert run.seat("anna") is None


def test_the_drop_in_mid_round_plays_the_hand_out_and_never_frees_it_before_the_result() -> None:
    run = dealt(_CALM[2], 2, turn_ms=60_000)
    run.drop("ben")
    run.now += 59_000
    run.act("anna", "hit")
    while run.turns() == ["anna"]:
        run.act("anna", "stand")
    assert run.turns() == ["ben"]
    run.wait()
    assert run.result_of("ben")["stakes"] == 10


def test_insurance_is_asked_of_all_at_once_and_no_answer_shows_before_the_last() -> None:
    run = dealt(_ACE[2, False], 2)
    assert run.turns() == ["anna", "ben"]
    assert run.offered("anna")[:2] == ["stand", "insurance"]
    change = run.act("ben", "insurance")
    assert run.told(change, "player_action_broadcast") == []
    assert [(move.kind.value, move.units) for move in change.movements] == [("bet", 500)]
    assert run.turns() == ["anna"]
    assert "insurance" not in run.view()["seats"][1]
    assert run.refused("ben", "stand") == "NOT_YOUR_TURN"
    change = run.act("anna", "stand")
    told = [item["payload"] for item in run.told(change, "player_action_broadcast")]
    assert [(item["playerId"], item["action"]) for item in told[:2]] == [
        ("id of anna", "stand"), ("id of ben", "insurance"),
    ]  # fmt: skip
    assert told[1]["amount"] == 5
    assert run.view()["seats"][1]["insurance"]["status"] == "lost"
    assert run.turns() == ["anna"]


def test_a_natural_of_the_dealer_pays_insurance_and_ends_the_round_for_all() -> None:
    run = dealt(_ACE[2, True], 2)
    run.act("anna", "insurance")
    run.wait()
    assert run.state.phase is TablePhase.PAUSE
    assert (run.result_of("anna")["stakes"], run.result_of("anna")["payout"]) == (15, 15)
    assert (run.result_of("ben")["stakes"], run.result_of("ben")["payout"]) == (10, 0)
    assert run.last_result()["winners"] == []
    declined = [row for row in run.log[run.state.round.id] if row.seat == 2][-1]  # type: ignore[union-attr]
    assert (declined.action.name, declined.timeout) == ("stand", True)


@pytest.mark.parametrize(("amount", "code"), [(4, "INVALID_AMOUNT"), (5, None), (6, "INVALID_AMOUNT")])
def test_insurance_is_exactly_half_of_the_stake(amount: int, code: str | None) -> None:
    run = dealt(_ACE[1, False], 1)
    refusal = run.submit("anna", "insurance", amount=amount).refusal
    assert (refusal.code.value if refusal else None) == code


def test_insurance_up_to_half_takes_less() -> None:
    run = dealt(_ACE[1, False], 1, rules={"insurance": "up-to-half"})
    run.act("anna", "insurance", amount=2)
    assert run.view()["seats"][0]["insurance"]["stake"] == 2


def test_insurance_is_not_offered_to_an_empty_wallet_and_refused_to_it() -> None:
    run = dealt(_ACE[1, False], 1, wallet=1_400)
    assert run.offered("anna")[0] == "stand"
    assert "insurance" not in run.offered("anna")
    assert run.refused("anna", "insurance") == "INSUFFICIENT_BALANCE"
    assert run.funds("anna") == 400


def test_a_question_with_a_single_answer_is_not_asked() -> None:
    run = dealt(_ACE[1, False], 1, rules={"insurance": "off"})
    assert "hit" in run.offered("anna")


def test_early_surrender_is_asked_beside_insurance_and_not_shown_before_all_have_answered() -> None:
    run = dealt(_ACE[2, False], 2, rules={"surrender": "early"})
    assert run.offered("anna") == ["stand", "insurance", "surrender"]
    run.act("anna", "surrender")
    assert run.view()["seats"][0]["hands"][0]["status"] == "Open"
    run.act("ben", "stand")
    assert run.view()["seats"][0]["hands"][0]["status"] == "Surrender"
    assert run.turns() == ["ben"]
    run.act("ben", "stand")
    assert run.result_of("anna")["payout"] == 5


def test_late_surrender_gives_half_back() -> None:
    run = dealt(_CALM[1], 1)
    run.act("anna", "surrender")
    assert run.result_of("anna")["payout"] == 5
    assert run.result_of("anna")["hands"][0]["status"] == "Surrender"


def test_a_double_takes_the_stake_again_and_is_not_offered_without_funds() -> None:
    run = dealt(_CALM[1], 1)
    change = run.act("anna", "double_down")
    assert (change.movements[0].kind.value, change.movements[0].units) == ("bet", 1_000)
    assert run.result_of("anna")["stakes"] == 20
    poor = dealt(_CALM[1], 1, wallet=1_500)
    assert "double_down" not in poor.offered("anna")
    assert poor.refused("anna", "double_down") == "INSUFFICIENT_BALANCE"
    assert poor.turns() == ["anna"]


def _pair(cards: list[Card]) -> bool:
    return cards[0].value == cards[2].value and 2 <= cards[1].value <= 6 and cards[0].value in (2, 3, 7, 8)


def test_split_hands_are_played_from_the_highest_index_each_with_a_turn_of_its_own() -> None:
    run = dealt(_pair, 1)
    run.act("anna", "split")
    indexes = []
    while run.turns():
        payload = [event for event in run.events if event.type == "game_action_request"][-1].fields["payload"]
        indexes.append(payload["handIndex"])
        run.act("anna", "stand")
    assert indexes == sorted(indexes, reverse=True)
    assert len(run.result_of("anna")["hands"]) == len(indexes)
    assert run.result_of("anna")["stakes"] == 10 * len(indexes)


def test_a_time_out_stands_the_hand_that_is_played_and_no_other() -> None:
    run = dealt(_pair, 1)
    run.act("anna", "split")
    open_hands = len([hand for hand in run.view()["seats"][0]["hands"] if hand["status"] == "Open"])
    assert open_hands == 2
    run.wait()
    assert run.turns() == ["anna"]


def test_seats_without_a_stake_are_passed_over() -> None:
    run = TableRun(BLACKJACK, seed=seed_where(_CALM[2], 6))
    for player in PLAYERS:
        run.join(player)
    run.act("anna", "place_bet", amount=10)
    run.act("cara", "place_bet", amount=10)
    for player in PLAYERS:
        run.act(player, "ready")
    assert run.turns() == ["anna"]
    run.act("anna", "stand")
    assert run.turns() == ["cara"]
    assert run.view()["seats"][1]["staked"] is False
    assert "hands" not in run.view()["seats"][1]


def test_in_speed_mode_all_are_asked_at_once_and_answers_are_carried_out_in_seat_order() -> None:
    run = dealt(_CALM[3], 3, rules={"speed": True})
    assert run.turns() == list(PLAYERS)
    deadlines = {request.deadline for request in run.state.requests}
    assert len(deadlines) == 1
    run.act("cara", "hit")
    run.act("ben", "double_down")
    cards = [len(seat["hands"][0]["cards"]) for seat in run.view()["seats"]]
    assert cards == [2, 2, 2]
    change = run.act("anna", "stand")
    told = [item["payload"]["playerId"] for item in run.told(change, "player_action_broadcast")]
    assert told == ["id of anna", "id of ben", "id of cara"]
    assert [len(seat["hands"][0]["cards"]) for seat in run.view()["seats"]] == [2, 3, 3]


def test_in_speed_mode_the_deadline_of_a_pass_stands_for_those_who_have_not_answered() -> None:
    run = dealt(_CALM[2], 2, rules={"speed": True})
    run.act("ben", "hit")
    change = run.wait()
    told = [item["payload"] for item in run.told(change, "player_action_broadcast")]
    assert [(item["action"], item.get("timeout", False)) for item in told] == [("stand", True), ("hit", False)]


def test_in_speed_mode_a_double_is_booked_with_its_answer() -> None:
    run = dealt(_CALM[2], 2, rules={"speed": True})
    change = run.act("ben", "double_down")
    assert [(move.player, move.units) for move in change.movements] == [("ben", 1_000)]
    run.void()
    assert run.funds("ben") == 1_000_000


def test_who_has_left_before_the_deal_is_answered_for_as_by_a_time_out() -> None:
    run = TableRun(BLACKJACK, seed=seed_where(_CALM[2], 6), rules={"speed": True})
    for player in PLAYERS[:2]:
        run.join(player)
        run.act(player, "place_bet", amount=10)
    run.leave("anna")
    run.act("ben", "ready")
    assert run.turns() == ["ben"]
    told = [item["payload"] for item in run.told(run.act("ben", "stand"), "player_action_broadcast")]
    assert [(item["seat"], item["action"], item.get("timeout", False)) for item in told] == [
        (1, "stand", True), (2, "stand", False),
    ]  # fmt: skip


def test_leaving_in_speed_mode_answers_by_default() -> None:
    run = dealt(_CALM[2], 2, rules={"speed": True})
    run.leave("anna")
    assert run.turns() == ["ben"]
    run.act("ben", "stand")
    assert run.state.phase is TablePhase.PAUSE


def test_a_practice_bot_is_marked_and_keeps_its_seat_through_idle_windows() -> None:
    run = TableRun(BLACKJACK)
    run.join("bot", is_bot=True, has_socket=False)
    run.drop("bot")
    for _ in range(5):
        run.wait_for(TablePhase.PAUSE)
        run.wait_for(TablePhase.BETTING)
    assert run.view()["seats"][0]["bot"] is True
