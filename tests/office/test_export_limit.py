"""A log-in has one export at a time: each keeps a core busy for its whole length."""

import socket
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.core.cache import cache
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse

from casino.settings.waits import WAIT_S
from tests.office.conftest import Casino
from tests.support.copied_movements import movements_copy
from tests.support.factories import player_make, user_make
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
    key = f"export:{browser.session['_auth_user_id']}"

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


def test_a_client_that_goes_away_in_mid_export_may_export_again(committed: None, superuser: psycopg.Connection) -> None:
    player = player_make(user=user_make(), balance=Decimal(1))
    movements_copy(superuser, wallet_id=player.wallets.get().pk, count=MOVEMENTS)
    assert player.user is not None
    browser = Client()
    browser.force_login(player.user)
    cookie, key = f"sessionid={browser.cookies['sessionid'].value}", f"export:{player.user_id}"
    with server_run(PUNTO_ONE_EXPORT_AT_A_TIME="1") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as link:
            link.sendall(f"GET /wallet/movements.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
            assert link.recv(12) == b"HTTP/1.1 200"
        wait_until(lambda: cache.get(key) is None, "the export's end")
