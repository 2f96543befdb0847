"""Partners with a player who has played, and a log-in of each role."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from apps.accounts.models import Player, Role, User
from apps.audit.services import audit_record
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig
from apps.events.models import SignificantEvent
from apps.evidence.models import RtpPublication
from apps.evidence.services import rtp_publication_set
from apps.partners.models import ApiKey, ApiKeyRequest, Partner, Scope
from apps.partners.services import api_key_create
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import GameSession
from apps.statistics.models import PartnerZone
from apps.statistics.services import partner_zone_set
from apps.tables.models import GameTable, TableRound, TableSession
from apps.tables.sessions import table_session_open
from tests.office.rows import config_make, odds_pend, round_make, table_with_round
from tests.support.blackjack import blackjack_offer
from tests.support.empty_pages import pages_empty, refusals_bare
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.long_form import IS_LONG
from tests.support.office_browser import OfficeBrowser


@dataclass(frozen=True, slots=True)
class Casino:
    """One partner with one row of each kind."""

    partner: Partner
    player: Player
    config: BaccaratConfig
    pending: BaccaratOddsConfig
    record: BaccaratGameRecord
    api_key: ApiKey
    session: GameSession
    table: GameTable
    table_round: TableRound
    table_session: TableSession


def casino_make(partner: Partner | None = None) -> Casino:
    """Return a partner whose player has placed one bet."""
    partner = partner or partner_make()
    player = player_make(balance=Decimal(500), partner=partner)
    blackjack_offer(partner)
    config = config_make(partner)
    pending = odds_pend(config, GameType.PERFECT_PAIR, Decimal("35"))
    record = round_make(player, config)
    api_key, _ = api_key_create(partner=partner, name="cashier", scopes=[Scope.READ], actor="test")
    ApiKeyRequest.objects.create(
        key=api_key, time=datetime.now(UTC), method="GET", path="/v1/rounds", status=200, address="192.0.2.7"
    )
    session, _ = game_session_open(player=player, game=BACCARAT, currency_code="FUN")
    table, table_round = table_with_round(partner)
    table_session, _ = table_session_open(player=player, currency_code="FUN")
    rtp_publication_set(partner=partner, is_allowed=True, actor="test")
    coming = datetime.now(UTC).date() + timedelta(days=3)
    partner_zone_set(partner=partner, zone="UTC", from_day=coming, actor="test")
    with transaction.atomic():
        audit_record(actor="test", action="test.made", subject="a casino", partner_id=partner.pk)
    return Casino(partner, player, config, pending, record, api_key, session, table, table_round, table_session)


@pytest.fixture
def casino_new() -> Callable[[], Casino]:
    """Return a function that makes another partner."""
    return casino_make


@pytest.fixture
def ours(request: pytest.FixtureRequest) -> Casino:
    """The partner that the staff and the partner's auditor belong to."""
    return _casino(request)


@pytest.fixture
def theirs(request: pytest.FixtureRequest) -> Casino:
    """Another partner."""
    return _casino(request)


def _casino(request: pytest.FixtureRequest) -> Casino:
    """Return a partner in the test's transaction, or with real commits if the test asks for them."""
    request.getfixturevalue("committed" if "committed" in request.fixturenames else "db")
    return casino_make()


@pytest.fixture
def browser_of() -> Callable[[str, Partner], OfficeBrowser]:
    """Return a function that logs a browser in as a role. An `auditor` sees all partners, a `partner_auditor` one."""

    def browser(who: str, partner: Partner) -> OfficeBrowser:
        client = OfficeBrowser()
        client.force_login(_user(who, partner))
        return client

    return browser


@pytest.fixture
def log_in(ours: Casino, browser_of: Callable[[str, Partner], OfficeBrowser]) -> Callable[[str], OfficeBrowser]:
    """Return a function like `browser_of` for the partner `ours`."""
    return lambda who: browser_of(who, ours.partner)


def _user(who: str, partner: Partner) -> User:
    if who == "player":
        return user_make(role=Role.PLAYER)
    if who == "partner_auditor":
        return staff_make(Role.AUDITOR, partner=partner)
    return staff_make(Role(who), partner=partner if who == "partner_staff" else None)


@pytest.fixture
def empty_pages() -> Iterator[None]:
    """Answer without the content of pages, for a test that checks their status alone."""
    with pages_empty():
        yield


@pytest.fixture
def bare_refusals() -> Iterator[None]:
    """Answer refusals without their frame, for a test of many refusals; with `make soak` they are whole."""
    with nullcontext() if IS_LONG else refusals_bare():
        yield


@pytest.fixture
def rows_of() -> Callable[[Casino], dict[str, Any]]:
    """Return a function that maps the admin's names of models to a casino's rows."""

    def rows(casino: Casino) -> dict[str, Any]:
        wallet = casino.player.wallets.get()
        blackjack = casino.partner.blackjack_configs.get()
        movement = wallet.transactions.order_by("id").first()
        return {
            "accounts_player": casino.player.pk,
            "baccarat_baccaratconfig": casino.config.pk,
            "baccarat_baccaratoddsconfig": casino.pending.pk,
            "baccarat_baccaratgamerecord": casino.record.pk,
            "blackjack_blackjackconfig": blackjack.pk,
            "blackjack_blackjackterms": blackjack.terms.get().pk,
            "evidence_rtppublication": RtpPublication.objects.get(partner=casino.partner).pk,
            "events_significantevent": SignificantEvent.objects.filter(partner_id=casino.partner.pk).latest("pk").pk,
            "fairness_seedpair": casino.record.seed_pair_id,
            "partners_apikey": casino.api_key.pk,
            "partners_apikeyrequest": ApiKeyRequest.objects.get(key=casino.api_key).pk,
            "partners_partner": casino.partner.pk,
            "rounds_gamesession": casino.session.pk,
            "rounds_round": casino.record.round_id,
            "statistics_partnerzone": PartnerZone.objects.get(partner=casino.partner).pk,
            "tables_gametable": casino.table.pk,
            "tables_tableround": casino.table_round.pk,
            "tables_tablesession": casino.table_session.pk,
            "wallet_houseaccount": wallet.house_account_id,
            "wallet_wallet": wallet.pk,
            "wallet_wallettransaction": movement.pk,
        }

    return rows
