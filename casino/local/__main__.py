"""Entry point of every `make` target: makes the virtual environment, enters it, and runs the command.

Until it is in that environment it uses the standard library alone.
"""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from casino.local import environment
from casino.local.check_tools import check_tools_ensure
from casino.local.setup_error import SetupError, from_os_error
from casino.local.termination import until_terminated

CHECKOUT = Path(__file__).resolve().parents[2]
MODULES = {"bench": "casino.bench", "attack": "tests.attack", "messages": "casino.messages"}
"""The commands that are modules of their own."""
NEED_TEST_PACKAGES = ("test", "attack", "messages")


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code."""
    options, rest = _parser().parse_known_args(arguments)
    if rest and options.command == "run":
        _parser().error(f"unknown option: {rest[0]}")
    try:
        beside = partial(check_tools_ensure, CHECKOUT) if options.command == "test" and not rest else None
        environment.enter(CHECKOUT, tests=options.command in NEED_TEST_PACKAGES, arguments=arguments, beside=beside)
        return _command(options, rest)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\n{from_os_error(error)}", file=sys.stderr)
        return 1


def _command(options: argparse.Namespace, rest: list[str]) -> int:
    # The packages of the lock file can be imported only from here on.
    from casino.local import checks, manage, run  # noqa: PLC0415

    if module := MODULES.get(options.command):
        os.chdir(CHECKOUT)
        # The module takes the place of this process, so that it gets the signals.
        os.execv(sys.executable, [sys.executable, "-m", module, *rest])  # noqa: S606
    match options.command:
        case "run":
            return run.run(CHECKOUT, port=options.port)
        case "test":
            return checks.test(CHECKOUT, rest)
        case _:
            return manage.manage(CHECKOUT, rest)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m casino.local", description=__doc__.splitlines()[0], allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="start everything on one port; Ctrl-C stops it", allow_abbrev=False)
    run.add_argument("--port", type=int, default=8000)
    commands.add_parser(
        "test", help="run all checks; with arguments: only pytest, with these arguments", add_help=False
    )
    commands.add_parser("bench", help="measure; --help lists the parts", add_help=False)
    commands.add_parser("attack", help="attack a deployment; --help lists the parts", add_help=False)
    commands.add_parser("messages", help="update and compile the translations", add_help=False)
    commands.add_parser("manage", help="a command of manage.py, on the servers of `run`", add_help=False)
    return parser


if __name__ == "__main__":
    sys.exit(until_terminated(lambda: main(sys.argv[1:])))
