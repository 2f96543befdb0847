"""`manage.py demo`: what it creates, that a second run creates nothing, and that it needs a password."""

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from apps.accounts.models import Player, Role, User
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.core import json
from apps.one_deal.models import ConfigStatus
from apps.partners.models import ApiKey, Partner
from apps.partners.services import api_key_find, api_key_use
from apps.wallet.models import Wallet, WalletTransaction

pytestmark = pytest.mark.django_db

PASSWORD = "a fixed demo password"


@pytest.fixture
def demo(settings: Any) -> Any:
    """Return a function that runs the command with `--json` and decodes its output."""
    settings.PUNTO_DEMO_PASSWORD = PASSWORD

    def run() -> Any:
        written = StringIO()
        call_command("demo", "--json", stdout=written)
        return json.decode(written.getvalue())

    return run


def test_every_printed_log_in_works_and_has_its_role(demo: Any) -> None:
    told = demo()
    assert told["password"] == PASSWORD
    for login in told["logins"]:
        user = authenticate(username=login["username"], password=PASSWORD)
        assert isinstance(user, User)
        assert user.role == login["role"]
        assert user.is_staff == (login["role"] != Role.PLAYER)
    assert {login["role"] for login in told["logins"]} == set(Role.values)
    staff = User.objects.filter(role=Role.PARTNER_STAFF).values_list("partner__slug", flat=True)
    assert sorted(staff) == ["house", "riviera"]


def test_players_hold_play_money_by_recorded_deposits(demo: Any) -> None:
    told = demo()
    assert {player["reference"]: player["balance"] for player in told["players"]} == {
        "anna": "1000",
        "ben": "1000",
        "guest-1": "1000",
        "guest-2": "1000",
        "guest-3": "500",
    }
    for wallet in Wallet.objects.all():
        (deposit,) = WalletTransaction.objects.filter(wallet=wallet)
        assert (deposit.kind, deposit.change) == ("deposit", wallet.balance)


def test_each_offer_has_ten_odds_rows_three_of_them_active(demo: Any) -> None:
    demo()
    assert BaccaratConfig.objects.count() == 3
    for config in BaccaratConfig.objects.all():
        rows = BaccaratOddsConfig.objects.filter(baccarat_config=config).order_by("game_type")
        assert list(rows.values_list("game_type", flat=True)) == list(range(1, 11))
        assert [row.game_type for row in rows if row.status == ConfigStatus.ACTIVE] == [1, 2, 3]
    assert rows[1].odds == Decimal("0.95")


def test_each_offer_has_blackjack_open_with_an_edge_for_the_house(demo: Any) -> None:
    demo()
    assert BlackjackConfig.objects.filter(active=True).count() == 3
    for config in BlackjackConfig.objects.all():
        (terms,) = BlackjackTerms.objects.filter(config=config)
        assert terms.status == TermsStatus.ACTIVE
        assert min(terms.house_edge, terms.perfect_pairs_edge, terms.poker_edge) > 0


def test_the_printed_keys_are_valid_and_shown_once(demo: Any) -> None:
    first, second = demo()["api_keys"], demo()["api_keys"]
    for key in first:
        assert api_key_use(api_key_find(key["key"])).partner.slug == key["partner"]
    assert [key["key"] for key in second] == [None, None]
    assert [key["prefix"] for key in second] == [key["prefix"] for key in first]


def test_a_second_run_changes_nothing(demo: Any) -> None:
    money = (Player, Wallet, WalletTransaction)
    offers = (BaccaratConfig, BaccaratOddsConfig, BlackjackConfig, BlackjackTerms)
    tables = (Partner, User, ApiKey, AuditEntry, *money, *offers)
    demo()
    before = {table: list(table.objects.order_by("pk").values()) for table in tables}
    demo()
    assert {table: list(table.objects.order_by("pk").values()) for table in tables} == before


def test_the_output_can_be_plain_text(settings: Any) -> None:
    settings.PUNTO_DEMO_PASSWORD = PASSWORD
    written = StringIO()
    call_command("demo", stdout=written)
    text = written.getvalue()
    assert PASSWORD in text
    assert "riviera-staff  partner staff of riviera" in text
    for key in ApiKey.objects.all():
        assert key.prefix in text


def test_without_a_password_the_demo_refuses(settings: Any) -> None:
    settings.PUNTO_DEMO_PASSWORD = ""
    with pytest.raises(CommandError, match="PUNTO_DEMO_PASSWORD"):
        call_command("demo")
    assert not User.objects.exists()
