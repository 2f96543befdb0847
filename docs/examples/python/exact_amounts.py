"""Makes a client that openapi-python-client has generated read and write amounts as `Decimal`.

    python exact_amounts.py openapi.json punto_client

The generator knows no decimals: it makes a binary float of a number and leaves a text a text. Where the document says
`format: decimal`, this puts `Decimal` into the generated modules, and has their JSON read and written without floats.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

EXACT = '''"""JSON with exact numbers."""

import json
from decimal import Decimal
from enum import Enum
from typing import Any


def loads(text: str) -> Any:
    """Return the value of a JSON text; no number becomes a float."""
    return json.loads(text, parse_float=Decimal)


def dumps(value: object) -> str:
    """Return the JSON text of a value; a `Decimal` becomes a number."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Enum):
        return dumps(value.value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {dumps(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dumps(member) for member in value) + "]"
    return json.dumps(value)


def decimal_of(value: Any) -> Any:
    """Return an amount as it came in JSON, a number or a text, as `Decimal`; anything else as it is."""
    return Decimal(value) if isinstance(value, int | str | Decimal) else value


def text_of(value: Any) -> Any:
    """Return an amount as it goes into JSON as a text; anything else as it is."""
    return format(value, "f") if isinstance(value, Decimal) else value
'''


def main(document: Path, package: Path) -> None:
    """Rewrite the package."""
    schemas: dict[str, Any] = json.loads(document.read_text())["components"]["schemas"]
    (package / "exact.py").write_text(EXACT)
    for module in (package / "models").glob("*.py"):
        text = module.read_text()
        found = re.search(r"^class (\w+):$", text, re.MULTILINE)
        amounts = amounts_of(schemas, found.group(1)) if found else {}
        for name, kinds in amounts.items():
            text = member_rewrite(text, name, kinds)
        is_map = "additional_properties: dict[str, float]" in text
        if is_map:
            text = map_rewrite(text)
        if amounts or is_map:
            imports = "from decimal import Decimal\n\nfrom ..exact import decimal_of, text_of\n"
            text = text.replace("import annotations\n", f"import annotations\n\n{imports}", 1)
        module.write_text(text)
    for module in (package / "api").glob("*/*.py"):
        text = module.read_text()
        text = text.replace("response.json()", "loads(response.text)")
        text = re.sub(r'_kwargs\["json"\] = (.+)', r'_kwargs["content"] = dumps(\1)', text)
        module.write_text(text.replace("import httpx\n", "import httpx\n\nfrom ...exact import dumps, loads\n", 1))


def amounts_of(schemas: dict[str, Any], name: str) -> dict[str, set[str]]:
    """Return the members of a schema that are amounts, each with its JSON types."""
    members = schemas.get(name, {}).get("properties", {})
    kinds = {member: decimal_kinds(schemas, schema) for member, schema in members.items()}
    return {member: found for member, found in kinds.items() if found}


def decimal_kinds(schemas: dict[str, Any], schema: dict[str, Any]) -> set[str]:
    """Return `number`, `string` or both, where the schema is that of an amount."""
    if "$ref" in schema:
        return decimal_kinds(schemas, schemas[schema["$ref"].rsplit("/", 1)[1]])
    parts = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, [])]
    if parts:
        return set().union(*(decimal_kinds(schemas, part) for part in parts))
    return {schema["type"]} if schema.get("format") == "decimal" else set()


def map_rewrite(text: str) -> str:
    """Return a module of an object whose members, whatever they are called, are `Decimal`."""
    text = re.sub(r"\bfloat\b", "Decimal", text)
    return re.sub(
        r"(\.additional_properties) = d$",
        r"\1 = {name: decimal_of(value) for name, value in d.items()}",
        text,
        flags=re.MULTILINE,
    )


def member_rewrite(text: str, name: str, kinds: set[str]) -> str:
    """Return a module in which one member is a `Decimal`."""
    written = re.search(rf'"{name}"(?:: |\] = )(\w+)', text)
    if written is None:
        raise SystemExit(f"the generated code has no {name}: was it made by another version of the generator?")
    attribute = written.group(1)
    word = r"\bfloat\b" if "number" in kinds else r"\bstr\b"

    def retype(found: re.Match[str]) -> str:
        return re.sub(word, "Decimal", found.group(0))

    text = re.sub(rf"^ +{attribute}(: | \().*$", retype, text, flags=re.MULTILINE)
    text = re.sub(rf"def _parse_{attribute}\(.*? {attribute} = ", retype, text, flags=re.DOTALL)
    text = re.sub(rf'(d\.pop\("{name}"(?:, UNSET)?\))', r"decimal_of(\1)", text)
    if kinds == {"string"}:
        text = re.sub(rf'("{name}"(?:: |\] = )){attribute}\b', rf"\1text_of({attribute})", text)
    return text


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
