"""Refills of play money: the conditions, once a day under concurrency, and the database's own checks."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from threading import Barrier
from typing import Any

import psycopg
import pytest
from django.test import Client

from apps.accounts.models import Player, PlayerStatus
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.models import BlackjackConfig, BlackjackTerms
from apps.core.errors import (
    PlayerBlocked,
    RefillNotNeeded,
    RefillNotOffered,
    RefillRefused,
    RefillRoundOpen,
    RefillTaken,
)
from apps.office.partner_api.selectors import summary
from apps.office.proof import ProofScope, proof_run
from apps.portal import services
from apps.portal.services import wallet_refill
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import RoundEnd
from apps.tables.models import GameTable
from apps.wallet.admin import WalletTransactionResource
from apps.wallet.house_accounts import house_snapshots_take
from apps.wallet.models import HouseSnapshot, Kind, Wallet, WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.baccarat import offer_make
from tests.support.blackjack import blackjack_offer
from tests.support.factories import player_make, user_make, wallet_make
from tests.support.ledger import Intruder, move, round_make
from tests.support.tables import table_make

pytestmark = pytest.mark.usefixtures("committed")

AtOnce = Callable[[int, Callable[[], object]], list[str]]
REFILL = "/wallet/refill"


def player_with(balance: str, *, currency: str = "FUN") -> Player:
    """Return a player with a log-in, at a partner that offers both games for bets from 1."""
    player = player_make(balance=Decimal(balance), currency=currency, user=user_make())
    offer_make(player.partner, currency=currency)
    blackjack_offer(player.partner, currency=currency)
    return player


@pytest.fixture
def player() -> Player:
    return player_with("0.99")


def wallet_of(player: Player) -> Wallet:
    return Wallet.objects.get(player=player, currency=player.currency)


def refill(player: Player) -> Decimal:
    return wallet_refill(player=player, currency_code=player.currency_id)


def refused(player: Player, error: type[RefillRefused]) -> RefillRefused:
    before = WalletTransaction.objects.count()
    with pytest.raises(error) as found:
        refill(player)
    assert WalletTransaction.objects.count() == before
    return found.value


def log_in(player: Player) -> Client:
    client = Client()
    assert player.user is not None
    client.force_login(player.user)
    return client


def offered(client: Client) -> Any:
    return client.get("/play/now").json()["refill"]


def test_a_refill_brings_the_balance_to_the_grant_against_the_house_account(player: Player) -> None:
    assert refill(player) == 1000
    wallet = wallet_of(player)
    row = wallet.transactions.get(kind=Kind.REFILL)
    assert (wallet.balance, row.change, row.balance_after) == (1000, Decimal("999.01"), 1000)
    assert (row.house_account_id, row.round_id, row.record_id) == (wallet.house_account_id, None, None)
    house_snapshots_take()
    assert HouseSnapshot.objects.get(house_account=wallet.house_account_id).balance == -1000
    assert proof_run(scope=ProofScope.LEDGER).findings == []


def test_reports_do_not_count_refills(player: Player) -> None:
    refill(player)
    today = datetime.now(UTC).date()
    found = summary(partner=player.partner, first_day=today - timedelta(days=1), last_day=today, game=None)
    assert (found.rows, found.totals) == ([], [])


def test_a_second_refill_of_a_day_is_refused_until_the_next_midnight_in_utc(player: Player) -> None:
    refill(player)
    move(wallet_of(player), Kind.WITHDRAWAL, "-1000")
    today = WalletTransaction.objects.get(kind=Kind.REFILL).ctime.date()
    error = refused(player, RefillTaken)
    assert error.possible_from == datetime.combine(today + timedelta(days=1), time(), UTC)


def test_the_day_after_there_is_another_one(player: Player, superuser: psycopg.Connection) -> None:
    refill(player)
    move(wallet_of(player), Kind.WITHDRAWAL, "-1000")
    intruder = Intruder(superuser)
    intruder.does(
        "UPDATE wallet_transaction SET ctime = ctime - interval '1 day', source_key = 'former' WHERE kind = 'refill'"
    )
    intruder.rebuilds_chain(wallet_of(player))
    assert refill(player) == 1000
    assert proof_run(scope=ProofScope.LEDGER).findings == []


def test_a_balance_that_covers_the_lowest_bet_of_a_game_is_not_refilled(player: Player) -> None:
    move(wallet_of(player), Kind.DEPOSIT, "0.01")
    assert "enough for a bet" in refused(player, RefillNotNeeded).message
    BaccaratConfig.objects.filter(partner=player.partner).update(bet_min=5)
    refused(player, RefillNotNeeded)
    BlackjackConfig.objects.filter(partner=player.partner).update(bet_min=2)
    assert refill(player) == 1000


def test_a_game_without_an_offer_does_not_count(player: Player) -> None:
    move(wallet_of(player), Kind.DEPOSIT, "0.01")
    BaccaratConfig.objects.filter(partner=player.partner).update(bet_min=5)
    BlackjackTerms.objects.update(status=0)
    assert refill(player) == 1000


def test_free_play_alone_counts_as_the_smallest_unit(player: Player) -> None:
    BlackjackConfig.objects.filter(partner=player.partner).update(bet_min=0, free_play=True)
    refused(player, RefillNotNeeded)
    move(wallet_of(player), Kind.WITHDRAWAL, "-0.99")
    assert refill(player) == 1000


def test_without_any_offer_there_is_no_refill(player: Player) -> None:
    BlackjackConfig.objects.update(active=False)
    BaccaratConfig.objects.update(status=0)
    assert "no game is offered" in refused(player, RefillNotNeeded).message


def test_the_lowest_bet_of_a_live_table_counts_unless_it_is_private_or_closed(player: Player) -> None:
    wish: dict[str, Any] = {"game_type": "baccarat", "currency": "FUN"}
    limits = {"player": {"minAmount": Decimal("0.5"), "maxAmount": 10}}
    table = table_make(player.partner, limits=limits, **wish)
    table_make(player.partner, limits={"player": {"minAmount": 7, "maxAmount": 10}}, **wish)
    assert "less than 0.5" in refused(player, RefillNotNeeded).message
    BaccaratConfig.objects.update(status=0)
    BlackjackConfig.objects.update(active=False)
    assert offered(log_in(player)) is None  # the table alone is on offer
    move(wallet_of(player), Kind.WITHDRAWAL, "-0.5")
    assert offered(log_in(player))["reason"] == ""
    GameTable.objects.filter(pk=table.pk).update(is_private=True)
    move(wallet_of(player), Kind.DEPOSIT, "3")
    assert offered(log_in(player))["reason"] == ""
    GameTable.objects.update(is_open=False)
    assert "no game is offered" in refused(player, RefillNotNeeded).message


def test_a_lowest_bet_above_the_grant_gives_no_negative_refill(player: Player) -> None:
    BaccaratConfig.objects.filter(partner=player.partner).update(bet_min=5000, bet_max=9000)
    BlackjackConfig.objects.filter(partner=player.partner).update(active=False)
    move(wallet_of(player), Kind.DEPOSIT, "999.01")
    refused(player, RefillNotNeeded)


@pytest.mark.parametrize("stake", ["0", "5"])
def test_a_refill_is_refused_while_a_round_is_open(player: Player, stake: str) -> None:
    round_make(player, stake=stake, payout="0", how_ended=RoundEnd.OPEN)
    assert refused(player, RefillRoundOpen).possible_from is not None


def test_real_money_is_not_refilled() -> None:
    player = player_with("0.5", currency="EUR")
    assert refused(player, RefillNotOffered).possible_from is None


def test_a_blocked_player_gets_no_refill(player: Player) -> None:
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    with pytest.raises(PlayerBlocked):
        refill(player)
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.ACTIVE)
    type(player.partner).objects.filter(pk=player.partner_id).update(active=False)
    with pytest.raises(PlayerBlocked):
        refill(player)


def test_of_two_concurrent_refills_one_is_made(player: Player, at_once: AtOnce) -> None:
    assert at_once(4, lambda: refill(player)) == ["RefillNotNeeded"] * 3 + ["ok"]
    assert wallet_of(player).balance == 1000


def test_without_the_locks_both_try_and_the_database_allows_one(
    player: Player, at_once: AtOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_read = Barrier(2)

    def read_unlocked(*, player_id: int, currency_code: str) -> Wallet:
        wallet = Wallet.objects.select_related("currency", "player__partner").get(player_id=player_id)
        both_have_read.wait(timeout=WAIT_S)
        return wallet

    monkeypatch.setattr(services, "wallet_lock", read_unlocked)
    monkeypatch.setattr(services, "seed_pair_lock", lambda *, player_id: both_have_read.wait(timeout=WAIT_S))
    decided = services.refill_check

    def check_together(case: Any) -> None:
        decided(case)
        both_have_read.wait(timeout=WAIT_S)

    monkeypatch.setattr(services, "refill_check", check_together)
    assert at_once(2, lambda: refill(player)) == ["Conflict", "ok"]
    assert wallet_of(player).balance == 1000


# The endpoint


def test_after_a_refill_the_page_no_longer_offers_one(player: Player) -> None:
    client = log_in(player)
    offer = offered(client)
    assert (offer["amount"], offer["reason"]) == ("1000", "")
    answer = client.post(REFILL)
    assert (answer.status_code, answer.json()) == (200, {"balance": "1000", "currency": "FUN"})
    assert offered(client) is None
    assert "Refill" in client.get("/wallet/").content.decode()


def test_a_refusal_has_its_code_and_the_time_of_the_next_refill(player: Player) -> None:
    client = log_in(player)
    client.post(REFILL)
    move(wallet_of(player), Kind.WITHDRAWAL, "-1000")
    answer = client.post(REFILL)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (403, "REFILL_TAKEN")
    assert body["possibleFrom"] == offered(client)["possibleFrom"]
    assert body["possibleFrom"].endswith("T00:00:00+00:00")
    assert offered(client)["reason"] == "day"


def test_an_open_round_is_named_as_the_reason(player: Player) -> None:
    round_make(player, stake="5", payout="0", how_ended=RoundEnd.OPEN)
    client = log_in(player)
    assert offered(client)["reason"] == "round"
    assert client.post(REFILL).json()["code"] == "REFILL_ROUND_OPEN"


def test_every_refusal_has_the_same_format(player: Player) -> None:
    client = log_in(player)
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    answer = client.post(REFILL)
    assert (answer.status_code, answer.json()["code"], answer.json()["possibleFrom"]) == (403, "PLAYER_BLOCKED", None)


def test_the_endpoint_needs_post_and_a_csrf_token(player: Player) -> None:
    assert log_in(player).get(REFILL).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(player.user)  # type: ignore[arg-type]
    assert strict.post(REFILL).status_code == 403
    assert not WalletTransaction.objects.filter(kind=Kind.REFILL).exists()


def test_a_visitor_is_sent_to_the_log_in() -> None:
    assert Client().post(REFILL).status_code == 302


@pytest.mark.parametrize("game", [BACCARAT, BLACKJACK])
def test_a_partner_s_player_with_play_money_gets_a_refill(game: str) -> None:
    player = player_make(balance=Decimal("0.5"))
    offer_make(player.partner)
    client = Client()
    client.get(f"/launch/?game_session_id={game_session_open(player=player, game=game, currency_code='FUN')[1]}")
    assert client.post(REFILL).json()["balance"] == "1000"
    assert wallet_of(player).balance == 1000


def test_real_money_is_never_offered_a_refill() -> None:
    player = player_with("0", currency="EUR")
    assert offered(log_in(player)) is None


# The database


def insert(superuser: psycopg.Connection, wallet: Wallet, change: str, **columns: str) -> str:
    """Insert a refill as the owner without the service; return the name of the constraint that refuses it, or
    nothing."""
    names = "".join(f", {name}" for name in columns)
    values = "".join(f", {value}" for value in columns.values())
    try:
        superuser.execute(
            f"INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, reason{names})"
            f" VALUES (%s, 'refill', %s, gen_random_uuid(), ''{values})",
            [wallet.pk, change],
        )
    except psycopg.errors.IntegrityError as error:
        return error.diag.constraint_name or ""
    return ""


def test_the_database_allows_a_refill_to_the_grant_once_a_day(player: Player, superuser: psycopg.Connection) -> None:
    wallet = wallet_of(player)
    assert insert(superuser, wallet, "-1") == "wallet_transaction_sign"
    assert insert(superuser, wallet, "999") == "wallet_refill_amount"
    assert insert(superuser, wallet, "999.01", ctime="now() - interval '1 day'") == "wallet_refill_plain"
    assert insert(superuser, wallet, "999.01", round_id="gen_random_uuid()") == "wallet_refill_plain"
    assert insert(superuser, wallet, "999.01", record_id="1") == "wallet_refill_plain"
    assert insert(superuser, wallet, "999.01") == ""
    move(wallet, Kind.WITHDRAWAL, "-1000")
    assert insert(superuser, wallet, "1000") == "wallet_refill_one_a_day"


def test_the_database_s_day_of_a_refill_is_that_of_utc(player: Player, superuser: psycopg.Connection) -> None:
    wallet, intruder = wallet_of(player), Intruder(superuser)
    refill(player)
    intruder.does("UPDATE wallet_transaction SET ctime = '2026-03-01 23:59:59.999999+00' WHERE kind = 'refill'")
    superuser.execute("SET session_replication_role = origin")
    move(wallet, Kind.WITHDRAWAL, "-1000")
    assert insert(superuser, wallet, "1000") == ""
    second = "UPDATE wallet_transaction SET ctime = %s WHERE id = (SELECT max(id) FROM wallet_transaction)"
    Intruder(superuser).does(second, "2026-03-02 00:00:00+00")
    with pytest.raises(psycopg.errors.UniqueViolation, match="wallet_refill_one_a_day"):
        intruder.does(second, "2026-03-01 00:00:00+00")


def test_the_database_refuses_a_refill_of_real_money(superuser: psycopg.Connection) -> None:
    euros = wallet_make(player=player_make(), currency="EUR")
    assert insert(superuser, euros, "1000") == "wallet_refill_play_money"


def test_the_database_refuses_a_refill_while_a_round_is_open(player: Player, superuser: psycopg.Connection) -> None:
    round_make(player, stake="5", payout="0", how_ended=RoundEnd.OPEN)
    assert insert(superuser, wallet_of(player), "999.01") == "wallet_refill_no_open_round"


def test_a_currency_with_wallets_cannot_change_its_kind(player: Player, superuser: psycopg.Connection) -> None:
    wallet_make(player=player, currency="EUR")
    for change in (
        "is_play = true, play_grant = 5 WHERE code = 'EUR'",
        "is_play = false, play_grant = 0 WHERE code = 'FUN'",
    ):
        with pytest.raises(psycopg.errors.RestrictViolation):
            superuser.execute(f"UPDATE currency SET {change}")


@pytest.mark.parametrize("change", ["is_play = true", "play_grant = 5", "is_play = true, play_grant = -1"])
def test_play_money_has_a_grant_and_real_money_has_none(superuser: psycopg.Connection, change: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        superuser.execute(f"UPDATE currency SET {change} WHERE code = 'JPY'")


@pytest.fixture
def no_index(committed: None, superuser: psycopg.Connection) -> Iterator[None]:
    """The ledger without the index that allows one refill a day; the index is restored afterwards."""
    (definition,) = superuser.execute("SELECT pg_get_indexdef('wallet_refill_one_a_day'::regclass)").fetchone()
    superuser.execute("DROP INDEX wallet_refill_one_a_day")
    yield
    Intruder(superuser).does("UPDATE wallet_transaction SET kind = 'deposit' WHERE kind = 'refill'")
    superuser.execute(definition)


@pytest.mark.usefixtures("no_index")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(
            "UPDATE wallet SET currency_id = 'EUR'", "it refills a wallet that holds no play money", id="money"
        ),
        pytest.param(
            "UPDATE wallet_transaction SET kind = 'refill'", "it is the second refill of its day", id="second"
        ),
        pytest.param(
            "UPDATE wallet_transaction SET round_id = gen_random_uuid()", "a refill belongs to no round", id="round"
        ),
        pytest.param("UPDATE wallet_transaction SET record_id = 7", "a refill belongs to no round", id="record"),
    ],
)
def test_the_ledger_audit_names_an_invalid_refill(
    player: Player, superuser: psycopg.Connection, change: str, sentence: str
) -> None:
    refill(player)
    wallet = wallet_of(player)
    assert proof_run(scope=ProofScope.LEDGER).findings == []
    intruder = Intruder(superuser)
    intruder.does(change)
    intruder.rebuilds_chain(wallet)
    finding = proof_run(scope=ProofScope.LEDGER).findings[0]
    assert finding.what == sentence
    assert f"wallet {wallet.pk}, movement" in finding.where


def test_exports_and_pages_of_the_back_office_name_the_kind(player: Player) -> None:
    refill(player)
    rows = WalletTransactionResource().export(WalletTransaction.objects.filter(kind=Kind.REFILL)).dict
    assert [(row["kind"], row["change"]) for row in rows] == [("refill", "999.01")]
