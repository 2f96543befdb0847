"""Random movements: the balance is their sum and never negative, and the hash chain equals a second computation."""

from decimal import Decimal
from itertools import count

import pytest
from django.db import DatabaseError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import Conflict, InsufficientFunds
from apps.wallet.ledger_check import ledger_check
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_move
from tests.support.factories import player_make

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
movements = st.tuples(
    st.sampled_from(Kind),
    st.decimals(min_value=-30, max_value=30, places=8),
    st.one_of(st.none(), st.uuids()),
    st.one_of(st.none(), st.integers(0, 2**62)),
    texts,
)
numbers = count(1)


def is_legal(kind: Kind, change: Decimal, reason: str) -> bool:
    match kind:
        case Kind.DEPOSIT | Kind.REWARD | Kind.REFUND:
            return change > 0
        case Kind.WITHDRAWAL | Kind.BET:
            return change < 0
        case Kind.ADJUSTMENT:
            return change != 0 and reason != ""
        case Kind.REFILL:
            return change > 0


@pytest.mark.django_db
@settings(max_examples=40, deadline=None)
@given(st.lists(movements, max_size=12))
def test_the_balance_is_the_sum_and_never_below_zero(sequence: list[tuple[Kind, Decimal, object, int, str]]) -> None:
    wallet = Wallet.objects.get(player=player_make(balance=Decimal(20)))
    balance, rows, refills = Decimal(20), 1, 0
    for kind, change, round_id, record_id, text in sequence:
        is_refill = kind is Kind.REFILL
        if is_refill and round_id is None and record_id is None:
            change = 1000 - balance  # noqa: PLW2901 - any other amount is refused
        try:
            with transaction.atomic():
                after = wallet_move(
                    wallet_id=wallet.pk,
                    kind=kind,
                    change=change,
                    source_key=f"{text}{next(numbers)}",
                    round_id=round_id,
                    record_id=record_id,
                    reason=text,
                )
        except InsufficientFunds:
            assert balance + change < 0
        except (DatabaseError, Conflict):
            may_refill = refills == 0 and balance + change == 1000 and round_id is None and record_id is None
            assert not is_legal(kind, change, text) or (is_refill and not may_refill)
        else:
            assert is_legal(kind, change, text)
            balance, rows, refills = balance + change, rows + 1, refills + is_refill
            assert refills <= 1
            assert after == balance >= 0
    wallet.refresh_from_db()
    changes = WalletTransaction.objects.filter(wallet=wallet).values_list("change", flat=True)
    assert wallet.balance == sum(changes) == balance
    assert wallet.row_count == len(changes) == rows
    assert ledger_check().findings == []
