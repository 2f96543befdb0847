"""Which responses are compressed, and that it happens only where the browser accepts it."""

import gzip

import pytest
from django.test import Client

from apps.accounts.models import Role
from tests.support.factories import partner_make, staff_make

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, br"}


def test_a_player_s_page_is_compressed_for_a_browser_that_accepts_it(client: Client) -> None:
    partner_make(is_house=True)
    plain = client.get("/fairness/")
    assert "Content-Encoding" not in plain
    small = client.get("/fairness/", headers=GZIP)
    assert small["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in small["Vary"]
    assert int(small["Content-Length"]) == len(small.content) < len(plain.content) / 2
    assert b'id="words"' in gzip.decompress(small.content)


@pytest.mark.parametrize("path", ["/api/schema/", "/admin/"])
def test_other_responses_are_sent_as_they_are(client: Client, path: str) -> None:
    partner_make(is_house=True)
    client.force_login(staff_make(Role.OPERATOR))
    response = client.get(path, headers=GZIP)
    assert len(response.content) > 200
    assert "Content-Encoding" not in response
