"""JSON with exact numbers: read as `Decimal`, printed in their shortest plain form.

Django's and DRF's own codecs go through binary floats; nothing of ours does.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

import msgspec

from apps.core.errors import MalformedBody
from apps.core.money import plain

type_names: Final = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}

_MAX_EXPONENT: Final = 60


def decode(data: bytes | str) -> object:
    """Return the value of a JSON text; every number with a point or an exponent is a `Decimal`.

    Raises MalformedBody.
    """
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise MalformedBody("the body is not valid JSON") from error


def decode_object(data: bytes | str) -> dict[str, object]:
    """Return the members of a JSON object. Raises MalformedBody for anything else."""
    value = decode(data)
    if not isinstance(value, dict):
        raise MalformedBody(f"the body is {type_name(value)}; an object is expected")
    return value


def encode(value: object) -> bytes:
    """Return `value` as compact JSON; a `Decimal` becomes a number, `10` and not `1E+1` or `10.00000000`."""
    return _encoder.encode(_printable(value))


def canonical(value: object) -> bytes:
    """Return the one text of all equal values: keys sorted, numbers in their shortest form."""
    return _canonical_encoder.encode(_printable(value))


def exact(text: str) -> Decimal:
    """Return a JSON number as it stands. Raises msgspec.DecodeError where its exponent is beyond all money."""
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits
        raise msgspec.DecodeError("number out of range") from None
    # 1e999999999 is a short text and a long number: nobody may have us print it.
    if abs(number.adjusted()) > _MAX_EXPONENT:
        raise msgspec.DecodeError("number out of range")
    return number


def type_name(value: object) -> str:
    """Return what JSON calls the value, with its article."""
    return type_names.get(type(value), "a number")


def _printable(value: object) -> object:
    if isinstance(value, str | int):
        return value
    if isinstance(value, Decimal):
        return msgspec.Raw(plain(value).encode("ascii"))
    if isinstance(value, dict):
        return {key: _printable(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(member) for member in value]
    if isinstance(value, Mapping):
        return _printable(dict(value))
    return value


_decoder: Final = msgspec.json.Decoder(float_hook=exact)
_encoder: Final = msgspec.json.Encoder()
_canonical_encoder: Final = msgspec.json.Encoder(order="sorted")
