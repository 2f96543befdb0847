"""The terminal game in a real pseudo-terminal: keys are typed, and the screen is read."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from casino.settings.waits import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
COLUMNS, LINES = 80, 24
LAST_KEY = "[q] quit"
"""The last text of a scene: a screen with it is completely drawn."""

CARD_OF_RED = "\x1b[1;31;47m"


class Terminal:
    """A game in a pseudo-terminal, and its screen."""

    def __init__(self, *arguments: str, columns: int = COLUMNS, lines: int = LINES, **environment: str) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self.output = ""
        bare = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.child = pexpect.spawn(
            sys.executable,
            ["manage.py", "blackjack", *arguments],
            cwd=str(ROOT),
            dimensions=(lines, columns),
            encoding="utf-8",
            timeout=WAIT_S,
            env={**bare, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
        )

    def type(self, keys: str) -> None:
        self.child.send(keys)

    def wait_for(self, *texts: str) -> str:
        """Read until the screen holds all of `texts`, and return it."""
        while not all(text in self.screen for text in texts):
            self._read_more(f"{texts} did not appear")
        return self.screen

    def wait_for_change(self, before: str) -> None:
        """Read until the screen is no longer `before`; it may be drawn in part."""
        while self.screen == before:
            self._read_more("nothing changed")

    def wait_for_end(self) -> str:
        """Read until the game has ended, and return the screen it leaves."""
        self._feed(self.child.read())
        self.child.wait()
        return self.screen

    @property
    def screen(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def _read_more(self, trouble: str) -> None:
        try:
            self._feed(self.child.read_nonblocking(4096, timeout=WAIT_S))
        except (pexpect.TIMEOUT, pexpect.EOF):
            pytest.fail(f"{trouble}; the screen is\n{self.screen}")

    def _feed(self, text: str) -> None:
        self.output += text
        self._stream.feed(text)


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    """Terminals that are closed when the test ends."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.child.close(force=True)


def play(
    opened: list[Terminal], *arguments: str, columns: int = COLUMNS, lines: int = LINES, **environment: str
) -> Terminal:
    opened.append(Terminal(*arguments, columns=columns, lines=lines, **environment))
    return opened[-1]


def test_a_session_is_played_from_the_first_bet_to_its_figures(opened: list[Terminal]) -> None:
    game = play(opened, "--seed", "1360", "--bankroll", "50")
    game.wait_for("blackjack pays 3:2, 1 deck, dealer stands on soft 17", "You, your bet (1 to 50, 0 sits out): [10]")
    game.type("20")
    game.wait_for("You, your bet (1 to 50, 0 sits out): 20")
    game.type("\r")
    screen = game.wait_for("You, your move: [h] hit  [s] stand  [d] double  [p] split  [?] hint  [q] quit")
    assert "Blackjack - round 1" in screen
    assert "│6    │ │░░░░░│" in screen, "the dealer's upcard, and a card face down"
    assert "│  ♥  │ │  ♣  │" in screen
    assert "8♥ 8♣ (16) bet 20" in screen
    game.type("?")
    game.wait_for("Basic strategy: split.")
    game.type("p")
    screen = game.wait_for("You, hand 2 of 2: [h] hit  [s] stand  [?] hint  [q] quit")
    assert "18" in screen
    assert "* 14" in screen
    game.type("s")
    game.wait_for("You, hand 1 of 2", "* 18")
    game.type("s")
    screen = game.wait_for("[Enter] next round", "in all")
    assert "░" not in screen, "the hole card is shown"
    assert "You, hand 1: 18 " in screen
    game.type("\r")
    game.wait_for("Blackjack - bets for round 2", "[20]")
    game.type("q")
    screen = game.wait_for_end()
    assert "rounds 1, hands 2: won " in screen
    assert "The same cards again: --seed 1360" in screen
    assert game.child.exitstatus == 0


def test_keys_that_are_not_offered_do_nothing(opened: list[Terminal]) -> None:
    game = play(opened, "--seed", "219")
    game.wait_for("your bet")
    game.type("\x1b[A9999\r")
    game.wait_for("'9999' is no number from 0 to 100.", "[10]")
    game.type("19\x7f\r")
    game.wait_for("bet 1", "your move")
    game.type("xyz\x1b[Bpd")
    assert "bet 2: lose" in game.wait_for("next round")


def test_ctrl_c_leaves_cleanly_from_every_question(opened: list[Terminal]) -> None:
    for keys, shown in (("", "your bet"), ("\r", "your move"), ("\rs", "next round")):
        game = play(opened, "--seed", "425")
        game.wait_for("your bet")
        game.type(keys)
        game.wait_for(shown)
        game.type("\x03")
        screen = game.wait_for_end()
        assert "chips left" in screen
        assert "Traceback" not in game.output
        assert game.child.exitstatus == 0
        assert "\x1b[?1049l" in game.output, "the terminal's normal screen is restored"
        assert "\x1b[?25h" in game.output, "and its cursor"


def test_ctrl_d_quits(opened: list[Terminal]) -> None:
    game = play(opened)
    game.wait_for("your bet")
    game.type("\x04")
    assert "You: 100 chips left (0)" in game.wait_for_end()
    assert game.child.exitstatus == 0


def test_seven_players_fit_one_screen(opened: list[Terminal]) -> None:
    names = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus")
    game = play(opened, "--seed", "7", "--players", ",".join(names))
    for name in names:
        game.wait_for(f"{name}, your bet")
        game.type("\r")
    screen = game.wait_for("Blackjack - round 1", LAST_KEY)
    while "next round" not in screen:
        assert all(name in screen for name in names)
        game.type("s")
        game.wait_for_change(screen)
        screen = game.wait_for(LAST_KEY)
    assert "Dealer" in screen
    assert all(f"{name}: " in screen for name in names)


def test_a_scene_as_high_as_the_screen_is_in_sight(opened: list[Terminal]) -> None:
    game = play(opened, "--seed", "1360", lines=16)
    game.wait_for("your bet")
    game.type("\r")
    screen = game.wait_for("You, your move", LAST_KEY)
    assert "Blackjack - round 1" in screen
    assert "│6    │ │░░░░░│" in screen


def test_the_dealers_cards_stay_in_sight_of_a_low_screen(opened: list[Terminal]) -> None:
    game = play(opened, "--seed", "1360", columns=40, lines=12)
    game.wait_for("your bet")
    game.type("\r")
    screen = game.wait_for("You, your move", "quit")
    assert "Dealer  6♣ ? (6)" in screen
    assert "8♥ 8♣ (16) bet 10" in screen


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_turns_the_colours_off(opened: list[Terminal], no_color: str, coloured: bool) -> None:
    game = play(opened, "--seed", "1360", **({"NO_COLOR": no_color} if no_color else {}))
    game.wait_for("your bet")
    game.type("\r")
    game.wait_for("your move")
    assert (CARD_OF_RED in game.output) is coloured
    assert "8♥ 8♣" in game.screen


def test_a_dumb_terminal_gets_plain_lines(opened: list[Terminal]) -> None:
    game = play(opened, "--seed", "29", TERM="dumb")
    game.wait_for("You, your bet (1 to 100, 0 sits out) [10]:")
    game.type("\r")
    game.wait_for("blackjack pays 3:2, 25 back for 10")
    game.type("q\r")
    game.wait_for_end()
    assert "\x1b" not in game.output
    assert game.child.exitstatus == 0


def test_plain_through_a_pipe_needs_no_database_and_no_settings() -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "DJANGO_SETTINGS_MODULE": "there.is.none"}
    done = subprocess.run(
        [sys.executable, "manage.py", "blackjack", "--plain", "--seed", "29"],
        cwd=ROOT,
        env=environment,
        input="10\n",
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    assert "You: A♦ 10♠ (21) bet 10: blackjack" in done.stdout
    assert done.stdout.endswith("The same cards again: --seed 29\n")
    assert done.stderr == ""


def test_a_reader_that_goes_away_ends_the_game_without_a_traceback() -> None:
    """As in `manage.py blackjack --plain | head -1`."""
    with subprocess.Popen(
        [sys.executable, "manage.py", "blackjack", "--plain", "--seed", "29"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as game:  # fmt: skip
        game.stdout.close()
        game.stdin.close()
        assert game.stderr.read() == ""
        assert game.wait(timeout=WAIT_S) == 0


def test_the_game_is_a_command_of_manage_py() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "django", "blackjack", "--plain", "--seed", "29"],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "casino.settings.test",
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
        },
        input="q\n",
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    assert "You: 100 chips left (0)" in done.stdout
