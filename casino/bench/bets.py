"""Part (a) to (c): a durable bet by pgbench, and the whole bet over HTTP, in turns."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from statistics import median
from typing import Final

import psycopg

from casino.bench.cast import Cast
from casino.bench.clients import load_run
from casino.bench.report import Table
from casino.bench.stage import SOCKET_PORT, WEB_PORT, Stage, cpu_s
from casino.local.postgres import programs

CLIENTS: Final = 16
PLAYERS: Final = 1_000
PGBENCH_WALLETS: Final = 10_000
BET: Final = '{"game_type": 1, "bet_amount": 1}'

_TABLES: Final = """
DROP TABLE IF EXISTS bench_wallet, bench_record, bench_movement;
CREATE TABLE bench_wallet (id bigint PRIMARY KEY, balance numeric(20, 8) NOT NULL CHECK (balance >= 0));
CREATE TABLE bench_record (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ctime timestamptz DEFAULT now(),
    user_id bigint, reward_amount numeric(20, 8), result_type smallint, game_type smallint, bet_amount numeric(20, 8));
CREATE TABLE bench_movement (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ctime timestamptz DEFAULT now(),
    wallet_id bigint, kind text, change numeric(20, 8));
INSERT INTO bench_wallet SELECT n, 1000000 FROM generate_series(1, {wallets}) n;
"""
_SCRIPT: Final = """
\\set w random(1, {wallets})
BEGIN;
UPDATE bench_wallet SET balance = balance - 10 WHERE id = :w AND balance >= 10;
INSERT INTO bench_record (user_id, reward_amount, result_type, game_type, bet_amount) VALUES (:w, 20, 1, 1, 10);
INSERT INTO bench_movement (wallet_id, kind, change) VALUES (:w, 'bet', -10);
UPDATE bench_wallet SET balance = balance + 20 WHERE id = :w;
INSERT INTO bench_movement (wallet_id, kind, change) VALUES (:w, 'reward', 20);
COMMIT;
"""
_ACTION_TABLES: Final = """
DROP TABLE IF EXISTS bench_round, bench_action, bench_answer;
CREATE TABLE bench_round (id bigint PRIMARY KEY, stake numeric(20, 8), payout numeric(20, 8), state jsonb);
CREATE TABLE bench_action (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ctime timestamptz DEFAULT now(),
    round_id bigint, action jsonb, events jsonb);
CREATE TABLE bench_answer (scope text, key text, body_hash bytea, answer bytea, PRIMARY KEY (scope, key));
INSERT INTO bench_round SELECT n, 1, 0, '{{}}' FROM generate_series(1, {wallets}) n;
"""
_ACTION_SCRIPT: Final = """
\\set w random(1, {wallets})
\\set k random(1, 9000000000000)
BEGIN;
SELECT balance FROM bench_wallet WHERE id = :w FOR UPDATE;
SELECT answer FROM bench_answer WHERE scope = 'play:' || :w AND key = 'k' || :k;
SELECT state FROM bench_round WHERE id = :w FOR UPDATE;
UPDATE bench_wallet SET balance = balance + 1 WHERE id = :w;
INSERT INTO bench_movement (wallet_id, kind, change) VALUES (:w, 'reward', 1);
UPDATE bench_round SET payout = payout + 1, state = '{{"phase": "players", "dealer": ["H1"], "hand": ["H2", "H3"]}}'
    WHERE id = :w;
INSERT INTO bench_action (round_id, action, events) VALUES (:w, '{{"move": "stand"}}', '[{{"type": "HandStood"}}]');
INSERT INTO bench_answer VALUES ('play:' || :w, 'k' || :k, '\\x00', '\\x00');
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """One repetition of all."""

    pgbench_per_s: float
    bet_per_s: float
    server_us: float
    """CPU microseconds a bet of the process that serves it."""
    postgres_us: float
    p50_ms: float
    p99_ms: float
    wsgi_per_s: float
    """The same bets by the other door, that of the WSGI workers."""
    wsgi_us: float


def bets_measure(stage: Stage, cast: Cast, *, repetitions: int, seconds: float) -> list[Turn]:
    """Return the repetitions, pgbench and bets by turns, after a warm-up of all."""
    _tables_make(stage, _TABLES)
    with psycopg.connect(stage.superuser_url, autocommit=True) as link:
        for port in (SOCKET_PORT, WEB_PORT):
            _bets(cast, min(3, seconds), port)
        # A database that was just filled plans for empty tables until it has looked at them.
        link.execute("ANALYZE")
    _pgbench(stage, min(3, seconds))
    return [_turn(stage, cast, seconds) for _ in range(repetitions)]


def _turn(stage: Stage, cast: Cast, seconds: float) -> Turn:
    pgbench_per_s = _pgbench(stage, seconds)
    server, postgres = cpu_s(stage.sockets_pid), cpu_s(stage.postgres_pid)
    bets = _bets(cast, seconds, SOCKET_PORT)
    server, postgres = cpu_s(stage.sockets_pid) - server, cpu_s(stage.postgres_pid) - postgres
    web = cpu_s(stage.web_pid)
    others = _bets(cast, seconds, WEB_PORT)
    return Turn(
        pgbench_per_s=pgbench_per_s,
        bet_per_s=bets["per_s"],
        server_us=1e6 * server / bets["count"],
        postgres_us=1e6 * postgres / bets["count"],
        p50_ms=bets["p50_ms"],
        p99_ms=bets["p99_ms"],
        wsgi_per_s=others["per_s"],
        wsgi_us=1e6 * (cpu_s(stage.web_pid) - web) / others["count"],
    )


def bets_table(turns: list[Turn]) -> Table:
    """Return the medians, and the median of the ratios of each repetition."""
    ratio = median(turn.bet_per_s / turn.pgbench_per_s for turn in turns)
    table = Table("A bet (medians)")
    table.row("(a) pgbench, five statements, 16 clients", f"{median(t.pgbench_per_s for t in turns):,.0f} /s")
    table.row("(b) POST /api/game/baccarat/bet, 16 connections", f"{median(t.bet_per_s for t in turns):,.0f} /s")
    table.row("(b) / (a)", f"{ratio:.2f}", "goal 0.40")
    table.row("(c) CPU a bet: server", f"{median(t.server_us for t in turns):,.0f} us", "goal: at most PostgreSQL's")
    table.row("(c) CPU a bet: PostgreSQL", f"{median(t.postgres_us for t in turns):,.0f} us")
    p50, p99 = median(t.p50_ms for t in turns), median(t.p99_ms for t in turns)
    table.row("latency of a bet, median and 99th percentile", f"{p50:.1f} and {p99:.1f} ms")
    table.row("the same bets at the WSGI workers", f"{median(t.wsgi_per_s for t in turns):,.0f} /s")
    table.row("CPU a bet: WSGI workers", f"{median(t.wsgi_us for t in turns):,.0f} us")
    return table


def transaction_cpu_us(stage: Stage, seconds: float) -> float:
    """Return PostgreSQL's CPU microseconds for a durable transaction with the statements of a blackjack action."""
    _tables_make(stage, _TABLES + _ACTION_TABLES)
    before = cpu_s(stage.postgres_pid)
    count = _pgbench_count(stage, seconds, _ACTION_SCRIPT)[1]
    return 1e6 * (cpu_s(stage.postgres_pid) - before) / count


def _tables_make(stage: Stage, script: str) -> None:
    """Make pgbench's tables anew, filled."""
    with psycopg.connect(stage.superuser_url, autocommit=True) as link:
        for statement in script.format(wallets=PGBENCH_WALLETS).split(";"):
            if statement.strip():
                link.execute(statement)
        link.execute("VACUUM ANALYZE")


def _bets(cast: Cast, seconds: float, port: int) -> dict[str, float]:
    return load_run(
        "http", port=port, method="POST", path="/api/game/baccarat/bet", body=BET,
        tokens=cast.baccarat[:PLAYERS], connections=CLIENTS, seconds=seconds,
    )  # fmt: skip


def _pgbench(stage: Stage, seconds: float) -> float:
    """Return pgbench's bets a second."""
    return _pgbench_count(stage, seconds, _SCRIPT)[0]


def _pgbench_count(stage: Stage, seconds: float, text: str) -> tuple[float, int]:
    """Return pgbench's transactions a second, and how many there were."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(text.format(wallets=PGBENCH_WALLETS))
        script.flush()
        done = subprocess.run(
            [str(programs() / "pgbench"), "--no-vacuum", "--protocol=prepared", f"--client={CLIENTS}", "--jobs=2",
             f"--time={max(1, round(seconds))}", f"--file={script.name}", stage.superuser_url],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    rate = re.search(r"tps = ([0-9.]+)", done.stdout)
    count = re.search(r"transactions actually processed: ([0-9]+)", done.stdout)
    assert rate is not None
    assert count is not None
    return float(rate.group(1)), int(count.group(1))
