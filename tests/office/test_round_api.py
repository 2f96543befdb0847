"""A round's details for its player and its partner: every bet and action, in currency units."""

from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.test import Client

from apps.accounts.models import Player
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import Round
from tests.support.baccarat import Seat, seat_make, seeds_choose
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.loop import run
from tests.support.partners import PartnerClient
from tests.support.played import act, blackjack_session, played_out

pytestmark = pytest.mark.usefixtures("committed")


def detail(found: Round, token: str) -> dict[str, Any]:
    answer = Client().get(f"/v1/games/{found.game}/rounds/{found.pk}", {"game_session_id": token})
    assert answer.status_code == 200, answer.content
    outcome: dict[str, Any] = answer.json()["roundOutcome"]
    return outcome


def listed(player: Player) -> dict[str, Any]:
    """Return the player's only round as its partner reads it."""
    (row,) = PartnerClient(player.partner).get("/v1/rounds").body["results"]
    found: dict[str, Any] = row
    return found


def sums(rows: list[dict[str, Any]]) -> tuple[Decimal, Decimal]:
    return sum((Decimal(row["stake"]) for row in rows), Decimal(0)), sum(
        (Decimal(row["payout"]) for row in rows), Decimal(0)
    )


def test_a_baccarat_round_lists_each_bet_and_the_action_that_placed_them() -> None:
    seat: Seat = seat_make()
    seeds_choose(seat.player, lambda outcome: outcome.winner.value == "banker")
    slip = Slip((Bet(2, Decimal("1.5")), Bet(3, Decimal(1))), is_list=True)
    run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(seat.token)), slip=slip))
    found = Round.objects.get()
    outcome = detail(found, seat.token)
    assert outcome["bets"] == [
        {
            "bet": "BaccaratGameBetOnBanker",
            "hand": None,
            "stake": "1.5",
            "odds": "0.95",
            "payout": "2.92",
            "result": "UserWin",
        },
        {"bet": "BaccaratGameBetTie", "hand": None, "stake": "1", "odds": "8", "payout": "0", "result": "UserLost"},
    ]
    (action,) = outcome["actions"]
    assert action.pop("time")
    assert action == {
        "number": 1,
        "by": "player",
        "action": "Bet",
        "data": {"bets": [{"game_type": 2, "bet_amount": "1.5"}, {"game_type": 3, "bet_amount": "1"}]},
        "stake": "2.5",
        "payout": "2.92",
    }
    assert outcome["state"]["winner"] == "banker"
    row = listed(seat.player)
    assert (row["bets"], row["outcome"]) == (outcome["bets"], outcome["state"])


def test_a_blackjack_round_lists_its_stakes_in_units_of_the_currency() -> None:
    _, token = blackjack_session(values=(8, 6, 8, 10))
    act(token, "Bet", betAmount=10, perfecPairsBetAmount=1)
    act(token, "Split")
    act(token, "Stand")
    outcome = detail(Round.objects.get(), token)
    assert [(action["action"], action["data"], action["stake"]) for action in outcome["actions"]] == [
        ("Bet", {"betAmount": "10", "perfecPairsBetAmount": "1"}, "11"),
        ("Split", {}, "10"),
        ("Stand", {}, "0"),
    ]
    assert [(bet["bet"], bet["hand"], bet["stake"], bet["odds"]) for bet in outcome["bets"][:2]] == [
        ("hand", 0, "10", "1"),
        ("hand", 1, "10", "1"),
    ]
    assert (outcome["bets"][2]["bet"], outcome["bets"][2]["stake"]) == ("perfectPairs", "1")
    assert (outcome["stake"], outcome["roundEnded"]) == ("21", False)


@pytest.mark.parametrize(
    ("values", "actions"),
    [
        pytest.param((10, 6, 9, 10), ("Stand",), id="stand"),
        pytest.param((8, 6, 8, 10), ("Split", "Stand", "Stand"), id="split"),
        pytest.param((5, 6, 6, 10), ("Double",), id="double"),
        pytest.param((10, 7, 6, 10), ("Surrender",), id="surrender"),
        pytest.param((1, 7, 10, 10), (), id="a-natural"),
    ],
)
def test_bets_and_actions_sum_to_the_round(values: tuple[int | None, ...], actions: tuple[str, ...]) -> None:
    player, token = blackjack_session(values=values)
    played_out(token, *actions)
    found = Round.objects.get()
    outcome = detail(found, token)
    row = listed(player)
    for rows in (outcome["bets"], outcome["actions"]):
        assert sums(rows) == (found.stake, found.payout)
    assert (row["bets"], row["outcome"]) == (outcome["bets"], outcome["state"])
    assert [action["number"] for action in row["actions"]] == list(range(1, len(row["actions"]) + 1))
    assert {bet["result"] for bet in outcome["bets"]} & {None} == set()


def test_insurance_is_a_bet_of_its_own() -> None:
    _, token = blackjack_session(values=(10, 1, 9, 10))
    act(token, "Bet", betAmount=10)
    assert detail(Round.objects.get(), token)["state"]["insurance"] is None
    act(token, "Peek", acceptedInsurance=True)
    outcome = detail(Round.objects.get(), token)
    assert outcome["bets"][1] == {
        "bet": "insurance",
        "hand": None,
        "stake": "5",
        "odds": "2",
        "payout": "15",
        "result": "insurance_won",
    }
    assert outcome["actions"][1]["data"] == {"acceptedInsurance": True, "insuranceAmount": "5"}
    assert (outcome["actions"][1]["stake"], outcome["actions"][1]["payout"]) == ("5", "15")


def test_old_rounds_have_the_same_members(superuser: psycopg.Connection) -> None:
    """Old stored details lack the insurance. Records never change, so the insurance is added on reading."""
    player, token = blackjack_session()
    played_out(token, "Stand")
    found = Round.objects.get()
    superuser.execute("SET session_replication_role = replica")  # no triggers
    superuser.execute("UPDATE game_round SET detail = detail - 'acceptedInsurance' - 'insuranceAmount' - 'insurance'")
    state = detail(found, token)["state"]
    assert (state["acceptedInsurance"], state["insuranceAmount"], state["insurance"]) == (False, "0", None)
    assert listed(player)["outcome"] == state


def test_only_sessions_of_the_player_can_read_its_round() -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    found = Round.objects.get()
    elsewhere = game_session_open(player=player, game="og-baccarat", currency_code="FUN")[1]
    assert detail(found, elsewhere) == detail(found, token)
    stranger = seat_make()
    answer = Client().get(f"/v1/games/og-blackjack/rounds/{found.pk}", {"game_session_id": stranger.token})
    assert (answer.status_code, answer.json()["code"]) == (404, "ROUND_DETAILS_NOT_FOUND")
