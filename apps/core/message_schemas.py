"""JSON Schemas of messages, generated from the msgspec structs that read and write them. Pure."""

from collections.abc import Iterator, Sequence
from inspect import cleandoc
from typing import Any, Final

import msgspec

Schema = dict[str, Any]

EXACT_NUMBER: Final = "exact-number"
"""The `format` of an exact number in a struct: whole, or a `Decimal`."""
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schemas_of(
    kinds: Sequence[Any], *, ref: str = "#/components/schemas/{name}", is_sent: bool = True
) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each type, and the schemas of all its parts by name.

    Fields with a default are always in the messages that we send, so they are required there; in those that we read
    they are optional. A type with a title is a schema of its own. A text with a single possible value is `const`. An
    exact number is `{"type": "number", "format": "decimal"}`. A union whose members differ in one field is `oneOf`.
    """
    tops, schemas = msgspec.json.schema_components(kinds, ref_template=ref)
    named: dict[str, Schema] = {}
    for node in [node for schema in (*tops, *schemas.values()) for node in _nodes(schema)]:
        if isinstance(node.get("description"), str):
            node["description"] = cleandoc(node["description"])
        if "properties" in node:
            _defaults_take(node, is_sent=is_sent)
        if node.get("format") == EXACT_NUMBER:
            del node["anyOf"]
            node.update(type="number", format="decimal")
        if "title" in node and node["title"] not in schemas:
            name = node["title"]
            named[name] = dict(node)
            node.clear()
            node["$ref"] = ref.format(name=name)
        elif "enum" in node:
            _single_value(node)
        elif "discriminator" in node:
            node["oneOf"] = node.pop("anyOf")
    return list(tops), {**schemas, **named}


def objects_open(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas with `additionalProperties` set on every object: true if the struct ignores further fields."""
    for node in [node for schema in schemas.values() for node in _nodes(schema)]:
        if isinstance(node.get("properties"), dict) and node.get("type") == "object":
            node.setdefault("additionalProperties", True)
    return schemas


def _defaults_take(node: Schema, *, is_sent: bool) -> None:
    """Remove defaults, which no reader needs; require the fields that are always sent because of them."""
    required = node.get("required", [])
    node["required"] = [
        name for name, of in node["properties"].items() if name in required or (is_sent and "default" in of)
    ]
    for property_of in node["properties"].values():
        property_of.pop("default", None)
    if not node["required"]:
        del node["required"]


def _single_value(node: Schema) -> None:
    """Add an enum's type; an enum with one value becomes `const`."""
    values = node["enum"]
    node["type"] = "string" if isinstance(values[0], str) else "boolean"
    if len(values) == 1:
        del node["enum"]
        node["const"] = values[0]


def _nodes(schema: Schema) -> Iterator[Schema]:
    """Yield every schema within a schema, from the innermost out."""
    for member in schema.values():
        for child in member if isinstance(member, list) else [member]:
            if isinstance(child, dict):
                yield from _nodes(child)
    yield schema
