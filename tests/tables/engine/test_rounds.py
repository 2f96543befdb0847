"""A table from round to round: shoe, cut card, chain of seeds, results, closing, voids, replay (docs/fairness.md)."""

from typing import Any

import msgspec
import pytest

from apps.baccarat.table import TABLE as BACCARAT
from apps.blackjack.table import TABLE as BLACKJACK
from apps.dragon_tiger.table import TABLE as DRAGON_TIGER
from apps.fairness.engine import chain_seed, commitment
from apps.rounds.table_game import SeatAction
from apps.tables.engine.replay import LoggedAction, ReplayError, round_replay
from apps.tables.engine.state import Ending, TablePhase
from apps.tables.engine.transitions import JoinRefused
from tests.tables.engine.table_run import TableRun

BETS = {BLACKJACK: {}, BACCARAT: {"betType": "player"}, DRAGON_TIGER: {"betType": "dragon"}}


def play_round(run: TableRun, player: str = "anna", amount: int = 10) -> None:
    """Play one round by default actions."""
    run.wait_for(TablePhase.BETTING)
    run.act(player, "place_bet", amount=amount, **BETS[run.game])
    run.wait_for(TablePhase.PAUSE)


@pytest.mark.parametrize("game", BETS, ids=lambda game: game.game_type)
def test_the_shoe_shrinks_by_the_dealt_cards_until_the_cut_card(game: Any) -> None:
    run = TableRun(game, rules={"decks": 2}, cut_card=60)
    run.join("anna")
    left = 104
    for _ in range(60):
        play_round(run)
        (closed,) = run.changes[-1].closed or run.changes[-2].closed
        assert sum(closed.round.shoe) == left
        left -= closed.drawn
        assert sum(run.state.shoe) == left  # type: ignore[arg-type]
        if left <= 60:
            break
    else:
        raise AssertionError("the cut card never came")
    assert run.state.history
    run.wait()
    assert run.state.round.shoe == (2,) * 52  # type: ignore[union-attr]
    assert run.state.history == ()


def test_at_a_points_table_the_shoe_is_dealt_to_its_last_card_and_refilled_in_mid_deal() -> None:
    run = TableRun(BLACKJACK, is_points=True)
    run.join("anna")
    refilled = 0
    for _ in range(30):
        play_round(run, amount=2)
        closed = next(closed for change in reversed(run.changes) for closed in change.closed)
        if closed.drawn > sum(closed.round.shoe):
            refilled += 1
            assert sum(run.state.shoe) == 52 - closed.drawn  # type: ignore[arg-type]
    assert refilled >= 2


def test_an_infinite_deck_has_no_shoe_and_no_cut_card() -> None:
    run = TableRun(BACCARAT, rules={"decks": None})
    run.join("anna")
    play_round(run)
    assert run.state.shoe is None
    assert run.view()["cardsLeft"] is None
    play_round(run)
    assert len(run.state.history) == 2


def test_each_round_is_dealt_with_the_next_seed_of_the_chain() -> None:
    run = TableRun(BACCARAT, chain_length=5)
    run.join("anna")
    for number in range(1, 4):
        play_round(run)
        assert run.records[-1].seed == chain_seed(run.chains["chain 0"], 5, number)
    assert commitment(run.records[0].seed) == chain_seed(run.chains["chain 0"], 5, 0)
    assert [commitment(after.seed) for after in run.records[1:]] == [before.seed for before in run.records[:-1]]


def test_a_used_up_chain_is_followed_by_a_new_one_that_is_announced_before_its_first_round() -> None:
    run = TableRun(BACCARAT, real_money=True, chain_length=2)
    run.join("anna")
    play_round(run)
    play_round(run)
    change = run.changes[-1]
    ((start, first_round),) = change.chains
    assert first_round == 3
    assert change.events[-1].fields["payload"]["chainCommitment"] == start.commitment
    assert change.events[-1].fields["payload"]["chainFirstRound"] == 3
    assert run.seat("anna").contribution == ""


def test_a_new_chain_voids_contributions_and_a_seat_sits_out_until_it_gives_one_anew() -> None:
    run = TableRun(BACCARAT, real_money=True, chain_length=2)
    run.join("anna")
    run.join("ben")
    play_round(run)
    play_round(run)
    run.join("ben", contribution="c" * 32)
    change = run.wait()
    (window,) = run.told(change, "betting_window_open")
    assert window["payload"]["contributions"] == [{"seat": 2, "clientSeed": "c" * 32}]
    assert run.told(change, "seed_commitment")[0]["nonce"] == 3
    assert run.refused("anna", "place_bet", betType="tie", amount=5) == "BETTING_WINDOW_CLOSED"
    run.join("anna")
    assert run.refused("anna", "place_bet", betType="tie", amount=5) == "BETTING_WINDOW_CLOSED"
    run.act("ben", "ready")
    run.wait()
    run.act("anna", "place_bet", betType="tie", amount=5)


def test_without_any_contribution_the_client_seed_is_empty() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    assert run.state.round.client_seed == ""  # type: ignore[union-attr]
    play_round(run)
    assert run.last_result()["fairnessProof"]["clientSeed"] == ""


def test_terms_are_pinned_when_the_window_opens() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.terms = run.game.terms_read(
        is_points=False,
        decimals=2,
        contribution_required=False,
        odds={"player": 3},
        rules={"decks": 1},
        window_ms=7_000,
    )
    play_round(run)
    assert run.records[-1].terms.odds["player"] == "1"
    change = run.wait()
    assert run.state.round.terms.odds["player"] == "3"  # type: ignore[union-attr]
    assert run.state.round.shoe == (1,) * 52  # type: ignore[union-attr]
    assert run.told(change, "betting_window_open")[0]["timeoutSeconds"] == 7


def test_a_result_names_winners_with_their_payouts_and_proves_itself() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.join("ben")
    for _ in range(10):
        run.wait_for(TablePhase.BETTING)
        run.act("anna", "place_bet", betType="player", amount=10)
        run.act("ben", "place_bet", betType="banker", amount=10)
        run.wait_for(TablePhase.PAUSE)
        result = run.last_result()
        winners = {winner["playerId"]: winner for winner in result["winners"]}
        assert result["totalRake"] == 0
        for entry in result["results"]:
            assert entry["net"] == entry["payout"] - entry["stakes"]
            assert (entry["playerId"] in winners) == (entry["payout"] > entry["stakes"])
            if entry["playerId"] in winners:
                winner = winners[entry["playerId"]]
                assert winner["grossAmount"] == winner["netAmount"] == entry["payout"]
        proof = result["fairnessProof"]
        assert commitment(proof["serverSeed"]) == run.records[-1].seed_hash
        assert proof["nonce"] == result["roundNumber"]
    assert {"player", "banker"} <= {item["winner"] for item in run.view()["previousResults"]}


def test_the_reveal_comes_after_the_result() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=10)
    change = run.wait()
    assert [event.type for event in change.events] == [
        "betting_window_closed", "game_state_update", "round_result", "seed_reveal", "game_state_update",
    ]  # fmt: skip


def test_road_maps_are_in_the_public_state_and_not_in_what_is_stored() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    play_round(run)
    update = run.changes[-1].events[-1]
    assert "roads" not in update.fields["payload"]
    assert update.live["roads"]["beadPlate"]
    assert run.view()["roads"] == update.live["roads"]


def test_closing_gives_the_stakes_of_an_open_window_back() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=10)
    change = run.close()
    assert run.state.phase is TablePhase.CLOSED
    assert run.funds("anna") == 1_000_000
    assert [closed.ending for closed in change.closed] == [Ending.VOIDED]
    assert run.told(change, "seed_reveal")
    assert [(freed.player, freed.reason) for freed in change.freed] == [("anna", "closed")]
    with pytest.raises(JoinRefused) as refused:
        run.join("anna")
    assert refused.value.code == "TABLE_NOT_FOUND"


def test_closing_in_mid_round_waits_for_the_result_and_its_pause() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    for _ in range(20):
        run.bet_all(anna=10)
        if run.state.phase is TablePhase.PLAYING:
            break
        run.wait()
    change = run.close()
    assert run.state.phase is TablePhase.PLAYING
    assert [told["payload"]["isClosing"] for told in run.told(change, "game_state_update")] == [True]
    while run.state.phase is TablePhase.PLAYING:
        run.wait()
    assert run.state.phase is TablePhase.PAUSE
    assert [seat.player for seat in run.state.seats] == ["anna"]
    assert run.view()["results"]
    assert run.view()["isClosing"]
    change = run.wait()
    assert run.state.phase is TablePhase.CLOSED
    assert "isClosing" not in run.view()
    assert [(freed.player, freed.reason) for freed in change.freed] == [("anna", "closed")]
    assert run.records[-1].stakes


def test_closing_in_the_pause_leaves_the_result_until_its_end_and_gives_no_new_seat() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    play_round(run)
    assert run.state.phase is TablePhase.PAUSE
    change = run.close()
    assert [told["payload"]["isClosing"] for told in run.told(change, "game_state_update")] == [True]
    assert not run.close().events
    assert run.state.phase is TablePhase.PAUSE
    with pytest.raises(JoinRefused) as refused:
        run.join("ben")
    assert refused.value.code == "TABLE_NOT_FOUND"
    run.join("anna")  # again, from another window
    run.wait()
    assert run.state.phase is TablePhase.CLOSED


def test_a_table_that_is_opened_again_before_it_has_closed_tells_so_and_goes_on() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    play_round(run)
    run.close()
    change = run.open()
    assert ["isClosing" in told["payload"] for told in run.told(change, "game_state_update")] == [False]
    run.wait()
    assert run.state.phase is TablePhase.BETTING


def test_a_closed_table_opens_again_and_goes_on_with_its_numbers() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    play_round(run)
    run.close()
    run.wait()
    assert run.state.phase is TablePhase.CLOSED
    run.open()
    assert run.state.phase is TablePhase.WAITING
    run.join("ben")
    assert run.state.round_number == 2
    assert run.state.chain.used == 1


def test_a_void_gives_everything_back_and_uses_the_seed_up() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    run.join("ben")
    run.bet_all(anna=10, ben=20)
    if run.state.phase is TablePhase.PLAYING and "double_down" in run.offered(run.turns()[0]):
        run.act(run.turns()[0], "double_down")
    if run.state.phase is TablePhase.PLAYING:
        change = run.void()
        assert [closed.ending for closed in change.closed] == [Ending.VOIDED]
        assert run.funds("anna") == run.funds("ben") == 1_000_000
        assert run.state.chain.used == 1
    number = run.state.round_number
    run.wait_for(TablePhase.BETTING)
    assert run.state.round_number == number + 1
    assert run.void().closed
    assert run.state.phase is TablePhase.BETTING


def test_a_void_without_a_running_round_changes_nothing() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    play_round(run)
    before = run.state
    assert run.void().state is before


def test_without_a_pause_the_next_window_opens_in_the_same_change() -> None:
    run = TableRun(BACCARAT, pause_ms=0)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=10)
    change = run.act("anna", "ready")
    assert [len(change.closed), len(change.opened)] == [1, 1]
    assert run.state.phase is TablePhase.BETTING


def test_deadlines_that_passed_long_ago_are_done_once_each() -> None:
    run = TableRun(BACCARAT)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=10)
    change = run.wait(10**7)
    assert [closed.ending for closed in change.closed] == [Ending.SETTLED]
    assert run.state.phase is TablePhase.PAUSE
    assert run.state.deadline == run.now + 5_000


def test_a_replay_shows_each_step_and_refuses_actions_that_nobody_could_take() -> None:
    run = TableRun(BLACKJACK)
    run.join("anna")
    while run.state.phase is not TablePhase.PLAYING:
        run.wait_for(TablePhase.BETTING)
        run.bet_all(anna=10)
    run.act("anna", "stand")
    while run.state.phase is TablePhase.PLAYING:
        run.act("anna", "stand")
    record = run.records[-1]
    replayed = round_replay(BLACKJACK, record)
    assert replayed.steps[0].by is None
    assert len(replayed.steps) == 1 + len([item for item in record.actions if item.action.name == "stand"])
    assert replayed.steps[0].turns[0].seat == 1
    assert [card for step in replayed.steps for card in step.cards] == list(replayed.cards)
    assert replayed.steps[-1].turns == ()
    for wrong in (LoggedAction(2, SeatAction("stand")), LoggedAction(1, SeatAction("stand"))):
        with pytest.raises(ReplayError):
            round_replay(BLACKJACK, msgspec.structs.replace(record, actions=(*record.actions, wrong)))
    split = LoggedAction(1, SeatAction("insurance", 5))
    with pytest.raises(ReplayError, match="insurance"):
        round_replay(BLACKJACK, msgspec.structs.replace(record, actions=(split,)))
