"""JSON with exact numbers: read as `Decimal`, printed in their shortest plain form.

Django's and DRF's own codecs use binary floats; ours do not.
"""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final, NoReturn
from uuid import UUID

import msgspec

from apps.core.errors import MalformedBody
from apps.core.money import plain

type_names: Final = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}

_names_of_python: Final = {kind.__name__: name for kind, name in type_names.items()}

NUMBER_TYPES: Final = (Decimal,)
"""Types that msgspec leaves unconverted besides JSON's own; so it reads no text as a number."""

_MAX_DIGITS: Final = 60
"""The most digits of a number that is printed without an exponent."""
_LONG: Final = 10**_MAX_DIGITS
_AS_THEY_ARE: Final = frozenset({str, bool, type(None)})
"""Types whose values msgspec prints in the right form."""


def decode(data: bytes | str) -> object:
    """Return the value of a JSON text; every number with a point or an exponent is a `Decimal`, as `exact` reads it.

    Callers must check a number's bounds before they compute with it or print it. Raises MalformedBody.
    """
    try:
        return _decoder.decode(data)
    except msgspec.ValidationError:
        return _decode_long(data)
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


def encode_large(value: object) -> bytes:
    """Return the same as `encode`, several times faster for a large value without a `Decimal`.

    Whole numbers of more than 60 digits are printed with all of them.
    """
    try:
        text = _encoder.encode(value)
        # Only a `Decimal` is printed in another way here: as a number instead of a text.
        if text == _numbers_encoder.encode(value):
            return text
    except TypeError:  # a mapping that is no `dict`
        pass
    return encode(value)


def canonical(value: object) -> bytes:
    """Return the canonical text of a value: keys sorted, numbers in their shortest form."""
    return _canonical_encoder.encode(_printable(value))


def storable(value: object) -> object:
    """Return data in the form of a JSON column: amounts, times and ids as text."""
    match value:
        case Decimal():
            return plain(value)
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case Mapping():
            return {str(key): storable(member) for key, member in value.items()}
        case list() | tuple():
            return [storable(member) for member in value]
        case _:
            return value


def exact(text: str) -> Decimal:
    """Return a JSON number of any size exactly; a comparison with it is cheap.

    An exponent of twenty digits is beyond `Decimal`. Such a number becomes infinite, which no amount may be.
    """
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("-Infinity" if text.startswith("-") else "Infinity")


def type_name(value: object) -> str:
    """Return the name of the value's JSON type with its article."""
    return type_names.get(type(value), "a number")


def type_name_of_python(name: str) -> str:
    """Return the same for the name of the Python type that the value was read as."""
    return _names_of_python.get(name, "a number")


def _decode_long(data: bytes | str) -> object:
    """Do the same as `decode` for a text with a whole number of thousands of digits, which msgspec refuses."""
    try:
        value = json.loads(data, parse_int=_whole, parse_float=exact, parse_constant=_refuse)
        encode(value)  # the standard library accepts a lone surrogate
    except (ValueError, RecursionError) as error:
        raise MalformedBody("the body is not valid JSON") from error
    return value


def _printable(value: object) -> object:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is dict:
        # A call for each text would take as long as all the rest.
        return {key: item if type(item) in _AS_THEY_ARE else _printable(item) for key, item in value.items()}  # type: ignore[attr-defined]
    if isinstance(value, int):
        return value if -_LONG < value < _LONG else msgspec.Raw(_number_text(Decimal(value)).encode("ascii"))
    if isinstance(value, list | tuple):
        return [item if type(item) in _AS_THEY_ARE else _printable(item) for item in value]
    if isinstance(value, Decimal):
        return msgspec.Raw(_number_text(value).encode("ascii"))
    if isinstance(value, Mapping):
        return _printable(dict(value))
    return value


def _number_text(number: Decimal) -> str:
    """Return the canonical text of a number."""
    # 1e999999999 is a short text but a huge number, which must not be printed in plain notation.
    if number.is_finite() and abs(number.adjusted()) <= _MAX_DIGITS:
        return plain(number)
    if not number.is_finite():
        return f'"{number}"'
    if not number:
        return "0"
    mantissa, _, exponent = f"{number:e}".partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}"


def _whole(text: str) -> int | Decimal:
    return int(text) if len(text) <= _MAX_DIGITS else exact(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_decoder: Final = msgspec.json.Decoder(float_hook=exact)
_encoder: Final = msgspec.json.Encoder()
_numbers_encoder: Final = msgspec.json.Encoder(decimal_format="number")
_canonical_encoder: Final = msgspec.json.Encoder(order="sorted")
