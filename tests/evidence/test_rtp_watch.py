"""The watch over the published RTPs: a biased shoe ends in an alarm, a mail and a mark on the public page."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import exp, log
from typing import Any

import psycopg
import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.actors import Actor
from apps.accounts.models import Role, User
from apps.approvals.models import Approval
from apps.approvals.services import act_or_ask, approval_approve
from apps.audit.models import AuditEntry
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.luck_of_records import rounds_luck
from apps.blackjack.mathematics.edge import edge_known
from apps.core.errors import Conflict, GameDisabled
from apps.events.models import EventKind, SignificantEvent
from apps.evidence import published
from apps.evidence.consequences import on_alarm_of
from apps.evidence.figures import LawFigures, days_figures, laws_figures
from apps.evidence.mathematics import Z_95
from apps.evidence.models import EvidenceAlarm, EvidenceAlarmClose, EvidenceDay, Measure, OnAlarm, Slice
from apps.evidence.published import MIN_ROUNDS, published_read
from apps.evidence.rtp_watch import _NEWEST_SQL, SliceKey, _states, evidence_days_add, laws_kept, watched_now
from apps.evidence.selectors import StatSlice
from apps.evidence.services import (
    alarm_close,
    alarm_mails_send,
    paytable_on_alarm_set,
    rtp_publication_set,
    rtp_watch,
)
from apps.one_deal.messages import Bet, Slip
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import Round
from apps.rounds.table_game import PLACE_BET
from apps.statistics.models import LuckStat, PlayStat
from apps.statistics.services import statistics_fold
from apps.switches.models import Switch
from tests.dragon_tiger.players import dragon_tiger_bet_place, dragon_tiger_config_set
from tests.statistics.test_fold import played_days_ago, statistics_findings
from tests.support.copied_rounds import banker_bet, banker_player, banker_results, days_ago, rounds_copy
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.loop import run
from tests.support.offers import games_offer
from tests.support.played import act, baccarat_session, blackjack_session
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")

ROUNDS = 1_600_000 if IS_LONG else 12_000
AGAIN = 0.0113 if IS_LONG else 0.34
"""A bias of 0.5 points, or one of 15 points, for which few rounds are enough."""


@pytest.fixture(autouse=True)
def cache_emptied() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def house(committed: None) -> Partner:
    return partner_make(is_house=True)


def folded(after: datetime) -> None:
    """Fold until the edge has passed a time."""
    wait_until(
        lambda: (statistics_fold(edge_age=timedelta(0)).edge or after) > after, "the edge passes what was copied in"
    )


def played(
    superuser: psycopg.Connection, partner: Partner, *, count: int = ROUNDS, again: float, day: int = 0, seed: int = 7
) -> None:
    """Copy in rounds of bets on the banker, and fold them."""
    player = banker_player(partner)
    results = banker_results(count, again=again, seed=seed)
    rounds_copy(superuser, player, results, at=None if day == 0 else lambda _: days_ago(day))
    folded(timezone.now())


def bet_published(kind: str = "BaccaratGameBetOnBanker") -> dict[str, Any]:
    (found,) = [bet for game in published_read() for bet in game["bets"] if bet["bet"] == kind]
    return dict(found)


def closed_by(first: User, second: User, alarm: EvidenceAlarm) -> None:
    """Have one operator request to close an alarm, and another one approve it."""
    asked = act_or_ask(
        call=lambda: alarm_close(operator=first, alarm=alarm, reason="a wrong shoe"),
        user=first,
        factor_at=timezone.now(),
    )
    assert isinstance(asked, Approval)
    assert not EvidenceAlarmClose.objects.filter(alarm=alarm).exists()
    approval_approve(operator=second, approval=asked, reason="seen", factor_at=timezone.now())


def test_a_biased_shoe_ends_in_an_alarm_a_mail_and_a_red_page_until_two_persons_close_it(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    played(superuser, house, again=AGAIN)
    raised = rtp_watch()
    whole = {alarm.measure for alarm in raised if alarm.part == Slice.ALL}
    assert Measure.EVIDENCE in whole
    assert {alarm.part for alarm in raised} == {Slice.ALL, Slice.PARTNER, Slice.CHANNEL}
    assert AuditEntry.objects.filter(action="rtp_alarm.raise").count() == len(raised)
    assert len(mail.outbox) == len(raised)
    assert set(mail.outbox[0].to) == {each.email for each in operators}
    bodies = "\n".join(str(each.body) for each in mail.outbox)
    assert "Baccarat, Banker, play money, all rounds: " in bodies
    assert f"Baccarat, Banker, play money, partner {house.name}: " in bodies
    assert rtp_watch() == []
    assert len(mail.outbox) == len(raised)

    page = Client().get(reverse("rtp")).content.decode()
    assert 'class="note error" role="alert"' in page
    assert '<span class="tag loss">Alarm</span>' in page
    spanish = Client(headers={"Accept-Language": "es"}).get(reverse("rtp")).content.decode()
    assert ("0.95<" in page, "0,95<" in spanish, "0.95<" in spanish) == (True, True, False)
    first, text = re.findall(r'<time datetime="([^"]+)" data-local-day>([^<]+)</time>', spanish)[0]
    assert text == f"{date.fromisoformat(first):%d/%m/%Y}"
    assert re.search(r"1 : \d\d · 10[⁰¹²³⁴⁵⁶⁷⁸⁹]+</td>", page)
    auditor = Client()
    auditor.force_login(staff_make(Role.AUDITOR))
    listed = auditor.get(reverse("admin:evidence_evidencealarm_changelist")).content.decode()
    assert all(f">{of}</td>" in listed for of in ("all rounds", f"partner {house.name}", "channel token"))
    watch = auditor.get(reverse("admin:evidence")).content.decode()
    assert f"<td>partner {house.name}</td>" in watch
    shown = Client().get(reverse("rtp-json")).json()
    (bet,) = [bet for game in shown["games"] for bet in game["bets"] if bet["bet"] == "BaccaratGameBetOnBanker"]
    assert bet["alarm"] is True
    assert bet["rounds"] == ROUNDS + 1
    assert bet["observed"]["low"] > float(bet["publishedRtp"])
    assert bet["evidence"]["oneIn"] is None or bet["evidence"]["oneIn"] > 10_000

    for alarm in raised:
        closed_by(*operators, alarm)
    with pytest.raises(Conflict):
        alarm_close(operator=operators[0], alarm=raised[0], reason="again")
    cache.clear()
    assert "tag loss" not in Client().get(reverse("rtp")).content.decode()
    assert rtp_watch() == []
    assert all(each.evidence == pytest.approx(0) for each in watched_now() if each.key.kind == bet["bet"])


def test_a_fair_shoe_ends_in_nothing(superuser: psycopg.Connection, house: Partner) -> None:
    played(superuser, house, again=0)
    assert rtp_watch() == []
    watched = watched_now()
    assert not any(each.is_amber for each in watched)
    # The more is watched, the more evidence an alarm takes: false alarms stay as rare.
    laws = sum(each.key.part == Slice.ALL for each in watched)
    assert 1 <= laws < len(watched)
    assert {each.evidence_alarm for each in watched} == {log(10_000 * len(watched))}
    assert {each.restarted_alarm for each in watched} == {log(10_000 * laws)}
    bet = bet_published()
    assert bet["observed"]["low"] < float(bet["publishedRtp"]) < bet["observed"]["high"]
    assert bet["alarm"] is False
    assert bet["pays"] == ["0.95"]
    assert bet["playMoney"] is True
    assert [month["rounds"] for month in bet["months"]] == [bet["rounds"]]
    page = Client().get(reverse("rtp")).content.decode()
    assert "98.9421" in page
    assert 'role="alert"' not in page


def test_a_bet_that_cannot_win_leaves_the_watch_of_all_others_running(house: Partner) -> None:
    """A suited tie from one deck is always lost, and its law has nothing that could deviate."""
    player = player_make(partner=house, balance=Decimal(100))
    limits = {"bet_min": Decimal(1), "bet_max": Decimal(10)}
    dragon_tiger_config_set(partner=house, actor=Actor("test"), decks=1, **limits)
    _, token = game_session_open(player=player, game="og-dragon-tiger", currency_code="FUN")
    slip = Slip((Bet(1, Decimal(5)), Bet(4, Decimal(1))), is_list=True)
    run(dragon_tiger_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))
    folded(timezone.now())
    assert rtp_watch() == []
    watched = {each.key.kind: each.evidence for each in watched_now()}
    assert watched["DragonTigerGameBetSuitedTie"] == 0
    assert watched["DragonTigerGameBetDragon"] != 0
    client = Client()
    client.force_login(staff_make(Role.AUDITOR))
    assert client.get(reverse("admin:evidence")).status_code == 200
    assert Client().get(reverse("rtp")).status_code == 200
    assert len(laws_figures(StatSlice())) == len(watched)


def test_with_few_rounds_only_their_number_is_published(
    superuser: psycopg.Connection, house: Partner, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(superuser, house, count=50, again=0)
    bet = bet_published()
    assert bet["rounds"] == 51 < MIN_ROUNDS
    assert (bet["observed"], bet["evidence"], bet["months"]) == (None, None, [])
    assert bet_published("BaccaratGameBetTie")["rounds"] == 0
    for enough, is_shown in ((52, False), (51, True)):
        monkeypatch.setattr(published, "MIN_ROUNDS", enough)
        assert (bet_published()["observed"] is not None) is is_shown


def test_a_partner_is_published_only_if_it_allows_it(superuser: psycopg.Connection, house: Partner) -> None:
    other = partner_make()
    played(superuser, other, count=5, again=0)
    assert published_read()[0]["bets"] == []
    rtp_publication_set(partner=other, is_allowed=True, actor="test")
    assert (bet_published()["rounds"], bet_published()["offered"]) == (6, True)
    Partner.objects.filter(pk=other.pk).update(active=False)
    assert (bet_published()["rounds"], bet_published()["offered"]) == (6, False)
    rtp_publication_set(partner=other, is_allowed=False, actor="test")
    assert published_read()[0]["bets"] == []
    rtp_publication_set(partner=house, is_allowed=False, actor="test")
    audited = AuditEntry.objects.filter(action="rtp.publish").order_by("pk")
    assert [entry.data["before"]["published"] for entry in audited] == [False, True, True]


def test_closed_days_are_kept_and_give_what_all_rounds_at_once_give(
    superuser: psycopg.Connection, house: Partner
) -> None:
    player = banker_player(house)
    results = banker_results(600, again=0.1, seed=3)
    for day, part in ((5, results[:200]), (4, results[200:400]), (0, results[400:])):
        rounds_copy(superuser, player, part, at=None if day == 0 else lambda _, day=day: days_ago(day))
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE statistics_fold SET edge = NULL, candidate = NULL")
    superuser.execute("RESET session_replication_role")
    folded(timezone.now())
    before = {each.key: each for each in watched_now()}
    rtp_watch()
    assert sorted(set(EvidenceDay.objects.values_list("day", flat=True))) == [days_ago(5).date(), days_ago(4).date()]
    after = {each.key: each for each in watched_now()}
    assert before.keys() == after.keys()
    for key, each in after.items():
        assert each.state.n == before[key].state.n
        assert each.evidence == pytest.approx(before[key].evidence)
        assert each.restarted == (None if key.part != Slice.ALL else pytest.approx(before[key].restarted))
    count = EvidenceDay.objects.count()
    rtp_watch()
    assert EvidenceDay.objects.count() == count


def test_a_look_does_not_read_the_kept_days_before_the_newest(superuser: psycopg.Connection) -> None:
    """It looks every minute, and a slice has one more row every day. A slice without play has an older newest day."""
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO evidence_day (day, game, kind, law, is_play, part, value, n, products, restarted)"
        " SELECT date '2026-01-01' + number, 'og-baccarat', 'a kind', 'a law', false, 'partner', partner::text, number,"
        " '{}', '{}' FROM generate_series(1, 500) AS number, generate_series(1, 4) AS partner"
        " WHERE number <= 500 - 10 * partner"
    )
    superuser.execute("RESET session_replication_role")
    superuser.execute("ANALYZE evidence_day")
    states = _states()
    assert {key.value: state.n for key, state in states.items()} == {"1": 490, "2": 480, "3": 470, "4": 460}
    ((told,),) = superuser.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {_NEWEST_SQL}".encode()).fetchall()
    assert sum(node["Actual Rows"] * node["Actual Loops"] for node in _scans(told[0]["Plan"])) <= 3 * len(states)


def _scans(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a plan that read the kept days."""
    if node.get("Relation Name") == "evidence_day":
        yield node
    for child in node.get("Plans", ()):
        yield from _scans(child)


def test_days_without_a_law_that_is_watched_are_not_looked_at_again(superuser: psycopg.Connection) -> None:
    """Blackjack at a table has no verdict, so nothing is stored for the day."""
    partner, players = players_make(1)
    PlayedTable(table_make(partner, currency="FUN", window_s=30), players).round_play()
    played_days_ago(superuser, 3)
    superuser.execute("RESET session_replication_role")
    folded(timezone.now())
    assert PlayStat.objects.filter(kind="hand", closed_at__isnull=False).exists()
    assert evidence_days_add() == 0


def test_baccarat_at_tables_is_watched_by_the_chances_that_the_cards_left_gave(superuser: psycopg.Connection) -> None:
    """The slice of the channel `table` has its own e, from luck. All other slices leave rounds at tables out."""
    partner, players = players_make(1)
    table = PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", window_s=30), players)
    for _ in range(2):
        table.next_window()
        assert table.act(0, PLACE_BET, betType="banker", amount=10) is None
        table.window_end()
        table.play_out()
    folded(timezone.now())
    row = LuckStat.objects.get(zone="UTC")
    assert (row.n, row.door, row.kind) == (2, "table", "BaccaratGameBetOnBanker")
    (watched,) = watched_now()
    assert (watched.key.part, watched.key.value, watched.state.n, watched.restarted) == (
        Slice.CHANNEL,
        "table",
        2,
        None,
    )
    expected = log_mean([each * 1e-9 for each in row.logs])
    assert watched.evidence == pytest.approx(expected)
    assert laws_figures(StatSlice()) == []
    (figures,) = laws_figures(StatSlice(channel="table"))
    assert figures.evidence == pytest.approx(expected)
    (day,) = days_figures(figures.key, figures.terms, StatSlice(channel="table"))
    assert day.evidence == pytest.approx(expected / log(10))
    superuser.execute("UPDATE luck_stat SET logs = array_fill(%s::bigint, '{16}')", [40 * 10**9])
    (alarm,) = rtp_watch()
    assert (alarm.part, alarm.value, alarm.measure) == (Slice.CHANNEL, "table", Measure.EVIDENCE)
    client = Client()
    client.force_login(staff_make(Role.AUDITOR))
    page = client.get(reverse("admin:evidence")).content.decode()
    assert "<td>channel table</td>" in page
    assert "channel=table" in page
    # The public RTP of the same bet leaves out rounds at tables, and so does its mark.
    banker_player(partner)
    rtp_publication_set(partner=partner, is_allowed=True, actor="test")
    bet = bet_published()
    assert (bet["law"], bet["playMoney"], bet["alarm"]) == (watched.key.law, watched.key.is_play, False)
    key = watched.key._replace(value="browser")
    EvidenceAlarm.objects.create(**key._asdict(), measure=Measure.EVIDENCE, evidence=5.0, threshold=4.0, n=1)
    assert bet_published()["alarm"] is True


def test_the_luck_of_blackjack_s_rounds_is_watched_whatever_the_player_decides(
    superuser: psycopg.Connection, house: Partner
) -> None:
    player, token = blackjack_session(values=(10, 6, 9, 10))
    for _ in range(3):
        data = act(token, "Bet", betAmount=10)["data"]
        while not data.get("roundEnded"):
            is_asked = "Peek" in data["nextActions"]  # the seeds fix only the first round's cards
            data = act(token, "Peek", acceptedInsurance=False)["data"] if is_asked else act(token, "Hit")["data"]
    rtp_publication_set(partner=player.partner, is_allowed=True, actor="test")
    folded(timezone.now())
    superuser.execute("SET session_replication_role = replica")
    (row,) = LuckStat.objects.filter(zone="UTC")
    assert row.n == 3
    lucks = list(rounds_luck(list(Round.objects.values_list("pk", flat=True))).values())
    assert float(row.luck) == pytest.approx(sum(luck for luck, _ in lucks))
    assert float(row.given_away) == pytest.approx(sum(given for _, given in lucks))
    assert row.given_away > 1  # it has hit on 19 against 6
    (watched,) = [each for each in watched_now() if each.key.kind == "hand" and each.key.part == Slice.ALL]
    assert watched.state.n == 3
    (figures,) = [each for each in laws_figures(StatSlice()) if each.key.law.kind == "hand"]
    assert figures.adjusted is not None
    assert figures.adjusted.rtp == pytest.approx(float(figures.terms.rtp) + float(row.luck) / 3)
    assert figures.evidence == pytest.approx(watched.evidence)
    _error_bars_rest_on_the_simulated_deviation(superuser, figures)
    assert watched.evidence == pytest.approx(log_mean([log * 1e-9 for log in row.logs]))
    assert statistics_findings() == []
    superuser.execute("UPDATE luck_stat SET logs[1] = logs[1] + 1")
    assert any(finding.startswith("luck_stat row") for finding in statistics_findings())
    superuser.execute("UPDATE play_stat SET n = %s WHERE kind = 'hand'", [MIN_ROUNDS])
    text = Client().get(reverse("rtp")).content.decode()
    # The fraction of the JSON form has six decimals, so the percentage has four: the page does not round it again.
    assert f"adjusted for decisions: {100 * round(figures.adjusted.rtp, 6):.4f} %" in text


def _error_bars_rest_on_the_simulated_deviation(superuser: psycopg.Connection, figures: LawFigures) -> None:
    """This includes a pay table that was made before the deviation was known."""
    shipped = edge_known(SOLO_RULES)
    assert shipped is not None
    assert shipped.deviation is not None
    hand = PlayStat.objects.get(zone="UTC", kind="hand", level="day")
    assert float(hand.variance) == pytest.approx(shipped.deviation**2 * float(hand.stake_squared))
    half = Z_95 * shipped.deviation * float(hand.stake_squared) ** 0.5 / float(hand.stake)
    assert figures.observed is not None
    assert figures.observed.half_width == pytest.approx(half)
    (day,) = days_figures(figures.key, figures.terms, StatSlice())
    assert day.low_95 == pytest.approx(float(figures.terms.rtp) - half)
    superuser.execute("UPDATE paytable_line SET deviation = NULL WHERE kind = 'hand'")
    superuser.execute("UPDATE play_stat SET variance = 0 WHERE kind = 'hand'")
    (later,) = [each for each in laws_figures(StatSlice()) if each.key == figures.key]
    assert later.observed == figures.observed
    superuser.execute("UPDATE paytable_line SET deviation = %s WHERE kind = 'hand'", [shipped.deviation])
    superuser.execute("UPDATE play_stat SET variance = %s WHERE kind = 'hand'", [hand.variance])


def log_mean(logs: list[float]) -> float:
    return log(sum(exp(each) for each in logs) / len(logs))


def test_a_payout_that_is_not_the_pay_table_s_is_an_alarm_at_once(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    player = banker_player(house)
    results = banker_results(20, again=0, seed=1)
    rounds_copy(superuser, player, results)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE baccarat_game_record SET reward_amount = reward_amount + 0.01 WHERE id ="
        " (SELECT max(id) FROM baccarat_game_record WHERE result_type = 1)"
    )
    superuser.execute("RESET session_replication_role")
    folded(timezone.now())
    (alarm,) = rtp_watch()
    assert (alarm.measure, alarm.part, alarm.threshold) == (Measure.PAYOUT, Slice.ALL, 1)
    assert SignificantEvent.objects.get(kind=EventKind.UNUSUAL).subject == f"RTP alarm {alarm.pk}"
    assert rtp_watch() == []
    closed_by(*operators, alarm)
    assert rtp_watch() == []  # a further wrong payout is another alarm, and the same one is not


@pytest.mark.usefixtures("operators")
def test_a_step_or_an_alarm_of_the_watch_that_fails_leaves_the_others(superuser: psycopg.Connection) -> None:
    """Neither the closed day can be kept nor the first bet's alarm raised. The second one's is, with its mail."""
    baccarat_session(bets=1)
    folded(timezone.now())
    first, second = PlayStat.objects.order_by("kind").values_list("kind", flat=True)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE play_stat SET period = current_date - 2, closed_at = now(), mismatched = 1")
    superuser.execute("RESET session_replication_role")
    superuser.execute("ALTER TABLE evidence_day ADD CONSTRAINT fault CHECK (false)")
    superuser.execute(f"ALTER TABLE evidence_alarm ADD CONSTRAINT fault CHECK (kind <> '{first}')")
    try:
        with pytest.raises(ExceptionGroup) as failed:
            rtp_watch()
    finally:
        superuser.execute("ALTER TABLE evidence_day DROP CONSTRAINT fault")
        superuser.execute("ALTER TABLE evidence_alarm DROP CONSTRAINT fault")
    assert "evidence_days_add" in failed.value.exceptions[0].__notes__[0]
    assert [alarm.kind for alarm in EvidenceAlarm.objects.all()] == [second]
    assert len(mail.outbox) == 1
    assert [alarm.kind for alarm in rtp_watch()] == [first]
    assert EvidenceDay.objects.exists()


def test_a_wrong_payout_at_a_table_is_an_alarm_of_tables_and_leaves_the_public_page_as_it_is(
    superuser: psycopg.Connection, house: Partner
) -> None:
    players = [player_make(partner=house, balance=Decimal(1000)) for _ in range(2)]
    table = PlayedTable(table_make(house, game_type="baccarat", currency="FUN", window_s=30), players)
    played = table.round_play()
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE game_round SET detail = jsonb_set("
        "detail, '{hands,0,payout}', to_jsonb((detail #>> '{hands,0,payout}')::numeric + 1)) WHERE table_round = %s",
        [played.pk],
    )
    superuser.execute("RESET session_replication_role")
    folded(timezone.now())
    raised = rtp_watch()
    assert {(each.measure, each.part, each.value) for each in raised} == {(Measure.PAYOUT, Slice.CHANNEL, "table")}
    games_offer(house)
    bets = [bet for game in published_read() for bet in game["bets"]]
    assert {bet["law"] for bet in bets} >= {each.law for each in raised}
    assert not any(bet["alarm"] for bet in bets)


def test_the_close_of_an_alarm_about_a_payout_leaves_the_evidence_of_its_law(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    played(superuser, house, count=600, again=0.34, day=4)
    (before,) = [each for each in watched_now() if each.key.part == Slice.ALL]
    assert before.evidence > 1
    alarm = EvidenceAlarm.objects.create(**before.key._asdict(), measure=Measure.PAYOUT, threshold=1, n=600)
    closed_by(*operators, alarm)
    rtp_watch()
    (after,) = [each for each in watched_now() if each.key == before.key]
    assert (after.evidence, after.restarted) == (before.evidence, before.restarted)


def test_the_close_of_an_alarm_begins_both_kinds_of_evidence_again_on_the_first_page_too(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    """The first page shows the state of the last closed day, which is kept before the close."""
    played(superuser, house, count=600, again=0.34, day=4)
    raised = rtp_watch()
    (before,) = laws_kept(since=days_ago(5).date())
    assert before.restarted is not None
    for alarm in raised:
        closed_by(*operators, alarm)
    (after,) = laws_kept(since=days_ago(5).date())
    # The close also covers today's round, which the kept day does not have.
    assert (after.n, after.evidence, after.restarted) == (before.n, pytest.approx(0, abs=0.1), None)


def test_mail_that_cannot_be_sent_is_sent_by_the_next_watch(house: Partner, settings: Any) -> None:
    operator, former = staff_make(Role.OPERATOR), staff_make(Role.OPERATOR)
    User.objects.filter(pk=former.pk).update(is_active=False)
    staff_make(Role.AUDITOR)
    key = SliceKey("og-baccarat", "BaccaratGameBetTie", "0" * 64, False, Slice.ALL, "")
    EvidenceAlarm.objects.create(**key._asdict(), measure=Measure.EVIDENCE, evidence=5.0, threshold=4.0, n=1)
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
        "django.core.mail.backends.smtp.EmailBackend",
        "127.0.0.1",
        9,
    )
    assert alarm_mails_send() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert alarm_mails_send() == 1
    assert alarm_mails_send() == 0
    assert [each.to for each in mail.outbox] == [[operator.email]]


def test_what_an_alarm_does_to_a_pay_table_is_chosen_in_writing(house: Partner) -> None:
    banker_player(house)
    paytable = PayTable.objects.get()
    assert on_alarm_of(paytable.pk) == OnAlarm.GO_ON
    paytable_on_alarm_set(
        operator=staff_make(Role.OPERATOR), paytable=paytable, on_alarm=OnAlarm.REFUSE, reason="a trial"
    )
    assert on_alarm_of(paytable.pk) == OnAlarm.REFUSE
    assert AuditEntry.objects.get(action="paytable.on_alarm").reason == "a trial"


def test_an_alarm_refuses_new_rounds_where_it_shall_until_two_persons_have_closed_it(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    played(superuser, house, count=1_500, again=1.0)
    bettor, other = banker_player(house), banker_player(partner_make())
    (paytable,) = PayTable.objects.all()
    paytable_on_alarm_set(operator=operators[0], paytable=paytable, on_alarm=OnAlarm.REFUSE, reason="a trial")
    table_partner, players = players_make(1)
    table = PlayedTable(table_make(table_partner, game_type="baccarat", currency="FUN", window_s=30), players)
    table.next_window()
    table.stake(0)
    raised = rtp_watch()
    assert raised
    (switch,) = Switch.objects.all()
    assert (switch.scope, switch.key, switch.is_off, switch.by) == ("pay_table", str(paytable.pk), True, "RTP watch")
    for each in (bettor, other):  # partners share the pay table
        with pytest.raises(GameDisabled):
            banker_bet(each)
    table.window_end()
    table.play_out()
    (of_table,) = Round.objects.filter(player=players[0])
    assert (of_table.how_ended, of_table.paytable_id) == ("played", paytable.pk)
    table.next_window()
    with pytest.raises(GameDisabled):
        table.stake(0)
    *first, last = raised
    for alarm in first:
        closed_by(*operators, alarm)
    with pytest.raises(GameDisabled):
        banker_bet(bettor)
    closed_by(*operators, last)
    banker_bet(bettor)
    switch.refresh_from_db()
    assert (switch.is_off, switch.by, switch.authorised_by) == (False, *(each.username for each in operators))
    told = SignificantEvent.objects.filter(kind=EventKind.GAME_CHANGED, component="switch").order_by("pk")
    assert [event.actor for event in told] == ["RTP watch", operators[0].username]


def test_without_that_choice_an_alarm_stops_nothing_and_a_later_choice_holds_for_open_alarms(
    superuser: psycopg.Connection, house: Partner, operators: tuple[User, User]
) -> None:
    played(superuser, house, count=1_500, again=1.0)
    raised = rtp_watch()
    assert raised
    bettor = banker_player(house)
    banker_bet(bettor)
    paytable = PayTable.objects.get(game="og-baccarat")
    paytable_on_alarm_set(operator=operators[0], paytable=paytable, on_alarm=OnAlarm.REFUSE, reason="enough")
    with pytest.raises(GameDisabled):
        banker_bet(bettor)
    Switch.objects.update(by=operators[1].username)
    for alarm in raised:
        closed_by(*operators, alarm)
    with pytest.raises(GameDisabled):  # an operator has taken the switch over
        banker_bet(bettor)
