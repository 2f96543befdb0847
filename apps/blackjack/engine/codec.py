"""States, setups, actions and events as JSON values, both ways without loss. Pure.

Cards are their codes (`H1`, `C10`), choices their values, odds texts (`25/1`), events carry their `type`.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from apps.blackjack.engine.events import Event
from apps.blackjack.engine.rules import BlackjackRules
from apps.cards.card import Card
from apps.cards.notation import parse_card

Json = dict[str, Any]
_Converter = Callable[[Any], Any]
_Value = TypeVar("_Value", bound=msgspec.Struct)


class CodecError(ValueError):
    """The JSON does not describe a value of the engine."""


def to_json(value: msgspec.Struct, *, without: tuple[str, ...] = ()) -> Json:
    """Return a state, setup, action, event or view as a JSON object, without some of its members."""
    return cast("Json", _struct_writer(type(value), without)(value))


def from_json(kind: type[_Value], data: Mapping[str, Any]) -> _Value:
    """Return the value of `kind` that `to_json` wrote. Raises CodecError."""
    try:
        return cast("_Value", _struct_reader(kind)(data))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CodecError(f"not a {kind.__name__}: {error}") from error


def event_from_json(data: Mapping[str, Any]) -> Event:
    """Return the event that `to_json` wrote, by its `type`. Raises CodecError."""
    kind = _EVENTS.get(str(data.get("type")))
    if kind is None:
        raise CodecError(f"{data.get('type')!r} is no event")
    return cast("Event", from_json(kind, data))


@lru_cache(maxsize=256)
def _rules_written(rules: BlackjackRules) -> Json:
    return dict(rules.to_json())


@lru_cache(maxsize=256)
def _rules_read(options: tuple[tuple[str, object], ...]) -> BlackjackRules:
    return BlackjackRules.from_json(dict(options))


@cache
def _struct_writer(kind: type[msgspec.Struct], without: tuple[str, ...] = ()) -> _Converter:
    """Return the function that writes values of the type. Each type is inspected once."""
    hints = get_type_hints(kind)
    members = [(name, _writer(hints[name])) for name in kind.__struct_fields__ if name not in without]
    tag = kind.__struct_config__.tag
    head = {} if tag is None else {"type": tag}

    def write(value: object) -> Json:
        plain: Json = dict(head)
        for name, writer in members:
            member = getattr(value, name)
            plain[name] = member if writer is _same else writer(member)
        return plain

    return write


def _writer(hint: Any) -> _Converter:
    """Return the function that writes a value of the annotated type; `_same` for JSON's own types."""
    arguments = get_args(hint)
    origin = get_origin(hint)
    if origin is None:
        return _plain_writer(hint)
    if origin is tuple or origin is Sequence:
        item = _writer(arguments[0])
        return list if item is _same else lambda items: [item(one) for one in items]
    if origin is Mapping:
        key, member = _writer(arguments[0]), _writer(arguments[1])
        return lambda items: {str(key(name)): member(one) for name, one in items.items()}
    if isinstance(hint, types.UnionType) and arguments[1] is type(None):
        present = _writer(arguments[0])
        return _same if present is _same else lambda value: None if value is None else present(value)
    raise TypeError(f"no writer for {hint}")


def _plain_writer(kind: type) -> _Converter:
    if issubclass(kind, msgspec.Struct):
        return _struct_writer(kind)
    if kind is Card:
        return attrgetter("code")
    if kind is BlackjackRules:
        return _rules_written
    if issubclass(kind, Enum):
        return attrgetter("_value_")  # the plain value, without the slow descriptor
    if kind is Fraction:
        return lambda value: f"{value.numerator}/{value.denominator}"
    return _same


def _same(value: Any) -> Any:
    return value


@cache
def _struct_reader(kind: type[msgspec.Struct]) -> _Converter:
    hints = get_type_hints(kind)
    readers = {name: _reader(hints[name]) for name in kind.__struct_fields__}

    def read(data: Mapping[str, Any]) -> object:
        return kind(**{name: reader(data[name]) for name, reader in readers.items()})

    return read


def _reader(hint: Any) -> _Converter:
    """Return the function that reads a value of the annotated type."""
    if get_origin(hint) is None:
        return _plain_reader(hint)
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        member = _reader(arguments[0])
        return lambda data: tuple([member(item) for item in data])
    if get_origin(hint) is Mapping:
        key, member = _reader(arguments[0]), _reader(arguments[1])
        return lambda data: {key(name): member(item) for name, item in data.items()}
    if isinstance(hint, types.UnionType) and arguments[1] is type(None):
        present = _reader(arguments[0])
        return lambda data: None if data is None else present(data)
    raise TypeError(f"no reader for {hint}")


def _plain_reader(kind: type) -> _Converter:
    if issubclass(kind, msgspec.Struct):
        return _struct_reader(kind)
    if kind is Card:
        return parse_card
    if kind is BlackjackRules:
        # A caller that stores the rules separately passes them as objects.
        return lambda data: data if type(data) is BlackjackRules else _rules_read(tuple(data.items()))
    if issubclass(kind, Enum) or kind is Fraction:
        return kind

    def read(data: Any) -> object:
        if type(data) is not kind:
            raise TypeError(f"{data!r} is not of type {kind.__name__}")
        return data

    return read


_EVENTS: Final[dict[str, type[msgspec.Struct]]] = {kind.__name__: kind for kind in get_args(Event)}
