"""Searches answers, tables, Redis and logs for secrets."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import redis
from django.contrib.sessions.models import Session
from django.db import connections
from psycopg import sql

from apps.fairness.models import SeedPair
from apps.fairness.services import server_seed_open
from tests.attack.attack_clients import HOUSE, RIVIERA, AttackClients
from tests.attack.client import RecordedAnswer
from tests.attack.deployment import Deployment
from tests.attack.needles import Needles, leaks
from tests.attack.report import Part

CLOCKS_S: Final = 0.001
SEED: Final = "server seed"
TOKEN: Final = "id of a game session"
COOKIE: Final = "cookie of a browser's session"
KEY: Final = "API key"
OWN_WORDS: Final = {"token hash", "key hash", "password hash"}
REFERENCE: Final = re.compile(rb"\b(?:rv|hs)-[0-9a-f]{16}\b")
OF_PARTNERS: Final = re.compile(rb"[A-Z]+ /admin/partners/")
KEPT: Final = {
    ("game_session.token_hash", "token hash"),
    ("api_key.key_hash", "key hash"),
    ("account_user.password", "password hash"),
    ("django_session.session_key", COOKIE),
    ("usersessions_usersession.session_key", COOKIE),
    ("django_session.session_data", TOKEN),
}
"""The columns that may hold a secret or its hash (docs/security.md, "Secrets")."""
SESSIONS: Final = b"django.contrib.sessions"
"""Part of the Redis keys of browser sessions."""
_COLUMNS: Final = """
    SELECT c.relname, a.attname, format_type(a.atttypid, -1)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        AND format_type(a.atttypid, -1) ~ '^(text|character|json|bytea|uuid)'
"""


class Search:
    """The secrets so far, and the clients that may see each."""

    def __init__(self, clients: AttackClients) -> None:
        self.clients = clients
        self._partners = {HOUSE: HOUSE, "house-staff": HOUSE, RIVIERA: RIVIERA, "riviera-staff": RIVIERA}

    def answers_check(self, part: Part) -> int:
        """Search the answers since the last call; return their number."""
        needles, due = self._needles()
        heard = self.clients.recorder.take()
        owners = self._owners()
        for said in heard:
            for fault in self._faults(said, needles, due, owners):
                part.fault(f"{fault} was told to {_short(said.who)}, who asked {said.asked[:160]!r}")
        return len(heard)

    def stores_check(self, part: Part) -> None:
        """Search every column, all of Redis and every log."""
        needles, _ = self._needles()
        for where, data in tables(self.clients.deployment):
            part.attempt_add("column searched")
            for fault in leaks(needles, {where: data}, lambda kind, _, where=where: (where, kind) in KEPT):
                part.fault(fault)
        for text in sessions():
            part.attempt_add("session searched")
            for fault in leaks(needles, {"a browser's session": text}, lambda kind, _: kind in (TOKEN, COOKIE)):
                part.fault(fault)
        for name, data in redis_texts(self.clients.deployment):
            part.attempt_add("key of Redis searched")
            may_hold = {TOKEN, COOKIE} if SESSIONS in name else set()
            text = {f"Redis, {name[:60]!r}": name + b"\n" + data}
            for fault in leaks(needles, text, lambda kind, _, may_hold=may_hold: kind in may_hold):
                part.fault(fault)
        for name, text in logs(self.clients.deployment).items():
            part.attempt_add("log searched")
            for fault in leaks(needles, {f"the log of {name}": text}):
                part.fault(fault)

    def _needles(self) -> tuple[Needles, dict[bytes, float]]:
        """Return the secrets, and the time from which on each server seed is public."""
        connections.close_all()
        needles = Needles()
        due: dict[bytes, float] = {}
        for pair in SeedPair.objects.all().iterator():
            seed = server_seed_open(pair)
            if pair.revealed_at is None:
                needles.add(SEED, seed)
            else:
                due[seed.encode()] = pair.revealed_at.timestamp()
        for name in ("SECRET_KEY", "PUNTO_SEED_KEY", "PUNTO_SEAL_KEY", "PUNTO_SIGN_KEYS"):
            needles.add(name, self.clients.deployment.environment[name])
        for token in list(self.clients.tokens):
            needles.add(TOKEN, token)
            needles.hashed("token hash", token)
        for key in self.clients.keys.values():
            needles.add(KEY, key)
            needles.hashed("key hash", key)
        for password in self.clients.passwords:
            needles.add("password", password)
        for browser in self.clients.browsers:
            if "sessionid" in browser.cookies:
                needles.add(COOKIE, browser.cookies["sessionid"])
        return needles, due

    def _owners(self) -> dict[bytes, set[str]]:
        owners = {token.encode(): who for token, who in self.clients.tokens.items()}
        for browser in self.clients.browsers:
            owners.setdefault(browser.cookies.get("sessionid", "").encode(), set()).add(browser.who)
        return owners

    def _faults(
        self, said: RecordedAnswer, needles: Needles, due: dict[bytes, float], owners: dict[bytes, set[str]]
    ) -> Iterator[str]:
        for kind, secret in needles.found(said.said):
            is_own = kind in (TOKEN, COOKIE) and said.who in owners.get(secret, ())
            if not is_own and (secret not in said.asked or kind in OWN_WORDS):
                yield kind
        for seed, at in due.items():
            if said.at < at - CLOCKS_S and seed in said.said and seed not in said.asked:
                yield "server seed before it was revealed"
        yield from self._foreign(said)
        if said.asked == b"frame":
            yield from frame_faults(json.loads(said.said))

    def _foreign(self, said: RecordedAnswer) -> Iterator[str]:
        """Yield a fault for each answer to one partner that names a player of another."""
        partner = self._partners.get(said.who) or (HOUSE if said.who.startswith("hs-") else None)
        if partner is None:
            return
        ours = b"hs-" if partner == HOUSE else b"rv-"
        named = self.clients.recorder.named[partner]
        named.update(REFERENCE.findall(said.asked))
        # The back office shows a partner the last requests of its API keys, as they were sent.
        sent = named if OF_PARTNERS.match(said.asked) else ()
        for match in REFERENCE.finditer(said.said):
            if not match[0].startswith(ours) and match[0] not in said.asked and match[0] not in sent:
                yield f"a player of another partner ({match[0].decode()})"


def frame_faults(message: dict[str, Any]) -> Iterator[str]:
    """Yield the cards that a frame shows too early: more than the upcard while the player acts."""
    data = message.get("data", {})
    if data.get("handOwner") == "Player" and not (message.get("roundEnded") or data.get("roundEnded")):
        shown = data.get("dealerHand", {}).get("cards", [])
        if len(shown) > 1:
            yield f"the dealer's {len(shown)} cards during the player's turn"


def tables(deployment: Deployment) -> Iterator[tuple[str, bytes]]:
    """Yield the name and all values of every column that holds text or bytes."""
    with deployment.database() as link:
        for table, column, kind in link.execute(_COLUMNS).fetchall():
            value = sql.SQL("{}" if kind == "bytea" else "convert_to({}::text, 'UTF8')").format(sql.Identifier(column))
            query = sql.SQL("SELECT string_agg({}, '\\x0a') FROM {}").format(value, sql.Identifier(table))
            (data,) = link.execute(query).fetchall()[0]
            yield f"{table}.{column}", data or b""


def sessions() -> Iterator[bytes]:
    """Yield the unpacked data of each browser session."""
    for row in Session.objects.all().iterator():
        yield json.dumps(row.get_decoded()).encode()


def redis_texts(deployment: Deployment) -> Iterator[tuple[bytes, bytes]]:
    """Yield every key of every Redis database with its values."""
    with redis.Redis.from_url(deployment.redis.url) as counting:
        databases = [int(name[2:]) for name in counting.info("keyspace")]
    for number in databases:
        with redis.Redis.from_url(f"{deployment.redis.url}?db={number}") as link:
            for key in link.scan_iter(count=1000):
                yield key, b"\n".join(_values(link, key))


def logs(deployment: Deployment) -> dict[str, bytes]:
    """Return the logs of the programs and of PostgreSQL."""
    texts = {name: text.encode() for name, text in deployment.logs().items()}
    return texts | {path.name: path.read_bytes() for path in deployment.postgres.data_dir.logs.iterdir()}


def _values(link: Any, key: bytes) -> Iterator[bytes]:
    match link.type(key):
        case b"string":
            yield link.get(key) or b""
        case b"list":
            yield from link.lrange(key, 0, -1)
        case b"set":
            yield from link.smembers(key)
        case b"zset":
            yield from link.zrange(key, 0, -1)
        case b"hash":
            for name, value in link.hgetall(key).items():
                yield name + b"=" + value
        case b"stream":
            for number, fields in link.xrange(key):
                yield number + b" " + b" ".join(name + b"=" + value for name, value in fields.items())
        case _:
            yield b""


def _short(who: str) -> str:
    return who if len(who) < 36 else "a player"
