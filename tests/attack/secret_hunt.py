"""Secrets: searches answers, logs and stores for them, and asks every page for the cards of open rounds."""

import random
import secrets
from collections.abc import Iterator
from typing import Final

from django.contrib.sessions.backends.cached_db import SessionStore

from tests.attack.attack_clients import BACCARAT, BLACKJACK, RIVIERA, AttackClients
from tests.attack.cards import round_secret, shows_hole, shows_shoe
from tests.attack.client import Caller, address_new
from tests.attack.report import Part
from tests.attack.search import Search, logs, redis_texts, tables
from tests.attack.seats import Seat, seat_at, seated

OPEN_ROUNDS: Final = 3
LISTS: Final = ("rounds/round", "rounds/gamesession", "fairness/seedpair", "partners/apikey", "accounts/user")


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Ask for hidden cards, send credentials to the wrong places, and search everything."""
    for _ in range(max(1, round(OPEN_ROUNDS * scale))):
        open_round_asked_for(clients, part)
    credentials_misplaced(clients, part, chance)
    request_kept(clients, part)
    search = Search(clients)
    search.answers_check(part)
    search.stores_check(part)


def open_round_asked_for(clients: AttackClients, part: Part) -> None:
    """Check each text about an open round for the cards that it must not show."""
    guest, token = seated(clients)
    with seat_at(clients, clients.deployment.sockets[0], token) as seat:
        answer = seat.act_with_retries("Bet")
        if answer["data"].get("roundEnded"):
            part.attempt_add("ended with the deal")
            return
        secret = round_secret(answer["roundId"])
        for where, text in _texts_of(clients, seat, token, answer["roundId"]):
            part.attempt_add("text of an open round")
            part.expect(not shows_hole(text, secret), f"the hole card is in {where}")
            part.expect(not shows_shoe(text, secret), f"the cards ahead are in {where}")
        for where, text in _everything(clients):
            part.expect(not shows_shoe(text, secret), f"the cards ahead are in {where}")
        while names := seat.next_actions():
            seat.act_with_retries(next(name for name in ("Peek", "Stand", "Hit") if name in names))
    part.expect(clients.balance(guest) >= 0, "a balance below zero")


def _texts_of(clients: AttackClients, seat: Seat, token: str, round_id: str) -> Iterator[tuple[str, str]]:
    """Yield every text about this round that any client can get."""
    yield "the frame RoundState", str(seat.send("RoundState")).replace("'", '"')
    player = clients.player(token)
    window = clients.visitor(token)
    window.get(f"/launch/?game_session_id={token}")
    for path in (
        f"/v1/games/{BLACKJACK}/rounds/{round_id}?game_session_id={token}",
        f"/v1/games/{BACCARAT}/rounds/{round_id}?game_session_id={token}",
    ):
        yield path, player.get(path).text
    body = {"game_session_id": token, "round_id": round_id}
    yield "a verification", player.post(f"/v1/games/{BLACKJACK}/verify/{token}", body).text
    for path in ("/play/blackjack/", "/play/blackjack/table", "/play/now", "/history/", f"/history/{round_id}/"):
        yield path, window.get(path).text
    partner = clients.systems[RIVIERA].get("/v1/rounds?limit=1")
    yield "/v1/rounds", partner.text
    for who in ("operator", "auditor", "riviera-staff"):
        for path in (f"/admin/rounds/round/{round_id}/change/", f"/admin/rounds/{round_id}/replay/"):
            yield f"{path} for {who}", clients.staff[who].get(path).text
    with clients.deployment.database() as link:
        for table, column in (("game_round", "id"), ("blackjack_round", "round_id"), ("round_action", "round_id")):
            for row in link.execute(f"SELECT to_jsonb(t)::text FROM {table} t WHERE {column} = %s", [round_id]):
                yield f"the table {table}", row[0]


def _everything(clients: AttackClients) -> Iterator[tuple[str, str]]:
    for name, data in tables(clients.deployment):
        if not name.startswith(("baccarat", "seed_pair")):  # lists of many cards that have been dealt
            yield f"the column {name}", data.decode(errors="replace")
    for key, data in redis_texts(clients.deployment):
        yield f"Redis, {key[:60]!r}", data.decode(errors="replace")
    for name, data in logs(clients.deployment).items():
        yield f"the log of {name}", data.decode(errors="replace")
    for path in LISTS:
        yield path, clients.staff["operator"].get(f"/admin/{path}/").text


def credentials_misplaced(clients: AttackClients, part: Part, chance: random.Random) -> None:
    """Send credentials to wrong places, as users do by mistake: no log may have them."""
    guest = clients.guest("5")
    tokens = [clients.session(guest, BACCARAT), clients.session(guest, BLACKJACK)]
    key, password = clients.keys[RIVIERA], clients.deployment.password
    wrong = f"canary-{secrets.token_hex(12)}"
    clients.passwords.add(wrong)
    visitor = clients.visitor()
    visitor.get("/accounts/login/")
    for username in ("operator", "nobody", "anna@demo.example"):
        part.attempt_add(f"wrong password: {visitor.send('/accounts/login/', login=username, password=wrong).status}")
    anybody = Caller(clients.recorder, "anybody", clients.deployment.ports)
    for secret in (*tokens, key, password):
        for method, path, headers in _misplaced(secret):
            anybody.address = address_new()
            part.attempt_add(f"misplaced: {anybody.call(method, path, None, headers).status}")
    for message in (b"{", b'{"password": "' + wrong.encode() + b'"', b"\xff" + tokens[0].encode()):
        answer = clients.systems[RIVIERA].call("POST", "/v1/players", message, {"Content-Type": "application/json"})
        part.attempt_add(f"broken body: {answer.status}")
    chance.shuffle(tokens)


def request_kept(clients: AttackClients, part: Part) -> None:
    """Post a form hours after the log-in, so that the page asks for the password again. The session stores the request
    meanwhile."""
    browser = clients.member()
    store = SessionStore(browser.cookies["sessionid"])
    store["account_authentication_methods"] = []
    store.save()
    answer = browser.send("/accounts/2fa/totp/activate/", code="1")
    part.attempt_add(f"waiting for the password: {answer.status}")
    waits = answer.header("Location").startswith("/accounts/reauthenticate/")
    part.expect(waits, "a form that must ask for the password again did not")


def _misplaced(secret: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    for path in (
        f"/v1/player/seeds/{secret}", f"/v1/player/balance?game_session_id={secret}&game_id={BACCARAT}",
        f"/launch/?game_session_id={secret}", f"/v1/rounds?api_key={secret}", f"/play/now?token={secret}",
        f"/v1/ws?game_session_id={secret}", f"/v1/games/{BACCARAT}/verify/{secret}",
    ):  # fmt: skip
        yield "GET", path, {}
        yield "POST", path, {}
    for name in ("Authorization", "Cookie", "X-Api-Key", "Idempotency-Key", "Referer"):
        for value in (secret, f"Bearer {secret}", f"Basic {secret}", f"sessionid={secret}"):
            yield "GET", "/v1/rounds", {name: value}
            yield "POST", "/api/game/baccarat/bet", {name: value}
