"""Live answers against the OpenAPI document: whatever its forms allow to be sent, what comes back is documented."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from apps.rounds.services import game_session_open
from casino.wsgi import application
from tests.support.factories import partner_make, player_make
from tests.support.partners import PartnerClient

OURS = r"/v1/(players|sessions|wallets|rounds|reports|player|games/\{game_id\}/verify)"
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
@hypothesis_settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_answers_are_as_documented(case: schemathesis.Case, settings: Any) -> None:
    settings.PUNTO_VERIFICATIONS_PER_S = settings.PUNTO_KEY_REQUESTS_PER_S = None
    system = PartnerClient(partner_make())
    player = player_make(partner=system.partner)
    if "game_session_id" in case.path_parameters:
        game = "og-baccarat"
        case.path_parameters["game_session_id"] = game_session_open(player=player, game=game, currency_code="FUN")[1]
    if "player" in case.path_parameters:
        case.path_parameters["player"] = player.reference
    case.call_and_validate(headers={"Authorization": f"Bearer {system.text}"}, checks=CHECKS)
