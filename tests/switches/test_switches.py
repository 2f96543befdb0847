"""Switches: no round begins while one is off, open rounds are finished, and withdrawals remain possible."""

import asyncio
import sys
import time
from datetime import datetime
from decimal import Decimal
from html import unescape
from operator import sub
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Player, Role, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, act_or_ask, approval_approve
from apps.audit.models import RowChange
from apps.baccarat.engine import GameType
from apps.blackjack.services import idle_rounds_play_out
from apps.core.errors import BadRequest, Conflict, DomainError, GameDisabled, Refused
from apps.events.models import SignificantEvent
from apps.one_deal.messages import Bet, Slip
from apps.paytables.models import PayTable
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.switches.models import Switch, SwitchScope
from apps.switches.names import key_of_name
from apps.switches.selectors import switches_off
from apps.switches.services import switch_set
from apps.wallet.services import wallet_withdraw
from casino.settings.waits import WAIT_S
from tests.contract.players import player_of
from tests.support.baccarat import odds_set, offer_make
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.loop import run, run_alone
from tests.support.offers import games_offer
from tests.support.office_browser import OfficeBrowser
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")


def switch(scope: SwitchScope, key: object = "", *, is_off: bool = True, operator: User | None = None) -> Switch:
    operator = operator or staff_make(Role.OPERATOR)
    return switch_set(operator=operator, scope=scope, key=str(key), is_off=is_off, reason="a test")


def offered_player() -> Player:
    partner = partner_make()
    games_offer(partner)
    return player_make(balance=Decimal(10_000), partner=partner)


def plays(player: Player, game: GameSpec, *, rounds: int = 1) -> None:
    _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
    for _ in range(rounds):
        player_of(game).play(token, Random(5))


@pytest.mark.parametrize("game", games(), ids=lambda game: game.slug)
def test_each_scope_stops_the_rounds_of_every_game_and_of_nobody_else(game: GameSpec) -> None:
    player, other = offered_player(), offered_player()
    plays(player, game)
    paytable_id = Round.objects.filter(player=player).latest("started_at").paytable_id
    scopes = {
        SwitchScope.EVERYTHING: "",
        SwitchScope.GAME: game.id,
        SwitchScope.PAY_TABLE: paytable_id,
        SwitchScope.PARTNER: player.partner_id,
        SwitchScope.PLAYER: player.pk,
    }
    alone = {SwitchScope.PARTNER, SwitchScope.PLAYER}
    for scope, key in scopes.items():
        before = Round.objects.count()
        switch(scope, key)
        with pytest.raises(GameDisabled):
            plays(player, game)
        assert Round.objects.count() == before
        if scope in alone:
            plays(other, game)
        switch(scope, key, is_off=False)
        plays(player, game)
        assert Round.objects.count() == before + 1 + (scope in alone)


def test_a_pay_table_stops_the_offer_that_has_it_now_alone() -> None:
    """Pages that say so before a bet is refused read it from `switches_off`."""
    partner = partner_make()
    offer_make(partner)
    euros = offer_make(partner, currency="EUR")
    odds_set(euros, GameType.PLAYER, "0.9")
    euros.refresh_from_db()

    def are_off() -> list[bool]:
        off = [switches_off(partner_id=partner.pk, currency_code=code) for code in ("FUN", "EUR")]
        return [each.stops(player_id=1, game_id="og-baccarat") for each in off]

    switch(SwitchScope.PAY_TABLE, euros.paytable_id)
    assert are_off() == [False, True]
    odds_set(euros, GameType.PLAYER, "0.8")
    assert are_off() == [False, False]


def test_an_open_round_is_finished_and_funds_leave_while_everything_is_off() -> None:
    player = offered_player()
    left_open = [
        game
        for game in games()
        if player_of(game).leave_open(game_session_open(player=player, game=game.id, currency_code="FUN")[1])
    ]
    assert left_open
    switch(SwitchScope.EVERYTHING)
    dealt = list(Round.objects.filter(player=player, how_ended="").values_list("pk", flat=True))
    assert run(idle_rounds_play_out(round_ids=dealt, idle_before=timezone.now())) == len(left_open)
    with transaction.atomic():
        balance = wallet_withdraw(
            player=player, currency_code="FUN", amount=Decimal(1), transaction_id="w", partner=player.partner
        )
    assert balance > 0
    assert not Round.objects.filter(player=player, how_ended="").exists()


def test_a_table_s_seats_stake_no_more_and_the_round_that_runs_is_finished() -> None:
    partner, players = players_make(2)
    table = PlayedTable(table_make(partner, currency="FUN", window_s=30, turn_s=60), players)
    table.next_window()
    for place in range(2):
        table.stake(place)
    switch(SwitchScope.TABLE, table.table.pk)
    table.window_end()
    table.play_out()
    assert Round.objects.filter(table_round__isnull=False).exclude(how_ended="played").count() == 0
    table.next_window()
    before = Round.objects.count()
    with pytest.raises(GameDisabled):
        table.stake(0)
    assert Round.objects.count() == before
    switch(SwitchScope.TABLE, table.table.pk, is_off=False)
    table.stake(0)
    assert Round.objects.count() == before + 1


class Bettors:
    """Players who bet at once, on one event loop as in a server of ours, until they are stopped."""

    def __init__(self, count: int) -> None:
        self.stop = Event()
        self.placed = [0] * count
        self.refused: list[list[type[DomainError]]] = [[] for _ in range(count)]
        game = next(game.id for game in games() if game.slug == "baccarat")
        self.tokens = [
            game_session_open(player=offered_player(), game=game, currency_code="FUN")[1] for _ in range(count)
        ]
        self.thread = Thread(target=lambda: run_alone(self._all_bet()))

    async def _all_bet(self) -> None:
        await asyncio.gather(*(self._bet(place) for place in range(len(self.tokens))))

    async def _bet(self, place: int) -> None:
        bettor = Bettor(token_hash=token_hash(self.tokens[place]))
        slip = Slip((Bet(GameType.PLAYER, Decimal(1)),), is_list=False)
        while not self.stop.is_set():
            try:
                await baccarat_bet_place(bettor=bettor, slip=slip)
                self.placed[place] += 1
            except DomainError as error:
                self.refused[place].append(type(error))
                await asyncio.sleep(0.02)  # otherwise refusals would take processor time from the measured bets

    def placed_await(self, each: int) -> int:
        """Wait until everybody has placed this many more bets; return the number of them."""
        before = list(self.placed)
        wait_until(lambda: min(map(sub, self.placed, before)) >= each, "everybody has placed bets")
        return sum(self.placed) - sum(before)

    def refused_await(self) -> None:
        """Wait until everybody has been refused once more."""
        before = [len(each) for each in self.refused]
        wait_until(lambda: min(map(sub, map(len, self.refused), before)) >= 1, "everybody was refused")

    def __enter__(self) -> "Bettors":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(WAIT_S)


def database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    return now


def test_no_round_begins_by_a_statement_that_began_after_the_commit(settings: Any) -> None:
    """With `make soak` sixty players place 500 bets a second or more, and everything is switched off twenty times."""
    settings.PUNTO_BETS_PER_S = None
    count, times, each = (60, 20, 30) if IS_LONG else (4, 2, 3)
    spans, placed, took_s = [], 0, 0.0
    with Bettors(count) as bettors:
        for _ in range(times):
            began_s = time.monotonic()
            placed += bettors.placed_await(each)
            took_s += time.monotonic() - began_s
            switch(SwitchScope.EVERYTHING)
            off_at = database_time()
            bettors.refused_await()
            spans.append((off_at, database_time()))
            switch(SwitchScope.EVERYTHING, is_off=False)
    rate = placed / took_s
    sys.stdout.write(f"{rate:.0f} bets a second by {count} players when it was switched off {times} times\n")
    assert rate >= (500 if IS_LONG else 1)
    assert {kind for kinds in bettors.refused for kind in kinds} == {GameDisabled}
    for off_at, on_at in spans:
        assert Round.objects.filter(started_at__lte=off_at).exists()
        assert not Round.objects.filter(started_at__gt=off_at, started_at__lt=on_at).exists()


def test_one_switches_off_and_two_switch_on() -> None:
    anna, ben = staff_make(Role.OPERATOR), staff_make(Role.OPERATOR)
    with override_settings(PUNTO_TWO_PERSONS=True):
        row = switch(SwitchScope.EVERYTHING, operator=anna)
        with pytest.raises(Conflict):
            switch(SwitchScope.EVERYTHING, operator=ben)
        with pytest.raises(SecondPersonNeeded):
            switch(SwitchScope.EVERYTHING, is_off=False, operator=ben)
        asked = act_or_ask(
            call=lambda: switch(SwitchScope.EVERYTHING, is_off=False, operator=anna),
            user=anna,
            factor_at=timezone.now(),
        )
        assert isinstance(asked, Approval)
        with pytest.raises(Refused):
            approval_approve(operator=anna, approval=asked, reason="me", factor_at=timezone.now())
        approval_approve(operator=ben, approval=asked, reason="seen", factor_at=timezone.now())
    row.refresh_from_db()
    assert (row.is_off, row.by, row.authorised_by) == (False, anna.username, ben.username)
    assert RowChange.objects.filter(table_name="switch", row_key=str(row.pk)).count() == 2
    events = SignificantEvent.objects.filter(kind="game_changed").order_by("id")
    assert [event.after for event in events] == [{"off": True}, {"off": False}]


@pytest.mark.parametrize(
    ("scope", "key"),
    [
        (SwitchScope.EVERYTHING, "x"),
        (SwitchScope.GAME, "roulette"),
        (SwitchScope.PARTNER, "0"),
        (SwitchScope.PARTNER, "007"),
        (SwitchScope.PLAYER, "999999999"),
        (SwitchScope.PAY_TABLE, ""),
        (SwitchScope.TABLE, "x"),
    ],
)
def test_a_switch_of_nothing_is_refused(scope: SwitchScope, key: str) -> None:
    with pytest.raises(BadRequest):
        switch(scope, key)
    assert not Switch.objects.exists()


def test_only_operators_switch_and_no_switch_is_deleted() -> None:
    with pytest.raises(Refused):
        switch(SwitchScope.EVERYTHING, operator=staff_make(Role.AUDITOR))
    switch(SwitchScope.EVERYTHING)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM switch")


def test_what_is_switched_off_is_chosen_by_its_name() -> None:
    partner, other = partner_make(), partner_make()
    anna, anna_too, numbered = player_make(partner=partner), player_make(partner=other), player_make(partner=partner)
    for player, reference in ((anna, "anna"), (anna_too, "anna"), (numbered, "x-17")):
        Player.objects.filter(pk=player.pk).update(reference=reference)
    games_offer(partner)
    table = table_make(partner, name="Grand Salon")
    pays = PayTable.objects.filter(uses__partner=partner, game="og-baccarat").latest("pk")
    for scope, text, key in (
        (SwitchScope.EVERYTHING, "", ""),
        (SwitchScope.GAME, "dragon tiger", "og-dragon-tiger"),
        (SwitchScope.GAME, "og-baccarat", "og-baccarat"),
        (SwitchScope.PARTNER, partner.slug, partner.pk),
        (SwitchScope.PARTNER, partner.name.upper(), partner.pk),
        (SwitchScope.PLAYER, f"{other.slug}/anna", anna_too.pk),
        (SwitchScope.PLAYER, "x-17", numbered.pk),
        (SwitchScope.PLAYER, str(anna.pk), anna.pk),
        (SwitchScope.PAY_TABLE, pays.hash[:8], pays.pk),
        (SwitchScope.TABLE, "grand salon", table.pk),
        (SwitchScope.TABLE, f"{partner.slug}/Grand Salon", table.pk),
        (SwitchScope.TABLE, str(table.pk), table.pk),
    ):
        assert key_of_name(scope, text) == str(key), text
    for scope, text, said in (
        (SwitchScope.PLAYER, "anna", f"there are several: .*{other.slug}/anna .number {anna_too.pk}."),
        (SwitchScope.PLAYER, "x-", f"no player 'x-'; names that begin with it: {partner.slug}/x-17"),
        (SwitchScope.PAY_TABLE, pays.hash[:5], "no pay table .*; names that begin with it: "),
        (SwitchScope.GAME, "", "choose a game"),
        (SwitchScope.TABLE, "nowhere", "there is no table 'nowhere'$"),
    ):
        with pytest.raises(BadRequest, match=said):
            key_of_name(scope, text)
    browser = OfficeBrowser()
    browser.force_login(staff_make(Role.OPERATOR))
    address = reverse("admin:switches_switch_add")
    page = unescape(browser.get(address).content.decode())
    for name in ("Baccarat", partner.slug, f"{partner.slug}/Grand Salon", pays.hash[:8]):
        assert f'<option value="{name}">' in page
    assert 'list="key-names"' in page
    assert '<option value="" selected>' in page
    assert browser.post(address, {"scope": "", "key": "", "reason": "a test"}).status_code == 200
    assert not Switch.objects.exists()
    form = {"scope": "player", "reason": "a test"}
    assert "there are several" in browser.post(address, form | {"key": "anna"}).content.decode()
    assert browser.post(address, form | {"key": f"{partner.slug}/anna"}).status_code == 302
    assert Switch.objects.get().key == str(anna.pk)


def test_a_switch_s_pages_have_the_name_of_what_is_off_at_their_head() -> None:
    """The key of a player is a number, which another player may have as a reference."""
    player = player_make(partner=partner_make())
    row = switch(SwitchScope.PLAYER, player.pk)
    browser = OfficeBrowser()
    browser.force_login(staff_make(Role.OPERATOR))
    for name in ("change", "switch_on"):
        page = unescape(browser.get(reverse(f"admin:switches_switch_{name}", args=[row.pk])).content.decode())
        assert player.reference in page.partition("</title>")[0]
        assert f">player {player.pk}</" not in page
