"""Daily seals find alterations that a recomputed hash chain hides."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from pytest_django import Settings

from apps.accounts.models import Role
from apps.core.errors import Conflict
from apps.events.models import EventKind, SignificantEvent
from apps.office.nightly_proof import reconciliation_run
from apps.office.proof import ProofScope, proof_run
from apps.wallet import seals_check
from apps.wallet.models import DailySeal, HouseSnapshot, SealedHead, Wallet
from apps.wallet.sealed_heads import heads_digest, sealed_heads
from apps.wallet.seals import daily_seal_take
from apps.wallet.tasks import daily_seal_take as daily_seal_task
from apps.wallet.tasks import house_snapshots_take as house_snapshots_task
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make, staff_make
from tests.support.ledger import Intruder, movements_make, row_id
from tests.support.tampering import put_back, tables_of
from tests.support.waiting import and_close, lock_wait_await
from tests.wallet.last_days import last_days, three_days_ago, two_days_ago, yesterday

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


@pytest.fixture
def file(settings: Settings, tmp_path: Path) -> Path:
    """The seals' copy outside the database."""
    path = tmp_path / "seals.jsonl"
    settings.PUNTO_SEAL_FILE = str(path)
    return path


@pytest.fixture
def wallet(file: Path) -> Wallet:
    """A wallet sealed on three days after 2, 4 and 6 movements. Two other wallets are sealed with it."""
    return sealed_wallet(last_days())


@pytest.fixture
def younger_wallet(file: Path) -> Wallet:
    """The same, sealed on the first two days: 2 and 4 movements."""
    return sealed_wallet(last_days()[:2])


def sealed_wallet(days: list[date]) -> Wallet:
    wallets = [Wallet.objects.get(player=player_make()) for _ in range(3)]
    for day in days:
        for one in wallets:
            movements_make(one, 2)
        daily_seal_take(day=day)
    return wallets[1]


def audit(file: Path | None = None) -> str:
    """Return the command's output. Raises its CommandError."""
    out = StringIO()
    call_command("audit_ledger", *(["--seals", str(file)] if file else []), stdout=out)
    return out.getvalue()


def fault(file: Path | None = None) -> str:
    """Return the last sentence of the command, which must fail."""
    with pytest.raises(CommandError) as refused:
        audit(file)
    return str(refused.value)


def findings(file: Path | None = None) -> list[str]:
    """Return all that is found."""
    return [
        f"{finding.where}: {finding.what}" for finding in proof_run(scope=ProofScope.LEDGER, seal_file=file).findings
    ]


def test_seals_chain_and_hold(wallet: Wallet, file: Path) -> None:
    seals = list(DailySeal.objects.order_by("day"))
    assert [(seal.wallet_count, seal.row_count) for seal in seals] == [(3, 6), (3, 12), (3, 18)]
    assert [seal.previous_mac for seal in seals] == ["", seals[0].mac, seals[1].mac]
    assert SealedHead.objects.filter(seal=seals[1], wallet_id=wallet.pk).get().row_count == 4
    assert "18 movements, 3 seals" in audit(file)


def test_a_day_is_sealed_once_and_none_before_a_sealed_one(wallet: Wallet) -> None:
    seal = DailySeal.objects.get(day=yesterday())
    movements_make(wallet, 1)
    assert daily_seal_take(day=seal.day) == seal
    with pytest.raises(Conflict):
        daily_seal_take(day=three_days_ago() - timedelta(days=1))
    assert DailySeal.objects.count() == 3


def test_two_processes_that_seal_at_once_both_get_the_first_seal(
    younger_wallet: Wallet, superuser: psycopg.Connection
) -> None:
    """The first has written its seal but not committed when the second reads."""
    with ThreadPoolExecutor(1) as pool:
        with superuser.transaction():
            superuser.execute(
                "INSERT INTO daily_seal (day, previous_mac, wallet_count, row_count, heads_hash, mac)"
                " VALUES (%s, 'previous', 0, 0, '', 'the first process')",
                [yesterday()],
            )
            second = pool.submit(and_close(lambda: daily_seal_take(day=yesterday())))
            lock_wait_await()
        assert second.result(timeout=WAIT_S).mac == "the first process"


def test_a_seal_is_taken_at_one_moment(younger_wallet: Wallet, intruder: Intruder) -> None:
    """A movement that commits between the two statements of a seal is in neither."""

    def movement_first(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "INSERT INTO sealed_head" in sql:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(and_close(lambda: movements_make(younger_wallet, 1))).result(timeout=WAIT_S)
        return execute(sql, *rest)

    with connection.execute_wrapper(movement_first):
        seal = daily_seal_take(day=yesterday())
    assert seal.row_count == 12
    assert not SealedHead.objects.filter(seal=seal).exists()
    assert "13 movements, 3 seals" in audit()


def test_a_recomputed_chain_is_found_by_the_seals(wallet: Wallet, intruder: Intruder) -> None:
    """Of the sealed movements 2 is unchanged and 4 is not, so 3 or 4 was altered."""
    intruder.does("UPDATE wallet_transaction SET change = 100 WHERE wallet_id = %s AND number = 3", wallet.pk)
    intruder.rebuilds_chain(wallet)
    assert (
        f"First: wallet {wallet.pk}, movement 4 (row {row_id(wallet, 4)}): it is not the one that was sealed on"
        f" {two_days_ago()}; one of movements 3 to 4 is the first altered or removed."
    ) in fault()


def test_removed_last_rows_are_found_by_the_seals_although_the_wallet_fits(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number > 5", wallet.pk)
    intruder.rebuilds_chain(wallet)
    sentence = f"it was removed: it is the one that was sealed on {yesterday()}; one of movements 5 to 6 is the first"
    assert f"First: wallet {wallet.pk}, movement 6: {sentence}" in fault()


def test_an_altered_head_in_a_seal_is_found(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("UPDATE wallet_transaction SET change = 100 WHERE wallet_id = %s AND number = 5", wallet.pk)
    intruder.rebuilds_chain(wallet)
    intruder.does(
        "UPDATE sealed_head SET head = wallet.head FROM wallet"
        " WHERE wallet.id = wallet_id AND wallet_id = %s AND sealed_head.row_count = 6",
        wallet.pk,
    )
    assert f"First: seal of {yesterday()}: the wallets' heads kept with it were altered." in fault()


def test_a_head_that_was_altered_together_with_its_seal_s_numbers_is_found(wallet: Wallet, intruder: Intruder) -> None:
    """The seal's HMAC covers its sections, and not the numbers in its row."""
    seal = DailySeal.objects.get(day=yesterday())
    intruder.does("UPDATE sealed_head SET head = 'x' WHERE seal_id = %s AND wallet_id = %s", seal.pk, wallet.pk)
    with transaction.atomic():
        forged = heads_digest(sealed_heads(seal_id=seal.pk, day=seal.day))
    intruder.does("UPDATE daily_seal SET heads_hash = %s WHERE id = %s", forged.heads_hash, seal.pk)
    assert f"seal of {yesterday()}: the wallets' heads kept with it were altered" in findings()
    assert f"seal of {yesterday()}: its numbers of the wallets are not those of its section of them" in findings()


def test_a_seal_of_a_time_that_has_not_come_is_named(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("UPDATE daily_seal SET ctime = now() + interval '3 hours' WHERE day = %s", yesterday())
    assert f"seal of {yesterday()}: the day has not ended by the database's clock" in findings()


def test_a_seal_may_be_missing_until_its_time_is_over(younger_wallet: Wallet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seals_check, "SEALED_BY", timedelta(0))
    assert findings() == [f"seal of {yesterday()}: there is none, and the day has ended"]
    monkeypatch.setattr(seals_check, "SEALED_BY", timedelta(days=1))
    assert findings() == []


def test_an_altered_seal_is_named(wallet: Wallet, intruder: Intruder, subtests: pytest.Subtests) -> None:
    seals = tables_of(intruder.link)["daily_seal"]
    for change in (
        "row_count = row_count + 1", "wallet_count = 2", "heads_hash = repeat('0', 64)", "mac = repeat('0', 64)",
    ):  # fmt: skip
        with subtests.test(change), put_back(seals):
            intruder.does(f"UPDATE daily_seal SET {change} WHERE day = '{two_days_ago()}'")
            assert f"First: seal of {two_days_ago()}" in fault()


def test_seals_made_without_the_key_do_not_hold(wallet: Wallet, settings: Settings) -> None:
    settings.PUNTO_SEAL_KEY = "another key that an intruder made"
    assert f"First: seal of {three_days_ago()} in the database: it was altered, or made with another key" in fault()


def test_a_seal_removed_in_the_middle_is_found_by_its_day_and_by_the_next(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM daily_seal WHERE day = %s", two_days_ago())
    found = findings()
    assert f"seal of {two_days_ago()}: there is none, and the day has ended" in found
    assert f"seal of {yesterday()} in the database: the seal before it was altered or removed" in found


def test_a_newest_seal_removed_is_found_by_the_file(wallet: Wallet, file: Path, intruder: Intruder) -> None:
    intruder.does("DELETE FROM daily_seal WHERE day = %s", yesterday())
    found = f"seal of {yesterday()}: it is in the file, and was removed from the database"
    assert found in findings(file)
    reconciliation_run(user=staff_make(Role.AUDITOR))
    assert SignificantEvent.objects.get(kind=EventKind.DATA_LOST).reason == found


def test_all_seals_removed_is_found_by_the_file(wallet: Wallet, file: Path, intruder: Intruder) -> None:
    intruder.does("DELETE FROM daily_seal")
    assert f"seal of {three_days_ago()}: it is in the file, and was removed from the database" in findings(file)


def test_after_a_restore_that_has_lost_a_seal_a_new_file_agrees_with_the_database(
    wallet: Wallet, file: Path, intruder: Intruder
) -> None:
    """As docs/operations.md, "Restore", says: no later seal continues the former file, and a new one has them all."""
    lost = DailySeal.objects.get(day=yesterday()).pk
    intruder.does(
        "DELETE FROM sealed_block WHERE section_id IN (SELECT id FROM sealed_section WHERE seal_id = %s)", lost
    )
    for part in ("sealed_head", "sealed_section"):
        intruder.does(f"DELETE FROM {part} WHERE seal_id = %s", lost)
    intruder.does("DELETE FROM daily_seal WHERE id = %s", lost)
    movements_make(wallet, 1)
    daily_seal_task()
    assert findings() == []
    assert findings(file) == [f"seal of {yesterday()}: the file's and the database's are not the same"]
    file.rename(file.with_name("before.jsonl"))
    daily_seal_task()
    assert len(file.read_text().splitlines()) == 3
    assert findings(file) == []


def test_the_file_has_a_line_for_each_seal(wallet: Wallet, file: Path) -> None:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["day"] for line in lines] == [day.isoformat() for day in last_days()]
    newest = DailySeal.objects.get(day=yesterday())
    assert lines[-1] == {
        "day": yesterday().isoformat(),
        "previous_mac": newest.previous_mac,
        "wallet_count": 3,
        "row_count": 18,
        "heads_hash": newest.heads_hash,
        "mac": newest.mac,
        "format": 2,
        "root": newest.root,
        "key_id": newest.key_id,
        "signature": newest.signature,
    }


def test_a_file_with_an_altered_line_is_named(wallet: Wallet, file: Path) -> None:
    root = DailySeal.objects.get(day=two_days_ago()).root
    file.write_text(file.read_text().replace(root, root[::-1]))
    assert f"First: seal of {two_days_ago()} in the file: it was altered" in fault(file)


def test_a_file_with_a_line_removed_is_named(wallet: Wallet, file: Path) -> None:
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + lines[2])
    assert f"First: seal of {yesterday()} in the file: the seal before it was altered or removed." in fault(file)


def test_a_line_cut_short_by_a_crash_is_completed(wallet: Wallet, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])
    assert "3 seals" in audit(file), "a seal that is not in the file yet is no fault"
    daily_seal_take(day=yesterday())
    assert [line["day"] for line in map(json.loads, file.read_text().splitlines()[3:])] == [yesterday().isoformat()]
    assert "3 seals" in audit(file)


def test_a_missing_file_is_named(wallet: Wallet, tmp_path: Path) -> None:
    assert fault(tmp_path / "nowhere").startswith(f"cannot read {tmp_path / 'nowhere'}: No such file")


def test_the_task_seals_the_day_that_has_ended(file: Path) -> None:
    before = timezone.now().date()
    daily_seal_task.delay()
    daily_seal_task.delay()
    after = timezone.now().date()
    assert DailySeal.objects.count() <= 2, "two only if midnight passed meanwhile"
    assert DailySeal.objects.earliest("day").day in {before - timedelta(days=1), after - timedelta(days=1)}
    assert file.exists()


def test_the_house_account_is_the_opposite_of_its_wallets(wallet: Wallet) -> None:
    house_snapshots_task.delay()
    snapshot = HouseSnapshot.objects.get(house_account=wallet.house_account)
    wallet.refresh_from_db()
    assert (snapshot.balance, snapshot.row_count) == (-wallet.balance, 6)
    assert wallet.balance == Decimal("9.09")


def test_a_house_whose_wallets_hold_more_than_the_highest_amount_together_has_a_balance(wallet: Wallet) -> None:
    """Two players of play money may each hold that much, and the balances of all houses are one statement."""
    most = Decimal(999_999_999_999)
    for _ in range(2):
        player_make(balance=most, partner=wallet.player.partner)
    house_snapshots_task.delay()
    wallet.refresh_from_db()
    assert HouseSnapshot.objects.get(house_account=wallet.house_account).balance == -(wallet.balance + 2 * most)


def test_the_page_of_a_seal_shows_all_that_a_check_of_it_needs(wallet: Wallet, client: Client) -> None:
    client.force_login(staff_make(Role.AUDITOR))
    seal = DailySeal.objects.get(day=yesterday())
    page = client.get(reverse("admin:wallet_dailyseal_change", args=[seal.pk])).content.decode()
    shown = [seal.root, seal.mac, seal.previous_mac, seal.heads_hash, seal.key_id, seal.signature]
    assert [text for text in shown if not text or text not in page] == []
    assert {part.name for part in seal.sections.all() if escape(part.content) not in page} == set()
    assert {part.type for part in seal.sections.all()} >= {"moment", "wallets"}
