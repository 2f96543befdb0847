"""A seal covers every wallet's head and keeps those that have changed."""

import json
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from apps.office.proof import ProofScope, proof_run
from apps.wallet import inclusion_proof
from apps.wallet.inclusion_proof import sealed_wallet
from apps.wallet.merkle import leaf_hash
from apps.wallet.models import DailySeal, SealedHead, Wallet
from apps.wallet.seal_sections import Section, sections_root
from apps.wallet.sealed_heads import MAX_ID, Head
from apps.wallet.seals import daily_seal_take, seal_line, seal_mac, seal_message
from apps.wallet.signing import message_sign
from tests.support.factories import player_make
from tests.support.ledger import Intruder, movements_make
from tests.wallet.last_days import last_days, three_days_ago, today, two_days_ago, yesterday
from tests.wallet.test_merkle_path import climbed

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


def wallet_new() -> Wallet:
    return Wallet.objects.get(player=player_make())


def kept(day: date) -> dict[int, int]:
    """Return the wallets whose heads the day's seal keeps, with their row counts."""
    return dict(SealedHead.objects.filter(seal__day=day).values_list("wallet_id", "row_count"))


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run(scope=ProofScope.LEDGER).findings]


def heads_altered(day: date) -> str:
    return f"seal of {day}: the wallets' heads kept with it were altered"


def heads_not_covered(day: date) -> str:
    return f"seal of {day}: the heads kept with it and with earlier seals are not those that it covers"


def leaf_of(row: Head) -> bytes:
    wallet_id, row_count, head = row
    return leaf_hash(f"{wallet_id}|{row_count}|{head.hex()}".encode())


def test_a_seal_keeps_the_heads_that_have_changed_and_those_of_new_wallets() -> None:
    still, moving = wallet_new(), wallet_new()
    movements_make(still, 1)
    daily_seal_take(day=three_days_ago())
    movements_make(moving, 2)
    new = wallet_new()
    daily_seal_take(day=two_days_ago())
    seal = daily_seal_take(day=yesterday())
    assert kept(three_days_ago()) == {still.pk: 1, moving.pk: 0}
    assert kept(two_days_ago()) == {moving.pk: 2, new.pk: 0}
    assert kept(yesterday()) == {}
    assert (seal.wallet_count, seal.row_count) == (3, 3)
    assert findings() == []


@pytest.mark.parametrize("heads_a_block", [1, 2, 4, 256])
def test_the_way_to_the_root_of_a_seal_goes_by_heads_that_earlier_seals_keep(
    monkeypatch: pytest.MonkeyPatch, heads_a_block: int
) -> None:
    monkeypatch.setattr(inclusion_proof, "HEADS_A_BLOCK", heads_a_block)
    wallets = [wallet_new() for _ in range(5)]
    for wallet in wallets:
        movements_make(wallet, 1)
    daily_seal_take(day=three_days_ago())
    movements_make(wallets[3], 1)
    daily_seal_take(day=two_days_ago())
    movements_make(wallets[1], 1)
    daily_seal_take(day=yesterday())
    for wallet, number, day in [
        (wallets[3], 1, three_days_ago()),
        (wallets[3], 2, two_days_ago()),
        (wallets[1], 2, yesterday()),
    ]:
        sealed = sealed_wallet(wallet_id=wallet.pk, number=number)
        assert sealed is not None
        assert sealed.seal.day == day
        root = climbed(leaf_of((wallet.pk, number, sealed.head)), list(sealed.head_path))
        assert root.hex() == json.loads(sealed.wallets)["root"]
    assert sealed_wallet(wallet_id=wallets[0].pk, number=2) is None


def test_the_rounds_of_a_day_share_one_reading_of_all_heads() -> None:
    wallet = wallet_new()
    movements_make(wallet, 2)
    daily_seal_take(day=yesterday())
    read = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "LATERAL" in sql:
            read.append((params["first"], params["last"]))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note), transaction.atomic():
        ways = [sealed_wallet(wallet_id=wallet.pk, number=number) for number in (1, 2)]
    assert ways[0] == ways[1]
    assert read == [(0, MAX_ID), (wallet.pk, MAX_ID), (wallet.pk, MAX_ID)]


def test_a_wallet_that_is_committed_after_one_with_a_higher_id_is_sealed_in_its_place() -> None:
    first = wallet_new()
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('wallet', 'id'))")
        (lower_id,) = cursor.fetchone()
    higher = wallet_new()
    daily_seal_take(day=two_days_ago())
    late = Wallet.objects.create(
        pk=lower_id, player=first.player, currency_id="EUR", house_account=higher.house_account
    )
    movements_make(late, 1)
    daily_seal_take(day=yesterday())
    assert first.pk < late.pk < higher.pk
    assert kept(yesterday()) == {late.pk: 1}
    assert f"seal of {yesterday()}" not in "".join(findings())


def test_an_altered_head_of_a_wallet_that_stood_still_is_named_by_the_seal_that_keeps_it(intruder: Intruder) -> None:
    still, moving = wallet_new(), wallet_new()
    for day in (three_days_ago(), two_days_ago(), yesterday()):
        movements_make(moving, 1)
        daily_seal_take(day=day)
    intruder.does("DELETE FROM sealed_head WHERE wallet_id = %s", still.pk)
    assert findings() == [heads_altered(three_days_ago()), heads_not_covered(yesterday())]


def test_each_seal_with_altered_heads_is_named_even_if_one_before_it_has_a_head_of_no_wallet(
    intruder: Intruder,
) -> None:
    """That head is among all heads of every later seal, and nothing corrects it."""
    moving = wallet_new()
    for day in last_days():
        movements_make(moving, 1)
        daily_seal_take(day=day)
    first = DailySeal.objects.get(day=three_days_ago())
    intruder.does(
        "INSERT INTO sealed_head (ctime, seal_id, wallet_id, row_count, head) VALUES (now(), %s, %s, 0, '')",
        first.pk,
        moving.pk + 1000,
    )
    assert findings() == [heads_altered(three_days_ago())]
    intruder.does("UPDATE wallet_transaction SET change = 100 WHERE wallet_id = %s AND number = 3", moving.pk)
    intruder.rebuilds_chain(moving)
    intruder.does(
        "UPDATE sealed_head SET head = wallet.head FROM wallet"
        " WHERE wallet.id = wallet_id AND wallet_id = %s AND sealed_head.row_count = 3",
        moving.pk,
    )
    found = [finding for finding in findings() if finding.startswith("seal of")]
    assert found == [heads_altered(three_days_ago()), heads_altered(yesterday()), heads_not_covered(yesterday())]


def test_a_head_that_an_earlier_seal_keeps_is_found_when_it_is_added_to_a_later_one(intruder: Intruder) -> None:
    wallet = wallet_new()
    movements_make(wallet, 1)
    for day in last_days():
        daily_seal_take(day=day)
    later = DailySeal.objects.get(day=two_days_ago())
    intruder.does(
        "INSERT INTO sealed_head (ctime, seal_id, wallet_id, row_count, head)"
        " SELECT now(), %s, wallet_id, row_count, head FROM sealed_head",
        later.pk,
    )
    assert findings() == [heads_altered(two_days_ago())]


def test_seals_that_keep_every_head_are_each_proved_by_their_own(intruder: Intruder) -> None:
    """Those of versions up to 2026-11-29 keep every head, and have no section of what they keep."""
    wallets = [wallet_new() for _ in range(3)]
    movements_make(wallets[1], 1)
    for day in last_days()[:2]:
        former_seal_take(day, intruder)
    movements_make(wallets[2], 1)
    daily_seal_take(day=yesterday())
    assert kept(two_days_ago()) == {wallets[0].pk: 0, wallets[1].pk: 1, wallets[2].pk: 0}
    assert kept(yesterday()) == {wallets[2].pk: 1}
    assert findings() == []
    intruder.does("DELETE FROM sealed_head WHERE wallet_id = %s", wallets[1].pk)
    assert [each for each in findings() if "altered" in each] == [heads_altered(day) for day in last_days()[:2]]
    intruder.does("DELETE FROM sealed_head WHERE seal_id = (SELECT min(seal_id) FROM sealed_head)")
    assert [each for each in findings() if "altered" in each] == [heads_altered(day) for day in last_days()[:2]]


def former_seal_take(day: date, intruder: Intruder) -> None:
    """Take a seal, and make of it what versions up to 2026-11-29 made."""
    seal = daily_seal_take(day=day)
    intruder.link.execute(
        "INSERT INTO sealed_head (ctime, seal_id, wallet_id, row_count, head)"
        " SELECT now(), %s, id, row_count, head FROM wallet ON CONFLICT (seal_id, wallet_id) DO NOTHING",
        [seal.pk],
    )
    intruder.does("DELETE FROM sealed_section WHERE seal_id = %s AND type = 'kept'", seal.pk)
    root = sections_root(Section(each.type, each.name, each.content) for each in seal.sections.all())
    line = seal_line(seal)._replace(root=root)
    signature, mac = message_sign(seal_message(line)).text, seal_mac(line)
    intruder.does(
        "UPDATE daily_seal SET root = %s, mac = %s, signature = %s WHERE id = %s", root, mac, signature, seal.pk
    )


def test_heads_that_a_removed_seal_has_left_take_none_from_the_next_seal(intruder: Intruder) -> None:
    wallet = wallet_new()
    daily_seal_take(day=three_days_ago())
    movements_make(wallet, 1)
    daily_seal_take(day=two_days_ago())
    intruder.does("DELETE FROM daily_seal WHERE day = %s", two_days_ago())
    daily_seal_take(day=yesterday())
    assert kept(yesterday()) == {wallet.pk: 1}


def test_a_head_added_to_a_seal_is_found(intruder: Intruder) -> None:
    wallet = wallet_new()
    movements_make(wallet, 1)
    daily_seal_take(day=two_days_ago())
    seal = daily_seal_take(day=yesterday())
    intruder.does(
        "INSERT INTO sealed_head (seal_id, wallet_id, row_count, head) VALUES (%s, %s, 0, '')", seal.pk, wallet.pk
    )
    assert f"seal of {yesterday()}: the wallets' heads kept with it were altered" in findings()


def test_heads_of_a_forged_seal_of_the_future_take_no_head_from_the_next_seal(intruder: Intruder) -> None:
    wallet = wallet_new()
    movements_make(wallet, 1)
    daily_seal_take(day=two_days_ago())
    movements_make(wallet, 1)
    future = today() + timedelta(days=300)
    intruder.does(
        "INSERT INTO daily_seal (ctime, day, previous_mac, wallet_count, row_count, heads_hash, mac, format, root,"
        " key_id, signature) SELECT %s, %s, mac, wallet_count, row_count, heads_hash, mac, format, root, key_id,"
        " signature FROM daily_seal",
        future + timedelta(days=2),
        future,
    )
    intruder.does(
        "INSERT INTO sealed_head (seal_id, wallet_id, row_count, head)"
        " SELECT daily_seal.id, wallet.id, wallet.row_count, wallet.head FROM wallet, daily_seal WHERE day = %s",
        future,
    )
    daily_seal_take(day=yesterday())
    assert kept(yesterday()) == {wallet.pk: 2}
