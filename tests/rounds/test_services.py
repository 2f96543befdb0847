"""Players, rotation of seeds, voided rounds."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.accounts.models import Player, Role
from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.errors import (
    BadParams,
    BadRequest,
    ChangeSeedFailed,
    Conflict,
    InsufficientFunds,
    InvalidCurrency,
    Refused,
)
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import seed_pair_lock, seed_pair_rotate, server_seed_open
from apps.office.data_loss import Renewal, all_seeds_renew
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd, RoundShare, RoundVoid
from apps.rounds.services import player_open, round_void, seeds_rotate
from apps.rounds.share_links import round_share_create
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_move
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.nonces import nonce_take
from tests.support.server import app_url
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import and_close


def round_make(player: Player, *, stake: str = "10", payout: str = "0", is_open: bool = False) -> Round:
    """Return a round with its movements: stake debited, payout credited."""
    wallet = Wallet.objects.get(player=player)
    before = wallet.balance
    draw = nonce_take(player_id=player.pk)
    found: Round = Round.objects.create(
        partner=player.partner,
        player=player,
        currency=player.currency,
        game="og-blackjack",
        seed_pair_id=draw.seed_pair_id,
        nonce=draw.nonce,
        config_version=1,
        stake=Decimal(stake),
        payout=Decimal(payout),
        balance_before=before,
        balance_after=before - Decimal(stake) + Decimal(payout),
        how_ended="" if is_open else "played",
        ended_at=None if is_open else timezone.now(),
    )
    for number, (kind, change) in enumerate([(Kind.BET, -found.stake), (Kind.REWARD, found.payout)]):
        if change:
            wallet_move(
                wallet_id=wallet.pk,
                kind=kind,
                change=change,
                source_key=f"{found.pk}:{number}:{kind}",
                round_id=found.pk,
            )
    return found


# Players


@pytest.mark.django_db
def test_a_player_of_the_house_starts_with_play_money_and_seeds() -> None:
    user = user_make()
    player = player_open(partner=partner_make(is_house=True), reference="hal", currency_code="FUN", user=user)
    assert player.user == user
    (deposit,) = WalletTransaction.objects.filter(wallet__player=player)
    assert (deposit.kind, deposit.change, deposit.balance_after) == ("deposit", 1000, 1000)
    assert SeedPair.objects.filter(player=player).count() == 2


@pytest.mark.django_db
def test_a_partners_player_starts_empty() -> None:
    player = player_open(partner=partner_make(), reference="guest", currency_code="EUR")
    assert Wallet.objects.get(player=player).balance == 0
    assert not WalletTransaction.objects.filter(wallet__player=player).exists()


@pytest.mark.django_db
def test_a_player_needs_a_known_currency() -> None:
    with pytest.raises(InvalidCurrency):
        player_open(partner=partner_make(), reference="guest", currency_code="XYZ")
    assert not Player.objects.exists()


def test_one_player_opened_concurrently_is_created_once(committed: None, at_once: Callable[..., list[str]]) -> None:
    house = partner_make(is_house=True)
    house_id = house.pk

    def open_it() -> None:
        player_open(partner=Partner.objects.get(pk=house_id), reference="hal", currency_code="FUN")

    assert at_once(6, open_it) == ["ok"] * 6
    assert Wallet.objects.get(player__reference="hal").balance == 1000
    assert SeedPair.objects.filter(player__reference="hal").count() == 2


# Seeds


@pytest.mark.django_db
def test_a_rotation_between_rounds_reveals_the_seed() -> None:
    player = player_make(balance=Decimal(10))
    round_make(player)
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    seed = server_seed_open(pair)
    rotation = seeds_rotate(player=player, client_seed="mine")
    assert rotation.revealed.server_seed == seed
    assert SeedPair.objects.get(pk=pair.pk).server_seed == seed


@pytest.mark.django_db
def test_no_rotation_while_a_round_is_open() -> None:
    player = player_make(balance=Decimal(10))
    round_make(player, is_open=True)
    with pytest.raises(ChangeSeedFailed):
        seeds_rotate(player=player, client_seed="mine")
    assert not SeedPair.objects.filter(status=SeedStatus.REVEALED).exists()


@pytest.mark.django_db
def test_the_database_refuses_to_reveal_the_seed_of_an_open_round() -> None:
    player = player_make(balance=Decimal(10))
    round_make(player, is_open=True)
    with pytest.raises(IntegrityError, match="is open"), transaction.atomic():
        seed_pair_rotate(active=seed_pair_lock(player_id=player.pk), client_seed="mine")


@pytest.mark.django_db
def test_an_invalid_client_seed_is_refused() -> None:
    with pytest.raises(BadParams):
        seeds_rotate(player=player_make(), client_seed="a b")


@pytest.mark.django_db
def test_the_database_refuses_a_second_round_with_the_same_nonce() -> None:
    first = round_make(player_make(balance=Decimal(10)))
    again = Round.objects.get(pk=first.pk)
    again.pk = uuid4()
    with pytest.raises(IntegrityError, match="game_round_nonce_once"), transaction.atomic():
        again.save(force_insert=True)


@pytest.mark.django_db
@pytest.mark.parametrize("is_chosen", [True, False])
def test_after_a_restore_no_pair_deals_a_lost_round_again(is_chosen: bool) -> None:
    """The pairs of a backup have dealt the lost rounds: the active one, and the next one after a lost rotation."""
    player = player_make(balance=Decimal(20))
    if is_chosen:
        seeds_rotate(player=player, client_seed="mine")
    former = list(SeedPair.objects.filter(player=player).exclude(status=SeedStatus.REVEALED))
    lost = nonce_take(player_id=player.pk)
    written = StringIO()
    call_command("seeds_renew", reason="the backup of midnight", stdout=written)
    assert "1 player renewed, 0 left" in written.getvalue()
    pairs = {pair.pk: pair for pair in SeedPair.objects.filter(player=player)}
    assert {pairs[pair.pk].status for pair in former} == {SeedStatus.REVEALED}
    dealt = nonce_take(player_id=player.pk)
    assert dealt.commitment not in {pair.commitment for pair in former}
    assert dealt.client_seed == lost.client_seed
    assert pairs[dealt.seed_pair_id].client_seed_chosen == is_chosen
    assert [pair.status for pair in pairs.values()].count(SeedStatus.NEXT) == 1
    entry = AuditEntry.objects.get(action="seeds.renew")
    assert (entry.data, entry.reason) == ({"renewed": 1, "left": 0, "renewed_before": 0}, "the backup of midnight")


@pytest.mark.django_db
def test_new_seeds_for_all_leave_a_player_with_an_open_round_until_it_has_ended() -> None:
    player = player_make(balance=Decimal(20))
    found = round_make(player, is_open=True)
    player_make()
    assert all_seeds_renew(reason="a restore", actor="a test") == (1, 1, 0)
    assert SeedPair.objects.get(pk=found.seed_pair_id).status == SeedStatus.ACTIVE
    round_void(operator=staff_make(Role.OPERATOR), round=found, reason="its cards are known")
    assert all_seeds_renew(reason="a restore", actor="a test") == (2, 0, 0)
    assert SeedPair.objects.get(pk=found.seed_pair_id).status == SeedStatus.REVEALED


@pytest.mark.usefixtures("committed")
def test_new_seeds_for_all_leave_a_player_who_bets_at_that_moment_and_go_on() -> None:
    betting, other = player_make(), player_make()

    def renew() -> Renewal:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        return all_seeds_renew(reason="a restore", actor="a test")

    with ThreadPoolExecutor(1) as threads, transaction.atomic():
        SeedPair.objects.select_for_update().get(player=betting, status=SeedStatus.ACTIVE)
        done = threads.submit(and_close(renew)).result()
    assert done == (1, 1, 0)
    assert SeedPair.objects.filter(player=other, status=SeedStatus.REVEALED).count() == 2
    assert not SeedPair.objects.filter(player=betting, status=SeedStatus.REVEALED).exists()


KILLED = """
import django, os, signal, sys
django.setup()
from django.core.management import call_command
from django.db.models.signals import post_save
from apps.fairness.models import SeedPair

def revealed(instance, **_):
    if instance.status == "revealed" and instance.player_id == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

post_save.connect(revealed, sender=SeedPair)
call_command("seeds_renew", reason=sys.argv[2])
"""


@pytest.mark.usefixtures("committed")
def test_a_killed_run_of_new_seeds_for_all_is_seen_and_the_next_one_continues_it() -> None:
    first, second, third = (player_make() for _ in range(3))

    def pairs_of(player: Player) -> set[int]:
        return set(SeedPair.objects.filter(player=player).values_list("pk", flat=True))

    words = [sys.executable, "-c", KILLED, str(second.pk), "a restore"]
    environment = os.environ | {
        "DATABASE_URL": app_url(), "DATABASE_OWNER_URL": app_url(), "DJANGO_SETTINGS_MODULE": "casino.settings.dev",
    }  # fmt: skip
    killed = subprocess.run(words, cwd=settings.BASE_DIR, env=environment, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert AuditEntry.objects.get().action == "seeds.renew_begin"
    assert [len(pairs_of(player)) for player in (first, second, third)] == [4, 2, 2]
    renewed_before = pairs_of(first)
    written = StringIO()
    call_command("seeds_renew", reason="a restore", stdout=written)
    assert written.getvalue().startswith("2 players renewed, 0 left")
    assert "1 renewed before by a run that was killed" in written.getvalue()
    assert pairs_of(first) == renewed_before
    entries = list(AuditEntry.objects.order_by("id").values_list("action", flat=True))
    assert entries == ["seeds.renew_begin", "seeds.renew"]
    assert all_seeds_renew(reason="a restore", actor="a test") == (3, 0, 0)


@pytest.mark.django_db
def test_a_killed_run_is_not_continued_after_a_restore_to_a_moment_within_it() -> None:
    with transaction.atomic():
        audit_record(
            actor="a test",
            action="seeds.renew_begin",
            subject="all seed pairs",
            data={"server": "00000001 2026-01-01T00:00:00+00:00 16384", "last_pair": "0"},
            reason="a restore",
        )
    player_make()  # renewed by that run; its rounds from this pair are lost
    assert all_seeds_renew(reason="a restore", actor="a test") == (1, 0, 0)


@pytest.mark.usefixtures("committed")
def test_new_seeds_for_all_do_not_trust_the_clock_of_the_restored_server(superuser: psycopg.Connection) -> None:
    player_make()
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute("UPDATE seed_pair SET ctime = now() + interval '1 hour'")  # the lost server's clock
    assert all_seeds_renew(reason="a restore", actor="a test") == (1, 0, 0)


@pytest.mark.django_db
def test_new_seeds_for_all_need_a_reason() -> None:
    player = player_make()
    with pytest.raises(CommandError, match="reason: say what was lost"):
        call_command("seeds_renew", reason=" ")
    assert not SeedPair.objects.filter(player=player, status=SeedStatus.REVEALED).exists()


@pytest.mark.usefixtures("committed")
def test_an_open_round_at_a_table_is_shown_to_nobody_and_leaves_the_player_s_own_seeds_free() -> None:
    partner, (player,) = players_make(1)
    PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", window_s=30), [player]).stake(0)
    found = Round.objects.get(player=player)
    assert found.how_ended == RoundEnd.OPEN
    with pytest.raises(Refused):
        round_share_create(player=player, round_id=found.pk)
    with pytest.raises(IntegrityError, match="round_share_revealed"), transaction.atomic():
        RoundShare.objects.create(round=found, code="x" * 22)
    assert seeds_rotate(player=player, client_seed="mine").active.client_seed == "mine"


# Voided rounds


@pytest.mark.django_db
@pytest.mark.parametrize(("stake", "payout"), [("10", "0"), ("10", "25"), ("10", "10"), ("0", "0")])
def test_a_voided_round_leaves_the_balance_as_before_it(stake: str, payout: str) -> None:
    player = player_make(balance=Decimal(100))
    found = round_make(player, stake=stake, payout=payout)
    operator = staff_make(Role.OPERATOR)
    void = round_void(operator=operator, round=found, reason=" the wrong deck ")
    assert (void.by, void.reason) == (operator.username, "the wrong deck")
    assert Wallet.objects.get(player=player).balance == 100
    rows = WalletTransaction.objects.filter(round_id=found.pk, source_key__contains="void").order_by("number")
    expected = [("refund", Decimal(stake)), ("adjustment", -Decimal(payout))]
    assert list(rows.values_list("kind", "change")) == [(kind, change) for kind, change in expected if change]
    assert AuditEntry.objects.filter(action="round.void", actor_user_id=operator.pk).count() == 1


@pytest.mark.django_db
def test_voiding_an_open_round_ends_it_by_the_database_s_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statistics rely on the time of its transaction, and a server's own clock may be wrong."""
    player = player_make(balance=Decimal(100))
    found = round_make(player, is_open=True)
    operator = staff_make(Role.OPERATOR)
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now - timedelta(days=2))
    void = round_void(operator=operator, round=found, reason="stuck")
    found.refresh_from_db()
    assert (found.how_ended, found.balance_after) == ("voided", 100)
    assert found.ended_at is not None
    assert abs(found.ended_at - void.ctime) < timedelta(minutes=1)
    seeds_rotate(player=player, client_seed="free-again")


@pytest.mark.django_db
def test_a_round_whose_winnings_are_spent_cannot_be_voided() -> None:
    player = player_make(balance=Decimal(10))
    found = round_make(player, stake="10", payout="50")
    wallet = Wallet.objects.get(player=player)
    wallet_move(wallet_id=wallet.pk, kind=Kind.WITHDRAWAL, change=Decimal(-50), source_key="out")
    with pytest.raises(InsufficientFunds):
        round_void(operator=staff_make(Role.OPERATOR), round=found, reason="the wrong deck")
    assert not RoundVoid.objects.exists()
    assert Wallet.objects.get(player=player).balance == 0


@pytest.mark.django_db
def test_a_round_is_voided_once_by_an_operator_with_a_reason() -> None:
    player = player_make(balance=Decimal(10))
    found = round_make(player)
    operator = staff_make(Role.OPERATOR)
    for role in (Role.AUDITOR, Role.PARTNER_STAFF, Role.PLAYER):
        with pytest.raises(Refused):
            round_void(operator=staff_make(role), round=found, reason="r")
    with pytest.raises(BadRequest):
        round_void(operator=operator, round=found, reason=" ")
    round_void(operator=operator, round=found, reason="r")
    with pytest.raises(Conflict):
        round_void(operator=operator, round=found, reason="r")
    assert Wallet.objects.get(player=player).balance == 10


def test_a_round_voided_concurrently_is_refunded_once(committed: None, at_once: Callable[..., list[str]]) -> None:
    found = round_make_committed()
    operator = staff_make(Role.OPERATOR)
    outcomes = at_once(4, lambda: round_void(operator=operator, round=found, reason="r"))
    assert outcomes == ["Conflict"] * 3 + ["ok"]
    assert Wallet.objects.get(player=found.player).balance == 10


@transaction.atomic
def round_make_committed() -> Round:
    return round_make(player_make(balance=Decimal(10)))


def test_a_rotation_and_a_round_at_the_same_moment_exclude_each_other(
    committed: None, at_once: Callable[..., list[str]]
) -> None:
    """Either the round is dealt from the new pair, or the rotation is refused and the seed stays secret."""
    with transaction.atomic():
        player = player_make(balance=Decimal(10))

    def begin() -> None:
        with transaction.atomic():
            Wallet.objects.select_for_update().get(player=player)
            round_make(player, is_open=True)

    def rotate() -> None:
        seeds_rotate(player=player, client_seed="mine")

    calls = iter([begin, rotate])

    def one_each() -> None:
        next(calls)()

    outcomes = at_once(2, one_each)
    found = Round.objects.get(player=player)
    if "ChangeSeedFailed" in outcomes:
        assert found.seed_pair.status == SeedStatus.ACTIVE
        assert not SeedPair.objects.filter(status=SeedStatus.REVEALED).exists()
    else:
        assert (found.seed_pair.status, found.seed_pair.client_seed) == (SeedStatus.ACTIVE, "mine")
