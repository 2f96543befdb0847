"""The contract of a game: these tests run for every registered game."""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.models import ForeignKey, JSONField, Model
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from psycopg.types.json import Jsonb

from apps.accounts.models import Role
from apps.core import patterns
from apps.fairness.round_seeds import Seeds
from apps.fairness.services import draw_again
from apps.office.proof import proof_run
from apps.office.verification.rounds import round_check
from apps.partners.models import Partner
from apps.rounds.bets_sql import bets_begun
from apps.rounds.explanation import Explanation
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundAction
from apps.rounds.registry import games
from apps.rounds.selectors import round_explain
from apps.statistics.services import statistics_fold
from apps.wallet.models import WalletTransaction
from tests.contract.conftest import BALANCE, Table
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.partners import PartnerClient
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]
NEVER_SHOWN = "?"
CARD = re.compile(patterns.CARD)
ALTERATIONS_OF_ALL = {
    "the nonce": "UPDATE game_round SET nonce = nonce + 1 WHERE id = %(round)s",
    "the stake": "UPDATE game_round SET stake = stake + 1, balance_after = balance_after - 1 WHERE id = %(round)s",
    "the payout": "UPDATE game_round SET payout = payout + 1, balance_after = balance_after + 1 WHERE id = %(round)s",
    "the balance after": "UPDATE game_round SET balance_after = balance_after + 1 WHERE id = %(round)s",
    "the client seed": (
        "UPDATE seed_pair SET client_seed = client_seed || 'x'"
        " WHERE id = (SELECT seed_pair_id FROM game_round WHERE id = %(round)s)"
    ),
}


def sums(rows: Iterable[Any]) -> tuple[Decimal, Decimal]:
    listed = list(rows)
    return sum((row.stake for row in listed), Decimal(0)), sum((row.payout for row in listed), Decimal(0))


def seeds_of(played: Round) -> Seeds:
    draw = draw_again(played.seed_pair, played.nonce)
    return Seeds(draw.server_seed, draw.client_seed, draw.nonce)


def record_models(table: Table) -> list[type[Model]]:
    """Return the models of a game's records."""
    own = apps.get_app_config(table.game.slug).get_models()
    of_rounds = [
        model
        for model in own
        if any(isinstance(field, ForeignKey) and field.related_model is Round for field in model._meta.fields)
    ]
    return [Round, RoundAction, WalletTransaction, *of_rounds]


def test_a_replay_equals_the_record(table: Table) -> None:
    for played in table.play():
        explanation = round_explain(played)
        assert explanation.record_check(seeds_of(played)).differences == []
        cards = explanation.redeal(seeds_of(played)).cards
        assert cards == explanation.record_check(seeds_of(played)).cards
        assert explanation.dealt.cards == [
            code if code == NEVER_SHOWN else card for code, card in zip(explanation.dealt.cards, cards, strict=True)
        ]
        assert [hand.cards for hand in explanation.steps[-1].hands] == [hand.cards for hand in explanation.hands]
        assert all(step.text and step.by for step in explanation.steps)


def test_bets_sum_to_the_round_and_rounds_to_the_wallet(table: Table) -> None:
    played = table.play()
    for each in played:
        explanation = round_explain(each)
        assert sums(explanation.bets) == sums(explanation.actions) == (each.stake, each.payout)
        assert each.balance_after == each.balance_before - each.stake + each.payout
        movements = WalletTransaction.objects.filter(round_id=each.pk)
        assert sum(movement.change for movement in movements) == each.payout - each.stake
    stake, payout = sums(played)
    assert table.player.wallets.get().balance == BALANCE - stake + payout
    assert proof_run().findings == []


def test_every_bet_is_counted_in_reports(table: Table) -> None:
    played = table.play()
    ended = max(each.ended_at for each in played if each.ended_at)
    wait_until(lambda: (statistics_fold(edge_age=timedelta(0)).edge or ended) > ended, "the fold has added them")
    (row,) = PartnerClient(table.partner).get("/v1/reports/summary").body["rows"]
    # The stake that a double adds belongs to its hand: it is a separate movement, and no bet.
    bets = sum(len({(bet.bet, bet.hand) for bet in round_explain(each).bets}) for each in played)
    assert (row["game"], row["rounds"], row["bets"]) == (table.game.id, len(played), bets)
    assert bets_begun(min(each.started_at for each in played)) == bets


def test_names_on_the_wire_are_the_documented_ones(table: Table) -> None:
    for played in table.play():
        explanation = round_explain(played)
        assert {bet.bet for bet in explanation.bets} <= set(table.game.documents.bets)
        assert {action.action for action in explanation.actions} <= set(table.game.documents.actions)
        assert all(bet.label and bet.result and bet.result_label for bet in explanation.bets)


def test_the_round_api_the_partner_and_the_explanation_agree(table: Table) -> None:
    table.play()
    listed = PartnerClient(table.partner).get("/v1/rounds").body["results"]
    assert {row["game"] for row in listed} == {table.game.id}
    for row in listed:
        path = f"/v1/games/{table.game.id}/rounds/{row['id']}"
        outcome = Client().get(path, {"game_session_id": table.token}).json()["roundOutcome"]
        assert (outcome["bets"], outcome["actions"]) == (row["bets"], row["actions"])
        assert outcome["state"] == row["outcome"]


def test_player_and_auditor_can_read_every_round(table: Table) -> None:
    browser, office = table.browser(), Client()
    office.force_login(staff_make(Role.AUDITOR))
    history = browser.get("/history/").content.decode()
    for played in table.play(3):
        page = browser.get(reverse("round", args=[played.pk])).content.decode()
        assert table.game.title in page
        replay = office.get(reverse("admin:replay", args=[played.pk])).content.decode()
        assert "the same cards as in the record" in replay
        for code in round_explain(played).dealt.cards:
            assert code == NEVER_SHOWN or f'title="{code}"' in replay
    assert "No rounds yet" in history
    assert table.game.title in browser.get("/history/", {"game": table.game.id}).content.decode()


def test_a_hidden_card_is_in_no_view(table: Table) -> None:
    while table.plays.leave_open(table.token):
        played = Round.objects.select_related("currency", "seed_pair").get(player=table.player, how_ended="")
        hidden = hidden_cards(table, round_explain(played), played)
        if hidden:
            for name, text in views_of(table, played).items():
                assert [form for code in hidden for form in forms_of(table, code) if form in text] == [], name
            return
        table = table.another()  # a card with the same code is visible
    assert not Round.objects.filter(how_ended="").exists()


def test_the_views_of_an_open_round_show_its_visible_cards(table: Table) -> None:
    """This shows that the search for hidden cards recognises how views write cards."""
    if not table.plays.leave_open(table.token):
        table = table.another()
        table.play(1)
    played = Round.objects.filter(player=table.player).latest("started_at")  # a natural ends the rounds before it
    code = next(code for code in round_explain(played).dealt.cards if code != NEVER_SHOWN)
    for name, text in views_of(table, played).items():
        if played.how_ended or name != "partner":  # these clients read the cards of ended rounds alone
            assert [form for form in forms_of(table, code) if form in text], name


def hidden_cards(table: Table, explanation: Explanation, played: Round) -> list[str]:
    """Return the dealt face-down cards; none if one has the code of a visible card or of one on the lobby's tile.

    The history shows the cards of the player's ended rounds too: a natural ends a round that was to stay open.
    """
    cards = explanation.record_check(seeds_of(played)).cards
    hidden = [card for card, code in zip(cards, explanation.dealt.cards, strict=True) if code == NEVER_SHOWN]
    of_player = Round.objects.filter(player=table.player).select_related("currency", "seed_pair")
    shown = {code for each in of_player for code in round_explain(each).dealt.cards}
    return [] if set(hidden) & {*shown, *table.game.tile.cards} else hidden


def forms_of(table: Table, code: str) -> tuple[str, ...]:
    """Return the texts that stand for a card in a page or an answer."""
    return (f'"{code}"', f"'{code}'", f"&quot;{code}&quot;", f"&#x27;{code}&#x27;", *table.plays.texts_of(code))


def views_of(table: Table, played: Round) -> dict[str, str]:
    """Return every page and answer that shows a round; JSON without spaces."""
    browser, office = table.browser(), Client()
    office.force_login(staff_make(Role.OPERATOR))
    details = f"/v1/games/{table.game.id}/rounds/{played.pk}"
    answers = {
        "table": browser.get(f"/play/{table.game.slug}/"),
        "table data": browser.get(f"/play/{table.game.slug}/table"),
        "round": browser.get(reverse("round", args=[played.pk])),
        "history": browser.get("/history/"),
        "details": Client().get(details, {"game_session_id": table.token}),
        "office round": office.get(reverse("admin:rounds_round_change", args=[played.pk])),
        "office replay": office.get(reverse("admin:replay", args=[played.pk])),
    }
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 200)
    texts = {name: answer.content.decode() for name, answer in answers.items()}
    texts["partner"] = PartnerClient(table.partner).get("/v1/rounds").bytes.decode()
    return {name: re.sub(r'(?<=[:,]) (?=["\d{\[])', "", text) for name, text in texts.items()}


def test_records_refuse_every_change(table: Table) -> None:
    table.play(2)
    filled = [model for model in record_models(table) if model._base_manager.exists()]
    assert {Round, WalletTransaction} < set(filled)
    for model in filled:
        name, column = model._meta.db_table, model._meta.concrete_fields[-1].column
        for statement in (f"UPDATE {name} SET {column} = {column}", f"DELETE FROM {name}", f"TRUNCATE {name} CASCADE"):
            with pytest.raises(DatabaseError), connection.cursor() as cursor:
                cursor.execute(statement)


def test_another_partner_sees_nothing(table: Table) -> None:
    (played,) = table.play(1)
    stranger = player_make(balance=BALANCE, partner=partner_make(), user=None)
    token = game_session_open(player=stranger, game=table.game.id, currency_code="FUN")[1]
    assert PartnerClient(stranger.partner).get("/v1/rounds").body["results"] == []
    detail = Client().get(f"/v1/games/{table.game.id}/rounds/{played.pk}", {"game_session_id": token})
    assert detail.status_code == 404
    office = Client()
    office.force_login(staff_make(Role.PARTNER_STAFF, partner=stranger.partner))
    for model in [entry.model for entry in table.game.menu]:
        page = office.get(reverse(f"admin:{model.lower().replace('.', '_')}_changelist"))
        assert page.context["cl"].result_list.count() == 0, model
    assert office.get(reverse("admin:replay", args=[played.pk])).status_code == 404
    assert office.get(reverse("admin:rounds_round_change", args=[played.pk])).status_code == 404
    assert table.game.waiting(staff_make(Role.PARTNER_STAFF, partner=stranger.partner)) == []


def test_verification_finds_each_altered_card(table: Table, superuser: psycopg.Connection) -> None:
    (played,) = table.play(1)
    superuser.execute("SET session_replication_role = replica")  # no triggers
    count = 0
    for row in rows_with_cards(table):
        for field in row._meta.concrete_fields:
            value = getattr(row, field.attname)
            for altered in each_card_altered(value):
                write(superuser, row, field, altered)
                found = Round.objects.select_related("currency", "seed_pair").get(pk=played.pk)
                assert round_check(found).faults, (row._meta.db_table, field.column, altered)
                write(superuser, row, field, value)
                count += 1
    assert count >= len(round_explain(played).dealt.cards)
    assert round_check(played).faults == []


def rows_with_cards(table: Table) -> list[Model]:
    return [row for model in record_models(table) for row in model._base_manager.all()]


def each_card_altered(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each with another card altered."""
    match value:
        case str() if CARD.fullmatch(value):
            yield "H1" if value != "H1" else "D2"
        case list():
            for index, member in enumerate(value):
                yield from ([*value[:index], other, *value[index + 1 :]] for other in each_card_altered(member))
        case dict():
            for name, member in value.items():
                yield from (value | {name: other} for other in each_card_altered(member))


def write(superuser: psycopg.Connection, row: Model, field: Any, value: Any) -> None:
    """Write one column of a row, with triggers off."""
    where = " AND ".join(f"{key.column} = %s" for key in row._meta.pk_fields)
    keys = [getattr(row, key.attname) for key in row._meta.pk_fields]
    written = Jsonb(value) if isinstance(field, JSONField) else value
    statement = f"UPDATE {row._meta.db_table} SET {field.column} = %s WHERE {where}"
    assert superuser.execute(statement, [written, *keys]).rowcount == 1


def test_verification_finds_each_altered_amount_nonce_and_seed(table: Table, superuser: psycopg.Connection) -> None:
    (played,) = table.play(1)
    assert round_check(played).faults == []
    superuser.execute("SET session_replication_role = replica")  # no triggers
    altered = {each.name: each.sql for each in table.plays.alterations} | ALTERATIONS_OF_ALL
    tables = ["game_round", "round_action", "seed_pair", *(model._meta.db_table for model in record_models(table)[3:])]
    for name, statement in altered.items():
        for each in tables:
            superuser.execute(f"CREATE TABLE kept_{each} AS TABLE {each}")
        try:
            assert superuser.execute(statement, {"round": played.pk}).rowcount > 0, name
            found = Round.objects.select_related("currency", "seed_pair").get(pk=played.pk)
            assert round_check(found).faults, name
            with pytest.raises(CommandError):
                call_command("verify_round", str(played.pk), stdout=StringIO())
        finally:
            for each in tables:
                superuser.execute(f"DELETE FROM {each}")
                superuser.execute(f"INSERT INTO {each} SELECT * FROM kept_{each}")
                superuser.execute(f"DROP TABLE kept_{each}")
    assert round_check(played).faults == []


def test_the_lobby_and_the_menu_lead_to_the_table(table: Table) -> None:
    browser = table.browser()
    page = browser.get("/").content.decode()
    assert page.count(f'href="/play/{table.game.slug}/"') == 3  # the tile, the menu, and the menu of a narrow window
    assert table.game.tile.pitch in page
    assert "Best RTP" in page
    answer = browser.get(f"/play/{table.game.slug}/")
    assert (answer.status_code, answer.context["table"]["currency"]) == (200, "FUN")


def test_the_demo_offers_the_game_at_every_partner(table: Table, settings: Any) -> None:
    settings.PUNTO_DEMO_PASSWORD = "a fixed demo password"
    call_command("demo", "--json", stdout=StringIO())
    offers = [(table.partner.pk, "FUN"), *((partner_id_of("riviera"), code) for code in ("FUN", "EUR"))]
    for partner_id, currency_code in offers:
        assert table.game.offer(partner_id, currency_code) is not None
        assert table.game.house_edges(partner_id, currency_code)


def partner_id_of(slug: str) -> int:
    return Partner.objects.get(slug=slug).pk


def test_the_openapi_document_has_the_game_s_calls(table: Table) -> None:
    document: Any = SchemaGenerator().get_schema(request=None, public=True)
    schemas = document["components"]["schemas"]
    assert table.game.id in schemas["Game"]["enum"]
    assert set(table.game.documents.bets) <= set(schemas["BetName"]["enum"])
    assert set(table.game.documents.actions) <= set(schemas["ActionName"]["enum"])
    assert set(table.game.endpoints) <= set(document["paths"])


def test_the_pages_about_fairness_explain_the_dealing(table: Table) -> None:
    assert table.game.dealing.order in Client().get("/fairness/how/").content.decode().replace("&#x27;", "'")
    assert f'<option value="{table.game.id}">' in Client().get("/fairness/").content.decode()


def test_the_rules_have_a_page_of_documentation() -> None:
    pages = [path.name for path in (ROOT / "docs").glob("*.md")]
    for game in games():
        assert [name for name in pages if name.startswith(game.slug.replace("_", "-"))], game.slug
