"""The terminal game's command line: rules, players, and the kind of screen."""

import argparse
import os
import secrets
import sys
from collections.abc import Sequence

from rich.console import Console

from apps.blackjack.engine.rules import TERMINAL_RULES, RulesError, rules_from_text
from apps.blackjack.engine.state import MAX_SEATS
from apps.blackjack.terminal.keys import can_read_keys
from apps.blackjack.terminal.lines import LineTable
from apps.blackjack.terminal.screen import ScreenTable
from apps.blackjack.terminal.session import Leave, Player, Session, Table

DEFAULT_BANKROLL = 100
MAX_BANKROLL = 1_000_000


def main(arguments: Sequence[str], *, program: str = "manage.py blackjack") -> int:
    """Play a session; returns the exit code. Needs no database, no server and no settings."""
    parser = arguments_parser(program)
    options = parser.parse_args(arguments)
    try:
        rules = rules_from_text(options.rules, base=TERMINAL_RULES)
    except RulesError as error:
        parser.error(str(error))
    session = Session(
        players=[Player(name, options.bankroll) for name in names(options.players)],
        rules=rules,
        seed=options.seed or secrets.token_hex(8),
    )
    try:
        _play(session, table_choose(plain=options.plain))
    except BrokenPipeError:
        # The reader of the pipe has gone. Python flushes again at its exit, which must not reach the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _play(session: Session, table: Table) -> None:
    try:
        with table:
            session.play(table)
    except (Leave, KeyboardInterrupt):
        # Quitting, Ctrl-C and the end of a pipe all end the game.
        session.round_abandon()
    for line in session.summary():
        print(line)
    sys.stdout.flush()


def arguments_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=program, description="Blackjack at this terminal, against the dealer.")
    parser.add_argument(
        "--players",
        type=players,
        default=[""],
        metavar="N|NAMES",
        help="1 to 7 players, or their names: Ann,Bob",
    )
    parser.add_argument(
        "--bankroll",
        type=bankroll,
        default=DEFAULT_BANKROLL,
        metavar="CHIPS",
        help=f"the chips of each player at the beginning ({DEFAULT_BANKROLL})",
    )
    parser.add_argument(
        "--rules",
        nargs="+",
        default=[],
        metavar="OPTION=VALUE",
        help="options of the rules: decks=6 surrender=late insurance=exact-half",
    )
    parser.add_argument("--seed", metavar="TEXT", help="the same text deals the same cards again")
    parser.add_argument("--plain", action="store_true", help="plain lines of text, for pipes and screen readers")
    return parser


def players(text: str) -> list[str]:
    """Return the players' names; empty for players without names."""
    if text.isascii() and text.isdigit():
        count, given = int(text), []
    else:
        given = [name.strip()[:12] for name in text.split(",") if name.strip()]
        count = len(given)
    if not 1 <= count <= MAX_SEATS:
        raise argparse.ArgumentTypeError(f"1 to {MAX_SEATS} players can play")
    return given or [""] * count


def names(given: list[str]) -> list[str]:
    """Return the names of players."""
    if given == [""]:
        return ["You"]
    return [name or f"Player {place}" for place, name in enumerate(given, start=1)]


def bankroll(text: str) -> int:
    """Return a number of chips."""
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= MAX_BANKROLL:
        raise argparse.ArgumentTypeError(f"a whole number of chips from 1 to {MAX_BANKROLL} is expected")
    return int(text)


def table_choose(*, plain: bool) -> Table:
    """Return a full-screen table if there is a terminal, else a table of plain lines."""
    console = Console(highlight=False)
    if plain or not can_read_keys() or not console.is_terminal or console.is_dumb_terminal:
        return LineTable(sys.stdin, sys.stdout)
    return ScreenTable(console, sys.stdin.fileno())
