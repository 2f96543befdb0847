"""The baccarat calls against the OpenAPI document: complete, valid, and true of live answers."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.conf import LazySettings
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

from apps.baccarat.models import BaccaratConfig
from casino.wsgi import application
from tests.support.baccarat import BET_PATH, seat_make
from tests.support.partners import PartnerClient

RPCS = (BET_PATH, "/api/game/baccarat_config", "/api/game/baccarat_odds_config")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application).include(path_regex="/api/game/")
schema.config.phases.coverage.enabled = False  # hundreds of requests for each call; the random ones find as much here


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's connection, and with it its transaction, from request to request."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.fixture(scope="module")
def document() -> Any:
    """The OpenAPI document."""
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_document_is_valid(document: Any) -> None:
    validate_schema(document)


def test_every_rpc_is_there_with_examples_of_what_comes_and_goes(document: Any) -> None:
    for path in RPCS:
        call = document["paths"][path]["post"]
        assert call["requestBody"]["content"]["application/json"]["examples"], path
        assert {"200", "400", "401", "403", "429", "503"} <= set(call["responses"]), path
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


@pytest.mark.django_db
@schema.parametrize()
@hypothesis_settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_answers_are_as_documented(case: schemathesis.Case, settings: LazySettings) -> None:
    settings.PUNTO_BETS_PER_S = settings.PUNTO_KEY_REQUESTS_PER_S = None
    seat = seat_make()
    token = seat.token if case.path == BET_PATH else PartnerClient(seat.player.partner).text
    if isinstance(case.body, list):
        for row in case.body:
            if isinstance(row, dict) and "baccarat_config_id" in row:
                row["baccarat_config_id"] = BaccaratConfig.objects.get(partner=seat.player.partner).pk
    case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)
