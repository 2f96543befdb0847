"""Acts of the back office: each is one service, and a refusal is shown beside the form."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from apps.accounts.models import PlayerStatus, User
from apps.audit.models import AuditEntry
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.mathematics.side_bets import poker_edge
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.core.edge_rounding import edge_pct
from apps.core.errors import InvalidBetAmount, InvalidGameType, PlayerBlocked
from apps.core.row_history import HISTORY_ROWS
from apps.evidence.consequences import on_alarm_of
from apps.evidence.models import OnAlarm
from apps.one_deal.messages import Bet, Slip
from apps.one_deal.models import ConfigStatus
from apps.partners.models import ApiKey
from apps.partners.services import api_key_find, api_key_use
from apps.paytables.models import PayTable, PayTableUse
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import Round, RoundVoid
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange
from apps.statistics.models import PartnerZone
from apps.wallet.models import Kind, WalletStatus, WalletTransaction
from tests.office.conftest import Casino
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.blackjack import POKER
from tests.support.factories import partner_make
from tests.support.loop import run
from tests.support.offers import games_offer

LogIn = Callable[[str], Client]

CHANGE_LIMITS = "baccarat_baccaratconfig_change_limits"
CHANGE_TERMS = "blackjack_blackjackconfig_change_terms"
CHANGE_ODDS = "baccarat_baccaratconfig_change_odds"


def bet(casino: Casino, stake: str, game_type: GameType = GameType.PLAYER) -> bytes:
    """Place one bet for the casino's player in a new session."""
    _, token = game_session_open(player=casino.player, game=BACCARAT, currency_code="FUN")
    slip = Slip(bets=(Bet(int(game_type), Decimal(stake)),), is_list=False)
    return run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))


def act(browser: Client, name: str, key: object, **data: str) -> HttpResponse:
    """Post an act's form."""
    return browser.post(reverse(f"admin:{name}", args=[key]), data)  # type: ignore[return-value]


def message_of(browser: Client) -> str:
    """Return the message that the next page shows."""
    [shown] = browser.get(reverse("admin:index")).context["messages"]
    return str(shown)


@pytest.mark.usefixtures("committed")
def test_limits_saved_by_staff_hold_from_the_next_bet_on(ours: Casino, log_in: LogIn) -> None:
    with pytest.raises(InvalidBetAmount):
        bet(ours, "150")
    staff = log_in("partner_staff")
    answer = act(staff, CHANGE_LIMITS, ours.config.pk, bet_min="2", bet_max="200", decks="8")
    assert answer.status_code == 302
    bet(ours, "150")
    with pytest.raises(InvalidBetAmount):
        bet(ours, "1")
    page = staff.get(reverse("admin:baccarat_baccaratconfig_history", args=[ours.config.pk])).content.decode()
    assert "game type: Perfect pair" in page  # not the name of the wire
    assert "BaccaratGameBet" not in page
    assert not re.search(r"(reason|confirmed by): *<", page)  # nothing that is empty
    assert staff.get("/admin/").context["user"].username in page
    assert "bet max: 100 &rarr; 200" in page
    assert AuditEntry.objects.filter(action="baccarat_config.set", partner_id=ours.partner.pk).exists()


@pytest.mark.parametrize("role", ["partner_staff", "operator"])
def test_staff_choose_the_default_currency_of_their_partner(ours: Casino, log_in: LogIn, role: str) -> None:
    answer = act(log_in(role), "partners_partner_choose_currency", ours.partner.pk, currency="EUR")
    assert answer.status_code == 302
    ours.partner.refresh_from_db()
    assert ours.partner.default_currency_id == "EUR"
    entry = AuditEntry.objects.get(action="partner.currency")
    assert (entry.partner_id, entry.data["after"]["default_currency"]) == (ours.partner.pk, "EUR")
    assert User.objects.get(pk=entry.actor_user_id).username == entry.actor


@pytest.mark.parametrize(("role", "status"), [("partner_staff", 404), ("auditor", 403)])
def test_nobody_else_chooses_a_default_currency(
    ours: Casino, casino_new: Callable[[], Casino], log_in: LogIn, role: str, status: int
) -> None:
    partner = (casino_new() if role == "partner_staff" else ours).partner
    before = partner.default_currency_id
    assert act(log_in(role), "partners_partner_choose_currency", partner.pk, currency="JPY").status_code == status
    partner.refresh_from_db()
    assert partner.default_currency_id == before


@pytest.mark.parametrize(
    ("bet_min", "bet_max", "said"),
    [("200", "100", "is above"), ("0", "100", "positive"), ("1", "", "required"), ("1.001", "100", "decimals")],
)
def test_refused_limits_change_nothing(ours: Casino, log_in: LogIn, bet_min: str, bet_max: str, said: str) -> None:
    staff = log_in("partner_staff")
    answer = act(staff, CHANGE_LIMITS, ours.config.pk, bet_min=bet_min, bet_max=bet_max, decks="8")
    assert answer.status_code == 200
    assert said in answer.content.decode()
    ours.config.refresh_from_db()
    assert (ours.config.bet_min, ours.config.bet_max, ours.config.version) == (1, 100, 1)


def test_a_preview_saves_nothing(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    odds = act(staff, CHANGE_ODDS, ours.config.pk, odds_7="25", preview="1")
    assert "13.029391 %" in odds.content.decode()
    limits = act(staff, CHANGE_LIMITS, ours.config.pk, bet_min="1", bet_max="5", decks="1", preview="1")
    assert "15.746127 %" in limits.content.decode()  # the house edge of the tie with one deck
    ours.config.refresh_from_db()
    assert (ours.config.bet_max, ours.config.version) == (100, 1)


def test_limits_in_a_new_currency(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    form = {"partner": str(ours.partner.pk), "currency": "EUR", "bet_min": "1", "bet_max": "50", "decks": "6"}
    assert staff.post(reverse("admin:baccarat_baccaratconfig_add"), form).status_code == 302
    config = BaccaratConfig.objects.get(partner=ours.partner, currency="EUR")
    assert (config.bet_max, config.decks, config.odds_rows.count()) == (50, 6, 3)


def test_no_limits_are_made_for_another_partner(ours: Casino, log_in: LogIn, casino_new: Callable[[], Casino]) -> None:
    theirs = casino_new()
    form = {"partner": str(theirs.partner.pk), "currency": "EUR", "bet_min": "1", "bet_max": "50", "decks": "6"}
    answer = log_in("partner_staff").post(reverse("admin:baccarat_baccaratconfig_add"), form)
    assert answer.status_code == 200
    assert "not one of the available choices" in answer.content.decode()
    assert not BaccaratConfig.objects.filter(currency="EUR").exists()


@pytest.mark.usefixtures("committed")
def test_an_offer_in_a_wrong_currency_is_stopped_and_its_history_stays(ours: Casino, log_in: LogIn) -> None:
    bet(ours, "10")
    staff = log_in("partner_staff")
    later = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    form = {"bet_min": "2", "bet_max": "200", "decks": "8"}
    assert act(staff, CHANGE_LIMITS, ours.config.pk, **form, apply_at=later).status_code == 302
    stop = "baccarat_baccaratconfig_withdraw"
    assert act(log_in("auditor"), stop, ours.config.pk, reason="a slip").status_code == 403
    assert act(staff, stop, ours.config.pk, reason="wrong currency").status_code == 302
    with pytest.raises(InvalidGameType, match="not offered in FUN"):
        bet(ours, "10")
    ours.config.refresh_from_db()
    assert (ours.config.status, ours.config.paytable) == (ConfigStatus.INACTIVE, None)
    assert set(ours.config.odds_rows.values_list("status", flat=True)) == {ConfigStatus.INACTIVE}
    ours.pending.refresh_from_db()
    assert ours.pending.reason == "wrong currency"
    in_use = PayTableUse.objects.filter(partner=ours.partner, game=BACCARAT, table_id=None, ends=None, end=None)
    assert not in_use.exists()
    assert ScheduledChange.objects.get().status == ChangeStatus.WITHDRAWN
    history = staff.get(reverse("admin:baccarat_baccaratconfig_history", args=[ours.config.pk])).content.decode()
    assert "status: active &rarr; inactive" in history
    entry = AuditEntry.objects.get(action="baccarat_config.withdraw")
    assert (entry.reason, entry.data["before"]["bet_max"]) == ("wrong currency", "100")
    stopped = (100, ConfigStatus.INACTIVE, ours.config.odds_rows.count())
    for name, sent in ((stop, {"reason": "again"}), (CHANGE_LIMITS, form), (CHANGE_ODDS, {"odds_7": "8"})):
        assert act(staff, name, ours.config.pk, **sent).status_code == 200, name  # refused
    ours.config.refresh_from_db()
    assert (ours.config.bet_max, ours.config.status, ours.config.odds_rows.count()) == stopped
    assert BaccaratConfig.objects.count() == 1
    new = {"partner": str(ours.partner.pk), "currency": "FUN", "bet_min": "1", "bet_max": "50", "decks": "6"}
    assert staff.post(reverse("admin:baccarat_baccaratconfig_add"), new).status_code == 302
    bet(ours, "10")


@pytest.mark.usefixtures("committed")
def test_odds_with_a_house_edge_are_active_at_once(ours: Casino, log_in: LogIn) -> None:
    with pytest.raises(InvalidGameType):
        bet(ours, "10", GameType.DRAGON_7)
    form = odds_form(ours) | {"odds_8": "40"}
    assert act(log_in("partner_staff"), CHANGE_ODDS, ours.config.pk, **form).status_code == 302
    bet(ours, "10", GameType.DRAGON_7)


@pytest.mark.parametrize("odds", ["1e-999999999", "1e999999999", "NaN", "0.12345", "x"])
def test_invalid_odds_are_named_and_have_no_edge(ours: Casino, log_in: LogIn, odds: str) -> None:
    page = log_in("partner_staff").post(
        reverse("admin:baccarat_baccaratconfig_change_odds", args=[ours.config.pk]), {"odds_1": odds, "preview": "1"}
    )
    assert page.status_code == 200
    assert page.context["form"].odds_now(GameType.PLAYER) is None
    assert page.context["form"].errors["odds_1"]


@pytest.mark.usefixtures("committed")
def test_an_emptied_field_deactivates_the_bet(ours: Casino, log_in: LogIn) -> None:
    form = odds_form(ours) | {"odds_3": ""}
    assert act(log_in("partner_staff"), CHANGE_ODDS, ours.config.pk, **form).status_code == 302
    with pytest.raises(InvalidGameType):
        bet(ours, "10", GameType.TIE)


@pytest.mark.usefixtures("committed")
def test_odds_that_favour_the_player_are_pending_until_an_operator_confirms(ours: Casino, log_in: LogIn) -> None:
    form = odds_form(ours) | {"odds_3": "10"}
    staff = log_in("partner_staff")
    assert act(staff, CHANGE_ODDS, ours.config.pk, **form).status_code == 302
    row = BaccaratOddsConfig.objects.get(
        baccarat_config=ours.config, game_type=GameType.TIE, status=ConfigStatus.PENDING
    )
    assert message_of(staff) == (f"The odds are saved. Tie at 10 to 1 waits. {row.reason} Until then it pays 8 to 1.")
    assert b'"reward_amount":' in bet(ours, "10", GameType.TIE)  # still at 8 to 1
    page = log_in("auditor").get(reverse("admin:baccarat_baccaratoddsconfig_change", args=[row.pk])).content.decode()
    assert "until an operator confirms it in writing" in page
    assert "favours the player" in page
    operator = log_in("operator")
    refused = act(operator, "baccarat_baccaratoddsconfig_confirm", row.pk, reason=" ")
    assert "required" in refused.content.decode()
    assert act(operator, "baccarat_baccaratoddsconfig_confirm", row.pk, reason="a week of ties").status_code == 302
    row.refresh_from_db()
    assert (row.status, row.reason) == (ConfigStatus.ACTIVE, "a week of ties")
    again = act(operator, "baccarat_baccaratoddsconfig_confirm", row.pk, reason="twice")
    assert "not pending any more" in again.content.decode()


def test_a_bet_that_other_decks_take_off_the_offer_is_named(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    tie = ours.config.odds_rows.get(game_type=GameType.TIE, status=ConfigStatus.ACTIVE)
    form = odds_form(ours) | {"odds_3": "9.6"}  # with one deck it favours nobody, with eight the player
    assert act(staff, CHANGE_LIMITS, ours.config.pk, bet_min="1", bet_max="1000", decks="1").status_code == 302
    assert message_of(staff) == "The limits are saved and apply from the next bet."
    assert act(staff, CHANGE_ODDS, ours.config.pk, **form).status_code == 302
    assert message_of(staff) == "The odds are saved and apply from the next bet."
    assert act(staff, CHANGE_LIMITS, ours.config.pk, bet_min="1", bet_max="1000", decks="8").status_code == 302
    told = message_of(staff)
    assert told.startswith("The limits are saved and apply from the next bet. Tie at 9.6 to 1 waits. With 8 decks")
    assert told.endswith("Until then it is off.")
    assert not ours.config.odds_rows.filter(game_type=tie.game_type, status=ConfigStatus.ACTIVE).exists()


def test_a_highest_bet_of_0_turns_a_side_bet_off_whatever_its_lowest_is(ours: Casino, log_in: LogIn) -> None:
    config = ours.partner.blackjack_configs.get()
    form = limits_form() | {"perfect_pairs_min": "1", "perfect_pairs_max": "0"}
    staff = log_in("partner_staff")
    assert act(staff, "blackjack_blackjackconfig_change_limits", config.pk, **form).status_code == 302
    config.refresh_from_db()
    assert (config.perfect_pairs_min, config.perfect_pairs_max, config.poker_max) == (0, 0, 100)


def test_blackjack_limits_are_saved_with_their_history(ours: Casino, log_in: LogIn) -> None:
    config = ours.partner.blackjack_configs.get()
    staff = log_in("partner_staff")
    form = limits_form() | {"bet_min": "5", "bet_max": "250"}
    assert act(staff, "blackjack_blackjackconfig_change_limits", config.pk, **form).status_code == 302
    config.refresh_from_db()
    assert (config.bet_min, config.bet_max, config.version, config.active) == (5, 250, 2, True)
    page = staff.get(reverse("admin:blackjack_blackjackconfig_history", args=[config.pk])).content.decode()
    assert "bet max: " in page
    assert "250" in page
    refused = act(staff, "blackjack_blackjackconfig_change_limits", config.pk, **limits_form() | {"bet_min": "2000"})
    assert "above &quot;Highest bet&quot;" in refused.content.decode()


def test_blackjack_limits_in_a_new_currency(ours: Casino, log_in: LogIn) -> None:
    form = limits_form() | {"partner": str(ours.partner.pk), "currency": "EUR"}
    assert log_in("partner_staff").post(reverse("admin:blackjack_blackjackconfig_add"), form).status_code == 302
    assert BlackjackConfig.objects.get(partner=ours.partner, currency="EUR").bet_max == 1000


def test_blackjack_terms_with_a_known_edge_are_active_at_once(ours: Casino, log_in: LogIn) -> None:
    config = ours.partner.blackjack_configs.get()
    before = BlackjackTerms.objects.get(config=config)
    staff = log_in("partner_staff")
    form = terms_form(staff, config) | {"poker_flush": "4"}
    preview = act(staff, CHANGE_TERMS, config.pk, **form, preview="1").content.decode()
    assert f"{edge_pct(poker_edge({**fractions(POKER), 'flush': Fraction(4)}, 8))} %" in preview
    assert BlackjackTerms.objects.count() == 1
    assert act(staff, CHANGE_TERMS, config.pk, **form).status_code == 302
    terms = BlackjackTerms.objects.get(config=config, status=TermsStatus.ACTIVE)
    assert terms.pk != before.pk
    assert terms.poker_odds["flush"] == "4"
    assert terms.rules == SOLO_RULES.to_json()
    page = staff.get(reverse("admin:blackjack_blackjackconfig_history", args=[config.pk])).content.decode()
    assert "poker odds, flush: 4" in page


def test_blackjack_odds_that_favour_the_player_are_pending_until_an_operator_confirms(
    ours: Casino, log_in: LogIn
) -> None:
    config = ours.partner.blackjack_configs.get()
    staff = log_in("partner_staff")
    form = terms_form(staff, config) | {"pairs_perfectPair": "40"}
    assert "favours the player" in act(staff, CHANGE_TERMS, config.pk, **form, preview="1").content.decode()
    assert act(staff, CHANGE_TERMS, config.pk, **form).status_code == 302
    terms = BlackjackTerms.objects.get(config=config, status=TermsStatus.PENDING)
    assert message_of(staff) == f"The terms are saved and wait: {terms.reason}."
    page = staff.get(reverse("admin:blackjack_blackjackterms_change", args=[terms.pk])).content.decode()
    assert "Perfect Pairs gives the player" in page
    assert act(staff, "blackjack_blackjackterms_confirm", terms.pk, reason="mine").status_code == 403
    operator = log_in("operator")
    assert act(operator, "blackjack_blackjackterms_confirm", terms.pk, reason="a gift").status_code == 302
    terms.refresh_from_db()
    assert (terms.status, terms.reason) == (TermsStatus.ACTIVE, "a gift")


def test_blackjack_rules_that_contradict_each_other_are_refused(ours: Casino, log_in: LogIn) -> None:
    config = ours.partner.blackjack_configs.get()
    staff = log_in("partner_staff")
    form = terms_form(staff, config) | {"surrender": "late"}
    form.pop("dealer_peek")
    answer = act(staff, CHANGE_TERMS, config.pk, **form)
    assert answer.status_code == 200
    assert "there is no peek to be late for" in str(answer.context["form"].non_field_errors())
    assert BlackjackTerms.objects.count() == 1


def test_a_key_is_shown_once(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    form = {"partner": str(ours.partner.pk), "name": "till", "scopes": ["read", "wallets"]}
    answer = staff.post(reverse("admin:partners_apikey_add"), form)
    text = answer.context["text"]
    assert "no-store" in answer["Cache-Control"]
    assert text in answer.content.decode()
    key = api_key_use(api_key_find(text))
    assert (key.partner_id, key.scopes) == (ours.partner.pk, ["read", "wallets"])
    for page in (
        reverse("admin:partners_apikey_change", args=[key.pk]),
        reverse("admin:partners_apikey_changelist"),
        reverse("admin:partners_apikey_add"),
    ):
        shown = staff.get(page).content.decode()
        assert text not in shown
        assert text.removeprefix(key.prefix) not in shown
        assert key.key_hash not in shown
    assert act(staff, "partners_apikey_revoke", key.pk).status_code == 200  # it asks for a reason
    assert act(staff, "partners_apikey_revoke", key.pk, reason="a leak").status_code == 302
    again = act(staff, "partners_apikey_revoke", key.pk, reason="another leak")
    assert "revoked already" in again.content.decode()
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert AuditEntry.objects.get(action="api_key.revoke").reason == "a leak"


def test_no_key_is_made_for_another_partner(ours: Casino, log_in: LogIn, casino_new: Callable[[], Casino]) -> None:
    theirs = casino_new()
    form = {"partner": str(theirs.partner.pk), "name": "till", "scopes": ["read"]}
    answer = log_in("partner_staff").post(reverse("admin:partners_apikey_add"), form)
    assert "not one of the available choices" in answer.content.decode()
    assert not ApiKey.objects.filter(name="till").exists()


def test_an_adjustment_is_a_row_of_the_ledger(ours: Casino, log_in: LogIn) -> None:
    wallet = ours.player.wallets.get()
    operator = log_in("operator")
    assert act(operator, "wallet_wallet_adjust", wallet.pk, change="-5.50", reason="typing error").status_code == 302
    row = WalletTransaction.objects.get(kind=Kind.ADJUSTMENT)
    assert (row.change, row.balance_after, row.reason) == (
        Decimal("-5.5"),
        wallet.balance - Decimal("5.5"),
        "typing error",
    )
    page = log_in("partner_staff").get(reverse("admin:wallet_wallet_change", args=[wallet.pk])).content.decode()
    assert "typing error" in page


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        ("-100000", "all of it", "100000 is more than the wallet holds, "),
        ("0", "nothing", "not 0"),
        ("0.001", "a bit", "decimals"),
        ("5", "", "required"),
        ("five", "words", "Write a number as 1000.5"),
    ],
)
def test_invalid_adjustments_are_refused(ours: Casino, log_in: LogIn, change: str, reason: str, said: str) -> None:
    wallet = ours.player.wallets.get()
    answer = act(log_in("operator"), "wallet_wallet_adjust", wallet.pk, change=change, reason=reason)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert "change:" not in str(answer.context["form"].errors), "a field is named by its label, or stands beside"
    assert not WalletTransaction.objects.filter(kind=Kind.ADJUSTMENT).exists()


def test_a_time_zone_begins_within_400_days_and_a_refusal_tells_what_was_chosen_before(
    ours: Casino, log_in: LogIn
) -> None:
    """No zone can be chosen before another one, so a wrong year would keep the partner from choosing one for good."""
    staff, today = log_in("partner_staff"), timezone.now().date()
    (before,) = PartnerZone.objects.filter(partner=ours.partner)

    def chosen(from_day: date) -> Any:
        form = {"partner": ours.partner.pk, "zone": "Europe/Berlin", "from_day": from_day.isoformat()}
        return staff.post(reverse("admin:statistics_partnerzone_add"), form)

    for far in (date.max, today + timedelta(days=402)):
        assert chosen(far).context["form"].errors["from_day"] == ["a time zone begins on one of the next 400 days"]
    (said,) = chosen(before.from_day).context["form"].errors["from_day"]
    assert said.endswith(f"; UTC from {before.from_day} was chosen before")
    assert chosen(today + timedelta(days=399)).status_code == 302


def test_a_time_zone_that_was_chosen_by_mistake_is_withdrawn_before_it_begins(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    (zone,) = PartnerZone.objects.filter(partner=ours.partner)
    page = reverse("admin:statistics_partnerzone_change", args=[zone.pk])
    link = reverse("admin:statistics_partnerzone_withdraw", args=[zone.pk])
    assert link in staff.get(page).content.decode()
    assert link not in log_in("auditor").get(page).content.decode()
    assert log_in("auditor").get(link).status_code == 403
    assert act(staff, "statistics_partnerzone_withdraw", zone.pk, reason="a wrong year").status_code == 302
    shown = staff.get(page).content.decode()
    assert link not in shown
    assert "a wrong year" in shown
    entry = AuditEntry.objects.get(action="partner.zone_withdraw")
    assert (entry.partner_id, entry.reason) == (ours.partner.pk, "a wrong year")
    assert (
        "withdrawn already" in act(staff, "statistics_partnerzone_withdraw", zone.pk, reason="again").content.decode()
    )
    form = {"partner": ours.partner.pk, "zone": "Europe/Berlin", "from_day": zone.from_day.isoformat()}
    assert staff.post(reverse("admin:statistics_partnerzone_add"), form).status_code == 302


def test_a_round_is_voided_with_a_reason(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    row = Round.objects.get(pk=ours.record.round_id)
    assert act(operator, "rounds_round_void_round", row.pk, reason="camera failed").status_code == 302
    assert RoundVoid.objects.get().reason == "camera failed"
    assert WalletTransaction.objects.get(round_id=row.pk, kind=Kind.REFUND).change == row.stake
    again = act(operator, "rounds_round_void_round", row.pk, reason="camera failed")
    assert "voided already" in again.content.decode()
    page = operator.get(reverse("admin:rounds_round_change", args=[row.pk])).content.decode()
    assert "voided" in page
    assert "camera failed" in page


@pytest.mark.usefixtures("committed")
def test_blocked_players_and_wallets_do_not_bet(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    wallet = ours.player.wallets.get()
    for name, key in (("accounts_player", ours.player.pk), ("wallet_wallet", wallet.pk)):
        assert act(operator, f"{name}_block", key, reason="asked for it").status_code == 302
        with pytest.raises(PlayerBlocked):
            bet(ours, "10")
        assert act(operator, f"{name}_unblock", key, reason="asked again").status_code == 302
        bet(ours, "10")
    ours.player.refresh_from_db()
    wallet.refresh_from_db()
    assert (ours.player.status, wallet.status) == (PlayerStatus.ACTIVE, WalletStatus.ACTIVE)
    reasons = AuditEntry.objects.filter(action__in=["player.status", "wallet.status"]).values_list("reason", flat=True)
    assert sorted(reasons) == ["asked again", "asked again", "asked for it", "asked for it"]


def acts_offered(browser: Client, name: str, key: object) -> set[str]:
    """Return the acts whose buttons a row's page shows."""
    text = browser.get(reverse(f"admin:{name}_change", args=[key])).content.decode()
    acts = ["block", "unblock", "adjust", "revoke", "confirm", "changes", "void_round", "close", "open_again"]
    return {act for act in acts if reverse_or_none(f"admin:{name}_{act}", key) in text.split('"')}


def reverse_or_none(name: str, key: object) -> str | None:
    try:
        return reverse(name, args=[key])
    except NoReverseMatch:
        return None


def test_a_page_offers_the_acts_that_would_change_something(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    wallet = ours.player.wallets.get()
    assert acts_offered(operator, "accounts_player", ours.player.pk) == {"block"}
    assert acts_offered(operator, "wallet_wallet", wallet.pk) == {"adjust", "block"}
    act(operator, "accounts_player_block", ours.player.pk, reason="asked for it")
    act(operator, "wallet_wallet_block", wallet.pk, reason="asked for it")
    assert acts_offered(operator, "accounts_player", ours.player.pk) == {"unblock"}
    assert acts_offered(operator, "wallet_wallet", wallet.pk) == {"adjust", "unblock"}
    odds = BaccaratOddsConfig.objects.filter(status=ConfigStatus.ACTIVE).first()
    assert odds is not None
    assert acts_offered(operator, "baccarat_baccaratoddsconfig", odds.pk) == {"changes"}
    BaccaratOddsConfig.objects.filter(pk=odds.pk).update(status=ConfigStatus.PENDING)
    assert acts_offered(operator, "baccarat_baccaratoddsconfig", odds.pk) == {"changes", "confirm"}


def limits_form() -> dict[str, str]:
    """Return blackjack's limits as form fields."""
    limits = {"bet_min": "1", "bet_max": "1000", "perfect_pairs_min": "1", "perfect_pairs_max": "100"}
    return limits | {"poker_min": "1", "poker_max": "100", "active": "on"}


def terms_form(browser: Client, config: BlackjackConfig) -> dict[str, str]:
    """Return the fields of the form of rules and odds as the page shows them."""
    form = browser.get(reverse(f"admin:{CHANGE_TERMS}", args=[config.pk])).context["form"]
    shown = {field.name: field.value() for field in form}
    return {name: "on" if value is True else str(value) for name, value in shown.items() if value not in (None, False)}


def fractions(odds: dict[str, str]) -> dict[str, Fraction]:
    """Return odds as fractions."""
    return {name: Fraction(value) for name, value in odds.items()}


@pytest.mark.usefixtures("committed")
def test_a_partner_is_made_closed_and_opened(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    form = {"name": "Casino Nova", "slug": "nova"}
    assert operator.post(reverse("admin:partners_partner_add"), form).status_code == 302
    assert (
        "there is a partner nova already" in operator.post(reverse("admin:partners_partner_add"), form).content.decode()
    )
    bad = operator.post(reverse("admin:partners_partner_add"), form | {"slug": "No va"})
    assert "valid “slug”" in bad.content.decode()
    assert act(operator, "partners_partner_close", ours.partner.pk, reason="unpaid").status_code == 302
    with pytest.raises(PlayerBlocked):
        bet(ours, "10")
    assert act(operator, "partners_partner_open_again", ours.partner.pk, reason="paid").status_code == 302
    bet(ours, "10")


def odds_form(casino: Casino) -> dict[str, str]:
    """Return the fields of the odds form as the page shows them."""
    page = {f"odds_{number}": "" for number in range(1, 11)}
    rows = casino.config.odds_rows.exclude(status=ConfigStatus.INACTIVE).order_by("-status")
    return page | {f"odds_{row.game_type}": f"{row.odds.normalize():f}" for row in rows}


def test_an_operator_chooses_in_a_form_what_an_alarm_does_to_a_pay_table(log_in: LogIn) -> None:
    games_offer(partner_make())
    paytable, operator = PayTable.objects.earliest("pk"), log_in("operator")
    address = reverse("admin:paytables_paytable_on_alarm_choose", args=[paytable.pk])
    shown = operator.get(address)
    assert shown.context["form"].initial == {"on_alarm": OnAlarm.GO_ON}
    assert "reason" in operator.post(address, {"on_alarm": "refuse", "reason": ""}).context["form"].errors
    assert "on_alarm" in operator.post(address, {"on_alarm": "stop", "reason": "a trial"}).context["form"].errors
    assert on_alarm_of(paytable.pk) == OnAlarm.GO_ON
    answer = operator.post(address, {"on_alarm": "refuse", "reason": "a trial"}, follow=True)
    assert "The choice is saved." in answer.content.decode()
    assert str(OnAlarm.REFUSE.label) in answer.content.decode()
    assert operator.get(address).context["form"].initial == {"on_alarm": OnAlarm.REFUSE}
    entry = AuditEntry.objects.get(action="paytable.on_alarm")
    assert (entry.reason, entry.actor) == ("a trial", shown.context["user"].username)


def test_a_long_history_says_that_its_page_is_not_all_and_the_timeline_is(ours: Casino, log_in: LogIn) -> None:
    for number in range(HISTORY_ROWS + 1):
        ours.config.bet_max = Decimal(200 + number)
        ours.config.save()
    staff = log_in("partner_staff")
    page = staff.get(reverse("admin:baccarat_baccaratconfig_history", args=[ours.config.pk]))
    kept = ours.config.history.count() + sum(row.history.count() for row in ours.config.odds_rows.all())
    assert f"The newest {HISTORY_ROWS} of {kept} saved versions" in page.content.decode()
    assert {change[1] for entry in page.context["entries"] for change in entry.changes} & {None} == set()
    address, seen = reverse("admin:timeline", args=["baccaratconfig", ours.config.pk]), 0
    query: dict[str, str] = {}
    while True:
        timeline = staff.get(address, query).context
        seen += sum(entry.kind == "version" for entry in timeline["page"].entries)
        if not timeline["older"]:
            break
        query = {"until": timeline["older"]}
    assert seen == ours.config.history.count() > HISTORY_ROWS
