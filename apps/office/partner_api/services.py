"""Moves funds in and out of a player's wallet, once for each Idempotency-Key and each transaction id."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from apps.core import json
from apps.core.money import plain
from apps.idempotency.services import body_hash, stored_answer_find, stored_answer_save
from apps.office.partner_api.selectors import player_get
from apps.partners.models import Partner
from apps.wallet.models import Kind
from apps.wallet.services import wallet_deposit, wallet_withdraw


@dataclass(frozen=True, slots=True)
class Transfer:
    """A partner's request. `amount` is positive in both directions, in units of the currency."""

    kind: Kind
    """Kind.DEPOSIT or Kind.WITHDRAWAL."""
    player_reference: str
    currency_code: str
    amount: Decimal
    transaction_id: str


@transaction.atomic(durable=True)
def transfer_make(*, partner: Partner, transfer: Transfer, key: str, body: object) -> bytes:
    """Move the funds and return the answer as JSON; the same key with the same body returns the same bytes.

    `body` is the request as it came. Locks: the key, the wallet. Raises IdempotencyKeyReused, NotFound, Conflict (the
    transaction id was used before), InvalidBetAmount, InvalidCurrency, InsufficientFunds, PlayerBlocked.
    """
    scope = f"partner:{partner.pk}:wallets/{transfer.kind.value}"
    hashed = body_hash(body)
    stored = stored_answer_find(scope=scope, key=key, body_hash=hashed)
    if stored is not None:
        return bytes(stored.answer)
    move = wallet_deposit if transfer.kind is Kind.DEPOSIT else wallet_withdraw
    balance = move(
        partner=partner,
        player=player_get(partner=partner, reference=transfer.player_reference),
        currency_code=transfer.currency_code,
        amount=transfer.amount,
        transaction_id=transfer.transaction_id,
    )
    answer = json.encode(
        {
            "transaction_id": transfer.transaction_id,
            "player": transfer.player_reference,
            "currency": transfer.currency_code,
            "amount": plain(transfer.amount),
            "balance": plain(balance),
        }
    )
    stored_answer_save(scope=scope, key=key, body_hash=hashed, answer=answer)
    return answer
