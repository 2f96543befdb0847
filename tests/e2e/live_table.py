"""A browser window at live tables: a player's acts there, and waits for the table's states."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from playwright.sync_api import Locator, expect

from apps.accounts.models import Player
from apps.blackjack.engine.state import Phase, RoundState
from apps.blackjack.engine.value import is_two_card_21
from apps.cards.shoe import Shoe
from apps.rounds.table_game import Bets
from apps.tables.models import GameTable
from tests.e2e.window import Window, press_first
from tests.support.dealt_tables import Wanted, contribution_dealing
from tests.support.table_play import deadlines_set

HOUR: Final = timedelta(hours=1)
"""With this deadline nothing times out while a test looks at it, however slow the machine is."""
NOW: Final = timedelta()
CONTRIBUTE: Final = """([chain, given]) =>
  localStorage.setItem("punto-contributions", JSON.stringify([[chain, given]]))"""
STAND = ("stand",)


class TableWindow:
    """One table in a window."""

    def __init__(self, window: Window, table_id: UUID) -> None:
        self.window = window
        self.root = window.page.locator(f"#table-{table_id}")
        self.path = f"/tables/{table_id}/"

    def part(self, name: str) -> Locator:
        return self.root.locator(f"[data-part={name}]")

    def open(self, player: Player) -> None:
        """Log in and follow the table."""
        self.window.log_in(player)
        self.follow()

    def follow(self) -> None:
        self.window.go(self.path)
        expect(self.root).to_have_attribute("data-game", re.compile("."))
        expect(self.part("line")).to_have_attribute("data-line", "up")

    def contribute(self, table: GameTable, stakes: list[Bets], *wanted: Wanted) -> None:
        """Have the first rounds deal as wanted (`contribution_dealing`), once this window takes the first seat."""
        chain = f"{table.pk}:{table.chains.get().commitment}"
        self.window.page.evaluate(CONTRIBUTE, [chain, contribution_dealing(table, stakes, *wanted)])

    def take(self, seat: int) -> None:
        """Take the seat by a click on it."""
        take = self.root.get_by_role("button", name=f"Take seat {seat}", exact=True)
        expect(take).to_be_enabled()  # an earlier click would be tried again at other places of the window
        take.click()
        expect(self.root.locator(f".seat.own[data-seat='{seat}']")).to_be_visible()

    def spot(self, name: str) -> Locator:
        """Return a spot that takes chips."""
        return self.root.get_by_role("group", name="Bets").get_by_role("button", name=f"{name},", disabled=False)

    def bet(self, name: str) -> None:
        """Place the chosen chip and wait until it lies there. If the betting window has closed, place it in the next
        one."""
        self.spot(name).click()
        expect(self.spot(name)).to_have_accessible_name(re.compile(rf"^{re.escape(name)},.* staked "))

    def be_dealt(self, table: GameTable) -> None:
        """Bet at blackjack, and be asked for a move, which can wait for an hour."""
        self.bet("Your bet")
        self.part("ready").click()
        self.window.await_true(lambda: self.is_asked_for_a_move)
        deadlines_set(table, HOUR)

    def expect_phase(self, phase: str) -> None:
        expect(self.root).to_have_attribute("data-phase", phase)

    @property
    def phase(self) -> str:
        return self.root.get_attribute("data-phase") or ""

    @property
    def is_asked_for_a_move(self) -> bool:
        """Whether the table asks for a move of a hand, and not for an insurance."""
        return bool(self.part("actions").locator("[data-choice=hit]:enabled").count())

    def decide(self, wishes: Sequence[str] = STAND) -> None:
        """Press the first of these actions that is offered, if the table asks for a decision."""
        press_first(self.part("actions"), *wishes)


def felt_height(here: TableWindow) -> int:
    height: int = here.root.locator(".felt").evaluate("felt => felt.offsetHeight")
    return height


def asks_for_a_move(state: RoundState, _shoe: Shoe) -> bool:
    """Whether a deal of blackjack asks every seat for a move, and nobody for an insurance."""
    return state.phase is Phase.PLAYERS and not any(is_two_card_21(seat.hands[0].cards) for seat in state.seats)


def asks_for_an_insurance(state: RoundState, _shoe: Shoe) -> bool:
    """Whether a deal of blackjack asks for an insurance first."""
    return state.phase is Phase.QUESTION


def take_and_be_dealt(here: TableWindow, table: GameTable, *, seat: int = 1) -> None:
    """Take the first seat of a table of blackjack, bet, and be asked for a move, which can wait for an hour."""
    here.contribute(table, [{"main": 100}], asks_for_a_move)
    here.take(seat)
    deadlines_set(table, HOUR)
    here.be_dealt(table)


def play_out(tables: Sequence[TableWindow]) -> None:
    """Stand on every hand until the result is shown in every window."""
    first = tables[0]

    def is_over() -> bool:
        for table in tables:
            table.decide()
        return all(table.phase == "pause" for table in tables)

    first.window.await_true(is_over)
