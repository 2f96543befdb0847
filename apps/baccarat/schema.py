"""The bet RPC's place in the OpenAPI document: no view of Django's serves it, so the generator does not see it."""

from collections.abc import Mapping
from typing import Any, Final

from apps.baccarat.engine import RESULT_NAMES, WIRE_NAMES, GameType, ResultType
from apps.baccarat.messages import BET_PATH, MAX_BETS
from apps.core import patterns
from apps.core.openapi import CURRENCY, DECIMAL_NUMBER, ERROR, component, int_enum

_SINGLE_EXAMPLE: Final = {
    "player": ["CJ", "S10", "D5"],
    "banker": ["D1", "D3", "S9"],
    "reward_amount": 20,
    "game_type": 1,
    "bet_amount": 10,
    "round_id": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901",
    "result_type": 1,
    "balance": 1010,
    "server_seed_hash": "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
    "client_seed": "punto",
    "nonce": 0,
}
_SEVERAL_EXAMPLE: Final = {
    "player": ["CJ", "S10", "D5"],
    "banker": ["D1", "D3", "S9"],
    "bets": [
        {"reward_amount": 20, "game_type": 1, "bet_amount": 10, "result_type": 1},
        {"reward_amount": 0, "game_type": 3, "bet_amount": 1, "result_type": 2},
    ],
    **{name: _SINGLE_EXAMPLE[name] for name in ("round_id", "server_seed_hash", "client_seed", "nonce")},
    "balance": 1009,
}
_ERRORS: Final = {
    "400": (
        "What arrived cannot be read.",
        {
            "MALFORMED_BODY": "the body is not valid JSON",
            "BAD_REQUEST": "bet_amount is a string; a number is expected",
        },
    ),
    "401": (
        "No valid session: log in, or send a game session's token.",
        {"AUTHENTICATION_FAILED": "no valid player session came with the request"},
    ),
    "403": (
        "Well-formed, and refused; nothing has changed.",
        {
            "INVALID_GAME_TYPE": "game_type: BaccaratGameBetPlayerPair is not offered here",
            "DUPLICATE_GAME_TYPE": "game_type: BaccaratGameBetTie is placed twice on this deal",
            "INVALID_BET_COUNT": f"bets: one to {MAX_BETS} on a deal, not 0",
            "INVALID_BET_AMOUNT": "bet_amount: 5000 is outside the limits, 1 to 1000",
            "INVALID_CURRENCY": "currency: you have no wallet in EUR",
            "INSUFFICIENT_FUNDS": "the wallet holds 5 FUN, the bets come to 10",
            "PLAYER_BLOCKED": "this account is blocked; ask the operator",
            "CSRF_FAILED": "reload the page and try again: CSRF token missing.",
        },
    ),
    "405": ("Only POST places a bet.", {"METHOD_NOT_ALLOWED": "a bet is placed with POST"}),
    "409": (
        "The Idempotency-Key has another bet's answer, or another action holds the wallet: nothing has changed.",
        {
            "IDEMPOTENCY_KEY_REUSED": "this Idempotency-Key was used before, with another body",
            "BUSY": "another action is in progress; try again in a moment",
        },
    ),
    "429": ("Too many bets; see Retry-After.", {"RATE_LIMITED": "more than 20 requests a second"}),
    "503": (
        "The database is away; see Retry-After. With an Idempotency-Key the bet may be sent again.",
        {"SERVICE_UNAVAILABLE": "the database does not answer; try again in a moment"},
    ),
}
_STAKE: Final = {"allOf": [DECIMAL_NUMBER], "exclusiveMinimum": 0}
_PAID: Final = {"allOf": [DECIMAL_NUMBER], "minimum": 0}
_GAME_TYPE: Final = int_enum("GameType", GameType, WIRE_NAMES)
_RESULT: Final = int_enum("ResultType", ResultType, RESULT_NAMES)
_CARDS: Final = {
    "type": "array",
    "minItems": 2,
    "maxItems": 3,
    "items": component("Card", {"type": "string", "pattern": patterns.CARD}),
}


def bet_add(result: dict[str, Any]) -> None:
    """Add the bet RPC to the generated document."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {}).update(_schemas())
    components.setdefault("securitySchemes", {}).update(
        {
            "gameSession": {"type": "http", "scheme": "bearer", "description": "A game session's token."},
            "browserSession": {
                "type": "apiKey",
                "in": "cookie",
                "name": "sessionid",
                "description": "A logged-in player's browser; with the CSRF token in X-CSRFToken.",
            },
        }
    )
    result["paths"][BET_PATH] = {"post": _operation()}


def _operation() -> dict[str, Any]:
    return {
        "operationId": "baccarat_bet",
        "tags": ["baccarat"],
        "summary": "Place a bet",
        "description": (
            f"Deals one round for one bet, or for up to {MAX_BETS} bets, and settles it: all of it or none. Amounts are"
            " exact decimal numbers; `reward_amount` is what comes back, the stake included. The cards follow from"
            " the seeds and the nonce, and can be dealt again by anyone once the server seed is revealed."
        ),
        "parameters": [
            {
                "in": "header",
                "name": "Idempotency-Key",
                "required": False,
                "schema": {"type": "string", "pattern": patterns.IDEMPOTENCY_KEY},
                "description": "The same key with the same body gets the same answer, and one bet.",
            }
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"oneOf": [_ref("BaccaratBet"), _ref("BaccaratBets")]},
                    "examples": {
                        "one": {"value": {"game_type": 1, "bet_amount": 10}},
                        "several": {
                            "value": {"bets": [{"game_type": 1, "bet_amount": 10}, {"game_type": 3, "bet_amount": 1}]}
                        },
                    },
                }
            },
        },
        "responses": {"200": _placed(), **{status: _refused(*words) for status, words in _ERRORS.items()}},
        "security": [{"gameSession": []}, {"browserSession": []}],
    }


def _placed() -> dict[str, Any]:
    schema = {"oneOf": [_ref("BaccaratBetPlaced"), _ref("BaccaratBetsPlaced")]}
    examples = {"one": {"value": _SINGLE_EXAMPLE}, "several": {"value": _SEVERAL_EXAMPLE}}
    return {"description": "Placed and settled.", "content": {"application/json": _content(schema, examples)}}


def _refused(description: str, messages: Mapping[str, str]) -> dict[str, Any]:
    examples = {code: {"value": {"code": code, "message": message}} for code, message in messages.items()}
    return {"description": description, "content": {"application/json": _content(ERROR, examples)}}


def _content(schema: dict[str, Any], examples: dict[str, Any]) -> dict[str, Any]:
    return {"schema": schema, "examples": examples}


def _schemas() -> dict[str, Any]:
    bet = {"game_type": _GAME_TYPE, "bet_amount": _STAKE}
    result = {**bet, "reward_amount": _PAID, "result_type": _RESULT}
    deal = {
        "player": _CARDS,
        "banker": _CARDS,
        "round_id": {"type": "string", "format": "uuid"},
        "balance": _PAID,
        "server_seed_hash": {"type": "string", "pattern": patterns.SEED},
        "client_seed": {"type": "string", "pattern": patterns.CLIENT_SEED},
        "nonce": {"type": "integer", "minimum": 0},
    }
    bets = {"type": "array", "minItems": 1, "maxItems": MAX_BETS}
    currency = {"currency": CURRENCY}
    return {
        "BaccaratStake": _object(bet),
        "BaccaratBet": _object(bet, currency),
        "BaccaratBets": _object({"bets": bets | {"items": _ref("BaccaratStake")}}, currency),
        "BaccaratBetResult": _object(result, closed=True),
        "BaccaratBetPlaced": _object(deal | result, closed=True),
        "BaccaratBetsPlaced": _object(deal | {"bets": bets | {"items": _ref("BaccaratBetResult")}}, closed=True),
    }


def _object(
    required: dict[str, Any], optional: Mapping[str, Any] | None = None, *, closed: bool = False
) -> dict[str, Any]:
    schema = {"type": "object", "required": sorted(required), "properties": {**required, **(optional or {})}}
    return schema | {"additionalProperties": False} if closed else schema


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
