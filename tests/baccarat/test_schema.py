"""Live answers of the RPCs against the OpenAPI document: what comes back is documented, and every call has examples."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from jsonschema import Draft202012Validator
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from casino.wsgi import application
from tests.support.baccarat import BET_PATH, Seat, seat_make
from tests.support.blackjack import blackjack_offer, session_token
from tests.support.partners import PartnerClient

CONFIGS_PATH = "/v1/games/configs"
RPCS = (BET_PATH, "/api/game/baccarat_config", "/api/game/baccarat_odds_config")
ROUND_PATH = r"/v1/games/\{game_id\}/rounds/\{round_id\}"
OURS = rf"^({'|'.join(RPCS)}|{CONFIGS_PATH}|{ROUND_PATH})$"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application).include(path_regex=OURS)
schema.config.phases.coverage.enabled = False  # hundreds of requests for each call; the random ones find as much here


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's connection, and with it its transaction, from request to request."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.mark.django_db
@schema.parametrize()
@hypothesis_settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_answers_are_as_documented(case: schemathesis.Case, settings: Any) -> None:
    settings.PUNTO_BETS_PER_S = settings.PUNTO_KEY_REQUESTS_PER_S = None
    seat = seat_make()
    blackjack_offer(seat.player.partner)
    case.call_and_validate(headers={"Authorization": f"Bearer {_credential(case, seat)}"}, checks=CHECKS)


def _credential(case: schemathesis.Case, seat: Seat) -> str:
    """Return the token of a player or the key of its partner, whichever the call asks for."""
    if case.path == BET_PATH:
        return seat.token
    if "game_session_id" in (case.query or {}):
        case.query["game_session_id"] = session_token(seat.player)
    return PartnerClient(seat.player.partner).text


@pytest.fixture(scope="module")
def document() -> Any:
    """The OpenAPI document."""
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_document_is_valid(document: Any) -> None:
    validate_schema(document)


def test_every_rpc_has_examples_of_what_goes_in_and_comes_out(document: Any) -> None:
    calls = [(path, method) for path in (*RPCS, CONFIGS_PATH) for method in document["paths"][path]]
    assert len(calls) == 7
    for path, method in calls:
        call = document["paths"][path][method]
        bodies = [call["responses"]["200"], *([call["requestBody"]] if method == "post" else [])]
        for body in bodies:
            if (path, method, body) != (CONFIGS_PATH, "post", call["responses"]["200"]):  # {"success": true} says all
                assert body["content"]["application/json"].get("examples"), (path, method)


def test_every_refusal_of_an_rpc_has_an_example(document: Any) -> None:
    for path in RPCS:
        call = document["paths"][path]["post"]
        assert {"200", "400", "401", "403", "409", "429", "503"} <= set(call["responses"]), path
        for status, response in call["responses"].items():
            assert response["content"]["application/json"]["examples"], (path, status)


def test_the_examples_are_of_the_form_they_show(document: Any) -> None:
    for path in RPCS:
        for call in document["paths"][path].values():
            bodies = [response["content"]["application/json"] for response in call["responses"].values()]
            if "requestBody" in call:
                bodies.append(call["requestBody"]["content"]["application/json"])
            for body in bodies:
                form = {"$ref": "#/form", "form": body["schema"], "components": document["components"]}
                for example in body["examples"].values():
                    Draft202012Validator(form).validate(example["value"])
