"""Rounds at tables have pay tables, results and faces in the statistics, like rounds of the solo game."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import psycopg
import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.evidence.figures import laws_figures, paytable_rows
from apps.evidence.selectors import StatSlice
from apps.office.proof import proof_run
from apps.paytables.models import PayTable, PayTableUse
from apps.rounds.bets_sql import bets_begun, has_bet
from apps.rounds.models import Round
from apps.rounds.registry import game_of, games
from apps.rounds.table_game import PLACE_BET
from apps.statistics.models import CardStat, LuckStat, PlayStat
from apps.tables.engine.codec import terms_from_json
from apps.tables.models import RoundEnding, TableRound
from apps.tables.paytables import table_paytables_add_missing
from apps.tables.registry import table_game_of, table_games
from apps.tables.round_check import round_faults
from apps.tables.story import seeds_of, table_rounds_ready
from apps.tables.table_administration import table_configure
from apps.tables.table_creation import RoomOptions
from tests.statistics.test_fold import folded
from tests.support.factories import staff_make
from tests.support.listed_rounds import listed_as_counted
from tests.support.offers import games_offer
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

ROUNDS = 3


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run().findings]


def tables_play(players_count: int = 2) -> list[PlayedTable]:
    """Have players play some rounds at a table of each game, with every offered bet."""
    partner, players = players_make(players_count)
    tables = []
    for game_type in table_games():
        since, placed = timezone.now(), 0
        table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30), players)
        tables.append(table)
        for _ in range(ROUNDS):
            table.next_window()
            for place in range(players_count):
                for bet in bets_of(table, place):
                    assert table.act(place, PLACE_BET, **bet) is None
                    placed += 1
            if game_type != "blackjack":  # where an act has the side bets too, and decisions add bets
                assert bets_begun(since) == placed
            table.window_end()
            table.play_out()
    return tables


def bets_of(table: PlayedTable, place: int) -> list[dict[str, object]]:
    """Return the payloads that place each offered bet, with a different stake at each seat."""
    terms = terms_from_json(table.round.terms)
    amount = 10 + place
    if "main" in terms.limits:
        return [{"amount": amount, **{bet: amount for bet in terms.limits if bet != "main"}}]
    return [{"amount": amount, "betType": bet} for bet in terms.limits]


def test_rounds_at_tables_are_counted_by_their_pay_tables_and_faces() -> None:
    tables = tables_play()
    seats = Round.objects.filter(table_round__isnull=False).select_related("paytable")
    assert seats.count() == 2 * ROUNDS * len(tables)
    for seat in seats:
        terms = terms_from_json(seat.terms)
        pay = game_of(seat.game).table_pay
        assert pay is not None
        assert seat.paytable is not None
        assert seat.paytable.terms == pay.terms(terms)
    folded()
    rows = PlayStat.objects.filter(door="table", zone="UTC").select_related("paytable")
    assert {row.game for row in rows} == {table_game_of(game_type).game_id for game_type in table_games()}
    with_results = 0
    for row in rows:
        pay = game_of(row.game).table_pay
        assert pay is not None
        assert row.paytable is not None
        line = row.paytable.lines.get(kind=row.kind)
        has_own = bool(line.lines) and not pay.is_shared_deal
        assert (row.n, row.bets) == (2 * ROUNDS if has_own else ROUNDS, 2 * ROUNDS), row.kind
        assert abs(row.expected - row.stake * line.rtp) < Decimal("1e-10")
        assert row.stake >= 21 * ROUNDS
        assert row.mismatched == 0
        if line.lines:
            with_results += 1
            assert sum(row.hits) == row.n
            assert row.variance > 0
    assert with_results >= 8
    assert Counter(CardStat.objects.values_list("game", "decks", "place", "card", "count")) == _faces()
    assert findings() == []
    assert listed_as_counted() >= 20
    wins = _wins_expected()
    slice_of_tables = StatSlice(channel="table")
    compared = 0
    for figures in laws_figures(slice_of_tables):
        lines = paytable_rows(figures.terms, figures.by_currency, slice_of_tables)
        if len([line for line in lines if line.chance]) == 2 and figures.key.law.kind in wins:
            assert lines[0].expected == pytest.approx(wins[figures.key.law.kind])
            compared += 1
    assert compared >= 3
    expected = _lucks()
    assert {(row.game, row.kind): row.n for row in LuckStat.objects.filter(zone="UTC")} == {
        key: len(lucks) for key, lucks in expected.items()
    }
    for luck_row in LuckStat.objects.filter(zone="UTC"):
        lucks = expected[luck_row.game, luck_row.kind]
        assert float(luck_row.luck) == pytest.approx(sum(lucks), abs=1e-6)
        assert float(luck_row.luck_squared) == pytest.approx(sum(luck**2 for luck in lucks), abs=1e-6)
        assert (luck_row.door, luck_row.given_away) == ("table", 0)


def _wins_expected() -> dict[str, float]:
    """Return the sum of the chances of winning by kind of bet, from the rounds' shoes."""
    expected: dict[str, float] = {}
    shoes = dict(TableRound.objects.values_list("pk", "shoe"))
    for seat in Round.objects.filter(table_round__isnull=False).order_by("table_round").distinct("table_round"):
        pay = game_of(seat.game).table_pay
        if pay is not None and pay.chances_left is not None:
            chances = pay.chances_left(shoes[seat.table_round])
            assert chances is not None
            for hand in seat.detail["hands"]:
                kind = pay.kinds[hand["betType"]]
                expected[kind] = expected.get(kind, 0.0) + chances[kind]["UserWin"]
    return expected


def _lucks() -> dict[tuple[str, str], list[float]]:
    """Return the luck of each round and bet that all seats share, from the rounds' own records and shoes."""
    lucks: dict[tuple[str, str], list[float]] = {}
    shoes = dict(TableRound.objects.values_list("pk", "shoe"))
    for seat in Round.objects.filter(table_round__isnull=False).order_by("table_round").distinct("table_round"):
        pay = game_of(seat.game).table_pay
        assert pay is not None
        if pay.chances_left is None:
            continue
        assert seat.paytable is not None
        chances = pay.chances_left(shoes[seat.table_round])
        assert chances is not None
        for hand in seat.detail["hands"]:
            kind = pay.kinds[hand["betType"]]
            payouts = {
                each["result"]: Fraction(each["payout"]) for each in seat.paytable.lines.get(kind=kind).lines
            }  # fmt: skip
            expected = sum(float(payouts[result]) * chance for result, chance in chances[kind].items() if chance)
            lucks.setdefault((seat.game, kind), []).append(float(payouts[hand["result"]]) - expected)
    return lucks


def _faces() -> Counter[tuple[object, ...]]:
    """Return the faces from the replays. For a one-deal game these are the cards that every round has, for blackjack
    each seat's first card and the dealer's."""
    counts: Counter[tuple[object, ...]] = Counter()
    for played in table_rounds_ready(TableRound.objects.filter(ending="settled")):
        game = table_game_of(played.table.game_type)
        checked = round_faults(played, seeds_of(played))
        pay = game_of(game.game_id).table_pay
        assert pay is not None
        places = {"baccarat": 4, "dragon_tiger": 2, "blackjack": 3}[game.game_type]
        for place in range(places):
            counts[game.game_id, terms_from_json(played.terms).decks, place, checked.cards[place].code] += 1
    return Counter({(*key, count): 1 for key, count in counts.items()})


def test_a_table_with_the_terms_of_the_solo_game_has_its_pay_table() -> None:
    partner, _ = players_make(1)
    games_offer(partner)
    solo = {use.game: use.paytable_id for use in PayTableUse.objects.filter(partner=partner, table_id=None)}
    for game in games():
        table_game = next((each for each in table_games().values() if each.game_id == game.id), None)
        if table_game is None or game.table_pay is None or not game.table_pay.is_shared_deal:
            continue
        offered = PayTable.objects.get(pk=solo[game.id]).terms
        names = {kind: name for name, kind in game.table_pay.kinds.items()}
        limits = {names[kind]: {"minAmount": 1, "maxAmount": 10} for kind in offered["odds"]}
        odds = {names[kind]: to_one for kind, to_one in offered["odds"].items()}
        table = table_make(
            partner, game_type=table_game.game_type, currency="FUN", limits=limits, odds=odds,
            rules={"decks": offered["decks"]},
        )  # fmt: skip
        assert PayTableUse.objects.get(table_id=table.pk).paytable_id == solo[game.id]


def test_new_terms_of_a_table_are_another_pay_table_from_its_next_window_on() -> None:
    partner, players = players_make(2)
    table = PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", window_s=30), players)
    table.next_window()
    table.stake(0)
    options = RoomOptions(
        game_type="baccarat", currency_code="FUN", odds={"tie": "9"}, window_s=30, turn_s=5, pause_s=1
    )
    table_configure(table=table.table, user=staff_make(Role.OPERATOR), options=options)
    table.stake(1)
    table.window_end()
    first = table.play_out()
    second = table.round_play()
    used = {
        each.pk: set(
            Round.objects.filter(table_round=each.pk).values_list(
                "paytable__terms__odds__BaccaratGameBetTie", flat=True
            )
        )
        for each in (first, second)
    }
    assert used == {first.pk: {"8"}, second.pk: {"9"}}
    uses = PayTableUse.objects.filter(table_id=table.table.pk).order_by("pk")
    assert [(use.table_version, use.ends_id is not None) for use in uses] == [(1, False), (1, True), (2, False)]
    assert table_paytables_add_missing() == 0
    assert findings() == []


def test_a_payout_at_a_table_that_is_not_its_pay_table_s_is_counted_and_named(superuser: psycopg.Connection) -> None:
    (table,) = [table for table in tables_play(1) if table.table.game_type == "baccarat"]
    # A server of other tests may have opened the next round by now.
    played = TableRound.objects.filter(table=table.table, ending=RoundEnding.SETTLED).latest("number")
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE game_round SET detail = jsonb_set("
        "detail, '{hands,0,payout}', to_jsonb((detail #>> '{hands,0,payout}')::numeric + 1)) WHERE table_round = %s",
        [played.pk],
    )
    folded()
    assert sum(PlayStat.objects.filter(door="table", zone="UTC", level="day").values_list("mismatched", flat=True)) == 1
    wrong = Round.objects.filter(has_bet(is_wrong=True))
    assert {each.table_round for each in wrong} == {played.pk}
    assert listed_as_counted()
    superuser.execute("UPDATE game_round SET paytable_id = NULL WHERE table_round = %s", [played.pk])
    assert any("its pay table is not the one that its table offered" in finding for finding in findings())
