"""The use cases of the wallet: movements and refusals."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import transaction

from apps.accounts.models import Player, PlayerStatus, Role
from apps.audit.models import AuditEntry
from apps.core.errors import (
    BadRequest,
    Conflict,
    DomainError,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidCurrency,
    NotFound,
    PlayerBlocked,
    Refused,
)
from apps.wallet import services
from apps.wallet.models import Kind, Wallet, WalletStatus, WalletTransaction
from tests.support.factories import partner_make, player_make, staff_make, wallet_make

pytestmark = pytest.mark.django_db

TEN = Decimal(10)


@pytest.fixture
def player() -> Player:
    return player_make(balance=TEN)


def wallet_of(player: Player) -> Wallet:
    return Wallet.objects.get(player=player, currency_id=player.currency_id)


def test_a_player_has_one_wallet_for_each_currency(player: Player) -> None:
    first = services.wallet_open(player=player, currency_code="EUR")
    again = services.wallet_open(player=player, currency_code="EUR")
    assert first == again
    assert (first.balance, first.row_count, bytes(first.head)) == (0, 0, b"")
    assert first.house_account.partner_id == player.partner_id
    assert first != wallet_of(player)


def test_a_wallet_in_an_unknown_currency_is_refused(player: Player) -> None:
    with pytest.raises(InvalidCurrency):
        services.wallet_open(player=player, currency_code="XXX")


def test_the_lock_reads_wallet_currency_and_player(player: Player) -> None:
    wallet = services.wallet_lock(player_id=player.pk, currency_code="FUN")
    assert (wallet.balance, wallet.currency.decimals, wallet.player) == (TEN, 2, player)


def test_a_lock_in_a_currency_without_a_wallet_is_refused(player: Player) -> None:
    with pytest.raises(InvalidCurrency):
        services.wallet_lock(player_id=player.pk, currency_code="EUR")


def test_a_blocked_player_and_a_blocked_wallet_are_refused(player: Player) -> None:
    Wallet.objects.filter(player=player).update(status=WalletStatus.BLOCKED)
    with pytest.raises(PlayerBlocked):
        services.wallet_lock(player_id=player.pk, currency_code="FUN")
    Wallet.objects.filter(player=player).update(status=WalletStatus.ACTIVE)
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    with pytest.raises(PlayerBlocked):
        services.wallet_lock(player_id=player.pk, currency_code="FUN")


def test_movements_have_number_hash_chain_and_running_balance(player: Player) -> None:
    wallet, round_id = wallet_of(player), uuid4()
    left = services.wallet_move(
        wallet_id=wallet.pk, kind=Kind.BET, change=Decimal("-2.5"), source_key=f"{round_id}:1:bet", round_id=round_id
    )
    assert left == Decimal("7.5")
    won = services.wallet_move(
        wallet_id=wallet.pk, kind=Kind.REWARD, change=Decimal(5), source_key=f"{round_id}:1:reward", round_id=round_id
    )
    assert won == Decimal("12.5")
    rows = list(WalletTransaction.objects.filter(wallet=wallet).order_by("number"))
    assert [(row.number, row.kind, row.change, row.balance_after) for row in rows] == [
        (1, "deposit", 10, 10),
        (2, "bet", Decimal("-2.5"), Decimal("7.5")),
        (3, "reward", 5, Decimal("12.5")),
    ]
    assert {row.round_id for row in rows} == {None, round_id}
    wallet.refresh_from_db()
    assert (wallet.balance, wallet.row_count, bytes(wallet.head)) == (Decimal("12.5"), 3, bytes(rows[-1].hash))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (Kind.DEPOSIT, "-1"),
        (Kind.WITHDRAWAL, "1"),
        (Kind.BET, "1"),
        (Kind.REWARD, "-1"),
        (Kind.REFUND, "-1"),
        (Kind.ADJUSTMENT, "0"),
        (Kind.ADJUSTMENT, "1"),
        (Kind.DEPOSIT, "0"),
        (Kind.REFILL, "0"),
        (Kind.REFILL, "-1"),
    ],
)
def test_the_database_refuses_a_change_with_the_wrong_sign_for_its_kind(
    player: Player, kind: Kind, change: str
) -> None:
    """An adjustment of 1 is refused because its reason is empty."""
    with pytest.raises(Exception, match="wallet_transaction_sign"):
        services.wallet_move(wallet_id=wallet_of(player).pk, kind=kind, change=Decimal(change), source_key="k")


def test_a_movement_below_zero_is_refused(player: Player) -> None:
    with pytest.raises(InsufficientFunds), transaction.atomic():
        services.wallet_move(wallet_id=wallet_of(player).pk, kind=Kind.BET, change=Decimal("-10.01"), source_key="k")
    assert wallet_of(player).balance == TEN


def test_a_source_key_moves_money_once(player: Player) -> None:
    def bet() -> Decimal:
        with transaction.atomic():
            return services.wallet_move(
                wallet_id=wallet_of(player).pk, kind=Kind.BET, change=Decimal(-1), source_key="k"
            )

    assert bet() == 9
    with pytest.raises(Conflict):
        bet()
    assert wallet_of(player).balance == 9


def test_an_adjustment_is_in_the_ledger_and_in_the_audit_trail(player: Player) -> None:
    operator, wallet = staff_make(Role.OPERATOR), wallet_of(player)
    balance = services.wallet_adjust(
        operator=operator, wallet=wallet, change=Decimal("-3.25"), reason=" paid twice on 3 May "
    )
    assert balance == Decimal("6.75")
    row = WalletTransaction.objects.get(wallet=wallet, kind=Kind.ADJUSTMENT)
    assert (row.change, row.reason) == (Decimal("-3.25"), "paid twice on 3 May")
    entry = AuditEntry.objects.get(action="wallet.adjust")
    assert (entry.actor, entry.actor_user_id, entry.partner_id) == (operator.username, operator.pk, player.partner_id)
    assert (entry.subject, entry.reason) == (f"wallet {wallet.pk}", "paid twice on 3 May")
    assert entry.data == {
        "before": {"balance": "10"},
        "after": {"balance": "6.75"},
        "change": "-3.25",
        "amount": "3.25",
        "currency": "FUN",
        "source_key": row.source_key,
    }


def test_a_blocked_wallet_can_be_adjusted(player: Player) -> None:
    Wallet.objects.filter(player=player).update(status=WalletStatus.BLOCKED)
    change = {"operator": staff_make(Role.OPERATOR), "wallet": wallet_of(player), "change": Decimal(1)}
    assert services.wallet_adjust(**change, reason="found") == 11


@pytest.mark.parametrize("role", [Role.PLAYER, Role.PARTNER_STAFF, Role.AUDITOR])
def test_only_an_operator_can_adjust(player: Player, role: Role) -> None:
    with pytest.raises(Refused):
        services.wallet_adjust(operator=staff_make(role), wallet=wallet_of(player), change=TEN, reason="because")
    assert wallet_of(player).balance == TEN


@pytest.mark.parametrize(
    ("change", "reason", "error", "told"),
    [
        ("1", "  ", BadRequest, "reason: "),
        ("0", "why", InvalidBetAmount, "change: "),
        ("0.001", "why", InvalidBetAmount, "change: "),
        ("NaN", "why", InvalidBetAmount, "change: "),
        ("-10.01", "why", InsufficientFunds, "change: 10.01 is more than the wallet holds, 10.00 FUN"),
    ],
)
def test_a_refused_adjustment_leaves_no_row(
    player: Player, change: str, reason: str, error: type[DomainError], told: str
) -> None:
    with pytest.raises(error, match=told):
        services.wallet_adjust(
            operator=staff_make(Role.OPERATOR), wallet=wallet_of(player), change=Decimal(change), reason=reason
        )
    assert wallet_of(player).balance == TEN
    assert not AuditEntry.objects.exists()


def test_a_partner_moves_money_in_and_out(player: Player) -> None:
    transfer = {"player": player, "currency_code": "FUN", "partner": player.partner}
    assert services.wallet_deposit(**transfer, amount=Decimal("5.50"), transaction_id="a") == Decimal("15.5")
    assert services.wallet_withdraw(**transfer, amount=Decimal("15.5"), transaction_id="b") == 0
    kinds = WalletTransaction.objects.filter(wallet__player=player).order_by("number").values_list("kind", flat=True)
    assert list(kinds) == ["deposit", "deposit", "withdrawal"]


def test_a_transaction_id_moves_money_once_in_either_direction(player: Player) -> None:
    transfer = {"player": player, "currency_code": "FUN", "amount": Decimal(1), "transaction_id": "a"}
    services.wallet_deposit(**transfer, partner=player.partner)
    for again in (services.wallet_deposit, services.wallet_withdraw):
        with pytest.raises(Conflict), transaction.atomic():
            again(**transfer, partner=player.partner)
    assert wallet_of(player).balance == 11


def test_two_partners_may_use_one_transaction_id(player: Player) -> None:
    other = player_make(balance=TEN)
    for somebody in (player, other):
        services.wallet_deposit(
            player=somebody, currency_code="FUN", amount=TEN, transaction_id="a", partner=somebody.partner
        )
    assert wallet_of(player).balance == wallet_of(other).balance == 20


def test_another_partner_s_player_is_not_found(player: Player) -> None:
    with pytest.raises(NotFound):
        services.wallet_deposit(
            player=player, currency_code="FUN", amount=TEN, transaction_id="a", partner=partner_make()
        )


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "NaN", "Infinity", "1e30"])
def test_a_transfer_of_an_invalid_amount_is_refused(player: Player, amount: str) -> None:
    for transfer in (services.wallet_deposit, services.wallet_withdraw):
        with pytest.raises(InvalidBetAmount):
            transfer(
                player=player,
                currency_code="FUN",
                amount=Decimal(amount),
                transaction_id="a",
                partner=player.partner,
            )


@pytest.mark.parametrize("transaction_id", ["", "x" * 101, "a\x00b", "\ud800"])
def test_an_invalid_transaction_id_is_refused(player: Player, transaction_id: str) -> None:
    with pytest.raises(BadRequest):
        services.wallet_deposit(
            player=player, currency_code="FUN", amount=TEN, transaction_id=transaction_id, partner=player.partner
        )


def test_a_movement_that_would_overflow_the_balance_is_refused(player: Player) -> None:
    wallet_make(player=player, currency="EUR", balance=Decimal("999999999999"))
    with pytest.raises(Refused) as refused, transaction.atomic():
        services.wallet_deposit(
            player=player,
            currency_code="EUR",
            amount=Decimal("999999999999"),
            transaction_id="a",
            partner=player.partner,
        )
    assert refused.value.message == "amount: the wallet holds 999999999999 EUR, and can hold 999999999999 at most"
    assert (refused.value.code, refused.value.field) == ("REFUSED", "amount")
