"""The request and answer of a one-deal game's bet RPC."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Raw

from apps.core import json
from apps.core.errors import BadRequest
from apps.core.money import plain
from apps.idempotency.services import body_hash
from apps.one_deal.engine import BetResult
from apps.one_deal.store import BetContext

_encode: Final = msgspec.json.Encoder().encode
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


class Bet(msgspec.Struct, frozen=True, gc=False):
    """One requested bet, not yet checked: any number as `game_type`, any amount in units of the currency as `stake`."""

    game_type: int | Decimal
    stake: Decimal


class IdempotencyKey(msgspec.Struct, frozen=True, gc=False):
    """The client's key for a bet, so that it is placed once, and the hash of the request's body."""

    key: str
    body_hash: bytes


class Slip(msgspec.Struct, frozen=True, gc=False):
    """The bets on one deal. The default of `currency` is the session's, or else the player's default one."""

    bets: tuple[Bet, ...]
    is_list: bool
    """Whether the request has a list of bets; the answer then has a list too, even for one bet."""
    currency: str | None = None
    idempotency: IdempotencyKey | None = None


def slip_read(body: bytes, key: str | None) -> Slip:
    """Parse a body and its `Idempotency-Key`.

    Raises MalformedBody. Raises BadRequest, with the field, if a member is missing or has the wrong JSON type.
    """
    members = json.decode_object(body)
    currency = members.get("currency")
    if "currency" in members and not isinstance(currency, str):
        raise _mismatch("currency", currency, "a string")
    assert currency is None or isinstance(currency, str)
    bets = _bets(members)
    if key is None:
        idempotency = None
    elif _KEY.fullmatch(key):
        idempotency = IdempotencyKey(key, body_hash(members))
    else:
        raise BadRequest("Idempotency-Key: 1 to 128 characters of ASCII without spaces", field="Idempotency-Key")
    return Slip(bets, "bets" in members, currency, idempotency)


def bet_answer(
    sides: tuple[str, str],
    slip: Slip,
    context: BetContext,
    *,
    round_id: UUID,
    detail: Mapping[str, object],
    results: Sequence[BetResult],
    balance: Decimal,
) -> bytes:
    """Return the bet RPC's answer; `balance` is the balance after the round."""
    first, second = sides
    answer: dict[str, object] = {first: detail[first], second: detail[second]}
    rows = [
        {
            "reward_amount": Raw(plain(result.payout).encode()),
            "game_type": result.game_type,
            "bet_amount": Raw(plain(result.stake).encode()),
        }
        for result in results
    ]
    if slip.is_list:
        answer["bets"] = [row | {"result_type": end.result_type} for row, end in zip(rows, results, strict=True)]
        answer["round_id"] = round_id
    else:
        answer |= rows[0]
        answer["round_id"] = round_id
        answer["result_type"] = results[0].result_type
    return _encode(
        {
            **answer,
            "balance": Raw(plain(balance).encode()),
            "server_seed_hash": context.commitment,
            "client_seed": context.client_seed,
            "nonce": context.nonce,
        }
    )


def _bets(members: Mapping[str, object]) -> tuple[Bet, ...]:
    rows = members.get("bets")
    if rows is None and "bets" not in members:
        return (_bet(members, ""),)
    if "game_type" in members or "bet_amount" in members:
        raise BadRequest("bets: either this, or game_type and bet_amount", field="bets")
    if not isinstance(rows, list):
        raise _mismatch("bets", rows, "a list")
    return tuple([_bet(row, f"bets.{number}") for number, row in enumerate(rows)])


def _bet(row: object, where: str) -> Bet:
    if not isinstance(row, dict):
        raise _mismatch(where, row, "an object")
    for name in ("game_type", "bet_amount"):
        field = f"{where}.{name}" if where else name
        if name not in row:
            raise BadRequest(f"{field} is missing", field=field)
        if type(row[name]) not in {int, Decimal}:
            raise _mismatch(field, row[name], "a number")
    return Bet(row["game_type"], Decimal(row["bet_amount"]))


def _mismatch(field: str, value: object, expected: str) -> BadRequest:
    return BadRequest(f"{field} is {json.type_name(value)}; {expected} is expected", field=field)
