"""Who plays, who works in the back office, and whose system calls: made over HTTP, as partners make them."""

import secrets
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from tests.attack.client import Browser, Caller, Recorder
from tests.attack.stage import Stage

HOUSE: Final = "house"
RIVIERA: Final = "riviera"
STAFF: Final = ("operator", "auditor", "riviera-staff", "house-staff")
BACCARAT: Final = "og-baccarat"
BLACKJACK: Final = "og-blackjack"
BET: Final = "/api/game/baccarat/bet"
ENOUGH: Final = "100000"


@dataclass(frozen=True, slots=True)
class Guest:
    """A partner's player."""

    partner: str
    reference: str
    currency: str


class Cast:
    """Everybody. References of players tell their partner: `rv-...` and `hs-...`."""

    def __init__(self, stage: Stage) -> None:
        from apps.office.demo import demo_fill

        self.stage = stage
        self.recorder = Recorder()
        ports = [server.port for server in stage.web]
        demo = demo_fill(password=stage.password)
        self.keys = {key.partner: key.text or "" for key in demo.keys}
        self.systems = {slug: Caller(self.recorder, slug, ports, key) for slug, key in self.keys.items()}
        self.tokens: dict[str, set[str]] = {}
        """Ids of game sessions, each with those who may see it."""
        self.passwords = {stage.password}
        self.browsers: list[Browser] = []

    @cached_property
    def staff(self) -> dict[str, Browser]:
        """Browsers of the back office, logged in."""
        return {name: self.browser(name, self.stage.password) for name in STAFF}

    def browser(self, username: str, password: str) -> Browser:
        """Return a browser that has logged in."""
        browser = self.visitor(username)
        browser.log_in(username, password)
        return browser

    def visitor(self, who: str = "visitor") -> Browser:
        """Return a browser of nobody's."""
        browser = Browser(self.recorder, who, [server.port for server in self.stage.web])
        self.browsers.append(browser)
        return browser

    def member(self) -> Browser:
        """Return the browser of somebody who has just signed up at the house. Its `who` is the player's reference."""
        name, password = f"hs-{secrets.token_hex(8)}", f"canary-{secrets.token_hex(12)}"
        self.passwords.add(password)
        browser = self.visitor(name)
        browser.get("/accounts/signup/")
        answer = browser.send("/accounts/signup/", username=name, email="", password1=password, password2=password)
        assert answer.status == 302, f"nobody can sign up: {answer.status}"
        return browser

    def guest(self, balance: str = ENOUGH, *, partner: str = RIVIERA, currency: str = "FUN") -> Guest:
        """Return a new player who holds that much."""
        guest = Guest(partner, f"{'rv' if partner == RIVIERA else 'hs'}-{secrets.token_hex(8)}", currency)
        made = self.systems[partner].patiently("/v1/players", {"reference": guest.reference, "currency": currency})
        assert made.status == 201, made.text
        if Decimal(balance):
            self.deposit(guest, balance)
        return guest

    def deposit(self, guest: Guest, amount: str) -> None:
        body = {
            "player": guest.reference, "currency": guest.currency, "amount": amount,
            "transaction_id": secrets.token_hex(8),
        }  # fmt: skip
        paid = self.systems[guest.partner].patiently("/v1/wallets/deposit", body, idempotency_key=secrets.token_hex(8))
        assert paid.status == 200, paid.text

    def session(self, guest: Guest, game: str) -> str:
        """Open a game for the player; return the session's id, a credential."""
        body = {"player": guest.reference, "game_id": game, "currency": guest.currency}
        opened = self.systems[guest.partner].patiently("/v1/sessions", body)
        assert opened.status == 201, opened.text
        token: str = opened.json()["game_session_id"]
        self.tokens[token] = {guest.partner, token}
        return token

    def player(self, token: str) -> Caller:
        """Return the client of the player whose session it is, at the processes that take bets."""
        return Caller(self.recorder, token, [server.port for server in self.stage.sockets], token)

    def balance(self, guest: Guest) -> Decimal:
        """Return what the partner's system is told."""
        answer = self.systems[guest.partner].get(f"/v1/wallets/{guest.reference}")
        wallets: list[dict[str, Any]] = answer.json()["wallets"]
        return next(Decimal(wallet["balance"]) for wallet in wallets if wallet["currency"] == guest.currency)
