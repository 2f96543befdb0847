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
def empty(db: None, settings: Any) -> None:
    """A database without the demo, for whose log-ins a password is set."""
    settings.PUNTO_DEMO_PASSWORD = PASSWORD


def demo_run() -> Any:
    """Run the command with `--json` and decode its output."""
    written = StringIO()
    call_command("demo", "--json", stdout=written)
    return json.decode(written.getvalue())


def test_the_demo_creates_its_people_offers_and_keys_and_a_second_run_changes_nothing(
    empty: None, subtests: pytest.Subtests
) -> None:
    """The command runs twice for all checks: it takes much longer than they do."""
    first = demo_run()
    kept = rows_of_all()
    second = demo_run()
    with subtests.test("a second run changes nothing"):
        assert rows_of_all() == kept
    with subtests.test("the log-ins"):
        logins_check(first)
    with subtests.test("the players"):
        players_check(first)
    with subtests.test("the offers"):
        baccarat_check()
        blackjack_check()
    with subtests.test("the keys"):
        keys_check(first["api_keys"], second["api_keys"])


def rows_of_all() -> dict[Any, list[dict[str, Any]]]:
    money = (Player, Wallet, WalletTransaction)
    offers = (BaccaratConfig, BaccaratOddsConfig, BlackjackConfig, BlackjackTerms)
    tables = (Partner, User, ApiKey, AuditEntry, *money, *offers)
    return {table: list(table.objects.order_by("pk").values()) for table in tables}


def logins_check(told: Any) -> None:
    """Every printed log-in works and has its role."""
    assert told["password"] == PASSWORD
    for login in told["logins"]:
        user = authenticate(username=login["username"], password=PASSWORD)
        assert isinstance(user, User)
        assert user.role == login["role"]
        assert user.is_staff == (login["role"] != Role.PLAYER)
    assert {login["role"] for login in told["logins"]} == set(Role.values)
    staff = User.objects.filter(role=Role.PARTNER_STAFF).values_list("partner__slug", flat=True)
    assert sorted(staff) == ["house", "riviera"]


def players_check(told: Any) -> None:
    """Players hold play money by recorded deposits."""
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


def baccarat_check() -> None:
    """Each offer has ten rows of odds, three of them active."""
    assert BaccaratConfig.objects.count() == 3
    for config in BaccaratConfig.objects.all():
        rows = BaccaratOddsConfig.objects.filter(baccarat_config=config).order_by("game_type")
        assert list(rows.values_list("game_type", flat=True)) == list(range(1, 11))
        assert [row.game_type for row in rows if row.status == ConfigStatus.ACTIVE] == [1, 2, 3]
    assert rows[1].odds == Decimal("0.95")


def blackjack_check() -> None:
    """Each offer has blackjack open with an edge for the house."""
    assert BlackjackConfig.objects.filter(active=True).count() == 3
    for config in BlackjackConfig.objects.all():
        (terms,) = BlackjackTerms.objects.filter(config=config)
        assert terms.status == TermsStatus.ACTIVE
        assert min(terms.house_edge, terms.perfect_pairs_edge, terms.poker_edge) > 0


def keys_check(first: Any, second: Any) -> None:
    """The printed keys are valid, and shown once."""
    for key in first:
        assert api_key_use(api_key_find(key["key"])).partner.slug == key["partner"]
    assert [key["key"] for key in second] == [None, None]
    assert [key["prefix"] for key in second] == [key["prefix"] for key in first]


def test_the_output_can_be_plain_text(empty: None) -> None:
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
