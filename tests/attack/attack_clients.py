"""The clients of an attack: players, staff of the back office and partners' systems, all created over HTTP."""

import secrets
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from tests.attack.client import Browser, Caller, Recorder
from tests.attack.deployment import Deployment

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


class AttackClients:
    """All clients of one attack. A player's reference begins with its partner: `rv-` or `hs-`."""

    def __init__(self, deployment: Deployment) -> None:
        from apps.office.demo import demo_fill

        self.deployment = deployment
        self.recorder = Recorder()
        ports = [server.port for server in deployment.web]
        demo = demo_fill(password=deployment.password)
        self.keys = {key.partner: key.text or "" for key in demo.keys}
        self.systems = {slug: Caller(self.recorder, slug, ports, key) for slug, key in self.keys.items()}
        self.tokens: dict[str, set[str]] = {}
        """Ids of game sessions. Each has the names of the clients that may see it."""
        self.passwords = {deployment.password}
        self.browsers: list[Browser] = []

    @cached_property
    def staff(self) -> dict[str, Browser]:
        """Browsers that are logged in to the back office."""
        return {name: self.browser(name, self.deployment.password) for name in STAFF}

    def browser(self, username: str, password: str) -> Browser:
        """Return a browser that has logged in."""
        browser = self.visitor(username)
        browser.log_in(username, password)
        return browser

    def visitor(self, who: str = "visitor") -> Browser:
        """Return a browser without a log-in."""
        browser = Browser(self.recorder, who, [server.port for server in self.deployment.web])
        self.browsers.append(browser)
        return browser

    def member(self) -> Browser:
        """Sign up a player at the house and return its browser, whose `who` is the player's reference."""
        name, password = f"hs-{secrets.token_hex(8)}", f"canary-{secrets.token_hex(12)}"
        self.passwords.add(password)
        browser = self.visitor(name)
        browser.get("/accounts/signup/")
        answer = browser.send("/accounts/signup/", username=name, email="", password1=password, password2=password)
        assert answer.status == 302, f"sign-up was refused: {answer.status}"
        return browser

    def guest(self, balance: str = ENOUGH, *, partner: str = RIVIERA, currency: str = "FUN") -> Guest:
        """Return a new player with this balance."""
        guest = Guest(partner, f"{'rv' if partner == RIVIERA else 'hs'}-{secrets.token_hex(8)}", currency)
        made = self.systems[partner].post_with_retries(
            "/v1/players", {"reference": guest.reference, "currency": currency}
        )
        assert made.status == 201, made.text
        if Decimal(balance):
            self.deposit(guest, balance)
        return guest

    def deposit(self, guest: Guest, amount: str) -> None:
        body = {
            "player": guest.reference, "currency": guest.currency, "amount": amount,
            "transaction_id": secrets.token_hex(8),
        }  # fmt: skip
        paid = self.systems[guest.partner].post_with_retries(
            "/v1/wallets/deposit", body, idempotency_key=secrets.token_hex(8)
        )
        assert paid.status == 200, paid.text

    def session(self, guest: Guest, game: str) -> str:
        """Open a game for the player; return the session's id, a credential."""
        body = {"player": guest.reference, "game_id": game, "currency": guest.currency}
        opened = self.systems[guest.partner].post_with_retries("/v1/sessions", body)
        assert opened.status == 201, opened.text
        token: str = opened.json()["game_session_id"]
        self.tokens[token] = {guest.partner, token}
        return token

    def player(self, token: str) -> Caller:
        """Return a client with this session's token at the processes that take bets."""
        return Caller(self.recorder, token, [server.port for server in self.deployment.sockets], token)

    def balance(self, guest: Guest) -> Decimal:
        """Return the balance that the partner's system gets."""
        answer = self.systems[guest.partner].get(f"/v1/wallets/{guest.reference}")
        wallets: list[dict[str, Any]] = answer.json()["wallets"]
        return next(Decimal(wallet["balance"]) for wallet in wallets if wallet["currency"] == guest.currency)
