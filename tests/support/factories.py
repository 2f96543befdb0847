"""Makes the rows that tests start from, each with a unique name."""

from decimal import Decimal
from itertools import count

from apps.accounts.models import Player, Role, User
from apps.core.models import Currency
from apps.fairness.services import seed_pairs_create
from apps.partners.models import Partner
from apps.wallet.models import HouseAccount, Kind, Wallet, WalletTransaction

_numbers = count(1)


def partner_make(*, is_house: bool = False, active: bool = True) -> Partner:
    """Return a new partner without configuration."""
    number = next(_numbers)
    return Partner.objects.create(slug=f"partner-{number}", name=f"Partner {number}", is_house=is_house, active=active)


def player_make(
    *, balance: Decimal = Decimal(0), currency: str = "FUN", partner: Partner | None = None, user: User | None = None
) -> Player:
    """Return a new player with its seed pairs and one wallet that holds `balance`."""
    partner = partner or partner_make()
    player = Player.objects.create(
        partner=partner, reference=f"player-{next(_numbers)}", currency_id=currency, user=user
    )
    seed_pairs_create(player=player)
    wallet_make(player=player, balance=balance, currency=currency)
    return player


def wallet_make(*, player: Player, balance: Decimal = Decimal(0), currency: str = "FUN") -> Wallet:
    """Return the player's new wallet in `currency`, filled by one deposit."""
    house, _ = HouseAccount.objects.get_or_create(partner=player.partner, currency=Currency.objects.get(code=currency))
    wallet = Wallet.objects.create(player=player, currency_id=currency, house_account=house)
    if balance:
        WalletTransaction.objects.create(
            wallet=wallet, kind=Kind.DEPOSIT, change=balance, source_key=f"test:{next(_numbers)}:deposit"
        )
    wallet.refresh_from_db()
    return wallet


def user_make(*, role: Role = Role.PLAYER, partner: Partner | None = None, password: str = "open sesame 99") -> User:
    """Return a new log-in with this role."""
    name = f"user-{next(_numbers)}"
    user = User(username=name, email=f"{name}@example.test", role=role, partner=partner)
    user.is_staff = role is not Role.PLAYER
    user.set_password(password)
    user.save()
    return user


def staff_make(role: Role, *, partner: Partner | None = None) -> User:
    """Return a new log-in of the back office; partner staff get a partner of their own unless one is given."""
    if role is Role.PARTNER_STAFF and partner is None:
        partner = partner_make()
    return user_make(role=role, partner=partner)
