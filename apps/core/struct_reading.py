"""Reads a request's body as a msgspec struct; its refusals are in JSON's terms, as those of a serializer are.

msgspec names types of Python (`int`, `decimal`), and no key of an object whose keys are free.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from apps.core import json
from apps.core.errors import BadRequest, shortened

Read = TypeVar("Read", bound=msgspec.Struct)

EXPECTED: Final = "expected"
"""`Meta(extra={EXPECTED: ...})` says what is expected where a pattern alone would say it badly."""


def struct_read(data: Any, kind: type[Read]) -> Read:
    """Return a body converted to the struct. Raises BadRequest that names the field and what is expected there."""
    if not isinstance(data, Mapping):
        raise BadRequest(f"the body is {json.type_name(data)}; an object is expected")
    try:
        return msgspec.convert(data, kind, builtin_types=json.NUMBER_TYPES)
    except msgspec.ValidationError as error:
        # Without unknown members, which `_is_at_fault` would copy for every free key.
        known = {field.encode_name for field in msgspec.structs.fields(kind)}
        raise _refusal({name: sent for name, sent in data.items() if name in known}, kind, str(error)) from error


def _refusal(data: Any, kind: type, told: str) -> BadRequest:
    reason, _, path = told.partition(" - at ")
    names = _names(data, kind, path.strip("`"))
    if found := _MISSING.search(reason):
        names.append(found[1])
        text = "This field is required."
    else:
        value = data
        for name in names:
            value = value[name]
        form = _form_at(inspect.type_info(kind), names)
        expected = _expected(form)
        is_of_kind = _json_kind(form) == json.type_name(value)
        text = f"{expected} is expected" if is_of_kind else f"{expected} is expected, not {json.type_name(value)}"
    field = shortened(".".join(map(str, names)))
    return BadRequest(f"{field}: {text}", field=field)


def _names(data: Any, kind: type, path: str) -> list[str | int]:
    """Return the names on the way to the value at fault, with places in lists. For a free key msgspec writes only
    `[...]`."""
    names: list[str | int] = []
    value = data
    for name, place, _ in _STEP.findall(path):
        if name or place:
            key = name or int(place)
        else:
            key = next(key for key in value if _is_at_fault(data, kind, [*names, key], path))
        names.append(key)
        value = value[key]
    return names


def _is_at_fault(data: Any, kind: type, names: Sequence[str | int], path: str) -> bool:
    """Return whether the refusal stays if the last name is the only one in its object."""
    try:
        msgspec.convert(_alone(data, names), kind, builtin_types=json.NUMBER_TYPES)
    except msgspec.ValidationError as error:
        return str(error).endswith(f"`{path}`")
    return False


def _alone(data: Any, names: Sequence[str | int]) -> Any:
    """Return the data in its order with the last name alone in its object, and without other objects: converting those
    too for each key would take minutes for a large body.
    """
    name, *further = names
    if isinstance(data, list):
        return [_alone(value, further) if place == name else value for place, value in enumerate(data)]
    if not further:
        return {name: data[name]}
    return {
        other: _alone(value, further) if other == name else value
        for other, value in data.items()
        if other == name or not isinstance(value, Mapping | list)
    }


def _form_at(form: inspect.Type, names: Sequence[str | int]) -> inspect.Type:
    """Return the type of the value with these names and places."""
    for name in names:
        bare = _bare(form)
        if isinstance(bare, inspect.StructType):
            form = next(field.type for field in bare.fields if field.encode_name == name)
        elif isinstance(bare, inspect.VarTupleType):
            form = bare.item_type
        else:
            assert isinstance(bare, inspect.DictType)
            form = bare.value_type
    return form


def _bare(form: inspect.Type) -> inspect.Type:
    """Return the type without its notes."""
    return _bare(form.type) if isinstance(form, inspect.Metadata) else form


def _json_kind(form: inspect.Type) -> str:
    """Return the name of the type's JSON type with its article."""
    return _JSON_KINDS.get(type(_bare(form)), "a number")


def _expected(form: inspect.Type) -> str:
    if isinstance(form, inspect.Metadata) and EXPECTED in (form.extra or {}):
        return str((form.extra or {})[EXPECTED])
    match _bare(form):
        case inspect.IntType(ge=None, le=None):
            return "a whole number"
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} {f'to {most}' if most is not None else 'up'}"
        case inspect.StrType(max_length=int(most)):
            return f"a string of at most {most} characters"
        case _:
            return _json_kind(form)


_MISSING: Final = re.compile(r"missing required field `(.+)`")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])")
_JSON_KINDS: Final = {
    inspect.StrType: "a string",
    inspect.BoolType: "true or false",
    inspect.DictType: "an object",
    inspect.StructType: "an object",
    inspect.VarTupleType: "a list",
}
