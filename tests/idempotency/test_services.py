"""Each key has one answer."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.core.errors import BadRequest, IdempotencyKeyReused, InsufficientFunds
from apps.core.json import decode, encode
from apps.idempotency import services
from apps.idempotency.models import StoredAnswer
from apps.idempotency.services import answer_once_after, body_hash, stored_answer_find, stored_answer_save
from apps.idempotency.tasks import stored_answers_delete
from apps.wallet.models import Kind, Wallet, WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make
from tests.support.ledger import move

SCOPE = "play:1:og-baccarat"
BODY = body_hash({"bet_amount": 10})
ANSWER = b'{"reward_amount":20}'

AtOnce = Callable[[int, Callable[[], object]], list[str]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 10, "b": [1, 2]}', '{"b":[1,2],"a":10.00}'),
        ('{"a": 1e1}', '{"a": 10}'),
        ('{"a": "\\u00e9"}', '{"a": "é"}'),
        ('{"a": -0.0}', '{"a": 0}'),
    ],
)
def test_equal_bodies_have_the_same_hash(one: str, other: str) -> None:
    assert body_hash(decode(one)) == body_hash(decode(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 10}', '{"a": 10.01}'),
        ('{"a": 10}', '{"a": "10"}'),
        ('{"a": 1}', '{"a": true}'),
        ('{"a": null}', "{}"),
        ("[1, 2]", "[2, 1]"),
        ('{"a": 0.1}', '{"a": 0.1000000000000000055}'),
    ],
)
def test_different_bodies_have_different_hashes(one: str, other: str) -> None:
    assert body_hash(decode(one)) != body_hash(decode(other))


@pytest.mark.django_db
def test_a_stored_answer_is_returned_byte_for_byte() -> None:
    assert stored_answer_find(scope=SCOPE, key="k", body_hash=BODY) is None
    stored_answer_save(scope=SCOPE, key="k", body_hash=BODY, answer=ANSWER)
    found = stored_answer_find(scope=SCOPE, key="k", body_hash=BODY)
    assert found
    assert (found.status, bytes(found.answer)) == (200, ANSWER)


@pytest.mark.django_db
def test_a_key_belongs_to_its_scope() -> None:
    stored_answer_save(scope=SCOPE, key="k", body_hash=BODY, answer=ANSWER)
    assert stored_answer_find(scope="play:2:og-baccarat", key="k", body_hash=body_hash({})) is None


@pytest.mark.django_db
def test_another_body_under_the_key_is_refused() -> None:
    stored_answer_save(scope=SCOPE, key="k", body_hash=BODY, answer=ANSWER)
    with pytest.raises(IdempotencyKeyReused):
        stored_answer_find(scope=SCOPE, key="k", body_hash=body_hash({"bet_amount": 11}))


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "x" * 129, "a\x00", "a\nb", "\ud800"])
def test_an_invalid_key_is_refused(key: str) -> None:
    with pytest.raises(BadRequest):
        stored_answer_find(scope=SCOPE, key=key, body_hash=BODY)


@pytest.mark.usefixtures("committed")
def test_a_key_lock_needs_a_transaction() -> None:
    with pytest.raises(TransactionManagementError):
        stored_answer_find(scope=SCOPE, key="k", body_hash=BODY)
    with pytest.raises(TransactionManagementError):
        stored_answer_save(scope=SCOPE, key="k", body_hash=BODY, answer=ANSWER)


def bet_once(wallet: Wallet, find: Callable[..., StoredAnswer | None], change: str = "-1") -> bytes:
    """A small use case: return the key's stored answer, or act and store the answer."""
    with transaction.atomic():
        if known := find(scope=SCOPE, key="k", body_hash=BODY):
            return bytes(known.answer)
        balance = move(wallet, Kind.BET, change)
        answer = encode({"balance": balance})
        stored_answer_save(scope=SCOPE, key="k", body_hash=BODY, answer=answer)
        return answer


@pytest.mark.usefixtures("committed")
def test_of_concurrent_calls_with_one_key_one_acts_and_all_get_its_answer(at_once: AtOnce) -> None:
    wallet = Wallet.objects.get(player=player_make(balance=Decimal(10)))
    answers: list[bytes] = []
    assert at_once(4, lambda: answers.append(bet_once(wallet, stored_answer_find))) == ["ok"] * 4
    assert answers == [b'{"balance":9}'] * 4
    assert WalletTransaction.objects.filter(wallet=wallet, kind=Kind.BET).count() == 1


@pytest.mark.usefixtures("committed")
def test_without_the_lock_both_act_and_one_fails(at_once: AtOnce) -> None:
    """The unique key protects the money; the lock gives the second caller the stored answer."""
    wallet = Wallet.objects.get(player=player_make(balance=Decimal(10)))
    both_have_looked = Barrier(2)

    def find_unlocked(*, scope: str, key: str, body_hash: bytes) -> StoredAnswer | None:
        known = StoredAnswer.objects.filter(scope=scope, key=key).first()
        both_have_looked.wait(timeout=WAIT_S)
        return known

    with pytest.raises(IntegrityError, match="stored_answer_pkey"):
        at_once(2, lambda: bet_once(wallet, find_unlocked))
    assert WalletTransaction.objects.filter(wallet=wallet, kind=Kind.BET).count() == 1


@pytest.mark.usefixtures("committed")
def test_equal_keys_of_two_scopes_do_not_wait_for_each_other(at_once: AtOnce) -> None:
    scopes, both_hold = ["play:1:og-baccarat", "play:2:og-baccarat"], Barrier(2)

    def hold() -> None:
        with transaction.atomic():
            stored_answer_find(scope=scopes.pop(), key="k", body_hash=BODY)
            both_hold.wait(timeout=WAIT_S)

    assert at_once(2, hold) == ["ok"] * 2


@pytest.mark.usefixtures("committed")
def test_an_act_that_commits_by_itself_is_done_once_too() -> None:
    wallet = Wallet.objects.get(player=player_make(balance=Decimal(10)))

    def act() -> bytes:
        return encode({"balance": move(wallet, Kind.BET, "-1")})

    answers = [answer_once_after(scope=SCOPE, key="k", body_hash=BODY, act=act) for _ in range(2)]
    assert answers == [b'{"balance":9}'] * 2
    with pytest.raises(IdempotencyKeyReused):
        answer_once_after(scope=SCOPE, key="k", body_hash=body_hash({}), act=act)
    assert WalletTransaction.objects.filter(wallet=wallet, kind=Kind.BET).count() == 1


@pytest.mark.usefixtures("committed")
def test_a_refusal_is_not_stored_and_can_be_tried_again() -> None:
    wallet = Wallet.objects.get(player=player_make(balance=Decimal(1)))
    with pytest.raises(InsufficientFunds):
        bet_once(wallet, stored_answer_find, "-2")
    assert not StoredAnswer.objects.exists()
    move(wallet, Kind.DEPOSIT, "1")
    assert bet_once(wallet, stored_answer_find, "-2") == b'{"balance":0}'


@pytest.mark.django_db
def test_answers_are_deleted_after_eight_days_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_DELETED_AT_ONCE", 2)
    now = timezone.now()
    for number, days in enumerate([7, 7.9, 8.1, 9, 10, 11, 12]):
        StoredAnswer.objects.create(
            scope=SCOPE, key=str(number), body_hash=BODY, status=200, answer=ANSWER, ctime=now - timedelta(days=days)
        )
    with CaptureQueriesContext(connection) as sent:
        stored_answers_delete.delay()
    assert set(StoredAnswer.objects.values_list("key", flat=True)) == {"0", "1"}
    assert len(sent) == 4, "one statement for two answers each, and one that finds none"
    assert SCOPE not in str(list(sent)), "a statement that names its keys takes twenty times as long"
