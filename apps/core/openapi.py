"""Named schemas of the OpenAPI document that several calls share. Generated clients use these names.

drf-spectacular makes the document from the calls: `SPECTACULAR_SETTINGS` in casino/settings/base.py.
"""

import re
from collections import Counter
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerFieldExtension

from apps.core import patterns

Schema = dict[str, Any]
REF: Final = "#/components/schemas/{name}"

_components: Final[dict[str, Schema]] = {}


def component(name: str, schema: Mapping[str, Any]) -> Schema:
    """Add a schema to the document under this name and return the reference to it.

    Raises ValueError for a second, different schema with the same name.
    """
    if _components.setdefault(name, dict(schema)) != schema:
        raise ValueError(f"the document has another {name} already")
    return {"$ref": REF.format(name=name)}


def int_enum(name: str, kind: type[IntEnum], names: Mapping[Any, str] | None = None) -> Schema:
    """Return the reference to an enumeration of whole numbers, with names for generators."""
    words = {int(member): (names or {}).get(member, member.name.title().replace("_", "")) for member in kind}
    return component(
        name,
        {
            "type": "integer",
            "enum": list(words),
            "x-enum-varnames": list(words.values()),
            "description": ", ".join(f"{number} {word}" for number, word in words.items()),
        },
    )


def text_enum(name: str, values: list[str]) -> Schema:
    """Return the reference to an enumeration of texts.

    Generators name members in capitals: texts that differ in capitals alone are told apart by a number.
    """
    schema: Schema = {"type": "string", "enum": values}
    members = [re.sub(r"\W", "_", value).upper() for value in values]
    if len(set(members)) < len(members):
        seen: Counter[str] = Counter()
        for place, member in enumerate(members):
            seen[member] += 1
            members[place] = member if seen[member] == 1 else f"{member}_{seen[member]}"
        schema["x-enum-varnames"] = members
    return component(name, schema)


def components_add(result: Schema, **_: object) -> Schema:
    """Add the named parts to the generated document (a hook of drf-spectacular)."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in _components.items():
        if schemas.setdefault(name, schema) != schema:
            raise ValueError(f"the document has another {name} already")
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


class ListExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Adds what the generator leaves out: a list of objects that may not be empty has one row at least."""

    target_class = "rest_framework.serializers.ListSerializer"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Schema:
        schema: Schema = auto_schema._map_serializer_field(self.target, direction, bypass_extensions=True)
        return schema if self.target.allow_empty else schema | {"minItems": 1}


AMOUNT_TEXT: Final = component(
    "Amount",
    {
        "type": "string",
        "format": "decimal",
        "pattern": patterns.AMOUNT,
        "examples": ["52.5"],
        "description": "An exact decimal in its shortest plain form, in units of its currency.",
    },
)
DECIMAL_NUMBER: Final = component(
    "DecimalNumber",
    {
        "type": "number",
        "format": "decimal",
        "description": "An exact decimal as a JSON number: read it and write it without a binary float.",
    },
)
CURRENCY: Final = component(
    "Currency", {"type": "string", "pattern": patterns.CURRENCY, "description": "A currency's code."}
)
_CHANGED: Final = "The request changed nothing; only after 500 and 503 it may have been carried out."
ERROR: Final = component(
    "Error",
    {
        "type": "object",
        "description": f"A refusal by a call under /api/game. {_CHANGED}",
        "required": ["code", "message"],
        "additionalProperties": False,
        "properties": {
            "code": {"type": "string", "pattern": patterns.CODE, "description": "For programs: it never changes."},
            "message": {"type": "string", "description": "For people: it names the field and the limit."},
        },
    },
)
WIRE_ERROR: Final = component(
    "WireError",
    {
        "type": "object",
        "description": f"A refusal by a call under /v1/games and /v1/player. {_CHANGED}",
        "required": ["type", "message", "code"],
        "additionalProperties": False,
        "properties": {
            "type": {"type": "string", "const": "Error"},
            "message": {"type": "string", "description": "For people: it names the field and the limit."},
            "code": {"type": "string", "pattern": patterns.CODE, "description": "For programs: it never changes."},
        },
    },
)
PROBLEM: Final = component(
    "Problem",
    {
        "type": "object",
        "description": f"A refusal by any other call under /v1: problem details (RFC 9457). {_CHANGED}",
        "required": ["type", "title", "status", "detail", "code"],
        "additionalProperties": False,
        "properties": {
            "type": {"type": "string", "pattern": "^urn:punto:error:[a-z-]+$"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "For people: it names the field and the limit."},
            "code": {"type": "string", "pattern": patterns.CODE, "description": "For programs: it never changes."},
            "field": {"type": "string", "description": "The invalid field, if there is one."},
        },
    },
)
