"""The demo's data: two partners, their people, players with play money, limits, odds and API keys.

Each step creates only what is missing, so a second run changes nothing and completes an interrupted one. Only the run
that creates an API key knows its text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.db import transaction

from apps.accounts.models import Player, Role, User
from apps.partners.models import ApiKey, Partner, Scope
from apps.partners.services import api_key_create
from apps.rounds.game_spec import DemoOffer
from apps.rounds.registry import games
from apps.rounds.services import player_open
from apps.rounds.table_game import GameModel
from apps.tables.models import GameTable
from apps.tables.registry import table_games
from apps.tables.table_creation import RoomOptions, partner_table_create
from apps.wallet.models import Wallet
from apps.wallet.services import wallet_deposit

ACTOR: Final = "demo"
KEY_NAME: Final = "demo"
MIN_BET: Final = Decimal(1)
MAX_BET: Final = Decimal(1000)


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """A user; all have the demo's password."""

    username: str
    role: Role
    partner: str | None = None


@dataclass(frozen=True, slots=True)
class DemoPlayer:
    """A player with balances."""

    partner: str
    reference: str
    currency: str
    balance: Decimal


@dataclass(frozen=True, slots=True)
class DemoKey:
    """An API key; `text` is None if an earlier run created it."""

    partner: str
    prefix: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Demo:
    """Everything that a run created or found."""

    logins: tuple[DemoLogin, ...]
    players: tuple[DemoPlayer, ...]
    keys: tuple[DemoKey, ...]


HOUSE: Final = "house"
RIVIERA: Final = "riviera"
LOGINS: Final = (
    DemoLogin("anna", Role.PLAYER, HOUSE),
    DemoLogin("ben", Role.PLAYER, HOUSE),
    DemoLogin("house-staff", Role.PARTNER_STAFF, HOUSE),
    DemoLogin("riviera-staff", Role.PARTNER_STAFF, RIVIERA),
    DemoLogin("auditor", Role.AUDITOR),
    DemoLogin("operator", Role.OPERATOR),
)
GUESTS: Final = (
    DemoPlayer(RIVIERA, "guest-1", "FUN", Decimal(1000)),
    DemoPlayer(RIVIERA, "guest-2", "FUN", Decimal(1000)),
    DemoPlayer(RIVIERA, "guest-3", "EUR", Decimal(500)),
)
"""Players of the second partner, who use a launch link and have no login."""

OFFERS: Final = ((HOUSE, "FUN"), (RIVIERA, "FUN"), (RIVIERA, "EUR"))
"""The partners that offer the games, with their currencies."""


def demo_tables() -> Iterator[tuple[str, RoomOptions]]:
    """Yield the live tables. Practice bots sit at those of the house (`manage.py table_bots`).

    If players of a game take turns, the house has two more: for points, and one where all act at once.
    """
    for name, game in table_games().items():
        yield HOUSE, RoomOptions(game_type=name, currency_code="FUN", name=f"{game.title} for play money", seats=5)
        yield RIVIERA, RoomOptions(game_type=name, currency_code="EUR", name=f"Riviera {game.title.lower()}", seats=5)
        if game.model is GameModel.TURN_BASED:
            yield HOUSE, RoomOptions(game_type=name, currency_code=None, name=f"{game.title} for points")
            speed = {"speed": True}
            yield (
                HOUSE,
                RoomOptions(game_type=name, currency_code=None, name=f"Speed {game.title.lower()}", rules=speed),
            )


def demo_fill(*, password: str) -> Demo:
    """Create the missing parts of the demo and return all of it."""
    partners = {
        HOUSE: _partner(HOUSE, "Punto House", is_house=True),
        RIVIERA: _partner(RIVIERA, "Casino Riviera", is_house=False),
    }

    @cache
    def password_hash() -> str:
        """One for all, since each takes a quarter of a second, and everybody may know that the password is the same."""
        return make_password(password)

    for login in LOGINS:
        _login(login, partners, password_hash)
    for guest in GUESTS:
        _guest(guest, partners[guest.partner])
    for slug, currency_code in OFFERS:
        offer = DemoOffer(
            partner=partners[slug], currency_code=currency_code, bet_min=MIN_BET, bet_max=MAX_BET, actor=ACTOR
        )
        for game in games():
            game.demo_offer(offer)
    for slug, options in demo_tables():
        _table(partners[slug], options)
    keys = tuple(_key(partners[slug]) for slug in (HOUSE, RIVIERA))
    return Demo(LOGINS, _players(list(partners.values())), keys)


def _partner(slug: str, name: str, *, is_house: bool) -> Partner:
    # A house that was created by hand stays the house: only one is possible.
    if is_house and (house := Partner.objects.filter(is_house=True).first()):
        return house
    return Partner.objects.get_or_create(slug=slug, defaults={"name": name, "is_house": is_house})[0]


@transaction.atomic
def _login(login: DemoLogin, partners: dict[str, Partner], password_hash: Callable[[], str]) -> None:
    user = User.objects.filter(username=login.username).first()
    if user is None:
        user = User(username=login.username, email=f"{login.username}@demo.example", role=login.role)
        user.is_staff = login.role is not Role.PLAYER
        if login.role is Role.PARTNER_STAFF:
            user.partner = partners[login.partner or HOUSE]
        user.password = password_hash()
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    if login.role is Role.PLAYER:
        partner = partners[login.partner or HOUSE]
        player_open(partner=partner, reference=login.username, currency_code="FUN", user=user)


@transaction.atomic
def _guest(guest: DemoPlayer, partner: Partner) -> None:
    player = player_open(partner=partner, reference=guest.reference, currency_code=guest.currency)
    if Wallet.objects.filter(player=player, row_count=0, currency=guest.currency).exists():
        wallet_deposit(
            player=player,
            currency_code=guest.currency,
            amount=guest.balance,
            transaction_id=f"demo-{guest.reference}",
            partner=partner,
        )


def _table(partner: Partner, options: RoomOptions) -> None:
    if not GameTable.objects.filter(partner=partner, name=options.name, creator__isnull=True).exists():
        partner_table_create(partner=partner, actor=ACTOR, options=options)


def _key(partner: Partner) -> DemoKey:
    found = ApiKey.objects.filter(partner=partner, name=KEY_NAME, revoked_at__isnull=True).first()
    if found is not None:
        return DemoKey(partner.slug, found.prefix, None)
    key, text = api_key_create(partner=partner, name=KEY_NAME, scopes=list(Scope.values), actor=ACTOR)
    return DemoKey(partner.slug, key.prefix, text)


def _players(partners: Sequence[Partner]) -> tuple[DemoPlayer, ...]:
    references = [login.username for login in LOGINS] + [guest.reference for guest in GUESTS]
    players = Player.objects.filter(partner__in=partners, reference__in=references).order_by("pk")
    wallets = Wallet.objects.filter(player__in=players).select_related("player__partner").order_by("pk")
    return tuple(
        DemoPlayer(wallet.player.partner.slug, wallet.player.reference, wallet.currency_id, wallet.balance)
        for wallet in wallets
    )
