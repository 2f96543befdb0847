"""`make attack`: attack the shipped layout, and report what was attempted and what must not have happened."""

import argparse
import random
import sys
import traceback
from importlib import import_module
from typing import Final

from tests.attack.cast import Cast
from tests.attack.invariants import Invariants
from tests.attack.logs import log_faults
from tests.attack.report import Part, Report
from tests.attack.stage import stage_set

SHORT_S: Final = 90
"""Of the version that is part of `make test`, on two cores with nothing else to do: the scale 1."""

PARTS: Final = {
    "races": "tests.attack.races",
    "kills": "tests.attack.kills",
    "floods": "tests.attack.floods",
    "frames": "tests.attack.frame_fuzz",
    "http": "tests.attack.http_fuzz",
    "oracles": "tests.attack.field_oracles",
    "secrets": "tests.attack.secret_hunt",
}
"""Modules with a function `run`, by the part's name: read when Django can be."""


def main(arguments: list[str]) -> int:
    """Run the parts that were asked for; returns 1 where one has found a fault."""
    options = _parser().parse_args(arguments)
    report = attack(options.parts, seed=options.seed, scale=options.seconds / SHORT_S)
    print(report.as_json() if options.json else report.as_text(), flush=True)
    return 1 if report.fault_count else 0


def attack(names: list[str], *, seed: int, scale: float) -> Report:
    """Run these parts, and look at the tables after each."""
    parts = []
    with stage_set() as stage:
        cast = Cast(stage)
        invariants = Invariants(stage)
        for name in names:
            part = Part(name)
            parts.append(part)
            try:
                import_module(PARTS[name]).run(cast, part, random.Random(f"{seed}:{name}"), scale)
            except Exception:  # noqa: BLE001 - the report tells of it, and the other parts go on
                part.fault(f"it broke off: {traceback.format_exc()[-500:]}")
            invariants.check(part)
            import_module("tests.attack.search").Search(cast).answers_check(part)
            for fault in log_faults(stage.logs_new(), part.loggers_passed):
                part.fault(fault)
            print(part.line(), file=sys.stderr, flush=True)
    return Report(seed, scale, tuple(parts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="roughly, on two idle cores; it sets how many")
    parser.add_argument("--seed", type=int, default=1, help="of what is attempted")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
