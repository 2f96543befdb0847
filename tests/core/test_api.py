"""Every failure in the form of its address (docs/protocol.md, "Errors")."""

from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from apps.core import json
from apps.core.api import MAX_BODY_BYTES, ExactJSONParser, ExactJSONRenderer, bearer_of
from apps.core.errors import MalformedBody

pytestmark = pytest.mark.urls("tests.core.failing_urls")

FORMS = {
    "/api/game": {"code", "message"},
    "/v1/games": {"type", "message", "code"},
    "/v1": {"type", "title", "status", "detail", "code"},
}
PLAIN = [
    ("domain", 403, "INSUFFICIENT_FUNDS"),
    ("busy", 409, "BUSY"),
    ("not-found", 404, "NOT_FOUND"),
    ("django-404", 404, "NOT_FOUND"),
    ("database", 503, "SERVICE_UNAVAILABLE"),
    ("bug", 500, "INTERNAL_ERROR"),
]
DRF_ONLY = [
    ("permission", 403, "REFUSED"),
    ("drf-401", 401, "AUTHENTICATION_FAILED"),
    ("drf-403", 403, "REFUSED"),
]


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("prefix", FORMS)
@pytest.mark.parametrize(
    ("kind", "name", "status", "code"),
    [("plain", *row) for row in PLAIN] + [("drf", *row) for row in PLAIN + DRF_ONLY],
)
def test_a_failure_has_the_form_of_its_address(
    client: Client, prefix: str, kind: str, name: str, status: int, code: str
) -> None:
    response = client.get(f"{prefix}/{kind}/{name}")
    body: Any = json.decode(response.content)
    assert (response.status_code, body["code"]) == (status, code)
    assert set(body) - {"field"} == FORMS[prefix]
    assert response.headers["Content-Type"] == ("application/problem+json" if prefix == "/v1" else "application/json")
    assert b"secret" not in response.content


def test_what_may_pass_says_when_to_try_again(client: Client) -> None:
    assert client.get("/api/game/plain/busy").headers["Retry-After"] == "2"
    assert client.get("/v1/drf/busy").headers["Retry-After"] == "2"
    assert client.get("/v1/plain/database").headers["Retry-After"] == "1"


@pytest.mark.parametrize(("prefix", "status"), [("/api/game", 400), ("/v1", 400), ("/v1/games", 422)])
def test_a_field_at_fault_is_named_by_its_path(client: Client, prefix: str, status: int) -> None:
    response = client.get(f"{prefix}/drf/validation")
    body: Any = json.decode(response.content)
    assert response.status_code == status
    assert (body.get("message") or body["detail"]) == "bets.1.amount: a number is expected"


def test_a_page_that_cannot_ask_the_database_says_so(client: Client) -> None:
    response = client.get("/page/database")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert response.headers["Content-Type"].startswith("text/")


def test_an_unknown_address_has_its_form_too(client: Client) -> None:
    for prefix, members in FORMS.items():
        response = client.get(f"{prefix}/nothing/here")
        assert response.status_code == 404
        body: Any = json.decode(response.content)
        assert set(body) == members


def test_a_host_that_is_not_ours_gets_the_form_of_the_address(client: Client) -> None:
    for prefix, members in FORMS.items():
        response = client.get(f"{prefix}/plain/busy", headers={"Host": "elsewhere.example"})
        body: Any = json.decode(response.content)
        assert (response.status_code, set(body)) == (400, members)
    page = client.get("/page/database", headers={"Host": "elsewhere.example"})
    assert (page.status_code, page.headers["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("path", "members"), [("/api/game/form", FORMS["/api/game"]), ("/v1/player/form", FORMS["/v1/games"])]
)
def test_a_missing_csrf_token_has_the_form_of_its_address(path: str, members: set[str]) -> None:
    response = Client(enforce_csrf_checks=True).post(path)
    body: Any = json.decode(response.content)
    assert (response.status_code, body["code"]) == (403, "CSRF_FAILED")
    assert set(body) == members


@pytest.mark.django_db
@pytest.mark.urls("casino.urls")
def test_a_page_without_its_csrf_token_is_for_people() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/")
    assert (response.status_code, response.headers["Content-Type"]) == (403, "text/html; charset=utf-8")


def test_json_is_exact_both_ways() -> None:
    value = ExactJSONParser().parse(BytesIO(b'{"a": 0.10, "b": 1e2, "c": 12345678901234567890.12345678}'))
    assert value == {"a": Decimal("0.1"), "b": Decimal(100), "c": Decimal("12345678901234567890.12345678")}
    assert ExactJSONRenderer().render(value) == b'{"a":0.1,"b":100,"c":12345678901234567890.12345678}'


def test_a_body_may_not_be_endless() -> None:
    with pytest.raises(MalformedBody, match="longer than"):
        ExactJSONParser().parse(BytesIO(b" " * (MAX_BODY_BYTES + 1)))


@pytest.mark.parametrize(
    ("header", "credential"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("Bearer ", None),
        ("Bearer", None),
        ("Basic abc", None),
        ("", None),
    ],
)
def test_a_bearer_credential(header: str, credential: str | None) -> None:
    assert bearer_of(header) == credential


@pytest.mark.urls("casino.urls")
def test_whoever_posts_to_no_address_is_told_so() -> None:
    answer = Client(enforce_csrf_checks=True).post("/api/game/bacarat/bet", "{}", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
