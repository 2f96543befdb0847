"""A parser of a game's specification for clients: front matter, sections, schemas."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import yaml
from jsonschema_rs import Draft202012Validator, meta

_SECTION = re.compile(r"^## (.+?)\n\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_JSON_BLOCK = re.compile(r"^```json\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Specification:
    """The document of GET /api/games/{gameType}/spec."""

    text: str

    @cached_property
    def front_matter(self) -> dict[str, Any]:
        found = re.match(r"---\n(.*?)\n---\n", self.text, re.DOTALL)
        assert found, self.text[:200]
        members = yaml.safe_load(found.group(1))
        assert isinstance(members, dict)
        return members

    @cached_property
    def sections(self) -> dict[str, str]:
        return dict(_SECTION.findall(self.text))

    def blocks(self, section: str) -> list[Any]:
        """Return the JSON blocks of a section; numbers with a point are exact."""
        return [json.loads(block, parse_float=Decimal) for block in _JSON_BLOCK.findall(self.sections[section])]

    @cached_property
    def state(self) -> Draft202012Validator:
        return _validator(self.blocks("State Schema")[0])

    @cached_property
    def action(self) -> Draft202012Validator:
        return _validator(self.blocks("Action Schema")[0])

    @cached_property
    def result(self) -> Draft202012Validator:
        return _validator(self.blocks("Result Schema")[0])

    @cached_property
    def messages(self) -> dict[str, Any]:
        """The schema of all frames."""
        schema = self.blocks("Messages")[0]
        assert isinstance(schema, dict)
        return schema

    @cached_property
    def _frames(self) -> dict[tuple[str, str], Draft202012Validator]:
        """The schemas of frames by sender and `type`."""
        definitions = self.messages["$defs"]
        found = {}
        for sender in ("ServerMessage", "ClientMessage"):
            for option in definitions[sender]["oneOf"]:
                name = option["$ref"].rsplit("/", 1)[1]
                kind = definitions[name]["properties"]["type"]["const"]
                found[sender, kind] = _validator({"$ref": option["$ref"], "$defs": definitions})
        return found

    def check(self, message: dict[str, Any], *, sender: str = "ServerMessage") -> None:
        """Fail if a frame does not fit the document: its envelope, and its payload by its own section."""
        kind = message["type"]
        validator = self._frames.get((sender, kind))
        assert validator is not None, f"the specification has no {kind} from {sender}"
        _valid(validator, message)
        if kind in ("betting_window_open", "game_action_request", "game_state_update"):
            _valid(self.state, message["payload"])
        elif kind == "player_action_broadcast":
            _valid(self.state, message["payload"]["resultingState"])
        elif kind == "round_result":
            _valid(self.result, message["payload"])
        elif kind == "submit_action":
            _valid(self.action, message["payload"])
        elif kind == "reconnect_state":
            _valid(self.state, message["currentState"])


def _valid(validator: Draft202012Validator, value: Any) -> None:
    if validator.is_valid(value):
        return
    faults = [f"{fault.message[:300]} at {fault.instance_path}" for fault in validator.iter_errors(value)]
    raise AssertionError(f"{faults} of {str(value)[:1500]}")


def _validator(schema: Any) -> Draft202012Validator:
    assert isinstance(schema, dict)
    meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    return Draft202012Validator(schema, validate_formats=True)
