"""The ledger audit finds each alteration by an intruder with all privileges, and names the first altered row."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command

from apps.office.proof import ProofScope, proof_run
from apps.rounds.models import RoundEnd, RoundVoid
from apps.wallet.house_accounts import house_snapshots_take
from apps.wallet.models import HouseAccount, Kind, Wallet, WalletTransaction
from apps.wallet.seals import yesterday_seal_take
from tests.support.factories import player_make
from tests.support.ledger import Intruder, move, movements_make, round_make, row_id

NO_TIME = datetime(2026, 1, 1, tzinfo=UTC)

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Intruder:
    return Intruder(superuser)


@pytest.fixture
def wallet() -> Wallet:
    """The wallet that is altered: it has six movements, and other wallets come before and after it."""
    wallets = [Wallet.objects.get(player=player_make()) for _ in range(3)]
    for one in wallets:
        movements_make(one, 6)
    return wallets[1]


def audit(seals: Path | None = None) -> str:
    """Return the command's output. Raises its CommandError."""
    out = StringIO()
    call_command("audit_ledger", *(["--seals", str(seals)] if seals else []), stdout=out)
    return out.getvalue()


def fault() -> str:
    """Return the last sentence of the command, which must fail with exit code 1."""
    with pytest.raises(CommandError) as refused:
        audit()
    assert refused.value.returncode == 1
    return str(refused.value)


def test_an_unaltered_ledger_holds(wallet: Wallet) -> None:
    move(wallet, Kind.BET, "-3.5", round_id=round_make(wallet.player, stake="3.5", payout="0").pk)
    move(wallet, Kind.ADJUSTMENT, "-1", reason="a|b\nc → d")
    move(wallet, Kind.WITHDRAWAL, "-16.71")
    assert audit().startswith("The ledger holds: 21 movements, 0 seals, 0 sealed rows, ")
    assert audit().endswith(" versions of rows and 1 round were checked, and nothing was altered.\n")


def test_an_empty_ledger_holds() -> None:
    assert audit().startswith("The ledger holds: 0 movements")


@pytest.mark.parametrize(
    "change",
    [
        "change = change + 1",
        "balance_after = balance_after + 1",
        "ctime = ctime + interval '1 microsecond'",
        "ctime = 'infinity'",
        "kind = 'reward'",
        "source_key = source_key || 'x'",
        "reason = 'x'",
        "record_id = 7",
        "round_id = gen_random_uuid()",
        "house_account_id = house_account_id + 1",
        "id = id + 1000000",
        "hash = sha256(hash)",
    ],
)
def test_an_altered_row_is_named(wallet: Wallet, intruder: Intruder, change: str) -> None:
    intruder.does(f"UPDATE wallet_transaction SET {change} WHERE wallet_id = %s AND number = 4", wallet.pk)
    assert f"First: wallet {wallet.pk}, movement 4 (row {row_id(wallet, 4)}): it was altered" in fault()


def test_a_removed_row_is_named(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number = 3", wallet.pk)
    assert f"First: wallet {wallet.pk}, movement 3: it was removed: movement 4 follows." in fault()


def test_a_removed_row_is_named_although_the_rest_are_renumbered(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number = 3", wallet.pk)
    for number in (4, 5, 6):
        intruder.does(
            "UPDATE wallet_transaction SET number = %s - 1 WHERE wallet_id = %s AND number = %s",
            number, wallet.pk, number,
        )  # fmt: skip
    assert f"First: wallet {wallet.pk}, movement 3 (row {row_id(wallet, 3)}): it was altered, or moved" in fault()


def test_two_rows_with_swapped_numbers_are_named(wallet: Wallet, intruder: Intruder) -> None:
    for was, becomes in ((2, 0), (5, 2), (0, 5)):
        intruder.does(
            "UPDATE wallet_transaction SET number = %s WHERE wallet_id = %s AND number = %s", becomes, wallet.pk, was
        )
    assert f"First: wallet {wallet.pk}, movement 2 (row {row_id(wallet, 2)}): it was altered, or moved" in fault()


def test_two_rows_with_swapped_contents_are_named(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does(
        "UPDATE wallet_transaction AS one SET change = other.change, ctime = other.ctime, hash = other.hash"
        " FROM wallet_transaction AS other WHERE one.wallet_id = %s AND other.wallet_id = one.wallet_id"
        " AND (one.number, other.number) IN ((2, 5), (5, 2))",
        wallet.pk,
    )
    assert f"First: wallet {wallet.pk}, movement 2 (row {row_id(wallet, 2)}): it was altered, or moved" in fault()


def test_a_row_moved_to_another_wallet_is_named(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does(
        "UPDATE wallet_transaction SET wallet_id = wallet_id - 1, number = 7 WHERE wallet_id = %s AND number = 6",
        wallet.pk,
    )
    with pytest.raises(CommandError) as refused:
        audit()
    assert f"First: wallet {wallet.pk - 1}, movement 7" in str(refused.value)


def test_removed_last_rows_are_noticed(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number > 4", wallet.pk)
    assert f"First: wallet {wallet.pk}, movement 5: it was removed: the wallet counts 6." in fault()


def test_an_emptied_ledger_is_noticed(wallet: Wallet, intruder: Intruder) -> None:
    intruder.link.execute("TRUNCATE wallet_transaction")
    assert f"First: wallet {wallet.pk - 1}, movement 1: it was removed: the wallet counts 6." in fault()


def test_removed_last_rows_are_noticed_by_house_snapshots_although_the_wallet_fits(
    wallet: Wallet, intruder: Intruder
) -> None:
    house_snapshots_take()
    intruder.does("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number > 4", wallet.pk)
    intruder.rebuilds_chain(wallet)
    assert f"First: house account {wallet.house_account_id}: a snapshot counted 6 movements" in fault()


def test_a_missing_wallet_is_noticed(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("DELETE FROM wallet WHERE id = %s", wallet.pk)
    assert f"First: wallet {wallet.pk}, movement 1 (row {row_id(wallet, 1)}): its wallet is missing." in fault()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("balance = balance + 1", "its balance is 22.21000000, and its movements give 21.21000000"),
        ("row_count = row_count - 1", "it counts 5 movements, and 6 are there"),
        ("head = sha256(head)", "its head is not the hash of its newest movement"),
    ],
)
def test_a_wallet_that_contradicts_its_rows_is_named(
    wallet: Wallet, intruder: Intruder, change: str, sentence: str
) -> None:
    intruder.does(f"UPDATE wallet SET {change} WHERE id = %s", wallet.pk)
    assert f"First: wallet {wallet.pk}: {sentence}." in fault()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("house_account_id = house_account_id + 1", "it is booked against another house account"),
        ("kind = 'withdrawal', change = -10.11", "its balance is below zero"),
        ("kind = 'adjustment'", "a adjustment may not change a wallet by 5.05"),
        ("kind = 'bet'", "a bet may not change a wallet by 5.05"),
    ],
)
def test_a_row_with_a_valid_hash_must_keep_the_rules_too(
    wallet: Wallet, intruder: Intruder, change: str, sentence: str
) -> None:
    intruder.does(f"UPDATE wallet_transaction SET {change} WHERE wallet_id = %s AND number = 5", wallet.pk)
    intruder.rebuilds_chain(wallet)
    assert f"First: wallet {wallet.pk}, movement 5 (row {row_id(wallet, 5)}): {sentence}" in fault()


def test_each_wallet_s_first_fault_is_shown(wallet: Wallet, intruder: Intruder) -> None:
    intruder.does("UPDATE wallet_transaction SET reason = 'x' WHERE number IN (2, 5)")
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("audit_ledger", stdout=out)
    assert [line.split(" (")[0] for line in out.getvalue().splitlines()] == [
        f"wallet {wallet_id}, movement 2" for wallet_id in (wallet.pk - 1, wallet.pk, wallet.pk + 1)
    ]


def test_a_round_that_contradicts_the_ledger_is_named(wallet: Wallet) -> None:
    fair = round_make(wallet.player, stake="5", payout="7")
    move(wallet, Kind.BET, "-5", round_id=fair.pk)
    move(wallet, Kind.REWARD, "7", round_id=fair.pk)
    round_make(wallet.player, stake="0", payout="0")
    assert "2 rounds" in audit()
    unequal = round_make(wallet.player, stake="5", payout="7")
    move(wallet, Kind.BET, "-5", round_id=unequal.pk)
    move(wallet, Kind.REWARD, "7.01", round_id=unequal.pk)
    sentence = "the ledger has stakes of 5 and payouts of 7.01, the round 5 and 7."
    assert f"First: round {unequal.pk}: {sentence}" in fault()


def test_a_round_without_movements_is_named(wallet: Wallet) -> None:
    unpaid = round_make(wallet.player, stake="5", payout="0")
    assert f"First: round {unpaid.pk}: the ledger has stakes of 0 and payouts of 0, the round 5 and 0." in fault()


def test_an_open_round_is_not_a_fault(wallet: Wallet) -> None:
    opened = round_make(wallet.player, stake="5", payout="0", how_ended=RoundEnd.OPEN)
    move(wallet, Kind.BET, "-2", round_id=opened.pk)
    assert "0 rounds" in audit()


def test_movements_of_a_round_in_another_player_s_wallet_are_named(wallet: Wallet) -> None:
    stranger = Wallet.objects.exclude(player=wallet.player).first()
    assert stranger
    played = round_make(wallet.player, stake="0", payout="0")
    move(stranger, Kind.REWARD, "7", round_id=played.pk)
    assert f"First: round {played.pk}: the ledger has movements of it, and there is no such round" in fault()


def test_movements_of_a_round_in_a_wallet_of_another_currency_are_named(wallet: Wallet, intruder: Intruder) -> None:
    played = round_make(wallet.player, stake="0", payout="7")
    move(wallet, Kind.REWARD, "7", round_id=played.pk)
    assert "1 round" in audit()
    intruder.does("UPDATE game_round SET currency_id = 'JPY' WHERE id = %s", played.pk)
    assert f"First: round {played.pk}: the ledger has stakes of 0 and payouts of 0, the round 0 and 7." in fault()


def test_a_round_alone_has_no_stake_back_without_a_void_whatever_is_left_of_it(wallet: Wallet) -> None:
    played = round_make(wallet.player, stake="3", payout="0")
    move(wallet, Kind.BET, "-5", round_id=played.pk)
    move(wallet, Kind.REFUND, "2", reason="a part of it", round_id=played.pk)
    assert f"First: round {played.pk}: the ledger has stakes of 5 and payouts of 0, the round 3 and 0." in fault()


def test_a_voided_round_holds_and_a_refund_without_a_void_does_not(wallet: Wallet) -> None:
    voided = round_make(wallet.player, stake="5", payout="7")
    for kind, change in ((Kind.BET, "-5"), (Kind.REWARD, "7"), (Kind.REFUND, "5"), (Kind.ADJUSTMENT, "-7")):
        move(wallet, kind, change, reason="void", round_id=voided.pk)
    sentence = "it was not voided, and the ledger has refunds of 5 and takes 7 back."
    assert f"First: round {voided.pk}: {sentence}" in fault()
    RoundVoid.objects.create(round=voided, by="operator", reason="a fault")
    assert "1 round" in audit()


def test_all_movements_are_counted(wallet: Wallet) -> None:
    assert f"{WalletTransaction.objects.count()} movements" in audit()


# A partner's part of the ledger


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE wallet_transaction SET change = 9 WHERE wallet_id = %s AND number = 4", id="altered"),
        pytest.param("DELETE FROM wallet_transaction WHERE wallet_id = %s AND number > 4", id="cut"),
        pytest.param("DELETE FROM wallet WHERE id = %s", id="wallet-removed"),
        pytest.param("UPDATE wallet SET balance = balance + 1 WHERE id = %s", id="balance"),
        pytest.param(
            "UPDATE game_round SET stake = 6 WHERE player_id = (SELECT player_id FROM wallet WHERE id = %s)",
            id="round",
        ),
    ],
)
def test_a_partner_s_audit_finds_its_own_faults_and_no_others(wallet: Wallet, intruder: Intruder, change: str) -> None:
    for one in Wallet.objects.select_related("player"):
        played = round_make(one.player, stake="5", payout="0")
        move(one, Kind.BET, "-5", round_id=played.pk)
    house_snapshots_take()
    yesterday_seal_take()
    whole = proof_run(scope=ProofScope.LEDGER, partner_id=wallet.player.partner_id)._replace(until=NO_TIME)
    assert (whole.movement_count, whole.seal_count, whole.round_count, whole.findings) == (7, 1, 1, [])
    intruder.does(change, wallet.pk)
    findings = proof_run(scope=ProofScope.LEDGER).findings
    assert findings
    for one in Wallet.objects.exclude(pk=wallet.pk).select_related("player"):
        assert proof_run(scope=ProofScope.LEDGER, partner_id=one.player.partner_id)._replace(until=NO_TIME) == whole
    # Only the proof of the whole ledger checks rows under seals, rows with a history, and all wallets' heads together.
    of_the_ledger = [each for each in findings if " row " not in each.where and not each.where.startswith("seal of")]
    assert proof_run(scope=ProofScope.LEDGER, partner_id=wallet.player.partner_id).findings == of_the_ledger


def test_a_partner_s_audit_checks_its_wallets_against_the_seals(wallet: Wallet, intruder: Intruder) -> None:
    yesterday_seal_take()
    intruder.does("UPDATE wallet_transaction SET change = 9 WHERE wallet_id = %s AND number = 4", wallet.pk)
    intruder.rebuilds_chain(wallet)
    (finding,) = proof_run(scope=ProofScope.LEDGER, partner_id=wallet.player.partner_id).findings
    assert finding.where.startswith(f"wallet {wallet.pk}, movement 6")
    stranger = Wallet.objects.exclude(pk=wallet.pk).select_related("player").first()
    assert stranger
    assert proof_run(scope=ProofScope.LEDGER, partner_id=stranger.player.partner_id).findings == []


def test_a_wallet_moved_to_another_partner_is_still_checked(wallet: Wallet, intruder: Intruder) -> None:
    stranger = HouseAccount.objects.exclude(pk=wallet.house_account_id).first()
    assert stranger
    intruder.does("UPDATE wallet SET house_account_id = %s WHERE id = %s", stranger.pk, wallet.pk)
    (finding,) = proof_run(scope=ProofScope.LEDGER, partner_id=wallet.player.partner_id).findings
    assert (finding.where, finding.what.split(" than")[0]) == (
        f"wallet {wallet.pk}, movement 1 (row {row_id(wallet, 1)})",
        "it is booked against another house account",
    )
