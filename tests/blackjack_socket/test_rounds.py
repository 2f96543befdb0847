"""Rounds played over the real socket: cards, money, log and stored answers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from apps.accounts.models import Player
from apps.blackjack.engine.rules import BlackjackRules, Insurance, Surrender
from apps.blackjack.models import BlackjackConfig
from apps.rounds.models import Round, RoundAction
from apps.wallet.models import Wallet, WalletTransaction
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import SocketPlayer, seeds_choose, values_are

Sit = Callable[[Player], SocketPlayer]


def balance_of(player: Player) -> Decimal:
    return Wallet.objects.get(player=player).balance


def test_a_round_is_bet_stood_and_paid(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    bet = seat.act("Bet", {"betAmount": 10})
    assert bet["data"]["handOwner"] == "Player"
    assert len(bet["data"]["dealerHand"]["cards"]) == 1
    assert seat.act("Stand")["data"] == {"nextActions": ["Hit"], "handIndex": 0, "handOwner": "Dealer"}
    assert seat.act("Hit")["data"]["nextActions"] == ["Hit"]
    ended = seat.act("Hit")["data"]
    assert (ended["roundEnded"], ended["payout"], ended["balance"]) == (True, "20", "110")
    assert ended["playerHands"] == [{"status": "Win", "payout": "20"}]
    assert seat.send("RoundState")["code"] == "GAME_ROUND_NOT_FOUND"
    assert seat.send("GetBalance", data={"currency": "FUN"})["data"] == {"balance": "110", "currency": "FUN"}
    game_round = Round.objects.get(player=player)
    assert (game_round.stake, game_round.payout, game_round.how_ended) == (10, 20, "played")
    assert (game_round.balance_before, game_round.balance_after) == (100, 110)
    assert list(RoundAction.objects.filter(round=game_round).values_list("number", flat=True)) == [1, 2, 3, 4]
    rows = WalletTransaction.objects.filter(wallet__player=player).order_by("number")
    assert [row.change for row in rows] == [100, -10, 20]


def test_with_the_pace_round_the_last_action_answers_with_the_dealer_s_cards_and_the_result(
    player: Player, seat: SocketPlayer
) -> None:
    assert seat.send("Authenticate", data={"dealerPace": "round"})["authenticated"] is True
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    seat.act("Bet", {"betAmount": 10})
    ended = seat.act("Stand")["data"]
    assert [card["value"] for card in ended["dealerHand"]["cards"]] == [10, 10]
    assert (ended["roundEnded"], ended["nextActions"], ended["payout"], ended["balance"]) == (True, [], "20", "110")
    assert ended["playerHands"] == [{"status": "Win", "payout": "20"}]
    game_round = Round.objects.get(player=player)
    assert (game_round.stake, game_round.payout, game_round.how_ended) == (10, 20, "played")
    assert list(game_round.actions.values_list("action__wire", flat=True)) == ["Bet", "Stand"]


@pytest.mark.parametrize(("begun", "taken_up"), [("card", "round"), ("round", "card")])
def test_a_round_keeps_the_pace_of_its_bet(player: Player, seat: SocketPlayer, begun: str, taken_up: str) -> None:
    seat.send("Authenticate", data={"dealerPace": begun})
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    seat.act("Bet", {"betAmount": 10})
    seat.send("Authenticate", data={"dealerPace": taken_up})
    assert ("roundEnded" in seat.act("Stand")["data"]) == (begun == "round")


@pytest.mark.parametrize("pace", ["cards", "", None, 1, ["card"], {}])
def test_an_unknown_pace_is_refused_and_the_connection_stays_open(seat: SocketPlayer, pace: object) -> None:
    answer = seat.send("Authenticate", data={"dealerPace": pace})
    assert (answer["code"], answer["message"]) == ("INVALID_EVENT_INPUTS", "dealerPace must be one of card, round")
    assert seat.authenticate()["authenticated"] is True


def test_split_and_double_are_debited_and_hands_are_played_from_the_highest_index(sit: Sit) -> None:
    player = offered_player()
    # A pair of neither aces nor tens, so that no hand is 21 after the split, against a dealer without a natural.
    seeds_choose(player, lambda cards: 2 <= cards[0].value == cards[2].value <= 9 and 2 <= cards[1].value <= 9, cards=4)
    seat = sit(player)
    seat.act("Bet", {"betAmount": "10"})
    split = seat.act("Split")["data"]
    assert split["handIndex"] == 1
    assert [hand["isSplit"] for hand in split["playerHands"]] == [True, True]
    assert balance_of(player) == 80
    double = seat.act("Double")["data"]
    assert double["handIndex"] == 0
    assert double["playerHands"][0] == {}
    assert double["playerHands"][1]["betAmount"] == "20"
    assert balance_of(player) == 70
    seat.play_out(seat.act("Stand"))
    assert Round.objects.get(player=player).stake == 30


@pytest.mark.parametrize(
    ("hole", "accepted", "status", "balance"),
    [
        pytest.param(10, True, "insurance_won", "100", id="insured-against-a-natural"),
        pytest.param(10, False, "insurance_declined", "90", id="declined-against-a-natural"),
        pytest.param(5, True, "insurance_lost", None, id="insured-for-nothing"),
    ],
)
def test_insurance_is_debited_and_pays_two_to_one(
    sit: Sit, hole: int, accepted: bool, status: str, balance: str | None
) -> None:
    player = offered_player()
    seeds_choose(player, values_are(10, 1, 9, hole), cards=4)
    seat = sit(player)
    assert seat.act("Bet", {"betAmount": 10})["data"]["nextActions"] == ["Peek"]
    peek = seat.act("Peek", {"acceptedInsurance": accepted})["data"]
    assert peek["insurance"]["status"] == status
    assert peek.get("balance") == balance
    if balance is None:
        assert "dealerHand" not in peek


def test_surrender_returns_half(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, values_are(10, 9, 6, 5), cards=4)
    seat.act("Bet", {"betAmount": "5.01"})
    ended = seat.act("Surrender")["data"]
    # Half of 5.01 is 2.505: the half cent stays with the house.
    assert (ended["payout"], ended["balance"]) == ("2.5", "97.49")


def test_a_round_that_its_bet_ends_does_not_end_before_it_begins(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, values_are(10, 10, 9, 1), cards=4)  # a dealer's natural under a ten asks for no insurance
    assert seat.act("Bet", {"betAmount": 10})["data"]["roundEnded"] is True
    game_round = Round.objects.get(player=player)
    assert game_round.ended_at is not None
    assert game_round.started_at <= game_round.ended_at


def test_side_bets_are_settled_with_the_deal(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(
        player, lambda cards: cards[0] is cards[2] and cards[0].value < 10 and 1 < cards[1].value < 10, cards=3
    )
    bet = seat.act("Bet", {"betAmount": 10, "perfecPairsBetAmount": 2, "pokerBetAmount": "1.5"})["data"]
    assert bet["perfectPairs"] == {"payout": "52", "status": "perfectPair"}
    assert bet["poker"]["status"] in {"sidebetLost", "flush", "suitedTrips", "threeOfAKind"}
    assert balance_of(player) == Decimal("138.5") + Decimal(bet["poker"]["payout"])
    seat.play_out({"data": bet})


def test_stake_and_payout_of_every_round_equal_the_ledger(player: Player, seat: SocketPlayer) -> None:
    for _ in range(25):
        seat.play_out(seat.act("Bet", {"betAmount": 1, "perfectPairsBetAmount": 1}))
    rounds = Round.objects.filter(player=player)
    assert rounds.count() == 25
    assert sorted(rounds.values_list("nonce", flat=True)) == list(range(25))
    for game_round in rounds:
        rows = WalletTransaction.objects.filter(round_id=game_round.pk)
        assert sum(row.change for row in rows) == game_round.payout - game_round.stake
        assert game_round.balance_after - game_round.balance_before == game_round.payout - game_round.stake


def test_free_play_writes_a_round_and_no_money(player: Player, seat: SocketPlayer) -> None:
    assert seat.act("Bet", {})["code"] == "INVALID_BET_AMOUNT"
    BlackjackConfig.objects.filter(partner=player.partner).update(bet_min=0, free_play=True)
    for side_bet in ("perfecPairsBetAmount", "pokerBetAmount"):
        refused = seat.act("Bet", {side_bet: 1})
        assert (refused["code"], "needs a betAmount above 0" in refused["message"]) == ("INVALID_BET_AMOUNT", True)
    ended = seat.play_out(seat.act("Bet", {}))
    assert (ended["data"]["payout"], ended["data"]["balance"]) == ("0", "100")
    assert Round.objects.get(player=player).stake == 0
    assert WalletTransaction.objects.filter(wallet__player=player).count() == 1


def test_another_session_of_the_player_finds_its_open_round(player: Player, sit: Sit) -> None:
    seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
    first = sit(player)
    bet = first.act("Bet", {"betAmount": 10})
    second = sit(player)
    state = second.send("RoundState")
    assert state["roundId"] == bet["roundId"]
    assert state["roundEnded"] is False
    assert state["data"]["playerHands"][0]["cards"] == bet["data"]["playerHands"][0]["cards"]
    assert state["data"]["dealerHand"] == bet["data"]["dealerHand"]
    played = Round.objects.select_related("seed_pair").get(pk=bet["roundId"])
    assert played.seed_pair is not None
    seeds = [state["data"][name] for name in ("serverSeedHash", "clientSeed", "nonce")]
    assert seeds == [played.seed_pair.commitment, played.seed_pair.client_seed, played.nonce]
    assert second.act("Bet", {"betAmount": 1})["code"] == "INVALID_NEXT_ACTION"
    second.play_out(second.act("Stand"))
    assert first.act("Stand")["code"] == "GAME_ROUND_NOT_FOUND"


@pytest.mark.parametrize(
    ("rules", "cards", "data", "code"),
    [
        pytest.param(
            BlackjackRules(insurance=Insurance.OFF), (10, 1, 9, 5), {"acceptedInsurance": True}, "INVALID_EVENT_INPUTS",
            id="insurance-off",
        ),
        pytest.param(
            BlackjackRules(surrender=Surrender.EARLY), (10, 10, 9, 5), {"acceptedInsurance": True},
            "INVALID_EVENT_INPUTS", id="no-insurance-under-a-ten",
        ),
        pytest.param(
            BlackjackRules(), (10, 1, 9, 5), {"acceptedInsurance": True, "insuranceAmount": 2}, "INVALID_EVENT_INPUTS",
            id="exactly-half-has-no-amount",
        ),
        pytest.param(
            BlackjackRules(insurance=Insurance.UP_TO_HALF), (10, 1, 9, 5),
            {"acceptedInsurance": True, "insuranceAmount": 5.01}, "INVALID_BET_AMOUNT", id="above-half",
        ),
        pytest.param(BlackjackRules(), (10, 1, 9, 5), {}, "INVALID_EVENT_INPUTS", id="no-answer"),
    ],
)  # fmt: skip
def test_an_invalid_peek_is_refused_and_the_question_stays_open(
    sit: Sit, rules: BlackjackRules, cards: tuple[int, ...], data: dict[str, Any], code: str
) -> None:
    player = offered_player(rules=rules)
    seeds_choose(player, values_are(*cards), cards=4)
    seat = sit(player)
    assert "Peek" in seat.act("Bet", {"betAmount": 10})["data"]["nextActions"]
    assert seat.act("Peek", data)["code"] == code
    assert balance_of(player) == 90
    assert "nextActions" in seat.act("Peek", {"acceptedInsurance": False})["data"]
