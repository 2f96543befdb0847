"""A log-in has one export at a time: each keeps a core busy for its whole length."""

import socket
from decimal import Decimal
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse

from apps.core import export_limit
from apps.rounds.registry import games
from casino.settings.waits import WAIT_S
from tests.office.conftest import Casino
from tests.support.copied_movements import movements_copy
from tests.support.factories import partner_make, player_make, user_make
from tests.support.partners import PartnerClient
from tests.support.server import server_run
from tests.support.waiting import wait_until

EXPORTS = ("admin:rounds_round_export", "admin:wallet_wallettransaction_export", "admin:tables_tableround_records")

MOVEMENTS = 60_000
"""More than a server has sent before a client that reads a few bytes goes away."""


@pytest.fixture
def limited(settings: Any) -> None:
    settings.PUNTO_ONE_EXPORT_AT_A_TIME = True


def test_a_second_export_is_refused_until_the_first_is_sent(ours: Casino, log_in: Any, limited: None) -> None:
    first, other = log_in("auditor"), log_in("operator")
    for name in EXPORTS:
        path = reverse(name)
        sent = first.get(path)
        assert sent.status_code == 200
        refused = first.get(reverse("admin:report_export", args=["summary", "csv"]))
        assert refused.status_code == 429
        assert refused["Retry-After"] == "5"
        assert "an export of yours is still being sent" in refused.content.decode()
        assert other.get(path).getvalue()
        assert sent.getvalue()  # Django's client closes a response that is read to its end
    refused = first.get(reverse(EXPORTS[0]), {"unknown": "1"})
    assert refused.status_code == 400
    assert first.get(reverse("admin:rounds_round_export_as", args=["xlsx"])).status_code == 200
    assert first.get(reverse(EXPORTS[0])).getvalue()  # neither a refusal nor a workbook keeps the next one away


@pytest.mark.django_db
def test_a_player_s_file_is_refused_until_the_last_one_is_sent(limited: None) -> None:
    player = player_make(user=user_make())
    browser = Client()
    browser.force_login(player.user)
    sent = browser.get("/wallet/movements.csv")
    assert browser.get("/history/rounds.csv").status_code == 429
    assert sent.getvalue()
    assert browser.get("/history/rounds.csv").getvalue()


def test_the_print_sheet_is_made_while_it_counts_as_an_export(ours: Casino, log_in: Any, limited: None) -> None:
    browser, counted = log_in("auditor"), list[bool]()
    key = f"export:log-in:{browser.session['_auth_user_id']}"

    def look(**_: object) -> None:
        counted.append(bool(cache.get(key)))

    template_rendered.connect(look)
    try:
        for path in (
            reverse("admin:rounds_round_export_as", args=["print"]),
            reverse("admin:report_print", args=["summary"]),
        ):
            assert browser.get(path).status_code == 200
            assert not cache.get(key)
    finally:
        template_rendered.disconnect(look)
    assert counted == [True] * len(counted)
    assert len(counted) >= 2


@pytest.mark.django_db
def test_players_of_one_partner_who_send_their_session_s_token_have_an_export_each(limited: None) -> None:
    system = PartnerClient(partner_make())
    paths = ("/wallet/movements.csv", "/history/rounds.csv")
    tokens = []
    for _ in range(2):
        wish = {"player": player_make(partner=system.partner).reference, "game_id": games()[0].id, "currency": "FUN"}
        tokens.append(system.post("/v1/sessions", wish).body["game_session_id"])
    headers = [{"authorization": f"Bearer {token}"} for token in tokens]
    sent = [Client().get(paths[0], headers=each) for each in headers]
    assert [answer.status_code for answer in sent] == [200, 200]
    assert [Client().get(paths[1], headers=each).status_code for each in headers] == [429, 429]


@pytest.mark.django_db
def test_an_export_that_is_sent_renews_its_claim_and_ends_no_other(limited: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(export_limit, "RENEWED_S", 0)
    player = player_make(user=user_make())
    browser, key = Client(), f"export:player:{player.pk}"
    browser.force_login(player.user)
    slow = browser.get("/wallet/movements.csv")
    cache.delete(key)  # as after SENT_S
    parts = iter(slow.streaming_content)
    next(parts)
    assert cache.get(key)
    cache.delete(key)
    other = browser.get("/history/rounds.csv")
    list(parts)  # to its end, so that Django's client closes it
    assert browser.get("/wallet/movements.csv").status_code == 429
    assert other.getvalue()
    assert not cache.get(key)


def test_a_client_that_goes_away_before_the_first_byte_may_export_again_soon(
    committed: None, superuser: psycopg.Connection
) -> None:
    """Django's server drops the response of a view that ends after the client has gone, and does not close it."""
    player = player_make(user=user_make(), balance=Decimal(1))
    assert player.user is not None
    browser = Client()
    browser.force_login(player.user)
    cookie, key = f"sessionid={browser.cookies['sessionid'].value}", f"export:player:{player.pk}"
    with redis.Redis.from_url(settings.REDIS_URL) as client, server_run(PUNTO_ONE_EXPORT_AT_A_TIME="1") as server:
        with superuser.transaction():
            superuser.execute("LOCK TABLE wallet IN ACCESS EXCLUSIVE MODE")
            with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as link:
                link.sendall(
                    f"GET /wallet/movements.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode()
                )
                wait_until(lambda: cache.get(key) is not None, "the export's begin")
        wait_until(lambda: client.ttl(cache.make_key(key)) <= export_limit.SENT_S, "the view's end")


def test_a_client_that_goes_away_in_mid_export_may_export_again(committed: None, superuser: psycopg.Connection) -> None:
    player = player_make(user=user_make(), balance=Decimal(1))
    movements_copy(superuser, wallet_id=player.wallets.get().pk, count=MOVEMENTS)
    assert player.user is not None
    browser = Client()
    browser.force_login(player.user)
    cookie, key = f"sessionid={browser.cookies['sessionid'].value}", f"export:player:{player.pk}"
    with server_run(PUNTO_ONE_EXPORT_AT_A_TIME="1") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as link:
            link.sendall(f"GET /wallet/movements.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
            assert link.recv(12) == b"HTTP/1.1 200"
            assert cache.get(key)
        wait_until(lambda: cache.get(key) is None, "the export's end")
