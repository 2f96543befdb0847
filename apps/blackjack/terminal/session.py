"""The terminal game's session: players, bankrolls, rounds. It asks and shows through a `Table`."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, Self

from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.events import Event, HandSettled, InsuranceSettled, StakeTaken
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import ACE_VALUE, Pace, Phase, RoundState, SeatState, open_hand_index, seats_to_act
from apps.blackjack.terminal.advice import Advisor
from apps.blackjack.terminal.scene import (
    HINT_KEY,
    MOVE_KEYS,
    QUIT_KEY,
    UNITS_A_CHIP,
    Scene,
    SeatScene,
    change_text,
    chips_text,
    news_lines,
    payout_lines,
    rules_text,
)
from apps.blackjack.terminal.statistics import Statistics
from apps.cards.card import Card
from apps.fairness.engine import FairShoe, fair_shoe

DEFAULT_BET = 10


class Leave(Exception):
    """A player quits, or the input has ended."""


class Table(AbstractContextManager["Table"], Protocol):
    """Draws the game and reads the keyboard; each method raises Leave if a player quits."""

    def show(self, scene: Scene) -> None:
        """Draw the scene without waiting."""

    def pause(self, scene: Scene, prompt: str, /) -> None:
        """Draw the scene and pause, so that it can be read."""

    def choose(self, scene: Scene, prompt: str, keys: Mapping[str, str]) -> str:
        """Return one of `keys`, which are shown with their meanings."""

    def number(self, scene: Scene, prompt: str, *, default: int, limits: range) -> int:
        """Return a whole number within `limits`; Enter alone is the default."""


@dataclass(slots=True)
class Player:
    """A player at the keyboard, who begins with `chips` whole chips."""

    name: str
    chips: int
    units: int = 0
    """The player's current units."""
    bet: int = DEFAULT_BET
    """The last bet in whole chips, which Enter repeats."""
    statistics: Statistics = field(default_factory=Statistics)

    def __post_init__(self) -> None:
        self.units = self.chips * UNITS_A_CHIP


class RoundShoe:
    """A fresh fair shoe for one round. If a full table uses all its cards, another shoe follows."""

    def __init__(self, seed: str, number: int, decks: int) -> None:
        self._seed = seed
        self._number = number
        self._decks = decks
        self._boxes: list[FairShoe] = []

    def __getitem__(self, index: int) -> Card:
        box, place = divmod(index, 52 * self._decks)
        while len(self._boxes) <= box:
            server_seed = sha256(f"{self._seed}:{len(self._boxes)}".encode()).hexdigest()
            self._boxes.append(fair_shoe(server_seed, "terminal", self._number, decks=self._decks))
        return self._boxes[box][place]


class OpenRound:
    """The round on the table."""

    def __init__(self, rules: BlackjackRules, bets: Mapping[int, int], shoe: RoundShoe) -> None:
        self.shoe = shoe
        self.seats = {place: seat for seat, place in enumerate(bets)}
        """The engine's seats by the players' places; a player who sits out has none."""
        self.places = list(bets)
        stakes = tuple(SeatStakes(bet * UNITS_A_CHIP) for bet in bets.values())
        self.state: RoundState
        self.state, self.events = round_start(RoundSetup(rules, stakes, Pace.TABLE), shoe)

    def seat_of(self, place: int) -> SeatState | None:
        """Return the seat state of the player at this place."""
        return self.state.seats[self.seats[place]] if place in self.seats else None

    def apply(self, action: Action) -> Self:
        """Apply an action; `events` are then its events."""
        self.state, self.events = apply_action(self.state, action, self.shoe)
        return self


class Session:
    """Rounds with the same players, until they have no chips or quit."""

    def __init__(self, players: Sequence[Player], rules: BlackjackRules, seed: str) -> None:
        self.players = players
        self.rules = rules
        self.seed = seed
        self.rounds = 0
        self._advisor = Advisor(rules)
        self._round: OpenRound | None = None
        self._units_before: list[int] | None = None

    def play(self, table: Table) -> None:
        """Play rounds until no player has a chip left. Raises Leave if a player quits."""
        notes = [rules_text(self.rules)]
        while any(player.units >= UNITS_A_CHIP for player in self.players):
            bets = self._bets_ask(table, notes)
            if bets:
                self._round_play(table, bets)
                notes = []
            else:
                notes = ["Nobody has bet. q quits."]
        table.pause(self._scene(["The chips are gone."]), "the end")

    def round_abandon(self) -> None:
        """Return the stakes of an unfinished round."""
        if self._units_before is not None:
            for player, units in zip(self.players, self._units_before, strict=True):
                player.units = units
        self._round = self._units_before = None

    def summary(self) -> list[str]:
        """Return the lines of the session's summary."""
        lines: list[str] = []
        for player in self.players:
            change = change_text(player.units - player.chips * UNITS_A_CHIP)
            lines.append(f"{player.name}: {chips_text(player.units)} chips left ({change})")
            lines += [f"  {line}" for line in player.statistics.lines()]
        return [*lines, f"The same cards again: --seed {self.seed}"]

    def _bets_ask(self, table: Table, notes: Sequence[str]) -> dict[int, int]:
        """Return the bets in chips by the players' places; a player who sits out has none."""
        bets: dict[int, int] = {}
        for place, player in enumerate(self.players):
            most = player.units // UNITS_A_CHIP
            if not most:
                continue
            prompt = f"{player.name}, your bet (1 to {most}, 0 sits out)"
            scene = self._scene(notes, asked=place)
            bet = table.number(scene, prompt, default=min(player.bet, most), limits=range(most + 1))
            if bet:
                bets[place] = player.bet = bet
        return bets

    def _round_play(self, table: Table, bets: Mapping[int, int]) -> None:
        """Play one round to its end and show the payouts."""
        self.rounds += 1
        self._units_before = [player.units for player in self.players]
        open_round = self._round = OpenRound(self.rules, bets, RoundShoe(self.seed, self.rounds, self.rules.decks))
        self._book(open_round)
        while open_round.state.phase is not Phase.SETTLED:
            self._book(open_round.apply(self._action_ask(table, open_round)))
        self._units_before = None
        lines: list[str] = []
        for place, seat in open_round.seats.items():
            player, settled = self.players[place], open_round.state.seats[seat]
            player.statistics.add(settled)
            lines += payout_lines(player.name, settled, open_round.state.dealer, self.rules)
        table.pause(self._scene(lines), "next round")
        self._round = None

    def _book(self, open_round: OpenRound) -> None:
        """Change the players' units by the round's last events."""
        for event in open_round.events:
            change = _units_moved(event)
            if change:
                seat, units = change
                self.players[open_round.places[seat]].units += units

    def _action_ask(self, table: Table, open_round: OpenRound) -> Action:
        state = open_round.state
        seat = seats_to_act(state)[0]
        place = open_round.places[seat]
        player = self.players[place]
        moves = {MOVE_KEYS[move][0]: move for move in legal_actions(state, player.units, seat)}
        keys = {key: MOVE_KEYS[move][1] for key, move in moves.items()} | dict([HINT_KEY, QUIT_KEY])
        notes = news_lines(open_round.events)
        while True:
            scene = self._scene(notes, asked=place)
            key = table.choose(scene, _question(player.name, state, seat), keys)
            if key == QUIT_KEY[0]:
                raise Leave
            if key == HINT_KEY[0]:
                if not self._advisor.is_ready:
                    table.show(self._scene(["Computing the strategy of these rules, some seconds ..."], asked=place))
                notes = [self._advisor.hint(state, seat, list(moves.values()))]
                continue
            insurance = self._insurance_ask(table, open_round, seat) if moves[key] is Move.INSURE else 0
            return Action(moves[key], seat, insurance)

    def _insurance_ask(self, table: Table, open_round: OpenRound, seat: int) -> int:
        """Return the stake of insurance: half the bet, or the player's choice if the rules allow it."""
        place = open_round.places[seat]
        player = self.players[place]
        stakes = insurance_range(open_round.state, player.units, seat)
        most = stakes[-1] // UNITS_A_CHIP
        if len(stakes) == 1 or not most:
            return stakes[-1]
        prompt = f"{player.name}, your insurance (1 to {most})"
        chips = table.number(self._scene([], asked=place), prompt, default=most, limits=range(1, most + 1))
        return stakes[-1] if chips == most else chips * UNITS_A_CHIP

    def _scene(self, notes: Sequence[str], *, asked: int | None = None) -> Scene:
        seats = []
        for place, player in enumerate(self.players):
            seat = None if self._round is None else self._round.seat_of(place)
            hand = open_hand_index(seat) if seat is not None and place == asked else None
            seats.append(SeatScene(player.name, chips_text(player.units), place == asked, seat, hand))
        if self._round is None:
            return Scene(f"Blackjack - bets for round {self.rounds + 1}", seats=seats, notes=notes)
        state, title = self._round.state, f"Blackjack - round {self.rounds}"
        return Scene(title, state.dealer, state.has_hidden_hole, seats, notes)


def _units_moved(event: Event) -> tuple[int, int] | None:
    """Return the seat and the event's change of its player's units."""
    match event:
        case StakeTaken():
            return event.seat, -event.amount
        case HandSettled() | InsuranceSettled():
            return event.seat, event.payout
        case _:
            return None


def _question(name: str, state: RoundState, seat: int) -> str:
    if state.phase is Phase.QUESTION:
        return f"{name}, the dealer shows {'an ace' if state.upcard.value == ACE_VALUE else 'a ten'}"
    hands = state.seats[seat].hands
    if len(hands) == 1:
        return f"{name}, your move"
    index = open_hand_index(state.seats[seat])
    assert index is not None
    return f"{name}, hand {index + 1} of {len(hands)}"
