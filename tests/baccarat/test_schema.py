"""The RPCs in the OpenAPI document: every call has examples of requests, answers and refusals."""

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from tests.support.baccarat import BET_PATH

CONFIGS_PATH = "/v1/games/configs"
RPCS = (BET_PATH, "/api/game/baccarat_config", "/api/game/baccarat_odds_config")


@pytest.fixture(scope="module")
def document() -> Any:
    """The OpenAPI document."""
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_document_is_valid(document: Any) -> None:
    validate_schema(document)


def test_every_rpc_has_examples_of_request_and_answer(document: Any) -> None:
    calls = [(path, method) for path in (*RPCS, CONFIGS_PATH) for method in document["paths"][path]]
    assert len(calls) == 7
    for path, method in calls:
        call = document["paths"][path][method]
        bodies = [call["responses"]["200"], *([call["requestBody"]] if method == "post" else [])]
        for body in bodies:
            if (path, method, body) != (
                CONFIGS_PATH,
                "post",
                call["responses"]["200"],
            ):
                assert body["content"]["application/json"].get("examples"), (path, method)


def test_every_refusal_of_an_rpc_has_an_example(document: Any) -> None:
    for path in RPCS:
        call = document["paths"][path]["post"]
        assert {"200", "400", "401", "403", "409", "429", "503"} <= set(call["responses"]), path
        for status, response in call["responses"].items():
            assert response["content"]["application/json"]["examples"], (path, status)


def test_the_examples_match_their_schemas(document: Any) -> None:
    for path in RPCS:
        for call in document["paths"][path].values():
            bodies = [response["content"]["application/json"] for response in call["responses"].values()]
            if "requestBody" in call:
                bodies.append(call["requestBody"]["content"]["application/json"])
            for body in bodies:
                form = {"$ref": "#/form", "form": body["schema"], "components": document["components"]}
                for example in body["examples"].values():
                    Draft202012Validator(form).validate(example["value"])
