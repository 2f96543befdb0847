"""Every failure has the error format of its URL (docs/protocol.md, "Errors")."""

from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import DictField, ListField, Serializer

from apps.core import json
from apps.core.api import MAX_BODY_BYTES, ExactJSONParser, ExactJSONRenderer, bearer_of, refusal_of
from apps.core.errors import MalformedBody
from apps.core.fields import WholeField

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
def test_a_failure_has_the_error_format_of_its_url(
    client: Client, prefix: str, kind: str, name: str, status: int, code: str
) -> None:
    response = client.get(f"{prefix}/{kind}/{name}")
    body: Any = json.decode(response.content)
    assert (response.status_code, body["code"]) == (status, code)
    assert set(body) - {"field"} == FORMS[prefix]
    assert response.headers["Content-Type"] == ("application/problem+json" if prefix == "/v1" else "application/json")
    assert b"secret" not in response.content


def test_a_temporary_failure_has_retry_after(client: Client) -> None:
    assert client.get("/api/game/plain/busy").headers["Retry-After"] == "2"
    assert client.get("/v1/drf/busy").headers["Retry-After"] == "2"
    assert client.get("/v1/plain/database").headers["Retry-After"] == "1"


@pytest.mark.parametrize(("prefix", "status"), [("/api/game", 400), ("/v1", 400), ("/v1/games", 422)])
def test_an_invalid_field_is_named_by_its_path(client: Client, prefix: str, status: int) -> None:
    response = client.get(f"{prefix}/drf/validation")
    body: Any = json.decode(response.content)
    assert response.status_code == status
    assert (body.get("message") or body["detail"]) == "bets.1.amount: a number is expected"


def test_a_page_without_the_database_explains_the_failure(client: Client) -> None:
    response = client.get("/page/database")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert response.headers["Content-Type"].startswith("text/")


def test_an_unknown_url_has_the_error_format_of_its_prefix(client: Client) -> None:
    for prefix, members in FORMS.items():
        response = client.get(f"{prefix}/nothing/here")
        assert response.status_code == 404
        body: Any = json.decode(response.content)
        assert set(body) == members


def test_an_unknown_host_gets_the_error_format_of_the_url(client: Client) -> None:
    for prefix, members in FORMS.items():
        response = client.get(f"{prefix}/plain/busy", headers={"Host": "elsewhere.example"})
        body: Any = json.decode(response.content)
        assert (response.status_code, set(body)) == (400, members)
    page = client.get("/page/database", headers={"Host": "elsewhere.example"})
    assert (page.status_code, page.headers["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("path", "members"), [("/api/game/form", FORMS["/api/game"]), ("/v1/player/form", FORMS["/v1/games"])]
)
def test_a_missing_csrf_token_has_the_error_format_of_its_url(path: str, members: set[str]) -> None:
    response = Client(enforce_csrf_checks=True).post(path)
    body: Any = json.decode(response.content)
    assert (response.status_code, body["code"]) == (403, "CSRF_FAILED")
    assert set(body) == members


@pytest.mark.django_db
@pytest.mark.urls("casino.urls")
def test_a_form_without_its_csrf_token_gets_a_readable_page() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/")
    assert (response.status_code, response.headers["Content-Type"]) == (403, "text/html; charset=utf-8")


def test_json_keeps_numbers_exact_in_requests_and_answers() -> None:
    value = ExactJSONParser().parse(BytesIO(b'{"a": 0.10, "b": 1e2, "c": 12345678901234567890.12345678}'))
    assert value == {"a": Decimal("0.1"), "b": Decimal(100), "c": Decimal("12345678901234567890.12345678")}
    assert ExactJSONRenderer().render(value) == b'{"a":0.1,"b":100,"c":12345678901234567890.12345678}'


def test_a_body_has_a_maximum_length() -> None:
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
def test_a_bearer_credential_is_read_from_the_header(header: str, credential: str | None) -> None:
    assert bearer_of(header) == credential


@pytest.mark.urls("casino.urls")
def test_a_post_to_an_unknown_url_is_404() -> None:
    for path in ("/api/game/bacarat/bet", "/v1", "/v1/", "/v1/nothing"):
        answer = Client(enforce_csrf_checks=True).post(path, "{}", content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), path


@pytest.mark.urls("casino.urls")
@pytest.mark.parametrize("method", ["get", "post"])
def test_the_address_of_the_documentation_without_its_slash_leads_to_it(method: str) -> None:
    answer = getattr(Client(enforce_csrf_checks=True), method)("/api")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/api/")


@pytest.mark.urls("casino.urls")
def test_the_allowed_methods_of_every_api_view_are_those_that_it_answers() -> None:
    served = [view for view in (found.callback for found in _patterns(get_resolver())) if hasattr(view, "cls")]
    assert len(served) > 20
    for view in served:
        shown = view.cls(**view.initkwargs).allowed_methods
        assert "OPTIONS" not in shown, f"{view.cls.__name__} answers OPTIONS with 405"
        assert set(shown) & {"GET", "POST", "PUT"}


def _patterns(found: URLResolver) -> Iterator[URLPattern]:
    for entry in found.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _patterns(entry)
        else:
            yield entry


class _Row(Serializer[Any]):
    number = WholeField(low=1, high=9)


class _Body(Serializer[Any]):
    rows = _Row(many=True, required=False)
    texts = ListField(required=False)
    options = DictField(required=False)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "an object is expected, not a list"),
        ("x", "an object is expected, not a string"),
        (None, "the body is null"),
        ({"rows": {}}, "rows: a list is expected, not an object"),
        ({"rows": [1]}, "rows.0: an object is expected, not a number"),
        ({"rows": [{"number": 1}, [2]]}, "rows.1: an object is expected, not a list"),
        ({"texts": True}, "texts: a list is expected, not true or false"),
        ({"texts": Decimal("1.5")}, "texts: a list is expected, not a number"),
        ({"options": "x"}, "options: an object is expected, not a string"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_terms_of_json(body: Any, message: str) -> None:
    read = _Body(data=body)
    with pytest.raises(ValidationError) as refused:
        read.is_valid(raise_exception=True)
    refusal = refusal_of(refused.value)
    assert refusal is not None
    assert refusal.message == message
