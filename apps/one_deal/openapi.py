"""The bet RPC in the OpenAPI document: it is not a Django view, so the generator does not find it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec

from apps.core import patterns
from apps.core.openapi import CURRENCY, DECIMAL_NUMBER, ERROR, REF, component, int_enum
from apps.one_deal.configuration import MAX_CHANGES
from apps.one_deal.engine import RESULT_NAMES, BetKind, ResultType
from apps.one_deal.messages import Bet, Bets, Stake
from apps.one_deal.one_deal_game import OneDealGame


@dataclass(frozen=True, slots=True, kw_only=True)
class BetExamples:
    """A game's examples for its bet RPC: two answers, and bets for the texts of two refusals."""

    one: Mapping[str, object]
    several: Mapping[str, Any]
    not_offered: BetKind
    placed_twice: BetKind


_STAKE: Final = {"allOf": [DECIMAL_NUMBER], "exclusiveMinimum": 0}
_PAID: Final = {"allOf": [DECIMAL_NUMBER], "minimum": 0}
_RESULT: Final = int_enum("ResultType", ResultType, RESULT_NAMES)
_CARD: Final = component("Card", {"type": "string", "pattern": patterns.CARD})


def bet_documents(game: OneDealGame, examples: BetExamples) -> Callable[[dict[str, Any]], None]:
    """Return the function that adds the game's bet RPC to the generated document."""
    _game_type(game)  # Named schemas must be known before the document is generated.
    return partial(_bet_add, game, examples)


def _bet_add(game: OneDealGame, examples: BetExamples, result: dict[str, Any]) -> None:
    result["components"]["schemas"].update(_schemas(game))
    result["paths"][game.bet_path] = {"post": _operation(game, examples)}
    # The generator does not know how many rows a list has.
    odds = result["paths"][f"/{game.odds_path}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    odds |= {"minItems": 1, "maxItems": MAX_CHANGES}


def _operation(game: OneDealGame, examples: BetExamples) -> dict[str, Any]:
    bets = [_asked(bet) for bet in examples.several["bets"]]
    asked = _json(
        {"oneOf": [_ref(game, "Bet"), _ref(game, "Bets")]}, {"one": _asked(examples.one), "several": {"bets": bets}}
    )
    placed = _json(
        {"oneOf": [_ref(game, "BetPlaced"), _ref(game, "BetsPlaced")]},
        {"one": examples.one, "several": examples.several},
    )
    return {
        "operationId": f"{game.name}_bet",
        "tags": [game.title],
        "summary": "Place a bet",
        "description": (
            f"Deals one round for one bet, or for up to {len(game.bets)} bets, and settles it: all of it or none."
            " Amounts are exact decimal numbers; `reward_amount` is the payout, stake included. The cards"
            " follow from the seeds and the nonce, and can be dealt again by anyone once the server seed is revealed."
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
        "requestBody": {"required": True, "content": asked},
        "responses": {
            "200": {"description": "Placed and settled.", "content": placed},
            **{status: _refused(*words) for status, words in _errors(game, examples).items()},
        },
        "security": [{"gameSession": []}, {"browserSession": []}],  # defined in apps/tables/authentication.py
    }


def _json(schema: dict[str, Any], examples: Mapping[str, object]) -> dict[str, Any]:
    """Return the content of a body, with examples."""
    shown = {name: {"value": value} for name, value in examples.items()}
    return {"application/json": {"schema": schema, "examples": shown}}


def _refused(description: str, messages: Mapping[str, str]) -> dict[str, Any]:
    examples = {code: {"code": code, "message": message} for code, message in messages.items()}
    return {"description": description, "content": _json(ERROR, examples)}


def _errors(game: OneDealGame, examples: BetExamples) -> dict[str, tuple[str, dict[str, str]]]:
    twice = examples.placed_twice.wire_name
    return {
        "400": (
            "The request cannot be read.",
            {
                "MALFORMED_BODY": "the body is not valid JSON",
                "BAD_REQUEST": "bet_amount: a number is expected, not a string",
            },
        ),
        "401": (
            "No valid session: log in, or send a game session's token.",
            {"AUTHENTICATION_FAILED": "no valid player session for this game came with the request"},
        ),
        "403": (
            "Well-formed, but refused; nothing has changed.",
            {
                "INVALID_GAME_TYPE": f"game_type: {examples.not_offered.wire_name} is not offered here",
                "DUPLICATE_GAME_TYPE": f"bets.1.game_type: {twice} is placed twice on this deal",
                "INVALID_BET_COUNT": f"bets: one to {len(game.bets)} on a deal, not 0",
                "INVALID_BET_AMOUNT": "bet_amount: 5000 is outside the limits, 1 to 1000",
                "INVALID_CURRENCY": "currency: you have no wallet in EUR",
                "INSUFFICIENT_FUNDS": "the wallet holds 5 FUN, the bets come to 10",
                "PLAYER_BLOCKED": "this account is blocked; ask the operator",
                "GAME_DISABLED": "new bets are switched off here for now; open rounds can be finished",
                "REFUSED": (
                    "the wallet holds 999999999990 FUN, and 999999999999 at most: the payout of this bet might not fit"
                ),
                "CSRF_FAILED": "reload the page and try again: CSRF token missing.",
            },
        ),
        "405": ("Only POST places a bet.", {"METHOD_NOT_ALLOWED": "a bet is placed with POST"}),
        "409": (
            "The Idempotency-Key belongs to another bet, or another action holds the wallet: nothing has changed.",
            {
                "IDEMPOTENCY_KEY_REUSED": "this Idempotency-Key was used before, with another body",
                "BUSY": "another action is in progress; try again in a moment",
            },
        ),
        "429": ("Too many bets; see Retry-After.", {"RATE_LIMITED": "more than 20 requests a second"}),
        "503": (
            "The database does not answer; see Retry-After. With an Idempotency-Key the bet may be sent again.",
            {"SERVICE_UNAVAILABLE": "the database does not answer; try again in a moment"},
        ),
    }


def _asked(bet: Mapping[str, object]) -> dict[str, object]:
    return {name: bet[name] for name in ("game_type", "bet_amount")}


def _schemas(game: OneDealGame) -> dict[str, Any]:
    fewest, most = game.cards_a_side
    cards = {"type": "array", "minItems": fewest, "maxItems": most, "items": _CARD}
    bet = {"game_type": _game_type(game), "bet_amount": _STAKE}
    result = {**bet, "reward_amount": _PAID, "result_type": _RESULT}
    deal = {
        **dict.fromkeys(game.sides, cards),
        "round_id": {"type": "string", "format": "uuid"},
        "balance": _PAID,
        "server_seed_hash": {"type": "string", "pattern": patterns.SEED},
        "client_seed": {"type": "string", "pattern": patterns.CLIENT_SEED},
        "nonce": {"type": "integer", "minimum": 0},
    }
    bets = {"type": "array", "minItems": 1, "maxItems": len(game.bets)}
    asked = {**bet, "bets": bets | {"items": _ref(game, "Stake")}, "currency": CURRENCY}
    parts = {
        **{kind.__name__: _struct(kind, asked) for kind in (Stake, Bet, Bets)},
        "BetResult": _object(result, closed=True),
        "BetPlaced": _object(deal | result, closed=True),
        "BetsPlaced": _object(deal | {"bets": bets | {"items": _ref(game, "BetResult")}}, closed=True),
    }
    return {game.schema_name + name: part for name, part in parts.items()}


def _game_type(game: OneDealGame) -> dict[str, Any]:
    names = {kind: kind.wire_name for kind in game.bets}
    return int_enum(f"{game.shared_schema_name}GameType", game.bets, names)


def _struct(kind: type[msgspec.Struct], members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the struct that reads a body, with the schemas of its members by their names."""
    fields = msgspec.structs.fields(kind)
    required, optional = (
        {field.encode_name: members[field.encode_name] for field in fields if field.required is wanted}
        for wanted in (True, False)
    )
    return _object(required, optional)


def _object(
    required: dict[str, Any], optional: Mapping[str, Any] | None = None, *, closed: bool = False
) -> dict[str, Any]:
    schema = {"type": "object", "required": sorted(required), "properties": {**required, **(optional or {})}}
    return schema | {"additionalProperties": False} if closed else schema


def _ref(game: OneDealGame, name: str) -> dict[str, str]:
    return {"$ref": REF.format(name=game.schema_name + name)}
