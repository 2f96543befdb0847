"""`make attack`: attack a deployment as it is shipped, and report what was attempted and which faults were found."""

import argparse
import random
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Final

from casino.local.termination import until_terminated
from tests.attack.attack_clients import AttackClients
from tests.attack.deployment import deployment_start
from tests.attack.invariants import Invariants
from tests.attack.logs import log_faults
from tests.attack.report import Part, Report

SHORT_S: Final = 90
"""Scale 1 stands for this length on two idle cores."""

PARTS: Final = {
    "races": "tests.attack.races",
    "kills": "tests.attack.kills",
    "floods": "tests.attack.floods",
    "frames": "tests.attack.frame_fuzz",
    "http": "tests.attack.http_fuzz",
    "oracles": "tests.attack.field_oracles",
    "secrets": "tests.attack.secret_hunt",
}
"""The module of each part; its function `run` attacks. A module is imported once Django is set up, since it needs
models."""


def main(arguments: list[str]) -> int:
    """Run the chosen parts. Returns 1 if one of them has found a fault."""
    options = _parser().parse_args(arguments)
    report = attack(options.parts, seed=options.seed, scale=options.seconds / SHORT_S, migrated=options.migrated)
    print(report.as_json() if options.json else report.as_text(), flush=True)
    return 1 if report.fault_count else 0


def attack(names: list[str], *, seed: int, scale: float, migrated: Path | None) -> Report:
    """Run these parts, and check the tables, answers and logs after each."""
    parts = []
    with deployment_start(migrated) as deployment:
        clients = AttackClients(deployment)
        invariants = Invariants(deployment)
        for name in names:
            part = Part(name)
            parts.append(part)
            try:
                import_module(PARTS[name]).run(clients, part, random.Random(f"{seed}:{name}"), scale)
            except Exception:  # noqa: BLE001 - the report names it, and the other parts go on
                part.fault(f"it failed: {traceback.format_exc()[-500:]}")
            invariants.check(part)
            import_module("tests.attack.search").Search(clients).answers_check(part)
            for fault in log_faults(deployment.logs_new(), part.loggers_passed):
                part.fault(fault)
            print(part.line(), file=sys.stderr, flush=True)
    return Report(seed, scale, tuple(parts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=600, help="rough length on two idle cores; it sets how many attempts are made"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choices")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--migrated", type=Path, help="SQL of a migrated database, in place of the migrations")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(until_terminated(lambda: main(sys.argv[1:])))
