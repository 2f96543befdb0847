"""JSON Schemas of messages, generated from the msgspec structs that read and write them. Pure."""

from collections.abc import Iterator, Sequence
from inspect import cleandoc
from typing import Any, Final

import msgspec

Schema = dict[str, Any]

EXACT_NUMBER: Final = "exact-number"
"""The `format` by which a struct marks a number that is exact: it may be whole or a `Decimal`."""
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def named_schemas(kinds: Sequence[Any], *, ref: str = "#/components/schemas/{name}") -> dict[str, Schema]:
    """Return the schemas of structs and of all that they are made of, by their names."""
    return schemas_of(kinds, ref=ref)[1]


def schemas_of(
    kinds: Sequence[Any], *, ref: str = "#/components/schemas/{name}", is_sent: bool = True
) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each type, and by their names the schemas of all that these are made of.

    Fields with a default are always in the messages that we send, so they are required there; in those that we read
    they are optional.
    What has a title is a schema of its own; a text that can be one thing alone is `const`; an exact number is
    `{"type": "number", "format": "decimal"}`; of a union whose members a field tells apart exactly one holds.
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
    """Return the schemas with `additionalProperties` said of every object: true where the struct ignores them."""
    for node in [node for schema in schemas.values() for node in _nodes(schema)]:
        if isinstance(node.get("properties"), dict) and node.get("type") == "object":
            node.setdefault("additionalProperties", True)
    return schemas


def _defaults_take(node: Schema, *, is_sent: bool) -> None:
    """Take defaults off, which no reader has to know; require what is always sent because of them."""
    required = node.get("required", [])
    node["required"] = [
        name for name, of in node["properties"].items() if name in required or (is_sent and "default" in of)
    ]
    for property_of in node["properties"].values():
        property_of.pop("default", None)
    if not node["required"]:
        del node["required"]


def _single_value(node: Schema) -> None:
    """Say of which type an enum is; make one of a single value `const`."""
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
