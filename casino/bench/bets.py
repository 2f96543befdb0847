"""Bets (`--parts baccarat`): the same writes by pgbench, and the whole bet over HTTP, in turns."""

import asyncio
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from statistics import median
from types import CodeType, FrameType
from typing import Any, Final

import psycopg

from casino.bench.bench_environment import CHECKOUT, LIMITED_PORT, SOCKET_PORT, BenchEnvironment, cpu_s
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import bearers, load_run
from casino.bench.report import Table
from casino.local.postgres import programs

CLIENTS: Final = 16
PLAYERS: Final = 1_000
PGBENCH_WALLETS: Final = 10_000
PATH: Final = "/api/game/baccarat/bet"
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
class BetRepetition:
    """The figures of one repetition."""

    pgbench_per_s: float
    bet_per_s: float
    server_us: float
    """CPU microseconds a bet of the serving process."""
    postgres_us: float
    p50_ms: float
    p99_ms: float
    alone_per_s: float
    """Bets over one connection."""
    limited_per_s: float
    """Bets with rate limits on."""
    limited_us: float
    """CPU microseconds of server and PostgreSQL together, with rate limits on."""
    browser_us: float
    """The same for a browser's bets, with cookie and CSRF token."""


def bets_measure(
    bench: BenchEnvironment, players: BenchPlayers, *, repetitions: int, seconds: float
) -> list[BetRepetition]:
    """Return the repetitions, with pgbench and bets in turns, after a warm-up of all. A player's first bet in a process
    costs more, since it reads the session.
    """
    _tables_make(bench, _TABLES)
    tokens, limited_tokens = _tokens(players)
    with psycopg.connect(bench.superuser_url, autocommit=True) as link:
        _bets(SOCKET_PORT, tokens, min(3, seconds))
        _bets(LIMITED_PORT, limited_tokens, min(3, seconds))
        _bets(SOCKET_PORT, players.cookies, min(3, seconds))
        # Without ANALYZE a newly filled database plans for empty tables.
        link.execute("ANALYZE")
    _pgbench(bench, min(3, seconds))
    return [_repetition(bench, players, seconds) for _ in range(repetitions)]


def _repetition(bench: BenchEnvironment, players: BenchPlayers, seconds: float) -> BetRepetition:
    tokens, limited_tokens = _tokens(players)
    pgbench_per_s = _pgbench(bench, seconds)
    bets, server_us, postgres_us = _bets_cpu(bench, bench.sockets_pid, SOCKET_PORT, tokens, seconds)
    alone = _bets(SOCKET_PORT, tokens, seconds, connections=1)
    limited, *limited_us = _bets_cpu(bench, bench.limited_pid, LIMITED_PORT, limited_tokens, seconds)
    _, *browser_us = _bets_cpu(bench, bench.sockets_pid, SOCKET_PORT, players.cookies, seconds)
    return BetRepetition(
        pgbench_per_s=pgbench_per_s,
        bet_per_s=bets["per_s"],
        server_us=server_us,
        postgres_us=postgres_us,
        p50_ms=bets["p50_ms"],
        p99_ms=bets["p99_ms"],
        alone_per_s=alone["per_s"],
        limited_per_s=limited["per_s"],
        limited_us=sum(limited_us),
        browser_us=sum(browser_us),
    )


def _tokens(players: BenchPlayers) -> tuple[list[str], list[str]]:
    """Return the credentials of the players of each of the two processes: a player's bets go to one process."""
    return bearers(players.baccarat[:PLAYERS]), bearers(players.baccarat[PLAYERS : 2 * PLAYERS])


def _bets_cpu(
    bench: BenchEnvironment, pid: int, port: int, credentials: list[str], seconds: float
) -> tuple[dict[str, float], float, float]:
    """Place bets; return the load's figures and the CPU microseconds a bet of the server and of PostgreSQL."""
    server, postgres = cpu_s(pid), cpu_s(bench.postgres_pid)
    bets = _bets(port, credentials, seconds)
    server, postgres = cpu_s(pid) - server, cpu_s(bench.postgres_pid) - postgres
    return bets, 1e6 * server / bets["count"], 1e6 * postgres / bets["count"]


def bets_table(turns: list[BetRepetition], functions: int) -> Table:
    """Return the medians, and the medians of the ratios of each repetition; `functions` are those of one bet."""
    ratio = median(turn.bet_per_s / turn.pgbench_per_s for turn in turns)
    table = Table("A bet (medians)")
    table.row("(a) pgbench, five statements, 16 clients", f"{median(t.pgbench_per_s for t in turns):,.0f} /s")
    table.row("(b) POST /api/game/baccarat/bet, 16 connections", f"{median(t.bet_per_s for t in turns):,.0f} /s")
    table.row("(b) / (a)", f"{ratio:.2f}", "goal 0.40")
    limited_ratio = median(turn.limited_per_s / turn.pgbench_per_s for turn in turns)
    table.row("(b) with rate limits / (a)", f"{limited_ratio:.2f}", "goal 0.55")
    table.row("the same bet, 1 connection", f"{median(t.alone_per_s for t in turns):,.0f} /s")
    table.row("(c) CPU a bet: server", f"{median(t.server_us for t in turns):,.0f} us", "goal: at most PostgreSQL's")
    table.row("(c) CPU a bet: PostgreSQL", f"{median(t.postgres_us for t in turns):,.0f} us")
    p50, p99 = median(t.p50_ms for t in turns), median(t.p99_ms for t in turns)
    table.row("latency of a bet, median and 99th percentile", f"{p50:.1f} and {p99:.1f} ms")
    limited = median(t.limited_us / (t.server_us + t.postgres_us) for t in turns)
    table.row("limits on / off, CPU of server and PostgreSQL", f"{limited:.2f}", "goal 1.15")
    browser = median(t.browser_us / (t.server_us + t.postgres_us) for t in turns)
    table.row("with a browser's cookie / with a token, the same CPU", f"{browser:.2f}", "goal 2")
    table.row("our functions called for one bet", str(functions), "goal 60")
    return table


def functions_count(token: str) -> int:
    """Return how many of our functions a bet with a token calls, without comprehensions and lambdas."""
    from apps.core.postgres_pool import pool_close
    from casino.asgi import application

    called: set[CodeType] = set()
    ours = (f"{CHECKOUT}/apps/", f"{CHECKOUT}/casino/asgi", f"{CHECKOUT}/casino/endpoints")

    def count(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ours) and not code.co_name.startswith("<"):
            called.add(code)

    async def bet() -> None:
        scope = {
            "type": "http", "method": "POST", "path": PATH, "query_string": b"", "client": ("127.0.0.1", 1),
            "headers": [(b"authorization", f"Bearer {token}".encode())],
        }  # fmt: skip
        received = [{"type": "http.request", "body": BET.encode()}]
        statuses = []

        async def receive() -> dict[str, Any]:
            return received.pop()

        async def send(message: Any) -> None:
            statuses.append(message.get("status"))

        await application(scope, receive, send)
        assert statuses[0] == 200, statuses

    async def bets() -> None:
        for _ in range(3):
            await bet()
        sys.setprofile(count)
        try:
            await bet()
        finally:
            sys.setprofile(None)
        await pool_close()

    asyncio.run(bets())
    return len(called)


def transaction_cpu_us(bench: BenchEnvironment, seconds: float) -> float:
    """Return PostgreSQL's CPU microseconds for a durable transaction with the statements of a blackjack action."""
    _tables_make(bench, _TABLES + _ACTION_TABLES)
    before = cpu_s(bench.postgres_pid)
    count = _pgbench_count(bench, seconds, _ACTION_SCRIPT)[1]
    return 1e6 * (cpu_s(bench.postgres_pid) - before) / count


def _tables_make(bench: BenchEnvironment, script: str) -> None:
    """Create and fill pgbench's tables again."""
    with psycopg.connect(bench.superuser_url, autocommit=True) as link:
        for statement in script.format(wallets=PGBENCH_WALLETS).split(";"):
            if statement.strip():
                link.execute(statement)
        link.execute("VACUUM ANALYZE")


def _bets(port: int, credentials: list[str], seconds: float, connections: int = CLIENTS) -> dict[str, float]:
    return load_run(
        "http", port=port, method="POST", path=PATH, body=BET,
        credentials=credentials, connections=connections, seconds=seconds,
    )  # fmt: skip


def _pgbench(bench: BenchEnvironment, seconds: float) -> float:
    """Return pgbench's bets a second."""
    return _pgbench_count(bench, seconds, _SCRIPT)[0]


def _pgbench_count(bench: BenchEnvironment, seconds: float, text: str) -> tuple[float, int]:
    """Return pgbench's transactions a second, and their number."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(text.format(wallets=PGBENCH_WALLETS))
        script.flush()
        done = subprocess.run(
            [str(programs() / "pgbench"), "--no-vacuum", "--protocol=prepared", f"--client={CLIENTS}", "--jobs=2",
             f"--time={max(1, round(seconds))}", f"--file={script.name}", bench.superuser_url],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    rate = re.search(r"tps = ([0-9.]+)", done.stdout)
    count = re.search(r"transactions actually processed: ([0-9]+)", done.stdout)
    assert rate is not None
    assert count is not None
    return float(rate.group(1)), int(count.group(1))
