"""The data of the panel beside a table: figures of the ledger, the last rounds, seeds, odds and advice."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db.models import Sum
from django.test import Client

from apps.accounts.models import Role
from apps.baccarat.edge import probabilities
from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.fairness.engine import commitment
from apps.portal.authentication import PagePlayer
from apps.portal.odds import bet_odds
from apps.rounds.game_sessions import game_session_open
from apps.rounds.registry import game_of
from apps.rounds.services import round_void
from apps.wallet.models import WalletTransaction
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.offers import games_offer
from tests.support.played import act, baccarat_session, blackjack_session, played_out

pytestmark = pytest.mark.usefixtures("committed")

MILLIONTH = Decimal("0.000001")


def asked(client: Client, token: str, path: str) -> tuple[int, dict[str, Any]]:
    answer = client.get(path, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json()


def session_of(client: Client, token: str, game: str, *, after: int | str = "") -> dict[str, Any]:
    status, body = asked(client, token, f"/play/{game}/panel?after={after}")
    assert status == 200
    session: dict[str, Any] = body["session"]
    return session


def test_the_session_s_figures_are_the_ledger_s_changes_by_rounds_since_it_began(client: Client) -> None:
    player, token = blackjack_session()
    began = session_of(client, token, "blackjack")
    assert (began["staked"], began["returned"], began["net"], began["rounds"]) == ("0", "0", "0", 0)
    played_out(token, "Stand")
    figures = session_of(client, token, "blackjack", after=began["after"])
    wallet = player.wallets.get()
    moved = WalletTransaction.objects.filter(wallet=wallet, number__gt=began["after"])
    assert Decimal(figures["net"]) == moved.aggregate(sum=Sum("change"))["sum"] == wallet.balance - 100
    assert Decimal(figures["returned"]) - Decimal(figures["staked"]) == Decimal(figures["net"])
    assert (figures["staked"], figures["rounds"]) == ("12", 1)
    later = session_of(client, token, "blackjack")["after"]
    stake, payout = player.rounds.values_list("stake", "payout").get()
    round_void(operator=staff_make(Role.OPERATOR), round=player.rounds.get(), reason="a test")
    voided = session_of(client, token, "blackjack", after=began["after"])
    assert (voided["staked"], voided["returned"], voided["net"]) == ("0", "0", "0")
    refunded = session_of(client, token, "blackjack", after=later)  # a page that was opened after the bet
    assert Decimal(refunded["net"]) == stake - payout
    assert Decimal(refunded["staked"]) == max(payout - stake, Decimal(0))
    assert Decimal(refunded["returned"]) == max(stake - payout, Decimal(0))
    newest = session_of(client, token, "blackjack")
    assert session_of(client, token, "blackjack", after=newest["after"])["rounds"] == 0


def test_the_last_twenty_rounds_are_listed_and_each_is_dealt_from_what_its_proof_says(client: Client) -> None:
    player, token = baccarat_session(bets=21)
    _, body = asked(client, token, "/play/baccarat/panel")
    newest = player.rounds.order_by("-nonce").first()
    assert newest is not None
    assert len(body["rounds"]) == 20
    assert (body["rounds"][0]["id"], body["rounds"][0]["stake"]) == (str(newest.pk), "6")
    assert not body["rounds"][0]["isRevealed"]
    assert body["seeds"]["nonce"] == 21
    path = f"/history/{newest.pk}/data"
    _, hidden = asked(client, token, path)
    assert hidden["proof"]["serverSeed"] == ""
    assert hidden["proof"]["commitment"] == body["seeds"]["commitment"]
    assert len(hidden["steps"]) >= 4
    changed = client.post("/seeds/change", {"client_seed": "mine"}, headers={"Authorization": f"Bearer {token}"})
    assert (changed.status_code, changed.json()["seeds"]["clientSeed"]) == (200, "mine")
    assert changed.json()["seeds"]["commitment"] == body["seeds"]["nextCommitment"]
    _, shown = asked(client, token, path)
    assert commitment(shown["proof"]["serverSeed"]) == body["seeds"]["commitment"]


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 19, "\N{ARABIC-INDIC DIGIT ONE}"])
def test_a_movement_that_is_no_number_is_refused(client: Client, after: str) -> None:
    _, token = baccarat_session(bets=0)
    status, body = asked(client, token, f"/play/baccarat/panel?after={after}")
    assert (status, body["code"]) == (422, "BAD_REQUEST_PARAMS")


def test_a_client_seed_that_is_none_and_an_open_round_are_refused(client: Client) -> None:
    _, token = blackjack_session()
    headers = {"Authorization": f"Bearer {token}"}
    bad = client.post("/seeds/change", {"client_seed": "two words"}, headers=headers)
    assert (bad.status_code, bad.json()["code"]) == (422, "BAD_REQUEST_PARAMS")
    act(token, "Bet", betAmount=10)
    busy = client.post("/seeds/change", {"client_seed": "mine"}, headers=headers)
    assert (busy.status_code, busy.json()["code"]) == (409, "CHANGE_SEED_FAILED")


def test_another_player_s_round_is_no_round(client: Client) -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    played = player.rounds.get()
    stranger = player_make(partner=player.partner)
    foreign = game_session_open(player=stranger, game="og-blackjack", currency_code="FUN")[1]
    for path in (f"/history/{played.pk}/data", f"/history/{played.pk}/advice", f"/history/{played.pk}/advice?exact=1"):
        assert asked(client, token, path)[0] == 200
        status, body = asked(client, foreign, path)
        assert (status, body["code"]) == (404, "NOT_FOUND")


def test_a_visitor_s_panel_has_the_odds_and_no_rounds(client: Client) -> None:
    games_offer(partner_make(is_house=True))
    answer = client.get("/play/dragon_tiger/panel")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["seeds"], body["rounds"], body["session"]["wallet"]) == (None, [], "")
    assert "House edge" in client.get("/play/dragon_tiger/").content.decode()


def test_the_odds_are_those_of_the_pay_table_in_use() -> None:
    player, _ = baccarat_session(bets=0)
    odds = {bet.label: bet for bet in bet_odds(PagePlayer(player, "FUN"), game_of("og-baccarat"))}
    for bet, label in ((GameType.PLAYER, "Player"), (GameType.BANKER, "Banker"), (GameType.TIE, "Tie")):
        won, lost = probabilities(bet, 8)
        edge = lost - won * STANDARD_ODDS[bet]
        assert odds[label].edge_pct == pct(edge)
        assert odds[label].rtp_pct == pct(1 - edge)
        assert odds[label].results[0].chance_pct == pct(won)
        assert odds[label].results[0].pays == Decimal(STANDARD_ODDS[bet].numerator) / STANDARD_ODDS[bet].denominator
    assert odds["Banker"].edge_pct == Decimal("1.057906")
    assert [result.is_push for result in odds["Player"].results] == [False, True]


def pct(value: Fraction) -> Decimal:
    return Decimal(round(value * 10**8)) * MILLIONTH


def test_the_page_of_a_table_shows_the_exact_edge_return_and_frequency_of_each_bet(client: Client) -> None:
    _, token = baccarat_session(bets=0)
    page = client.get("/launch/", {"game_session_id": token}, follow=True)
    text = page.content.decode()
    assert "1.057906 %" in text
    assert "98.942094 %" in text
    assert "45.8597 %, one in 2.2" in text
    # The rules have the whole table of the third card. In the row of a banker with 3 only an 8 lets the banker stand.
    row = re.search(r'<th scope="row">3</th>(.*?)</tr>', text)
    assert row is not None
    assert [sign == "●" for sign in re.findall(r"<td>(.)</td>", row[1])] == [True] * 9 + [False, True]
