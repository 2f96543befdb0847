"""The request and answer of a one-deal game's bet RPC."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final
from uuid import UUID

import msgspec
from msgspec import UNSET, Raw, UnsetType

from apps.core import json
from apps.core.errors import BadRequest
from apps.core.money import plain
from apps.core.struct_reading import struct_read
from apps.idempotency.services import body_hash
from apps.one_deal.engine import BetResult
from apps.one_deal.store import BetContext

_encode: Final = msgspec.json.Encoder().encode
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


class Stake(msgspec.Struct, frozen=True, gc=False):
    """One requested bet, not yet checked: any number as `game_type`, any amount in units of the currency as `stake`."""

    game_type: int | Decimal
    stake: int | Decimal = msgspec.field(name="bet_amount")


class Bet(Stake, frozen=True, gc=False):
    """A body with one bet."""

    currency: str | UnsetType = UNSET

    @property
    def bets(self) -> tuple[Stake, ...]:
        return (self,)


class Bets(msgspec.Struct, frozen=True, gc=False):
    """A body with a list of bets on one deal."""

    bets: tuple[Stake, ...]
    currency: str | UnsetType = UNSET


class IdempotencyKey(msgspec.Struct, frozen=True, gc=False):
    """The client's key for a bet, so that it is placed once, and the hash of the request's body."""

    key: str
    body_hash: bytes


class Slip(msgspec.Struct, frozen=True, gc=False):
    """The bets on one deal. The default of `currency` is the session's, or else the player's default one."""

    bets: tuple[Stake, ...]
    is_list: bool
    """Whether the request has a list of bets; the answer then has a list too, even for one bet."""
    currency: str | None = None
    idempotency: IdempotencyKey | None = None


def slip_read(body: bytes, key: str | None) -> Slip:
    """Parse a body and its `Idempotency-Key`.

    Raises MalformedBody. Raises BadRequest, with the field, if a member is missing or has the wrong JSON type.
    """
    members = json.decode_object(body)
    is_list = "bets" in members
    if is_list and ("game_type" in members or "bet_amount" in members):
        raise BadRequest("bets: either this, or game_type and bet_amount", field="bets")
    asked: Bet | Bets = struct_read(members, Bets) if is_list else struct_read(members, Bet)
    if key is None:
        idempotency = None
    elif _KEY.fullmatch(key):
        idempotency = IdempotencyKey(key, body_hash(members))
    else:
        raise BadRequest("Idempotency-Key: 1 to 128 characters of ASCII without spaces", field="Idempotency-Key")
    return Slip(asked.bets, is_list, None if asked.currency is UNSET else asked.currency, idempotency)


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
