"""The record of a round at a table: it is explained, verified and proven like that of a solo round."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from apps.accounts.models import Role
from apps.office.proof import proof_run
from apps.office.verification.rounds import round_check
from apps.rounds.documents import action_names, bet_names
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import round_explain
from apps.tables.models import TableRound
from apps.tables.registry import table_games
from apps.tables.selectors import room_get, round_record
from apps.tables.story import seeds_of
from tests.support.factories import staff_make, user_make
from tests.support.folds import revenue_now
from tests.support.partners import PartnerClient
from tests.support.table_play import PlayedTable, deadlines_set
from tests.support.tables import players_make, table_make
from tests.support.tampering import put_back, tables_of

pytestmark = pytest.mark.usefixtures("committed")

GAMES = list(table_games())
HOUR = timedelta(hours=1)


def table_of(game_type: str, *, seats: int = 2, currency: str | None = "FUN", **wish: object) -> PlayedTable:
    partner, players = players_make(seats)
    return PlayedTable(
        table_make(partner, game_type=game_type, currency=currency, **({"window_s": 30, "turn_s": 60} | wish)), players
    )


@pytest.mark.parametrize("game_type", GAMES)
def test_a_seats_round_is_explained_with_its_bets_actions_and_cards(game_type: str) -> None:
    played = table_of(game_type).round_play(amount=10)
    for seat in Round.objects.filter(table_round=played.pk).select_related("currency"):
        explained = round_explain(seat)
        assert sum(bet.stake for bet in explained.bets) == seat.stake >= 10
        assert sum(bet.payout for bet in explained.bets) == seat.payout
        assert explained.actions[0].action == "place_bet"
        assert explained.actions[0].stake == Decimal(10)
        assert explained.hands
        assert explained.steps[-1].text.startswith("The end")
        assert explained.source.server_seed == played.seed
        assert explained.dealt.cards
        assert round_check(seat).faults == []
        with translation.override("de"):
            assert " 10,00 FUN gesetzt" in round_explain(seat).steps[-1].text


@pytest.mark.parametrize("game_type", GAMES)
@pytest.mark.parametrize("currency", ["FUN", None])
def test_rounds_one_after_the_other_give_no_finding(game_type: str, currency: str | None) -> None:
    table = table_of(game_type, currency=currency)
    for action in ("hit", "double_down", "split"):
        table.round_play(action=action)
    table.next_window()
    table.window_end()  # a round without a stake
    table.next_window()
    table.stake(0)
    assert table.act(0, "clear_bets") is None
    table.stake(1)
    table.window_end()
    table.play_out()
    table.next_window()
    table.stake(0)  # this round is still running
    proof = proof_run()
    assert proof.findings == []
    assert proof.table_round_count == TableRound.objects.count() == 6
    if currency:
        ends = Round.objects.filter(table_round__isnull=False).values_list("how_ended", flat=True)
        assert sorted(ends) == sorted([RoundEnd.PLAYED] * 7 + [RoundEnd.WITHDRAWN, RoundEnd.OPEN])


@pytest.mark.parametrize("game_type", GAMES)
def test_a_seats_round_is_shown_to_player_partner_report_and_command(game_type: str, client: Client) -> None:
    """The player's history, the partner API, the report and the command show it as they show a solo round."""
    table = table_of(game_type)
    played = table.round_play(amount=10)
    seat = Round.objects.select_related("player__partner").get(table_round=played.pk, player=table.players[0])
    (row,) = PartnerClient(seat.player.partner).get(f"/v1/rounds?player={seat.player.reference}").body["results"]
    assert (row["server_seed"], row["client_seed"], row["nonce"]) == (played.seed, played.client_seed, played.number)
    assert sum(Decimal(bet["stake"]) for bet in row["bets"]) == Decimal(row["stake"]) == seat.stake
    _, token = game_session_open(player=seat.player, game=seat.game, currency_code="FUN")
    detail = client.get(f"/v1/games/{seat.game}/rounds/{seat.pk}", {"game_session_id": token}).json()
    assert (detail["serverSeed"], detail["isVerifiable"]) == (played.seed, True)
    assert {action["action"] for action in detail["roundOutcome"]["actions"]} <= set(action_names())
    assert {bet["bet"] for bet in detail["roundOutcome"]["bets"]} <= {*bet_names(), "hand"}
    seat.player.user = user_make(role=Role.PLAYER)
    seat.player.save()
    client.force_login(seat.player.user)
    assert played.seed_hash in client.get(reverse("round", args=[seat.pk])).content.decode()
    assert str(seat.pk) in client.get(reverse("history")).content.decode()
    out = StringIO()
    call_command("verify_round", str(seat.pk), stdout=out)
    assert "as recorded" in out.getvalue()
    (report,) = revenue_now()
    assert (report.rounds, report.stakes) == (2, sum(each.stake for each in Round.objects.all()))
    assert report.bets == sum(len(round_explain(each).bets) for each in Round.objects.select_related("currency"))
    auditor = Client()
    auditor.force_login(staff_make(Role.AUDITOR))
    export = b"".join(auditor.get(reverse("admin:rounds_round_export")).streaming_content).decode()
    assert export.count(played.seed_hash) == 2


def test_the_record_of_a_running_round_tells_no_seed_and_no_stake_that_the_table_hides() -> None:
    table = table_of("blackjack", currency=None)
    table.stake(0, 70)
    session = table.sessions[1]
    running = round_record(room_get(session, table.table.pk), table.round.pk)
    assert (running["ending"], running["seed"]) == ("running", None)
    assert (running["stakes"], running["actions"], running["results"]) == ([], [], [])
    table.stake(1)
    table.window_end()
    assert round_record(room_get(session, table.table.pk), table.round.pk)["seed"] is None
    ended = round_record(room_get(session, table.table.pk), table.play_out().pk)
    assert {"seat": 1, "action": "place_bet", "amount": 70, "timeout": False} in ended["actions"]
    assert ended["seed"]


def test_a_withdrawn_stake_is_in_no_report() -> None:
    table = table_of("baccarat")
    table.stake(0)
    assert table.act(0, "clear_bets") is None
    table.stake(1)
    table.window_end()
    (report,) = revenue_now()
    assert (report.rounds, report.bets, report.stakes) == (1, 1, Decimal(10))


ALTERATIONS = {
    "table_action": ["UPDATE table_action SET action = jsonb_set(action, '{amount}', '2000') WHERE number = 1"],
    "table_round": [
        "UPDATE table_round SET shoe[1] = shoe[1] - 1 WHERE number = 2",
        "UPDATE table_round SET client_seed = '' WHERE number = 2",
        "UPDATE table_round SET seed = repeat('0', 64) WHERE number = 2",
        "UPDATE table_round SET detail = jsonb_set(detail, '{drawn}', '9') WHERE number = 2",
        "DELETE FROM table_round WHERE number = 1",
    ],
    "game_round": [
        "UPDATE game_round SET payout = payout + 1, balance_after = balance_after + 1",
        "UPDATE game_round SET detail = jsonb_set(detail, '{payout}', '99')",
    ],
    "table_chain": ["UPDATE table_chain SET length = length - 1"],
    "game_table": ['UPDATE game_table SET odds = \'{"tie": "9"}\''],
}
NAMED = {"table_action": "table_round", "game_round": "round "}
"""What a finding about a row of the table names, if not the table."""


def test_an_altered_record_is_named(superuser: psycopg.Connection, subtests: pytest.Subtests) -> None:
    table = table_of("baccarat")
    for _ in range(3):
        table.round_play()
    deadlines_set(table.table, HOUR)  # a server that runs for other tests would begin a round meanwhile
    superuser.execute("SET session_replication_role = replica")
    known = tables_of(superuser)
    for name, statements in ALTERATIONS.items():
        for statement in statements:
            with subtests.test(statement), put_back(known[name]):
                superuser.execute(statement)  # type: ignore[call-overload]
                found = [finding.where for finding in proof_run().findings]
                assert any(where.startswith(NAMED.get(name, name)) for where in found), found
    assert proof_run().findings == []


def test_another_seed_key_is_named_by_the_findings(settings: Any) -> None:
    table = table_of("baccarat")
    table.round_play()
    settings.PUNTO_SEED_KEY = "another key " * 4
    said = [finding for finding in proof_run().findings if finding.where.startswith(("table_chain", "table_round"))]
    assert {finding.where.split()[0] for finding in said} == {"table_chain", "table_round"}
    assert all("PUNTO_SEED_KEY does not decrypt the seed" in finding.what for finding in said)


def test_no_finding_tells_a_seed_of_a_running_round(superuser: psycopg.Connection) -> None:
    table = table_of("blackjack")
    for place in (0, 1):
        table.stake(place)
    running = TableRound.objects.select_related("chain").get(pk=table.round.pk)
    seed = seeds_of(running).server_seed
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE table_round SET seed_hash = 'x', client_seed = 'y'")
    said = [finding.what for finding in proof_run().findings]
    assert any("it is running" in sentence for sentence in said)
    assert not any(seed in sentence for sentence in said)


def test_a_side_bets_result_is_in_plain_words() -> None:
    """The outcome's name on the wire, `sidebetLost`, is not shown to people."""
    table = table_of("blackjack", seats=1)
    labels = set()
    for _ in range(3):
        table.next_window()
        assert table.act(0, "place_bet", amount=10, perfectPairs=5) is None
        table.window_end()
        played = table.play_out()
        explained = round_explain(Round.objects.select_related("currency").get(table_round=played.pk))
        labels |= {bet.result_label for bet in explained.bets if bet.label == "Perfect Pairs"}
    assert labels
    assert labels <= {"Lost", "Perfect pair", "Coloured pair", "Mixed pair"}
