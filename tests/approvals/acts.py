"""The acts that take two operators, each with the pages that tell of it while it waits."""

import time
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.accounts.services import operator_create, player_status_set, user_active_set
from apps.accounts.staff import staff_reset
from apps.approvals.models import Approval
from apps.approvals.services import act_or_ask
from apps.audit.models import AuditEntry
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig
from apps.baccarat.one_deal_game import BACCARAT
from apps.blackjack.configuration import blackjack_terms_confirm
from apps.blackjack.models import TermsStatus
from apps.events.models import EventThreshold
from apps.events.thresholds import WIN
from apps.evidence.models import EvidenceAlarm, EvidenceAlarmClose
from apps.evidence.services import alarm_close
from apps.office.threshold_changes import event_threshold_set
from apps.one_deal.configuration import odds_confirm
from apps.one_deal.models import ConfigStatus
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundVoid
from apps.rounds.services import round_void
from apps.switches.models import Switch, SwitchScope
from apps.switches.services import switch_set
from apps.tables.models import RoundEnding, TableRound
from apps.tables.table_administration import table_round_void
from apps.wallet.models import Kind, Wallet, WalletStatus, WalletTransaction
from apps.wallet.services import wallet_adjust, wallet_status_set
from tests.office.rows import config_make, odds_pend, round_make
from tests.support.blackjack import blackjack_offer
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.office_browser import OfficeBrowser
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make


class Act(NamedTuple):
    """An act that takes two operators."""

    name: str
    do: Callable[[], object]
    is_done: Callable[[], bool]
    pages: Sequence[str]
    """The addresses of the pages that say that it waits."""
    told: Sequence[str]
    """What an approver must be able to read: who, what, before and after."""


def asked(call: Callable[[], object], user: User) -> Approval:
    """Ask for an act, and return the request that waits for approval."""
    approval = act_or_ask(call=call, user=user, factor_at=timezone.now())
    assert isinstance(approval, Approval)
    return approval


def adjustment(wallet: Wallet, operator: User, change: str = "1000.01") -> Callable[[], object]:
    """Return an adjustment."""
    return lambda: wallet_adjust(operator=operator, wallet=wallet, change=Decimal(change), reason="a lost deposit")


def adjustments() -> list[Decimal]:
    """Return the changes of all adjustments."""
    return list(WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).values_list("change", flat=True))


def browser_with_factor(user: User, *, seconds_ago: float = 0) -> OfficeBrowser:
    """Return a browser whose user has shown a second factor, as allauth notes it."""
    browser = OfficeBrowser()
    browser.force_login(user)
    session = browser.session
    session["account_authentication_methods_user"] = str(user.pk)
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time() - seconds_ago, "type": "totp"}]
    session.save()
    return browser


def page(row: Model) -> str:
    """Return the address of a row's page."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def the_acts(anna: User) -> Iterator[Act]:
    """Yield each act that needs two persons."""
    partner = partner_make()
    player = player_make(balance=Decimal(5000), partner=partner)
    yield from _of_money(anna, player)
    yield from _of_odds(anna, partner)
    yield from _of_log_ins(anna)
    yield from _of_exclusions(anna, player)
    yield from _of_the_platform(anna)


def _of_money(anna: User, player: Player) -> Iterator[Act]:
    wallet = player.wallets.get()
    names = [str(player.partner), player.reference]
    yield Act(
        "adjustment",
        adjustment(wallet, anna),
        lambda: bool(adjustments()),
        [page(wallet), page(player)],
        [*names, "FUN of", "+1,000.01 FUN", "5,000.00 FUN", "6,000.01 FUN"],
    )
    config = config_make(player.partner)
    played = Round.objects.select_related("currency").get(pk=round_make(player, config, stake=Decimal(1001)).round_id)
    yield Act(
        "void",
        lambda: round_void(operator=anna, round=played, reason="camera failed"),
        lambda: RoundVoid.objects.filter(round=played).exists(),
        [page(played)],
        [*names, "Baccarat", str(played.pk), "1,001.00 FUN", "voided"],
    )
    partner, players = players_make(1, balance=5000)
    limits = {"banker": {"minAmount": 1, "maxAmount": 2000}}
    table = PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", limits=limits), players)
    table.stake(0, 1001, bet="banker")
    of_table = table.round
    table.window_end()
    seat = Round.objects.get(table_round=of_table.pk)
    yield Act(
        "void of a table's round",
        lambda: table_round_void(operator=anna, played=of_table, reason="camera failed"),
        lambda: (
            TableRound.objects.get(pk=of_table.pk).ending == RoundEnding.VOIDED
            or RoundVoid.objects.filter(round=seat).exists()
        ),
        [page(of_table), page(seat)],
        [str(partner), table.table.name, players[0].reference, "1,001.00 FUN", "voided"],
    )


def _of_odds(anna: User, partner: Partner) -> Iterator[Act]:
    config = BaccaratConfig.objects.get(partner=partner)
    odds = odds_pend(config, GameType.PERFECT_PAIR, Decimal(35))
    yield Act(
        "odds",
        lambda: odds_confirm(BACCARAT, operator=anna, row=odds, reason="a gift"),
        lambda: type(odds).objects.get(pk=odds.pk).status == ConfigStatus.ACTIVE,
        [page(config), page(odds)],
        [
            str(partner),
            "FUN",
            BACCARAT.bet_labels[GameType.PERFECT_PAIR],
            "not offered",
            "35 to 1",
            "(favours the player)",
        ],
    )
    blackjack = blackjack_offer(partner)
    terms = blackjack.terms.get()
    blackjack.terms.update(status=TermsStatus.PENDING)
    yield Act(
        "terms",
        lambda: blackjack_terms_confirm(operator=anna, terms=terms, reason="a gift"),
        lambda: blackjack.terms.get().status == TermsStatus.ACTIVE,
        [page(blackjack), page(terms)],
        [str(partner), "FUN", "house edge of the main game", "decks"],
    )


def _of_log_ins(anna: User) -> Iterator[Act]:
    closed = staff_make(Role.OPERATOR)
    owner = user_make()
    for user in (closed, owner):
        user_active_set(operator=anna, user=user, active=False, reason="on leave until May")
        yield Act(
            f"log-in of {user.role}",
            partial(user_active_set, operator=anna, user=user, active=True, reason="back again"),
            partial(User.objects.filter(pk=user.pk, is_active=True).exists),
            [page(user)],
            [user.username, user.get_role_display(), "on leave until May", "closed", "open"],
        )
        yield Act(
            f"reset of {user.role}",
            partial(staff_reset, actor=anna, user=user, reason="lost her phone", with_factor=True),
            partial(AuditEntry.objects.filter(action="staff.reset", subject=f"log-in {user.username}").exists),
            [page(user)],
            [user.username, user.get_role_display(), user.email, "second factor", "removed"],
        )
    yield Act(
        "operator",
        lambda: operator_create(operator=anna, username="vera", email="vera@example.test"),
        lambda: User.objects.filter(username="vera", role=Role.OPERATOR).exists(),
        [reverse("admin:accounts_user_changelist"), reverse("admin:accounts_user_add")],
        ["vera", "vera@example.test", "operator, who may do everything"],
    )


def _of_exclusions(anna: User, player: Player) -> Iterator[Act]:
    wallet = player.wallets.get()
    names = [str(player.partner), player.reference, "asked for a pause"]
    player_status_set(operator=anna, player=player, status=PlayerStatus.BLOCKED, reason="asked for a pause")
    yield Act(
        "exclusion",
        lambda: player_status_set(operator=anna, player=player, status=PlayerStatus.ACTIVE, reason="asked again"),
        lambda: Player.objects.get(pk=player.pk).status == PlayerStatus.ACTIVE,
        [page(player), reverse("admin:player_file", args=[player.pk])],
        [*names, "blocked", "active"],
    )
    wallet_status_set(operator=anna, wallet=wallet, status=WalletStatus.BLOCKED, reason="asked for a pause")
    yield Act(
        "exclusion in one currency",
        lambda: wallet_status_set(operator=anna, wallet=wallet, status=WalletStatus.ACTIVE, reason="asked again"),
        lambda: Wallet.objects.get(pk=wallet.pk).status == WalletStatus.ACTIVE,
        [page(wallet), page(player)],
        [*names, "FUN of", "blocked", "active"],
    )


def _of_the_platform(anna: User) -> Iterator[Act]:
    alarm = EvidenceAlarm.objects.create(
        game="og-baccarat", kind="Player", law="0" * 64, is_play=True, part="all", measure="payout", threshold=3, n=10
    )
    yield Act(
        "alarm",
        lambda: alarm_close(operator=anna, alarm=alarm, reason="a wrong table of odds, put right"),
        lambda: EvidenceAlarmClose.objects.filter(alarm=alarm).exists(),
        [page(alarm), reverse("admin:evidence_evidencealarm_close_alarm", args=[alarm.pk])],
        [f"RTP alarm {alarm.pk}", "Baccarat", "3 of 10 rounds have a payout", "open", "closed"],
    )
    player = player_make()
    key = str(player.pk)
    switch = switch_set(operator=anna, scope=SwitchScope.PLAYER, key=key, is_off=True, reason="a bot, perhaps")
    yield Act(
        "switch",
        lambda: switch_set(operator=anna, scope=SwitchScope.PLAYER, key=key, is_off=False, reason="no bot"),
        lambda: not Switch.objects.get(pk=switch.pk).is_off,
        [page(switch)],
        [player.reference, "a bot, perhaps", "off", "on"],
    )
    yield Act(
        "threshold",
        lambda: event_threshold_set(
            operator=anna, measure=WIN, currency="FUN", value=Decimal(20_000), reason="play money"
        ),
        lambda: EventThreshold.objects.filter(value=20_000).exists(),
        [reverse("admin:events_eventthreshold_changelist"), reverse("admin:events_eventthreshold_add")],
        ["large win", "amount", "FUN", "10,000", "20,000"],
    )
