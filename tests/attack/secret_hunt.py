"""Secrets: what was said, written and kept is searched for them, and cards of open rounds are asked for everywhere."""

import random
import secrets
from collections.abc import Iterator
from typing import Final

from django.contrib.sessions.backends.cached_db import SessionStore

from tests.attack.cards import round_secret, shows_hole, shows_shoe
from tests.attack.cast import BACCARAT, BLACKJACK, RIVIERA, Cast
from tests.attack.client import Caller, address_new
from tests.attack.report import Part
from tests.attack.search import Search, logs, redis_texts, tables
from tests.attack.seats import Seat, seat_at, seated

OPEN_ROUNDS: Final = 3
LISTS: Final = ("rounds/round", "rounds/gamesession", "fairness/seedpair", "partners/apikey", "accounts/user")


def run(cast: Cast, part: Part, chance: random.Random, scale: float) -> None:
    """Ask for what nobody may know, misplace credentials, and search everything."""
    for _ in range(max(1, round(OPEN_ROUNDS * scale))):
        open_round_asked_for(cast, part)
    credentials_misplaced(cast, part, chance)
    request_kept(cast, part)
    search = Search(cast)
    search.answers_check(part)
    search.stores_check(part)


def open_round_asked_for(cast: Cast, part: Part) -> None:
    """Hold each text that there is of an open round against the cards that it must not show."""
    guest, token = seated(cast)
    with seat_at(cast, cast.stage.sockets[0], token) as seat:
        answer = seat.act_patiently("Bet")
        if answer["data"].get("roundEnded"):
            part.saw("ended with the deal")
            return
        secret = round_secret(answer["roundId"])
        for where, text in _texts_of(cast, seat, token, answer["roundId"]):
            part.saw("text of an open round")
            part.expect(not shows_hole(text, secret), f"the hole card is in {where}")
            part.expect(not shows_shoe(text, secret), f"the cards ahead are in {where}")
        for where, text in _everything(cast):
            part.expect(not shows_shoe(text, secret), f"the cards ahead are in {where}")
        while names := seat.next_actions():
            seat.act_patiently(next(name for name in ("Peek", "Stand", "Hit") if name in names))
    part.expect(cast.balance(guest) >= 0, "a balance below zero")


def _texts_of(cast: Cast, seat: Seat, token: str, round_id: str) -> Iterator[tuple[str, str]]:
    """Yield every text about this round that anybody may have."""
    yield "the frame RoundState", str(seat.send("RoundState")).replace("'", '"')
    player = cast.player(token)
    window = cast.visitor(token)
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
    partner = cast.systems[RIVIERA].get("/v1/rounds?limit=1")
    yield "/v1/rounds", partner.text
    for who in ("operator", "auditor", "riviera-staff"):
        for path in (f"/admin/rounds/round/{round_id}/change/", f"/admin/rounds/{round_id}/replay/"):
            yield f"{path} for {who}", cast.staff[who].get(path).text
    with cast.stage.database() as link:
        for table, column in (("game_round", "id"), ("blackjack_round", "round_id"), ("round_action", "round_id")):
            for row in link.execute(f"SELECT to_jsonb(t)::text FROM {table} t WHERE {column} = %s", [round_id]):
                yield f"the table {table}", row[0]


def _everything(cast: Cast) -> Iterator[tuple[str, str]]:
    for name, data in tables(cast.stage):
        if not name.startswith(("baccarat", "seed_pair")):  # long lists of cards that have been dealt
            yield f"the column {name}", data.decode(errors="replace")
    for key, data in redis_texts(cast.stage):
        yield f"Redis, {key[:60]!r}", data.decode(errors="replace")
    for name, data in logs(cast.stage).items():
        yield f"the log of {name}", data.decode(errors="replace")
    for path in LISTS:
        yield path, cast.staff["operator"].get(f"/admin/{path}/").text


def credentials_misplaced(cast: Cast, part: Part, chance: random.Random) -> None:
    """Send credentials where they do not belong, as people do: no log may have them."""
    guest = cast.guest("5")
    tokens = [cast.session(guest, BACCARAT), cast.session(guest, BLACKJACK)]
    key, password = cast.keys[RIVIERA], cast.stage.password
    wrong = f"canary-{secrets.token_hex(12)}"
    cast.passwords.add(wrong)
    visitor = cast.visitor()
    visitor.get("/accounts/login/")
    for username in ("operator", "nobody", "anna@demo.example"):
        part.saw(f"wrong password: {visitor.send('/accounts/login/', login=username, password=wrong).status}")
    anybody = Caller(cast.recorder, "anybody", cast.stage.ports)
    for secret in (*tokens, key, password):
        for method, path, headers in _misplaced(secret):
            anybody.address = address_new()
            part.saw(f"misplaced: {anybody.call(method, path, None, headers).status}")
    for message in (b"{", b'{"password": "' + wrong.encode() + b'"', b"\xff" + tokens[0].encode()):
        answer = cast.systems[RIVIERA].call("POST", "/v1/players", message, {"Content-Type": "application/json"})
        part.saw(f"broken body: {answer.status}")
    chance.shuffle(tokens)


def request_kept(cast: Cast, part: Part) -> None:
    """Post a form that waits for the password again, as hours after a log-in: the request is kept meanwhile."""
    browser = cast.member()
    store = SessionStore(browser.cookies["sessionid"])
    store["account_authentication_methods"] = []
    store.save()
    answer = browser.send("/accounts/2fa/totp/activate/", code="1")
    part.saw(f"waiting for the password: {answer.status}")
    waits = answer.header("Location").startswith("/accounts/reauthenticate/")
    part.expect(waits, "a form that asks for the password again did not")


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
