"""The wallet and the history: pages and files agree with the ledger."""

import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.db.models import F, Q, QuerySet, Sum
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Player, Role
from apps.baccarat.engine import Winner
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.history_selectors import POINTS_SHOWN
from apps.rounds.models import Round, RoundEnd
from apps.rounds.services import player_open, round_void
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_adjust
from tests.office.rows import config_make, round_make
from tests.support.baccarat import seeds_choose
from tests.support.factories import partner_make, staff_make, user_make, wallet_make
from tests.support.ledger import move

pytestmark = pytest.mark.django_db
ROUNDS = 12


@pytest.fixture
def player() -> Player:
    """A player with rounds in two currencies, one of them void, beside another player with a round."""
    house = partner_make(is_house=True)
    user = user_make()
    player = player_open(partner=house, reference=user.username, currency_code="FUN", user=user)
    wallet_make(player=player, balance=Decimal(50), currency="EUR")
    fun, eur = config_make(house), config_make(house, currency="EUR")
    seeds_choose(player, lambda deal: deal.winner is Winner.BANKER)  # the bet on the player side is lost
    lost, *_ = [round_make(player, fun, stake=Decimal(number)).round for number in range(1, ROUNDS + 1)]
    round_make(player, eur, stake=Decimal("2.25"))
    round_make(player_open(partner=house, reference="other", currency_code="FUN"), fun)
    round_void(operator=staff_make(Role.OPERATOR), round=lost, reason="a test")
    return player


@pytest.fixture
def browser(client: Client, player: Player) -> Client:
    client.force_login(player.user)  # type: ignore[arg-type]
    return client


def rows_of(answer: Any) -> list[dict[str, str]]:
    """Return the lines of a streamed file, each by the names of the columns."""
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert answer.streaming
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(StringIO(text)))


def moved(rows: "QuerySet[WalletTransaction]", *kinds: Kind) -> Decimal:
    return rows.filter(kind__in=kinds).aggregate(sum=Sum("change"))["sum"] or Decimal(0)


def test_the_page_of_a_void_round_tells_of_no_loss(browser: Client, player: Player) -> None:
    void, counted = player.rounds.get(void__isnull=False), player.rounds.filter(void__isnull=True)[0]
    texts = [browser.get(reverse("round", args=[played.pk])).content.decode() for played in (void, counted)]
    assert ["<dt>Result</dt><dd>void</dd>" in text for text in texts] == [True, False]


def test_the_rounds_of_page_and_file_equal_the_ledger(browser: Client, player: Player) -> None:
    ledger = WalletTransaction.objects.filter(wallet__player=player, round_id__isnull=False)
    rows = rows_of(browser.get("/history/rounds.csv"))
    assert len(rows) == ROUNDS + 1
    for row in rows:
        of_round = ledger.filter(round_id=row["Round"])
        assert Decimal(row["Staked"]) == -moved(of_round, Kind.BET)
        assert Decimal(row["Returned"]) == moved(of_round, Kind.REWARD)
        assert Decimal(row["Result"]) == Decimal(row["Returned"]) - Decimal(row["Staked"])
    assert {row["Staked"] for row in rows if row["Currency"] == "EUR"} == {"2.25"}
    days = browser.get("/history/").context["days"]
    for currency in ("FUN", "EUR"):
        shown = [day for day in days if day.currency.code == currency]
        net = ledger.filter(wallet__currency=currency).aggregate(sum=Sum("change"))["sum"]
        assert sum(day.net for day in shown) == net  # a void round's movements are a sum of 0
    assert sum(day.rounds for day in days) == ROUNDS


def test_the_wallet_of_page_and_file_equals_the_ledger(browser: Client, player: Player) -> None:
    wallet = Wallet.objects.get(player=player, currency="FUN")
    for _ in range(POINTS_SHOWN):
        move(wallet, Kind.DEPOSIT, "0.01")
    wallet.refresh_from_db()
    context = browser.get("/wallet/").context
    assert sum(day.returned - day.staked + day.other for day in context["days"]) == wallet.balance
    assert context["days"][0].balance == context["points"][-1].balance == wallet.balance
    assert POINTS_SHOWN / 2 <= len(context["points"]) <= POINTS_SHOWN + 1
    running = Decimal(0)
    for row in reversed(rows_of(browser.get("/wallet/movements.csv"))):
        running += Decimal(row["Change"])
        assert Decimal(row["Balance after"]) == running
        assert row["Balance after"] == f"{running:.2f}"
    assert running == wallet.balance
    other = browser.get("/wallet/", {"currency": "EUR"})
    assert other.context["wallet"].currency_id == "EUR"
    assert {row["Currency"] for row in rows_of(browser.get("/wallet/movements.csv?currency=EUR"))} == {"EUR"}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"currency": "EUR"}, Q(currency="EUR")),
        ({"game": "og-blackjack"}, Q(game="og-blackjack")),
        ({"ended": "void"}, Q(void__isnull=False)),
        ({"ended": "played"}, Q(how_ended="played", void__isnull=True)),
        ({"ended": "open"}, Q(how_ended="")),
        ({"result": "won"}, Q(payout__gt=F("stake"), void__isnull=True)),
        ({"result": "lost"}, Q(payout__lt=F("stake"), void__isnull=True)),
        ({"result": "even"}, Q(payout=F("stake"), void__isnull=True)),
        ({"since": "2020-01-01", "until": "2020-12-31"}, Q(started_at__year=2020)),
        ({"since": "2020-01-01"}, Q()),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else "",
)
def test_a_filter_chooses_its_rounds_in_page_and_file(
    browser: Client, player: Player, query: dict[str, str], wanted: Q
) -> None:
    own = Round.objects.filter(player=player)
    expected = {str(played.pk) for played in own.filter(wanted)}
    assert {row["Round"] for row in rows_of(browser.get("/history/rounds.csv", query))} == expected
    page = browser.get("/history/", query).context["page"]
    assert {str(played.pk) for played in page} == expected


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("since=2026-02-30", "Enter a valid date."),
        ("until=tomorrow", "Enter a valid date."),
        ("since=9999-12-31", "This day is not possible."),
        ("since=2026-03-02&until=2026-03-01", "This day is before the first one."),
        ("currency=JPY", "JPY is not one of the available choices."),
    ],
)
@pytest.mark.parametrize("path", ["/history/", "/history/rounds.csv", "/wallet/", "/wallet/movements.csv"])
def test_a_filter_that_cannot_be_read_is_told_and_nothing_is_shown(
    browser: Client, path: str, query: str, sentence: str
) -> None:
    answer: Any = browser.get(f"{path}?{query}")
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert "Nothing is shown" in page
    assert "<tbody>" not in page


def past_rounds(player: Player, *nonces: int) -> list[Round]:
    """Rounds of an evening of 2020, each with a lost stake of 1."""
    seeds = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    return Round.objects.bulk_create(
        Round(
            partner=player.partner, player=player, currency_id="FUN", game="og-baccarat", nonce=nonce, config_version=1,
            seed_pair=seeds, stake=1, balance_before=1, balance_after=0, how_ended=RoundEnd.PLAYED,
            started_at=datetime(2020, 3, 1, 23, 30, tzinfo=UTC), ended_at=datetime(2020, 3, 1, 23, 31, tzinfo=UTC),
        )
        for nonce in nonces
    )  # fmt: skip


def test_a_day_is_one_of_the_reader_s_time_zone(browser: Client, player: Player) -> None:
    (late,) = past_rounds(player, 999)
    browser.cookies["punto_language"] = "de"
    for zone, day in (("UTC", date(2020, 3, 1)), ("Europe/Berlin", date(2020, 3, 2))):
        browser.cookies["punto_time_zone"] = zone
        answer = browser.get("/history/", {"since": day.isoformat(), "until": day.isoformat()})
        assert f'<time datetime="{day}" data-local-day>{day:%d.%m.%Y}</time>' in answer.content.decode()
        context = answer.context
        assert [played.pk for played in context["page"]] == [late.pk]
        assert [(shown.day, shown.stake) for shown in context["days"]] == [(day, 1)]


def test_large_numbers_of_rounds_have_the_separator_of_the_language(browser: Client, player: Player) -> None:
    past_rounds(player, *range(1000, 2000))
    browser.cookies["punto_language"] = "de"
    total = Round.objects.filter(player=player, currency="FUN", void=None).count()
    assert f"<dt>Gespielte Runden</dt><dd>1.{total - 1000:03}</dd>" in browser.get("/").content.decode()
    answer = browser.get("/history/", {"since": "2020-03-01", "until": "2020-03-01"})
    assert 'data-label="Runden">1.000<' in answer.content.decode()


def test_no_text_of_a_file_is_a_formula(browser: Client, player: Player) -> None:
    wallet = Wallet.objects.get(player=player, currency="FUN")
    reason = '=HYPERLINK("https://evil.example","x")'
    wallet_adjust(operator=staff_make(Role.OPERATOR), wallet=wallet, change=Decimal("-1.50"), reason=reason)
    row = rows_of(browser.get("/wallet/movements.csv", {"kind": "adjustment"}))[0]
    assert row["Reason"] == f"'{reason}"
    assert row["Change"] == "-1.50"


def test_a_file_is_in_the_reader_s_language(browser: Client, player: Player) -> None:
    browser.cookies["punto_language"] = "de"
    rows = rows_of(browser.get("/history/rounds.csv"))
    names = ["Runde", "Spiel", "Begonnen (UTC)", "Beendet (UTC)", "Wie sie endete", "Ungültig", "Währung"]
    assert list(rows[0])[: len(names)] == names
    assert {row["Ungültig"] for row in rows} == {"Ja", "Nein"}
    movements = rows_of(browser.get("/wallet/movements.csv"))
    assert list(movements[0])[:4] == ["Nr.", "Zeit (UTC)", "Art", "Änderung"]
    assert "Einsatz" in {row["Art"] for row in movements}


def test_files_are_for_the_player_alone(client: Client, player: Player) -> None:
    for path in ("/history/rounds.csv", "/wallet/movements.csv"):
        answer: HttpResponse = client.get(path)  # type: ignore[assignment]
        assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={path}")
