"""Equal terms share one pay table, different terms have different ones. Pay tables and their uses never change."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from random import Random
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from apps.accounts.actors import Actor
from apps.baccarat.edge import paytable_rows
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.configuration import BlackjackLimits, blackjack_limits_set
from apps.blackjack.engine.rules import SOLO_RULES, DoubleOn, Surrender
from apps.blackjack.engine.side_bets import PERFECT_PAIRS_WINS, POKER_WINS, SideBet
from apps.blackjack.paytables import terms_stored as blackjack_terms_stored
from apps.core import json
from apps.core.models import Currency
from apps.dragon_tiger.engine import GameType as DragonTigerBet
from apps.office.proof import proof_run
from apps.office.verification.rounds import round_check
from apps.one_deal.configuration import OddsChange
from apps.one_deal.models import ConfigStatus
from apps.one_deal.paytables import terms_stored
from apps.paytables.models import PayTable, PayTableLine, PayTableUse
from apps.paytables.paytable_rows import BetFigures, PaytableRow, bet_figures
from apps.paytables.services import paytable_get, paytable_in_use
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import game_of, games
from apps.rounds.tasks import paytables_add_missing
from apps.tables.models import GameTable
from apps.tables.paytables import table_paytables_add_missing
from tests.contract.players import player_of
from tests.support.baccarat_use_cases import baccarat_config_set, baccarat_odds_set
from tests.support.blackjack import PERFECT_PAIRS
from tests.support.factories import partner_make, player_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.played import baccarat_session
from tests.support.tables import table_make

ACTOR = Actor("test")
CONFIGURATIONS = 10_000 if IS_LONG else 80
ROUNDS = 2_000 if IS_LONG else 20


def paytable_of(game_id: str, terms: dict[str, Any]) -> PayTable:
    found = paytable_get(game_id=game_id, terms=terms, figures=list)
    return PayTable.objects.get(pk=found.pk)


def baccarat_paytable(terms: dict[str, Any]) -> PayTable:
    return paytable_of("og-baccarat", terms)


Offer = tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]
"""A game, terms, the same terms in another order, and terms that differ by one step."""


def one_deal_offer(game_id: str, kinds: Sequence[Any]) -> Callable[[Random], Offer]:
    """Return a function that chooses terms of a one-deal game."""

    def choose(random: Random) -> Offer:
        bets = random.sample(kinds, random.randint(1, len(kinds)))
        decks, odds = random.randint(1, 9), {kind: Decimal(random.randrange(400_000)) / 10_000 for kind in bets}
        again = dict(reversed(list(terms_stored(decks, dict(reversed(odds.items()))).items())))
        changed = random.choice(bets)
        step = odds | {changed: odds[changed] + Decimal("0.0001")}
        return game_id, terms_stored(decks, odds), again, terms_stored(decks, step)

    return choose


def blackjack_offer_terms(random: Random) -> Offer:
    """Choose rules and side bets of blackjack; a step is one of odds, or of the rules where no side bet is on."""
    rules: dict[str, Any] = SOLO_RULES.to_json() | {
        "decks": random.randint(1, 9), "dealer_hits_soft_17": random.random() < 0.5, "split_ace": random.randint(0, 3),
        "double": random.choice(list(DoubleOn)).value, "surrender": random.choice(list(Surrender)).value,
        "blackjack_pays": random.choice(["3:2", "6:5"]),
    }  # fmt: skip
    odds = {
        bet: {each.value: str(Decimal(random.randrange(400_000)) / 10_000) for each in outcomes}
        for bet, outcomes in ((SideBet.PERFECT_PAIRS, PERFECT_PAIRS_WINS), (SideBet.POKER, POKER_WINS))
        if random.random() < 0.7
    }
    terms = blackjack_terms_stored(rules, odds)
    again = {name: dict(reversed(part.items())) for name, part in reversed(terms.items())}
    step = {bet: dict(of_bet) for bet, of_bet in odds.items()}
    if odds:
        of_bet = step[random.choice(list(step))]
        outcome = random.choice(list(of_bet))
        of_bet[outcome] = str(Decimal(of_bet[outcome]) + Decimal("0.0001"))
    else:
        rules = rules | {"split_non_ace": 3 - rules["split_non_ace"]}
    return "og-blackjack", terms, again, blackjack_terms_stored(rules, step)


@pytest.mark.django_db
def test_random_configurations_have_one_row_for_equal_terms_and_another_for_one_step_of_odds() -> None:
    random = Random(15)
    choices = (
        one_deal_offer("og-baccarat", list(GameType)),
        one_deal_offer("og-dragon-tiger", list(DragonTigerBet)),
        blackjack_offer_terms,
    )
    for number in range(CONFIGURATIONS):
        game_id, terms, again, step = choices[number % len(choices)](random)
        first = paytable_of(game_id, terms)
        assert paytable_of(game_id, again) == first
        assert first.terms == terms
        assert paytable_of(game_id, step).hash != first.hash
        assert json.decode(first.document) == {**terms, "game": game_id}


@pytest.mark.django_db
@pytest.mark.parametrize("table", ["paytable", "paytable_line", "paytable_use"])
def test_pay_tables_are_never_changed_or_removed(table: str, superuser: psycopg.Connection) -> None:
    games_offer(partner_make())
    for statement in (f"UPDATE {table} SET ctime = now()", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    refused = superuser.execute(
        "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgfoid = 'change_refuse'::regproc"
        " AND tgenabled = 'O'",
        [table],
    ).fetchone()
    assert refused == (1,)


@pytest.mark.django_db
def test_a_pay_table_whose_hash_or_terms_are_not_of_its_document_is_refused() -> None:
    made = baccarat_paytable(terms_stored(8, {GameType.TIE: Decimal(8)}))
    document = json.canonical({"decks": 7, "game": made.game}).decode()
    values = {
        "game": made.game, "document": document, "hash": sha256(document.encode()).hexdigest(), "terms": {"decks": 7},
    }  # fmt: skip
    for altered, constraint in (
        ({"hash": "0" * 64}, "paytable_hash"),
        ({"document": made.document}, "paytable_hash"),
        ({"terms": {"decks": 1}}, "paytable_terms"),
        ({"terms": {"decks": 7, "game": made.game}}, "paytable_terms"),
        ({"game": "og-dragon-tiger"}, "paytable_terms"),
    ):
        with pytest.raises(DatabaseError, match=constraint), transaction.atomic():
            PayTable.objects.create(**values | altered)
    PayTable.objects.create(**values)


@pytest.mark.django_db
def test_the_database_keeps_one_pay_table_in_use_for_an_offer_and_ends_that_one() -> None:
    partner = partner_make()
    games_offer(partner)
    used = paytable_in_use(partner_id=partner.pk, currency_code="FUN", game_id="og-baccarat")
    assert used is not None
    other = baccarat_paytable(terms_stored(8, {GameType.TIE: Decimal(7)}))
    begins = {"partner": partner, "currency_id": "FUN", "game": "og-baccarat", "by": "test"}
    ends = begins | {"ends": used, "available_from": used.available_from, "decommissioned_at": timezone.now()}
    for refused, why in (
        (begins | {"paytable": other}, "has a pay table in use"),
        (begins | {"paytable": other, "game": "og-dragon-tiger"}, "is of another game"),
        (ends | {"paytable": other}, "is not of the same offer"),
        (ends | {"paytable": used.paytable, "currency_id": "EUR"}, "is not of the same offer"),
    ):
        with pytest.raises(DatabaseError, match=why), transaction.atomic():
            PayTableUse.objects.create(**refused)
    PayTableUse.objects.create(**ends, paytable=used.paytable)
    PayTableUse.objects.create(**begins, paytable=other)


@pytest.mark.django_db
def test_a_bet_with_more_results_than_the_statistics_count_is_refused() -> None:
    def figures(results: int) -> list[BetFigures]:
        return [bet_figures("wheel", [PaytableRow(str(x), Fraction(1, results), Fraction(x)) for x in range(results)])]

    with pytest.raises(ValueError, match="wheel: 9 results, and the statistics count at most 8"):
        paytable_get(game_id="og-baccarat", terms={"wheel": 9}, figures=lambda: figures(9))
    assert not PayTable.objects.exists()
    made = paytable_get(game_id="og-baccarat", terms={"wheel": 8}, figures=lambda: figures(8))
    assert len(made.lines.get().lines) == 8


@pytest.mark.django_db
def test_every_game_makes_a_pay_table_with_a_line_for_each_bet_on_offer() -> None:
    partner = partner_make()
    games_offer(partner)
    for game in games():
        used = paytable_in_use(partner_id=partner.pk, currency_code="FUN", game_id=game.id)
        assert used is not None
        lines = {line.kind: line for line in used.paytable.lines.all()}
        edges = {edge.bet: edge for edge in game.house_edges(partner.pk, "FUN")}
        assert lines.keys() == edges.keys()
        for kind, edge in edges.items():
            assert edge.edge is not None
            assert abs(lines[kind].rtp - (1 - edge.edge)) <= Decimal("0.00000001")


@pytest.mark.django_db
def test_two_partners_with_equal_offers_share_one_pay_table() -> None:
    partners = [partner_make(), partner_make()]
    for partner in partners:
        games_offer(partner)
    for game in games():
        uses = [paytable_in_use(partner_id=partner.pk, currency_code="FUN", game_id=game.id) for partner in partners]
        assert len({used.paytable_id for used in uses if used}) == 1


@pytest.mark.django_db
def test_odds_set_back_find_their_former_pay_table_and_every_use_is_kept() -> None:
    partner = partner_make()
    config = baccarat_config_set(partner=partner, actor=ACTOR, bet_min=Decimal(1), bet_max=Decimal(9))
    seen = [config.paytable_id]
    for odds in ("0.9", "0.95"):
        change = OddsChange(config.pk, GameType.BANKER, Decimal(odds))
        baccarat_odds_set(partner=partner, actor=ACTOR, changes=[change])
        config.refresh_from_db()
        seen.append(config.paytable_id)
    assert seen[0] == seen[2] != seen[1]
    uses = PayTableUse.objects.filter(partner=partner).order_by("pk")
    assert [used.paytable_id for used in uses if used.ends_id is None] == seen
    assert [used.paytable_id for used in uses if used.ends_id is not None] == seen[:2]
    assert all(used.decommissioned_at for used in uses if used.ends_id is not None)


@pytest.mark.django_db
def test_limits_change_no_pay_table_and_begin_no_use() -> None:
    partner = partner_make()
    first = baccarat_config_set(partner=partner, actor=ACTOR, bet_min=Decimal(1), bet_max=Decimal(9)).paytable_id
    again = baccarat_config_set(partner=partner, actor=ACTOR, bet_min=Decimal(2), bet_max=Decimal(9)).paytable_id
    assert first is not None
    assert again == first
    assert PayTableUse.objects.filter(partner=partner).count() == 1


@pytest.mark.django_db
def test_decks_and_bets_that_are_turned_off_change_the_pay_table() -> None:
    partner = partner_make()
    config = baccarat_config_set(partner=partner, actor=ACTOR, bet_min=Decimal(1), bet_max=Decimal(9))
    seen = {config.paytable_id}
    seen.add(
        baccarat_config_set(partner=partner, actor=ACTOR, bet_min=Decimal(1), bet_max=Decimal(9), decks=6).paytable_id
    )
    for kind in (GameType.TIE, GameType.BANKER, GameType.PLAYER):
        off = OddsChange(config.pk, kind, Decimal(1), ConfigStatus.INACTIVE)
        baccarat_odds_set(partner=partner, actor=ACTOR, changes=[off])
        config.refresh_from_db()
        seen.add(config.paytable_id)
    assert len(seen) == 5
    assert config.paytable_id is None
    assert paytable_in_use(partner_id=partner.pk, currency_code="FUN", game_id="og-baccarat") is None


@pytest.mark.usefixtures("committed")
def test_a_side_bet_of_blackjack_that_is_turned_off_is_not_in_its_pay_table() -> None:
    partner = partner_make()
    currency = Currency.objects.get(code="FUN")
    limits = BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(9), perfect_pairs_max=Decimal(5))
    config = blackjack_limits_set(partner=partner, currency=currency, limits=limits, actor=ACTOR)
    assert config.paytable is not None
    assert set(config.paytable.lines.values_list("kind", flat=True)) == {"hand", "perfectPairs"}
    assert set(config.paytable.terms["odds"]) == set(PERFECT_PAIRS)
    config = blackjack_limits_set(partner=partner, currency=currency, limits=limits, actor=ACTOR, active=False)
    assert config.paytable is None


@pytest.mark.usefixtures("committed")
def test_two_transactions_that_make_one_pay_table_both_get_it(
    at_once: Callable[[int, Callable[[], object]], list[str]],
) -> None:
    odds = Fraction("8.25")
    terms = terms_stored(8, {GameType.TIE: Decimal("8.25")})
    tie = bet_figures("tie", paytable_rows(GameType.TIE, odds, 8))
    assert at_once(4, lambda: paytable_get(game_id="og-baccarat", terms=terms, figures=lambda: [tie])) == ["ok"] * 4
    assert PayTable.objects.count() == 1
    assert PayTableLine.objects.count() == 1


@pytest.mark.usefixtures("committed")
def test_an_offer_from_before_pay_tables_is_played_by_its_own_terms_until_it_gets_one() -> None:
    player, token = baccarat_session()
    baccarat = game_of("og-baccarat")
    config = BaccaratConfig.objects.get()
    config.paytable = None
    config.save_without_historical_record()
    player_of(baccarat).play(token, Random(1))
    assert baccarat.paytables_add_missing() == 1
    assert baccarat.paytables_add_missing() == 0
    player_of(baccarat).play(token, Random(1))
    first, without, again = Round.objects.filter(player=player).order_by("started_at")
    assert first.terms == again.terms == {}
    assert first.paytable_id == again.paytable_id
    assert without.paytable_id is None
    assert without.terms == again.settlement_terms
    assert list(proof_run().findings) == []


@pytest.mark.usefixtures("committed")
def test_a_pay_table_that_cannot_be_added_leaves_those_of_all_others(superuser: psycopg.Connection) -> None:
    """The first offer of each game and the first table fail."""
    first, second = partner_make(), partner_make()
    for partner in (first, second):
        games_offer(partner)
        table_make(partner, game_type="baccarat", currency="FUN")
    offers = ("baccarat_config", "blackjack_config", "dragon_tiger_config")
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("DELETE FROM paytable_use")
    for name in offers:
        superuser.execute(f"UPDATE {name} SET paytable_id = NULL")
    superuser.execute("SET session_replication_role = origin")
    for name in (*offers, "paytable_use"):
        rule = f"partner_id <> {first.pk} OR {'table_id' if name == 'paytable_use' else 'paytable_id'} IS NULL"
        superuser.execute(f"ALTER TABLE {name} ADD CONSTRAINT fault CHECK ({rule})")
    try:
        with pytest.raises(ExceptionGroup) as of_games:
            paytables_add_missing()
        with pytest.raises(ExceptionGroup) as of_tables:
            table_paytables_add_missing()
    finally:
        for name in (*offers, "paytable_use"):
            superuser.execute(f"ALTER TABLE {name} DROP CONSTRAINT fault")
    assert len(of_games.value.exceptions) == len(offers)
    assert len(of_tables.value.exceptions) == 1
    used = PayTableUse.objects.filter(partner=second)
    assert set(used.values_list("game", "table_id")) == {
        *((game.id, None) for game in games()), ("og-baccarat", GameTable.objects.get(partner=second).pk),
    }  # fmt: skip
    assert not PayTableUse.objects.filter(partner=first).exists()
    paytables_add_missing()
    assert table_paytables_add_missing() == 1
    assert PayTableUse.objects.filter(partner=first).count() == used.count()


@pytest.mark.usefixtures("committed")
def test_every_round_of_every_game_is_settled_again_from_its_pay_table_alone() -> None:
    partner = partner_make()
    games_offer(partner)
    player = player_make(balance=Decimal(100_000), partner=partner)
    random = Random(15)
    for game in games():
        _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
        for _ in range(ROUNDS):
            player_of(game).play(token, random)
    rounds = list(Round.objects.select_related("paytable", "seed_pair", "currency"))
    assert len(rounds) == ROUNDS * len(games())
    for played in rounds:
        assert played.paytable is not None
        assert played.paytable.game == played.game
        assert not {"odds", "rules", "decks"} & played.terms.keys()
        assert round_check(played).faults == []
    assert list(proof_run().findings) == []


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("paytable_id = paytable_id + 1000", "its pay table is none of its game"),
        ("paytable_id = {another}", "its pay table was never on offer to its partner"),
        ("terms = '{{\"decks\": 1}}'", "its own terms say something else than its pay table"),
        ("paytable_id = NULL", "it cannot be dealt again from its record"),
    ],
)
def test_a_round_with_another_pay_table_is_named(change: str, fault: str, superuser: psycopg.Connection) -> None:
    baccarat_session()
    another = baccarat_paytable(terms_stored(8, {GameType.TIE: Decimal(9)}))
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(f"UPDATE game_round SET {change.format(another=another.pk)}")
    assert any(fault in finding.what for finding in proof_run().findings)
