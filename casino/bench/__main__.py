"""`make bench`: run the chosen parts and print their tables."""

import argparse
import sys

from casino.bench.bench_environment import bench_database, bench_environment
from casino.local.termination import until_terminated

ON_SERVERS = ("baccarat", "sockets", "floods", "records", "proofs", "folds", "tables", "table-floods")
PARTS = ("engines", "mathematics", *ON_SERVERS)
"""The parts that run without `--parts`."""
LONG_PARTS = ("office",)
"""Parts that run only if named: they need up to 30 GB of disk and a quarter of an hour."""
PLAYERS = {"baccarat": 2000, "sockets": 2000, "tables": 1000}
"""The number of players that a part needs, for all its server processes."""
FEWEST_PLAYERS = 100


def main(arguments: list[str]) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m casino.bench", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=(*PARTS, *LONG_PARTS), default=PARTS)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="length of each measurement in a repetition")
    parser.add_argument("--records", type=int, default=1_000_000, help="number of rows of the part `records`")
    parser.add_argument(
        "--rounds",
        type=int,
        default=100_000,
        help="number of baccarat rounds of the parts `proofs` and, a tenth of it, `folds`",
    )
    parser.add_argument("--office-rounds", type=int, default=10_000_000, help="number of rounds of the part `office`")
    options = parser.parse_args(arguments)
    if set(options.parts) & {"engines"}:
        from casino.bench.engines import engines_measure

        print(engines_measure(repetitions=options.repetitions, seconds=options.seconds), flush=True)
    if set(options.parts) & {"mathematics"}:
        from casino.bench.engines import mathematics_measure

        print(mathematics_measure(), flush=True)
    if set(options.parts) & set(ON_SERVERS):
        _environment_parts_run(options)
    if "office" in options.parts:
        _office_run(options)
    return 0


def _office_run(options: argparse.Namespace) -> None:
    """Run the part that needs the tables alone."""
    from casino.bench.bench_players import django_enter

    with bench_database() as bench:
        django_enter(bench)
        from casino.bench.office import office_measure

        for table in office_measure(bench, rounds=options.office_rounds, repetitions=4 * options.repetitions):
            print(table, flush=True)


def _environment_parts_run(options: argparse.Namespace) -> None:
    """Run the parts that need the whole product."""
    from casino.bench.bench_players import LOGGED_IN, bench_players_make, django_enter
    from casino.bench.bets import bets_measure, bets_table, functions_count
    from casino.bench.floods import floods_measure
    from casino.bench.folds import folds_measure
    from casino.bench.proofs import proofs_measure
    from casino.bench.records import records_measure
    from casino.bench.sockets import sockets_measure
    from casino.bench.table_floods import table_floods_measure
    from casino.bench.tables import tables_measure

    with bench_environment() as bench:
        django_enter(bench)
        players = bench_players_make(
            max(PLAYERS.get(part, FEWEST_PLAYERS) for part in options.parts),
            browsers=LOGGED_IN if "baccarat" in options.parts else 0,
        )
        if "baccarat" in options.parts:
            turns = bets_measure(bench, players, repetitions=options.repetitions, seconds=options.seconds)
            print(bets_table(turns, functions_count(players.baccarat[0])), flush=True)
        if "sockets" in options.parts:
            tables = sockets_measure(bench, players, repetitions=options.repetitions, seconds=options.seconds)
            print(*tables, sep="\n", flush=True)
        if "floods" in options.parts:
            tables = floods_measure(bench, players, repetitions=options.repetitions, seconds=options.seconds)
            print(*tables, sep="\n", flush=True)
        if "tables" in options.parts:
            for table in tables_measure(bench, players, seconds=options.seconds):
                print(table, flush=True)
        if "table-floods" in options.parts:
            print(table_floods_measure(repetitions=options.repetitions, seconds=options.seconds), flush=True)
        if "folds" in options.parts:
            for table in folds_measure(bench, players, rounds=options.rounds // 10, seconds=options.seconds):
                print(table, flush=True)
        if "proofs" in options.parts:  # before `records`, whose rows a proof would report
            for table in proofs_measure(
                bench, players, rounds=options.rounds, repetitions=options.repetitions, seconds=options.seconds
            ):
                print(table, flush=True)
        if "records" in options.parts:
            table = records_measure(
                bench, players, records=options.records, repetitions=options.repetitions, seconds=options.seconds
            )
            print(table, flush=True)


if __name__ == "__main__":
    sys.exit(until_terminated(lambda: main(sys.argv[1:])))
