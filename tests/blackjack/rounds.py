"""Rounds for tests, on shoes that are stacked with the given cards."""

from collections.abc import Mapping
from fractions import Fraction

from apps.blackjack.engine.actions import Action, Move, legal_actions
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOutcome
from apps.blackjack.engine.state import HandState, Pace, Phase, RoundState, seats_to_act
from apps.cards.card import Card
from apps.cards.notation import format_cards, parse_cards


def stacked(players: list[str], dealer: str, then: str = "") -> tuple[Card, ...]:
    """Return a shoe that deals `players` and `dealer` these cards first, and `then` the rest.

    A dealer with one card has no hole card.
    """
    hands = [parse_cards(player) for player in players]
    shown = parse_cards(dealer)
    return (*[hand[0] for hand in hands], shown[0], *[hand[1] for hand in hands], *shown[1:], *parse_cards(then))


class Play:
    """An open round on a stacked shoe; `do` makes moves for the seat whose turn it is."""

    def __init__(
        self,
        players: str | list[str],
        dealer: str,
        then: str = "",
        *,
        rules: BlackjackRules = SOLO_RULES,
        stakes: SeatStakes | list[SeatStakes] | None = None,
        pace: Pace = Pace.SOLO,
        odds: Mapping[SideBetOutcome, Fraction] = STANDARD_ODDS,
    ) -> None:
        players = [players] if isinstance(players, str) else players
        if stakes is None:
            stakes = SeatStakes(100)
        placed = stakes if isinstance(stakes, list) else [stakes] * len(players)
        self.shoe = stacked(players, dealer, then)
        self.setup = RoundSetup(rules, tuple(placed), pace, odds)
        self.actions: list[Action] = []
        self.state: RoundState
        self.state, self.events = round_start(self.setup, self.shoe)
        self.history: list[Event] = list(self.events)

    def do(self, *moves: Move, seat: int | None = None, insurance: int = 0) -> "Play":
        for move in moves:
            turn = seat if seat is not None else self.turn
            action = Action(move, turn, insurance if move is Move.INSURE else 0)
            self.state, self.events = apply_action(self.state, action, self.shoe)
            self.actions.append(action)
            self.history += self.events
        return self

    @property
    def turn(self) -> int:
        """The seat whose turn it is; 0 for the dealer."""
        return next(iter(seats_to_act(self.state)), 0)

    def moves(self, funds: int | None = None, seat: int | None = None) -> set[Move]:
        return set(legal_actions(self.state, funds, seat))

    def hand(self, index: int = 0, seat: int = 0) -> HandState:
        return self.state.seats[seat].hands[index]

    def dealer(self) -> str:
        return format_cards(self.state.dealer)

    @property
    def is_over(self) -> bool:
        return self.state.phase is Phase.SETTLED

    def dealer_out(self) -> "Play":
        """Let the dealer play, card by card."""
        while self.state.phase is Phase.DEALER:
            self.do(Move.DEALER_HIT)
        return self
