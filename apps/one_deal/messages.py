"""What the bet RPC of a game of one deal takes and answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Bet:
    """One bet as it was asked for. `game_type` may be any number, `stake` any amount in units of the currency."""

    game_type: int | Decimal
    stake: Decimal


@dataclass(frozen=True, slots=True)
class Slip:
    """The bets on one deal. Without `currency` they are in the session's, or else in the player's default one."""

    bets: tuple[Bet, ...]
    is_list: bool
    """Whether the bets came as a list: the answer is a list then too, even of one bet."""
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The name a client gives a bet, so that it happens once, and the hash of the body it came with."""

    key: str
    body_hash: bytes


def bet_read(body: bytes, key: str | None) -> tuple[Slip, IdempotencyKey | None]:
    """Read a body and its `Idempotency-Key`. Raises BadRequest with the field at fault."""
    members = json.decode_object(body)
    slip = _slip(members)
    if key is None:
        return slip, None
    if not _KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key: 1 to 128 characters of ASCII without spaces", field="Idempotency-Key")
    return slip, IdempotencyKey(key, body_hash(members))


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
    """Return what the bet RPC answers; `balance` is what the wallet holds after the round."""
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


def _slip(body: Mapping[str, object]) -> Slip:
    """Return the slip that a body asks for. Raises BadRequest for a member missing or of the wrong JSON type."""
    currency = body.get("currency")
    if "currency" in body and not isinstance(currency, str):
        raise BadRequest(f"currency is {json.type_name(currency)}; a string is expected", field="currency")
    assert currency is None or isinstance(currency, str)
    if "bets" not in body:
        return Slip((_bet(body, ""),), is_list=False, currency=currency)
    if "game_type" in body or "bet_amount" in body:
        raise BadRequest("bets: either this, or game_type and bet_amount", field="bets")
    rows = body["bets"]
    if not isinstance(rows, list):
        raise BadRequest(f"bets is {json.type_name(rows)}; a list is expected", field="bets")
    bets: list[Bet] = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadRequest(f"bets.{number} is {json.type_name(row)}; an object is expected", field=f"bets.{number}")
        bets.append(_bet(row, f"bets.{number}."))
    return Slip(tuple(bets), is_list=True, currency=currency)


def _bet(row: Mapping[str, object], where: str) -> Bet:
    game_type, stake = _number(row, "game_type", where), _number(row, "bet_amount", where)
    return Bet(game_type, Decimal(stake))


def _number(row: Mapping[str, object], name: str, where: str) -> int | Decimal:
    if name not in row:
        raise BadRequest(f"{where}{name} is missing", field=f"{where}{name}")
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise BadRequest(f"{where}{name} is {json.type_name(value)}; a number is expected", field=f"{where}{name}")
    return value
