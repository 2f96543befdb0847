"""HTTP: every operation of the OpenAPI document, every address, and malformed bytes.

A refused request must change nothing, and every answer must be documented.
"""

import random
import re
import time
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from tests.attack.addresses import Address, addresses, ids_of
from tests.attack.answers import OF_PAGES, OF_SERVERS, answer_faults
from tests.attack.attack_clients import BACCARAT, BLACKJACK, HOUSE, RIVIERA, AttackClients, Guest
from tests.attack.client import FORM, JSON, Browser, Caller, NoAnswer, address_new, raw_answer
from tests.attack.fingerprint import Fingerprint
from tests.attack.raw_requests import RAW
from tests.attack.report import Part
from tests.attack.values import ODD_JSON, TEXTS, mutated, written

CASES_OF_AN_OPERATION: Final = 14
CASES_OF_A_ROLE: Final = 90
METHODS: Final = ("GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
MAY_WRITE: Final = frozenset({"operator", "riviera-staff"})
MAX_PAUSE_S: Final = 5
"""The longest `Retry-After` that is waited for."""
WRITES_WHEN_READ: Final = re.compile(
    r"^/(accounts|launch)/|^/admin/.*/(export|print|bundle|csv|xlsx|jsonl|kept/\d+)(/|$|\?)"
)
"""Log-ins begin sessions, and each export is an audit entry."""
NOT_POSTED: Final = re.compile(r"/accounts/|/admin/(partners|accounts)/(?!.*/add)")
"""Form fields that are left alone: a change would invalidate the log-ins and keys of the clients."""


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Send all the cases in a row."""
    with clients.deployment.without_schedule(), closing(Fingerprint(clients.deployment)) as tables:
        fuzz = Fuzz(clients, part, chance, tables)
        for operation in operations(clients):
            for _ in range(max(2, round(CASES_OF_AN_OPERATION * scale))):
                fuzz.operation(operation)
        pages = list(addresses())
        for who in ("visitor", "member", "riviera-staff", "auditor", "operator"):
            for _ in range(max(5, round(CASES_OF_A_ROLE * scale))):
                fuzz.address(who, chance.choice(pages))
    for name, data in RAW.items():
        for server in (clients.deployment.web[0], clients.deployment.sockets[0]):
            raw_request(clients, part, name, data, server.port)


class Operation(NamedTuple):
    """One operation of the OpenAPI document."""

    method: str
    path: str
    parameters: list[dict[str, Any]]
    body: Any
    """A valid body, or None."""


class Request(NamedTuple):
    """One request, and its name in faults."""

    name: str
    method: str
    path: str
    body: bytes | None
    headers: dict[str, str]

    @property
    def only_reads(self) -> bool:
        return self.method in ("GET", "HEAD", "OPTIONS") and not WRITES_WHEN_READ.search(self.path)

    def __str__(self) -> str:
        return f"{self.name}: {self.method} {self.path[:120]} {(self.body or b'')[:120]!r}"


def request_send(part: Part, tables: Fingerprint, caller: Caller, request: Request) -> None:
    """Send a request; check that the answer is documented and that a refusal changed no table."""
    caller.address = address_new()
    tables.remember()
    sent = (request.method, request.path, request.body, request.headers)
    try:
        answer = caller.call(*sent)
        # Each key has a rate limit: the case is sent again a second later. The page for guests of a full network always
        # answers 429, and asks to wait for an hour.
        pause_s = float(answer.header("Retry-After") or 1)
        if answer.status == 429 and pause_s <= MAX_PAUSE_S:
            time.sleep(pause_s)
            answer = caller.call(*sent)
    except NoAnswer as error:
        part.attempt_add("no answer")
        part.fault(f"{request}: {error}")
        return
    part.attempt_add(str(answer.status))
    for fault in answer_faults(request.method, request.path, answer):
        part.fault(f"{request}: {fault}")
    if answer.status < 400 and not request.only_reads:
        tables.forget()
        return
    changed = tables.changed()
    part.expect(not changed, f"{request}: {answer.status}, and it changed {', '.join(changed)}")


class Fuzz:
    """What the cases share: players of two partners, and the tables' digests."""

    def __init__(self, clients: AttackClients, part: Part, chance: random.Random, tables: Fingerprint) -> None:
        self.clients, self.part, self.chance, self.tables = clients, part, chance, tables
        self.guests = {RIVIERA: clients.guest("50"), HOUSE: clients.guest("50", partner=HOUSE)}
        self.tokens = {
            slug: {game: clients.session(guest, game) for game in (BACCARAT, BLACKJACK)}
            for slug, guest in self.guests.items()
        }
        self.browsers: dict[str, Browser] = {"visitor": clients.visitor(), "member": clients.member(), **clients.staff}
        self.config_id = config_ids(clients)
        # The first use of a session keeps its address, whatever it is: no case may be the first.
        bets = {
            slug: clients.player(tokens[BACCARAT]).post_with_retries(
                "/api/game/baccarat/bet", {"game_type": 1, "bet_amount": 1}
            )
            for slug, tokens in self.tokens.items()
        }
        self.round_id = bets[RIVIERA].json()["round_id"]
        for tokens in self.tokens.values():
            clients.player(tokens[BLACKJACK]).get(
                f"/v1/games/configs?game_id={BLACKJACK}&game_session_id={tokens[BLACKJACK]}"
            )

    def operation(self, operation: Operation) -> None:
        """Make one call of the document, more often than not with an odd value."""
        caller, slug = self._credential(operation)
        headers = {"Content-Type": self.chance.choice([JSON, JSON, JSON, FORM, "text/plain", "multipart/form-data"])}
        if "wallets" in operation.path and self.chance.random() < 0.9:
            headers["Idempotency-Key"] = self.chance.choice(["k-1", "k" * 200, "k 2", f"k-{self.chance.random()}"])
        body = None
        if operation.body is not None:
            known = known_put(operation.body, self._known(slug, operation.path))
            odd = mutated(known, self.chance) if self.chance.random() < 0.8 else known
            body = self.chance.choice(ODD_JSON) if self.chance.random() < 0.15 else written(odd)
        path = self._path(operation, slug)
        method = operation.method if self.chance.random() < 0.9 else self.chance.choice(METHODS)
        request_send(self.part, self.tables, caller, Request(operation.path, method, path, body, headers))

    def address(self, who: str, address: Address) -> None:
        """Request one address as a random client, with a random method and id."""
        browser = self.browsers[who]
        path = address.filled(lambda kind: self._id(kind, address))
        if self.chance.random() < 0.2:
            query = {self.chance.choice(["p", "q", "page", "game", "next", "_popup"]): self.chance.choice(TEXTS)}
            path += f"?{urlencode(query, errors='replace')}"
        method = self.chance.choice(METHODS)
        if "logout" in path or "/leave/" in path:
            return  # credentials and log-ins stay as they are
        if who != "visitor" and path.startswith("/accounts/") and method == "POST":
            method = "GET"
        headers, body = {}, None
        if method not in ("GET", "HEAD", "OPTIONS"):
            may_fill_in = who not in MAY_WRITE or not NOT_POSTED.search(path)
            body = self._form(browser, path, is_valid=may_fill_in and self.chance.random() < 0.7)
            headers = {"Content-Type": FORM}
        request_send(
            self.part, self.tables, browser, Request(f"{who}: {address.template}", method, path, body, headers)
        )

    def _credential(self, operation: Operation) -> tuple[Caller, str]:
        slug = self.chance.choice([RIVIERA, RIVIERA, RIVIERA, HOUSE])
        if self.chance.random() < 0.1:
            wrong = self.chance.choice(["", "x", "punto_" + "a" * 43, "é", " ", "a" * 5000, "\x7f"])
            return Caller(self.clients.recorder, "anybody", self.clients.deployment.ports, quote(wrong)), slug
        if operation.path.startswith("/api/game/baccarat/bet"):
            token = self.tokens[slug][BACCARAT]
            return self.clients.player(token), slug
        return self.clients.systems[slug].at(self.chance.choice(self.clients.deployment.ports)), slug

    def _known(self, slug: str, path: str) -> dict[str, Any]:
        guest: Guest = self.guests[slug if self.chance.random() < 0.9 else HOUSE]
        game = BLACKJACK if "configs" in path or "blackjack" in path else BACCARAT
        return {
            "player": guest.reference, "reference": self.guests[slug].reference,
            "currency": "EUR" if "configs" in path else "FUN",
            "game_id": self.chance.choice([BACCARAT, BLACKJACK]), "baccarat_config_id": self.config_id[slug],
            "game_session_id": self.tokens[slug][game], "round_id": self.round_id,
            "transaction_id": f"t-{self.chance.random()}",
        }  # fmt: skip

    def _path(self, operation: Operation, slug: str) -> str:
        known = self._known(slug, operation.path)
        path, query = operation.path, {}
        for parameter in operation.parameters:
            name = parameter["name"]
            value = str(known.get(name, "1"))
            if self.chance.random() < 0.15:
                value = self.chance.choice(TEXTS)
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(value.encode(errors="replace"), safe="") or "-")
            elif parameter["in"] == "query" and (parameter.get("required") or self.chance.random() < 0.4):
                query[name] = value
        return path + (f"?{urlencode(query, errors='replace')}" if query else "")

    def _id(self, kind: str, address: Address) -> str:
        if self.chance.random() < 0.75:
            found = ids_of(self.clients.deployment, address)
            if found:
                return self.chance.choice(found)
        if kind == "uuid":
            return "00000000-0000-4000-8000-000000000000"
        return quote(self.chance.choice([text for text in TEXTS if text]).encode(errors="replace"), safe="")

    def _form(self, browser: Browser, path: str, *, is_valid: bool) -> bytes:
        """Return the fields that the page's form sends, more often than not with one odd value, or a form without a
        CSRF token."""
        if not is_valid:
            token = self.chance.choice(["", "x" * 64, LOOKS_LIKE_A_TOKEN])
            return urlencode({"csrfmiddlewaretoken": token}).encode()
        fields = form_fields(browser.get(path).text, self.chance)
        self.tables.forget()  # to read the page may be an export, which is written into the audit
        for name in self.chance.sample(sorted(fields), min(len(fields), self.chance.choice([0, 1, 1, 2]))):
            fields[name] = self.chance.choice(TEXTS)
        fields["csrfmiddlewaretoken"] = browser.cookies.get("csrftoken", "")
        return urlencode(fields, errors="replace").encode()


LOOKS_LIKE_A_TOKEN: Final = "a" * 32


def form_fields(page: str, chance: random.Random) -> dict[str, str]:
    """Return the fields of a page's forms, each with its value or a possible one."""
    fields = {}
    for attributes in re.findall(r"<input([^>]*)>", page):
        named = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
        if "name" in named:
            fields[named["name"]] = unescape(named.get("value") or chance.choice(["1", "2.5", "a word", "2026-01-31"]))
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        values = re.findall(r'<option[^>]* value="([^"]*)"', options) or [""]
        fields[name] = unescape(chance.choice(values))
    for name in re.findall(r'<textarea[^>]* name="([^"]+)"', page):
        fields[name] = "a reason"
    return fields


def operations(clients: AttackClients) -> Iterator[Operation]:
    """Yield every operation of the document with a body that it may accept."""
    document = clients.visitor().get("/api/schema/?format=json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody")
            yield Operation(
                method.upper(),
                path,
                [*operation.get("parameters", []), *methods.get("parameters", [])],
                None if body is None else example_of(body["content"]["application/json"], document),
            )


def example_of(content: dict[str, Any], document: dict[str, Any]) -> Any:
    """Return the document's example of a body, or one made from the schema."""
    for example in content.get("examples", {}).values():
        return example["value"]
    return made_from(content["schema"], document)


def made_from(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    """Return a value that the schema allows."""
    if "$ref" in schema:
        return made_from(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            return made_from(schema[name][0], document)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: made_from(part, document) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [made_from(schema["items"], document)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return schema.get("examples", ["1"])[0]


def known_put(body: Any, known: dict[str, Any]) -> Any:
    """Return the body with existing references in the place of the example's."""
    if isinstance(body, dict):
        return {name: known.get(name, known_put(value, known)) for name, value in body.items()}
    return [known_put(part, known) for part in body] if isinstance(body, list) else body


def config_ids(clients: AttackClients) -> dict[str, int]:
    """Return the id of each partner's limits in a currency that no other part plays in, if there are any."""
    found = {}
    for slug in (RIVIERA, HOUSE):
        rows = clients.systems[slug].get("/api/game/baccarat_config").json()
        found[slug] = next((int(row["id"]) for row in rows if row["currency"] != "FUN"), 0)
    return found


def raw_request(clients: AttackClients, part: Part, name: str, data: bytes, port: int) -> None:
    """Send malformed bytes, and check that the server still answers."""
    status, came = raw_answer(port, data.replace(b"@HOST@", f"127.0.0.1:{port}".encode()))
    clients.recorder.add("anybody", data, came)
    part.attempt_add(f"raw: {status or 'closed'}")
    part.expect(status in OF_PAGES | OF_SERVERS, f"raw, {name}: {status} {came[:200]!r}")
    part.expect(b"root:" not in came and b"SECRET_KEY" not in came, f"raw, {name}: a file's content is answered")
    health = Caller(clients.recorder, "anybody", [port]).get("/healthz")
    part.expect(health.status == 200, f"raw, {name}: afterwards the server answers {health.status}")
