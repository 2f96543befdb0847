"""Moves money. Every movement is one row of the ledger.

`wallet_move` writes it, except for bets and actions. Their SQL functions write it with the round:
`<game>_rounds_settle` (apps/one_deal/sql/store_v3.sql), `<game>_actions_save` (the migrations of a game with actions),
and `table_stakes_save` (apps/tables/migrations/0009_paytable.sql). The trigger `wallet_transaction_append`
(migrations/0003_refill.sql) changes the balance. The constraint `wallet_balance_not_negative` (apps/wallet/models.py)
lets none fall below 0. Bets that the balance does not cover are refused before that: apps/one_deal/bet_limits.py, the
services of a game with actions, and apps/tables/engine/turns.py.

Order of locks (docs/money.md): wallets by ascending id, then the seed pair, then the round.
"""

from decimal import Decimal
from typing import Final
from uuid import UUID, uuid4

from django.db import connection, transaction

from apps.accounts.actors import operator_require
from apps.accounts.models import Player, PlayerStatus, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.database_errors import database_errors
from apps.core.errors import (
    AmountTooLarge,
    BadRequest,
    Conflict,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidCurrency,
    MovementRepeated,
    NotFound,
    PlayerBlocked,
)
from apps.core.models import Currency
from apps.core.money import MAX_AMOUNT, amount_text, is_multiple, plain
from apps.core.player_changes import player_changed
from apps.core.transactions import transaction_require
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import TRANSFER, threshold_value
from apps.partners.models import Partner
from apps.wallet.models import HouseAccount, Kind, Wallet, WalletStatus, transfer_key
from apps.wallet.single_operator_limit import second_person_reason

MAX_TRANSACTION_ID_CHARS: Final = 100

_MOVE_SQL: Final = """
    INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
    VALUES (%s, %s, %s::numeric, %s, %s::uuid, %s::bigint, %s)
    RETURNING balance_after, (SELECT player_id FROM wallet WHERE id = wallet_transaction.wallet_id)
"""


@transaction.atomic
def wallet_open(*, player: Player, currency_code: str) -> Wallet:
    """Return the player's wallet in the currency; creates an empty one if there is none.

    Raises InvalidCurrency.
    """
    if not Currency.objects.filter(code=currency_code).exists():
        raise InvalidCurrency(f"currency: there is no currency {currency_code!r}", field="currency")
    house = {"partner_id": player.partner_id, "currency_id": currency_code}
    HouseAccount.objects.bulk_create([HouseAccount(**house)], ignore_conflicts=True)
    house_account = HouseAccount.objects.get(**house)
    Wallet.objects.bulk_create(
        [Wallet(player=player, currency_id=currency_code, house_account=house_account)], ignore_conflicts=True
    )
    return Wallet.objects.select_related("currency", "player").get(player=player, currency_id=currency_code)


def wallet_lock(*, player_id: int, currency_code: str) -> Wallet:
    """Return the player's wallet with its row locked until the end of the caller's transaction.

    `wallet.currency` and `wallet.player` are loaded. Raises InvalidCurrency, PlayerBlocked, Busy.
    """
    transaction_require()
    with database_errors():
        wallet = (
            Wallet.objects.select_for_update(of=("self",))
            .select_related("currency", "player")
            .filter(player_id=player_id, currency_id=currency_code)
            .first()
        )
    if wallet is None:
        raise InvalidCurrency(f"currency: the player has no wallet in {currency_code!r}", field="currency")
    if wallet.status != WalletStatus.ACTIVE or wallet.player.status != PlayerStatus.ACTIVE:
        raise PlayerBlocked("this account is blocked; ask the operator")
    return wallet


def wallet_move(
    *,
    wallet_id: int,
    kind: Kind,
    change: Decimal,
    source_key: str,
    round_id: UUID | None = None,
    record_id: int | None = None,
    reason: str = "",
) -> Decimal:
    """Write one movement and return the balance after it. The player's open pages are notified after the commit.

    `change` is in units of the currency; a negative one takes money from the wallet. The database locks the wallet,
    numbers and chains the row, updates the balance, and refuses a `source_key` that was used before. Raises
    InsufficientFunds, Conflict (the key was used before), Busy; the caller's transaction must then be rolled back.
    """
    transaction_require()
    with database_errors(), connection.cursor() as cursor:
        cursor.execute(_MOVE_SQL, [wallet_id, str(kind), change, source_key, round_id, record_id, reason])
        balance_after, player_id = cursor.fetchone()
    player_changed(player_id)
    return Decimal(balance_after)


@transaction.atomic
def wallet_adjust(
    *, operator: User, wallet: Wallet, change: Decimal, reason: str, approval: Approval | None = None
) -> Decimal:
    """Correct a wallet by hand and return the balance after it; the same transaction writes the audit trail.

    A blocked wallet may be adjusted too. Above `PUNTO_SINGLE_OPERATOR_LIMIT` it needs `approval`. Locks: the wallet.
    Raises Refused, SecondPersonNeeded, InvalidBetAmount, InsufficientFunds.
    """
    reason = operator_require(operator, "adjusts a wallet", reason=reason)
    with database_errors():
        held = Wallet.objects.select_for_update(of=("self",)).select_related("currency", "player").get(pk=wallet.pk)
    if not is_multiple(change, held.currency.quantum) or change == 0:
        message = f"change: an amount with at most {held.currency.decimals} decimals, not 0"
        raise InvalidBetAmount(message, field="change")
    if why := second_person_reason(operator, ("wallet.adjust",), held.currency, abs(change)):
        approval_require(
            approval,
            SecondPersonNeeded(
                why,
                act="wallet.adjust",
                subject=f"wallet {held.pk}",
                payload={"wallet": held.pk, "change": plain(change), "currency": held.currency_id},
                reason=reason,
                partner_id=held.player.partner_id,
            ),
        )
    source_key = f"adjustment:{uuid4()}"
    try:
        balance_after = wallet_move(
            wallet_id=held.pk, kind=Kind.ADJUSTMENT, change=change, source_key=source_key, reason=reason
        )
    except InsufficientFunds as error:
        text = f"change: {plain(-change)} is more than the wallet holds, {amount_text(held.balance, held.currency)}"
        raise InsufficientFunds(text, field="change") from error
    except AmountTooLarge as error:
        text = f"change: the wallet holds {amount_text(held.balance, held.currency)}, and can hold {MAX_AMOUNT} at most"
        raise AmountTooLarge(text, field="change") from error
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.player.partner_id,
        action="wallet.adjust",
        subject=f"wallet {held.pk}",
        data={
            "before": {"balance": held.balance},
            "after": {"balance": balance_after},
            "change": change,
            "amount": abs(change),
            "currency": held.currency_id,
            "source_key": source_key,
        },
        reason=reason,
    )
    return balance_after


@approval_act("wallet.adjust")
def wallet_adjust_approved(approval: Approval) -> None:
    """Carry out an approved adjustment."""
    wallet_adjust(
        operator=approval.asked_by,
        wallet=Wallet.objects.get(pk=approval.payload["wallet"]),
        change=Decimal(approval.payload["change"]),
        reason=approval.reason,
        approval=approval,
    )


@transaction.atomic
def wallet_status_set(
    *, operator: User, wallet: Wallet, status: WalletStatus, reason: str, approval: Approval | None = None
) -> None:
    """Block or unblock a wallet; it applies from the next movement by play or transfer.

    A block is an exclusion, and lifting it takes two operators. Locks: the wallet. Raises Refused (not an operator),
    SecondPersonNeeded, BadRequest (no reason), Conflict if it has this status already.
    """
    reason = operator_require(operator, "blocks wallets", reason=reason)
    with database_errors():
        held = Wallet.objects.select_for_update(of=("self",)).select_related("player").get(pk=wallet.pk)
    before = held.status
    if before == status:
        raise Conflict(f"this wallet is {status} already")
    if status is WalletStatus.ACTIVE:
        needed = SecondPersonNeeded(
            "it lifts an exclusion",
            act="wallet.unblock",
            subject=f"wallet {held.pk}",
            payload={"wallet": held.pk},
            reason=reason,
            partner_id=held.player.partner_id,
        )
        approval_require(approval, needed)
    held.status = status
    held.save(update_fields=["status"])
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.player.partner_id,
        action="wallet.status",
        subject=f"wallet {held.pk}",
        data={"before": {"status": before}, "after": {"status": str(status)}},
        reason=reason,
    )


@approval_act("wallet.unblock")
def wallet_unblock_approved(approval: Approval) -> None:
    """Open a wallet again after the approval."""
    wallet_status_set(
        operator=approval.asked_by,
        wallet=Wallet.objects.get(pk=approval.payload["wallet"]),
        status=WalletStatus.ACTIVE,
        reason=approval.reason,
        approval=approval,
    )


def wallet_deposit(
    *, player: Player, currency_code: str, amount: Decimal, transaction_id: str, partner: Partner
) -> Decimal:
    """Move a partner's money into its player's wallet and return the balance after it.

    `transaction_id` is the partner's own; each moves money only once, for deposits and withdrawals together. Locks: the
    wallet. Raises NotFound (another partner's player), BadRequest, InvalidBetAmount, InvalidCurrency, PlayerBlocked,
    Conflict.
    """
    return _transfer(player, currency_code, amount, transaction_id, partner, Kind.DEPOSIT)


def wallet_withdraw(
    *, player: Player, currency_code: str, amount: Decimal, transaction_id: str, partner: Partner
) -> Decimal:
    """Move money out of a player's wallet to its partner and return the balance after it.

    `amount` is positive. Otherwise the same as `wallet_deposit`; also raises InsufficientFunds.
    """
    return _transfer(player, currency_code, amount, transaction_id, partner, Kind.WITHDRAWAL)


def _transfer(
    player: Player, currency_code: str, amount: Decimal, transaction_id: str, partner: Partner, kind: Kind
) -> Decimal:
    if player.partner_id != partner.pk:
        raise NotFound("player: there is no such player", field="player")
    if not 1 <= len(transaction_id) <= MAX_TRANSACTION_ID_CHARS or not transaction_id.isprintable():
        raise BadRequest(f"transaction_id: 1 to {MAX_TRANSACTION_ID_CHARS} characters", field="transaction_id")
    wallet = wallet_lock(player_id=player.pk, currency_code=currency_code)
    if not is_multiple(amount, wallet.currency.quantum) or amount <= 0:
        raise InvalidBetAmount(
            f"amount: a positive amount up to {MAX_AMOUNT}, with at most {wallet.currency.decimals} decimals",
            field="amount",
        )
    try:
        balance_after = wallet_move(
            wallet_id=wallet.pk,
            kind=kind,
            change=amount if kind is Kind.DEPOSIT else -amount,
            source_key=transfer_key(partner.pk, transaction_id),
        )
    except InsufficientFunds as error:
        held = f"{plain(wallet.balance)} {currency_code}"
        text = f"amount: {plain(amount)} is more than the wallet holds, {held}"
        raise InsufficientFunds(text, field="amount") from error
    except AmountTooLarge as error:
        text = f"amount: the wallet holds {plain(wallet.balance)} {currency_code}, and can hold {MAX_AMOUNT} at most"
        raise AmountTooLarge(text, field="amount") from error
    except MovementRepeated as error:
        text = "transaction_id: it has moved funds already, in a deposit or a withdrawal"
        raise MovementRepeated(text, field="transaction_id") from error
    if amount >= threshold_value(TRANSFER, currency=currency_code):
        event_record(
            kind=EventKind.ACCOUNT_CHANGED,
            component="wallet",
            actor=f"partner {partner.slug}",
            subject=f"wallet {wallet.pk}",
            reason=f"large {kind.label}",
            partner_id=partner.pk,
            before={"balance": wallet.balance},
            after={"balance": balance_after, "transaction_id": transaction_id},
            amount=amount,
            currency=currency_code,
        )
    return balance_after
