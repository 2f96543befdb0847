"""The documented messages, field by field, dealt from stacked shoes (docs/protocol.md).

Clients depend on these forms:
- a bust hand pays `"0"`, and its status is `Bust`;
- hands after Split are played from the highest index down, so `handIndex` is 1;
- answers to Peek have no `data.status`: the insurance is `insurance_lost` or `insurance_won`, and a lost hand `Lose`;
- the payout of an insurance includes its stake: 302.7 for 100.9;
- the example of Bet pays 24 to 1 for a perfect pair and 3 to 1 for a flush, which the test sets.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from apps.blackjack.engine.actions import Action, Move
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOutcome
from apps.blackjack.engine.state import RoundState
from apps.blackjack.messages import RoundData, WholeRound, WireAction
from apps.blackjack.wire import Funds, state_data, update_data
from apps.cards.card import Card
from apps.cards.notation import parse_cards

CENT = Decimal("0.01")
EXAMPLE_RULES = BlackjackRules(surrender_after_hit=True, surrender_after_split=True)
RICH = Funds(Decimal(1000), CENT)


class Round:
    """A round from a stacked shoe, whose answers are the wire's."""

    def __init__(
        self, cards: str, stakes: SeatStakes, rules: BlackjackRules = EXAMPLE_RULES, odds: Any = STANDARD_ODDS
    ) -> None:
        self.shoe: tuple[Card, ...] = parse_cards(cards)
        setup = RoundSetup(rules=rules, stakes=(stakes,), odds=odds)
        self.state: RoundState
        self.state, _ = round_start(setup, self.shoe)
        self.answer = _plain(update_data(None, self.state, WireAction.BET, RICH))

    def act(self, wire_action: WireAction, move: Move, insurance: int = 0) -> dict[str, Any]:
        before = self.state
        self.state, _ = apply_action(before, Action(move, insurance=insurance), self.shoe)
        return _plain(update_data(before, self.state, wire_action, RICH))


def _plain(data: RoundData | WholeRound) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
    return plain


def test_a_bet_is_answered_with_the_dealt_cards_and_the_next_actions() -> None:
    odds = dict(STANDARD_ODDS) | {SideBetOutcome.PERFECT_PAIR: Fraction(24), SideBetOutcome.FLUSH: Fraction(3)}
    answer = Round("C10 C8 C10 H2", SeatStakes(5250, 3550, 2140), odds=odds).answer
    assert set(answer.pop("nextActions")) == {"Hit", "Stand", "Double", "Surrender", "Split"}
    assert answer == {
        "handIndex": 0,
        "handOwner": "Player",
        "dealerHand": {"cards": [{"value": 8, "suit": 2, "index": 7}]},
        "playerHands": [
            {
                "cards": [{"value": 10, "suit": 2, "index": 9}, {"value": 10, "suit": 2, "index": 9}],
                "betAmount": "52.5",
            }
        ],
        "perfectPairs": {"payout": "887.5", "status": "perfectPair"},
        "poker": {"payout": "85.6", "status": "flush"},
    }


def test_a_bet_under_an_ace_offers_peek_alone() -> None:
    assert Round("C10 C1 C9 H2", SeatStakes(5250)).answer["nextActions"] == ["Peek"]


def test_a_hit_is_answered_with_the_drawn_card_alone() -> None:
    hit = Round("H2 C8 H3 S2 DK", SeatStakes(5250)).act(WireAction.HIT, Move.HIT)
    assert set(hit.pop("nextActions")) == {"Hit", "Stand", "Surrender"}
    assert hit == {
        "handIndex": 0,
        "handOwner": "Player",
        "playerHands": [{"cards": [{"value": 10, "suit": 1, "index": 12}]}],
    }


def test_a_hit_that_busts_ends_the_round_and_shows_the_hole_card() -> None:
    bust = Round("HK C8 H9 S2 D5", SeatStakes(5250)).act(WireAction.HIT, Move.HIT)
    assert bust == {
        "nextActions": [],
        "roundEnded": True,
        "payout": "0",
        "balance": "1000",
        # The settlement shows the hole card.
        "dealerHand": {"cards": [{"value": 2, "suit": 3, "index": 1}]},
        "playerHands": [{"cards": [{"value": 5, "suit": 1, "index": 4}], "status": "Bust", "payout": "0"}],
    }


def test_a_split_is_answered_with_two_hands_of_two_cards() -> None:
    split = Round("C10 C6 D10 S2 C7 H8", SeatStakes(5250)).act(WireAction.SPLIT, Move.SPLIT)
    assert set(split.pop("nextActions")) == {"Stand", "Surrender", "Hit", "Double"}
    assert split == {
        "handIndex": 1,
        "handOwner": "Player",
        "playerHands": [
            {
                "isSplit": True,
                "cards": [{"value": 10, "suit": 2, "index": 9}, {"value": 7, "suit": 2, "index": 6}],
                "betAmount": "52.5",
            },
            {
                "isSplit": True,
                "cards": [{"value": 10, "suit": 1, "index": 9}, {"value": 8, "suit": 0, "index": 7}],
                "betAmount": "52.5",
            },
        ],
    }


def test_a_double_is_answered_with_the_raised_stake_and_is_the_dealer_s_turn() -> None:
    double = Round("H4 C8 H5 S2 DK", SeatStakes(5250)).act(WireAction.DOUBLE, Move.DOUBLE)
    assert double == {
        "nextActions": ["Hit"],
        "handIndex": 0,
        "handOwner": "Dealer",
        "playerHands": [{"cards": [{"value": 10, "suit": 1, "index": 12}], "betAmount": "105"}],
    }


def test_a_double_that_busts_ends_the_round_without_a_payout() -> None:
    bust = Round("HK C8 H9 S2 D5", SeatStakes(5250)).act(WireAction.DOUBLE, Move.DOUBLE)
    assert bust["playerHands"] == [
        {"cards": [{"value": 5, "suit": 1, "index": 4}], "status": "Bust", "payout": "0", "betAmount": "105"}
    ]
    assert (bust["nextActions"], bust["roundEnded"], bust["payout"]) == ([], True, "0")


def test_a_peek_without_a_dealer_natural_loses_the_insurance_and_play_goes_on() -> None:
    peek = Round("H9 C1 H2 S5", SeatStakes(5250)).act(WireAction.PEEK, Move.INSURE, 2625)
    assert set(peek.pop("nextActions")) == {"Hit", "Stand", "Double", "Surrender"}
    assert peek == {
        "handIndex": 0,
        "handOwner": "Player",
        "playerHands": [{}],
        "insurance": {"payout": "0", "status": "insurance_lost"},
    }


def test_a_peek_at_a_dealer_natural_pays_the_insurance_and_ends_the_round() -> None:
    peek = Round("H9 C1 H2 SK", SeatStakes(20180)).act(WireAction.PEEK, Move.INSURE, 10090)
    assert peek == {
        "nextActions": [],
        "handIndex": 0,
        "roundEnded": True,
        "payout": "0",
        "balance": "1000",
        "dealerHand": {"cards": [{"value": 10, "suit": 3, "index": 12}]},
        "playerHands": [{"status": "Lose", "payout": "0"}],
        "insurance": {"payout": "302.7", "status": "insurance_won"},
    }


def test_after_a_stand_it_is_the_dealer_s_turn() -> None:
    stand = Round("H9 C8 HK S2 D5", SeatStakes(5250)).act(WireAction.STAND, Move.STAND)
    assert stand == {"nextActions": ["Hit"], "handIndex": 0, "handOwner": "Dealer"}


def test_a_surrender_ends_the_round_and_pays_half_back() -> None:
    surrender = Round("H9 C8 H7 S2 D5", SeatStakes(5250)).act(WireAction.SURRENDER, Move.SURRENDER)
    surrender.pop("dealerHand")
    assert surrender == {
        "nextActions": [],
        "roundEnded": True,
        "payout": "26.25",
        "balance": "1000",
        "playerHands": [{"status": "Surrender", "payout": "26.25"}],
    }


def test_a_whole_state_after_a_split() -> None:
    rules = BlackjackRules()
    game_round = Round("D4 C1 C4 S5 DQ", SeatStakes(100, 100, 100), rules)
    game_round.act(WireAction.PEEK, Move.INSURE, 50)
    game_round.act(WireAction.HIT, Move.HIT)
    state = _plain(state_data(game_round.state, last_action="Hit", first_stake=100, funds=RICH))
    assert state == {
        "action": "Hit",
        "nextActions": ["Hit", "Stand"],
        "handIndex": 0,
        "handOwner": "Player",
        "betAmount": "1",
        "dealerHand": {"cards": [{"value": 1, "suit": 2, "index": 0}]},
        "playerHands": [
            {
                "cards": [
                    {"value": 4, "suit": 1, "index": 3},
                    {"value": 4, "suit": 2, "index": 3},
                    {"value": 10, "suit": 1, "index": 11},
                ],
                "nextActions": ["Hit", "Stand"],
                "betAmount": "1",
            }
        ],
        "acceptedInsurance": True,
        "insuranceAmount": "0.5",
        "perfecPairsBetAmount": "1",
        "pokerBetAmount": "1",
        "perfectPairs": {"payout": "7", "status": "mixedPair"},
        "poker": {"payout": "0", "status": "sidebetLost"},
        "insurance": {"payout": "0", "status": "insurance_lost"},
    }


@pytest.mark.parametrize(
    ("cards", "statuses"),
    [
        pytest.param("H1 C8 HK S5", ["Blackjack"], id="a-natural-is-paid-at-once"),
        pytest.param("H9 CK H8 S1", ["Lose"], id="a-dealer-natural-under-a-ten-ends-the-round"),
        pytest.param("H1 CK HQ S1", ["Push"], id="both-natural"),
    ],
)
def test_rounds_that_end_with_the_bet(cards: str, statuses: list[str]) -> None:
    answer = Round(cards, SeatStakes(1000)).answer
    assert answer["roundEnded"] is True
    assert answer["nextActions"] == []
    assert [hand["status"] for hand in answer["playerHands"]] == statuses
    assert len(answer["dealerHand"]["cards"]) == 2


def test_an_open_round_shows_one_card_of_the_dealers() -> None:
    game_round = Round("H9 C1 H2 S5 H3", SeatStakes(1000))
    hole = {"value": 5, "suit": 3, "index": 4}
    whole = _plain(state_data(game_round.state, last_action="Bet", first_stake=1000, funds=RICH))
    assert hole not in game_round.answer["dealerHand"]["cards"]
    assert (whole["acceptedInsurance"], whole["insuranceAmount"], whole["insurance"]) == (False, "0", None)
    assert whole["dealerHand"]["cards"] == [{"value": 1, "suit": 2, "index": 0}]
