"""The specification of a game at tables, which a client reads at run time (docs/tables.md, "Specifications").

It is Markdown with YAML front matter in the form of the table protocol. The prose comes from the game
(`TableGame.texts`), the schemas from the types of its messages, the examples from the tables' engine.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from apps.core import json
from apps.core.message_schemas import DIALECT, Schema
from apps.rounds.table_game import NO_BET, BetEdge, GameModel, TableGame
from apps.rounds.table_payloads import Action
from apps.tables.example_rounds import example_rounds
from apps.tables.message_schemas import (
    PROTOCOL_MESSAGES,
    action_schema,
    definitions_of,
    game_message_kinds,
    game_schemas,
    payload_refs,
    prefix_of,
    protocol_schemas,
)
from apps.tables.messages import (
    FROM_CLIENT,
    GameErrorCode,
    ProtocolErrorCode,
    ServerMessage,
    SubmitAction,
)

SCHEMA_FORMAT: Final = "json-schema"
REF: Final = "#/$defs/{name}"


@cache
def specification_text(game: TableGame[Any]) -> str:
    """Return the whole document."""
    sections = (
        ("Overview", game.texts.overview.strip()),
        ("Rules", _rules(game)),
        ("Actions", _actions(game)),
        ("State Schema", _state_schema(game)),
        ("Action Schema", _action_schema(game)),
        ("Result Schema", _result_schema(game)),
        ("Examples", _examples(game)),
        ("Rake", _rake(game)),
        ("Strategy Hints", game.texts.strategy.strip()),
        ("Variants", game.texts.variants.strip()),
        ("Fairness", _FAIRNESS.strip()),
        ("Client", _client(game)),
        ("Messages", _messages(game)),
    )
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections)
    return f"{_front_matter(game)}\n# {game.title}\n\n{body}\n"


def house_edge_text(game: TableGame[Any]) -> str:
    """Return the house edge of the cheapest bet under the default terms: `1.06%`."""
    return min(house_edges(game), key=lambda edge: float(edge.edge.rstrip("%"))).edge


def house_edges(game: TableGame[Any]) -> Sequence[BetEdge]:
    """Return the house edge of each bet under the default terms of a table with a currency of two decimals."""
    return game.house_edges(game.terms_read(is_points=False, decimals=2, contribution_required=False))


def game_summary(game: TableGame[Any]) -> dict[str, Any]:
    """Return the game's row of GET /api/games."""
    return {
        "gameType": game.game_type,
        "name": game.title,
        "category": game.category,
        "gameModel": game.model.value,
        "players": {"min": 1, "max": game.seats_max},
        "specVersion": game.spec_version,
        "schemaFormat": SCHEMA_FORMAT,
    }


def _front_matter(game: TableGame[Any]) -> str:
    lines = (
        f"gameType: {game.game_type}",
        f'version: "{game.spec_version}"',
        f'name: "{game.title}"',
        f"category: {game.category}",
        f"gameModel: {game.model.value}",
        "players:",
        "  min: 1",
        f"  max: {game.seats_max}",
        f'houseEdge: "{house_edge_text(game)}"',
        f"defaultTimeoutAction: {game.default_timeout_action}",
        f"schemaFormat: {SCHEMA_FORMAT}",
    )
    return "\n".join(("---", *lines, "---", ""))


def _rules(game: TableGame[Any]) -> str:
    windows = _WINDOW_RULES.format(
        window=game.window_ms // 1000,
        pause=game.pause_ms // 1000,
        default=game.default_timeout_action,
        window_default="" if game.default_timeout_action == NO_BET else f" in a decision, `{NO_BET}` in a window",
    )
    turns = _TURN_RULES.format(turn=game.turn_ms // 1000) if game.model is GameModel.TURN_BASED else ""
    return f"{game.texts.rules.strip()}\n\n{windows.strip()}\n{turns.strip()}".strip()


def _actions(game: TableGame[Any]) -> str:
    rows = ["| action | takes | what it does |", "| --- | --- | --- |"]
    for action in _action_types(game):
        fields = [field for field in _properties(action) if field != "action"]
        schema = action_properties(game, str(action.__struct_config__.tag))
        taken = ", ".join(f"`{name}`" + ("" if name in schema["required"] else " (optional)") for name in fields)
        rows.append(f"| `{action.__struct_config__.tag}` | {taken or '-'} | {_sentence(action)} |")
    return "\n".join(rows) + "\n\n" + _ACTION_RULES.strip()


def action_properties(game: TableGame[Any], name: str) -> Schema:
    """Return the schema of one action."""
    mapping = action_schema(game, REF)["discriminator"]["mapping"]
    schema: Schema = game_schemas(game, REF)[mapping[name].removeprefix(REF.format(name=""))]
    return schema


def _state_schema(game: TableGame[Any]) -> str:
    parts = payload_refs(game, REF)
    kinds = [parts[name] for name in ("window", "request", "state") if name in parts]
    listed = [f"`{name}`" for name in ("betting_window_open", "game_action_request") if name in _sent_types(game)]
    text = (
        f"The `payload` of {', '.join(listed)} or `game_state_update`. The last is the public state, and every "
        "`resultingState` and `currentState` too."
    )
    return f"{text}\n\n{_block(game, {'oneOf': kinds})}"


def _sent_types(game: TableGame[Any]) -> set[str]:
    return {str(kind.__struct_config__.tag) for kind in game_message_kinds(game)}


def _action_schema(game: TableGame[Any]) -> str:
    schema = action_schema(game, REF)
    return f"The `payload` of `submit_action`. Fields that are not listed are ignored.\n\n{_block(game, schema)}"


def _result_schema(game: TableGame[Any]) -> str:
    return f"The `payload` of `round_result`.\n\n{_block(game, payload_refs(game, REF)['result'])}"


def _messages(game: TableGame[Any]) -> str:
    prefix = prefix_of(game)
    names = [kind.__name__ for kind in PROTOCOL_MESSAGES]
    names += [prefix + kind.__name__ for kind in game_message_kinds(game)]
    sent = [kind.__name__ if kind is not SubmitAction else prefix + kind.__name__ for kind in FROM_CLIENT]
    schema = {
        "oneOf": [{"$ref": REF.format(name="ServerMessage")}, {"$ref": REF.format(name="ClientMessage")}],
        "$defs": {
            "ServerMessage": {"oneOf": [{"$ref": REF.format(name=name)} for name in names]},
            "ClientMessage": {"oneOf": [{"$ref": REF.format(name=name)} for name in sent]},
        },
    }
    return (
        "Every frame of `/ws/tables` about this game, envelope included: `ServerMessage` and `ClientMessage`. "
        "`heartbeat` goes both ways. `sequence` is absent from `hello`, errors before log-in and messages that "
        f"`reconnect_state` repeats.\n\n{_block(game, schema)}\n\n{_codes()}"
    )


def _codes() -> str:
    errors = ", ".join(f"`{code.value}`" for code in ProtocolErrorCode)
    game_errors = ", ".join(f"`{code.value}`" for code in GameErrorCode)
    return f"Codes of `error`: {errors}.\n\nCodes of `game_error`: {game_errors}."


def _examples(game: TableGame[Any]) -> str:
    return "\n\n".join(
        f"### {round_.title}\n\n{round_.text}\n\n```json\n{_lines(round_.messages)}\n```"
        for round_ in example_rounds(game)
    )


def _rake(game: TableGame[Any]) -> str:
    rows = [f"| {edge.label} (`{edge.bet}`) | {edge.edge} |" for edge in house_edges(game)]
    return (
        "There is no rake: `rake` and `totalRake` are 0, and `grossAmount` is `netAmount`, the payout with the stakes. "
        "What the house keeps lies in the rules and odds. Of each stake, on average and under the default terms:\n\n"
        "| bet | house edge |\n| --- | --- |\n" + "\n".join(rows)
    )


def _client(game: TableGame[Any]) -> str:
    turns = "\n\n" + _TURN_MACHINE.strip() if game.model is GameModel.TURN_BASED else ""
    return _CLIENT.strip() + turns


def _block(game: TableGame[Any], schema: Schema) -> str:
    """Return a self-contained schema, with everything that it refers to, as a block of JSON."""
    schemas = {**protocol_schemas(REF), **game_schemas(game, REF), **schema.get("$defs", {})}
    definitions = definitions_of(schemas, [schema], REF)
    whole = {"$schema": DIALECT, **schema, "$defs": definitions}
    return f"```json\n{msgspec.json.format(json.encode(whole).decode(), indent=1)}\n```"


def _lines(messages: Iterable[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(json.encode(message).decode() for message in messages) + "\n]"


def _action_types(game: TableGame[Any]) -> tuple[type[Action], ...]:
    kinds: tuple[type[Action], ...] = game.messages.action.__args__
    return kinds


def _properties(action: type[Action]) -> tuple[str, ...]:
    return action.__struct_encode_fields__


def _sentence(kind: type[Action | ServerMessage]) -> str:
    return " ".join((kind.__doc__ or "").split())


_WINDOW_RULES: Final = """
### The table

- A round begins with `seed_commitment` and `betting_window_open`. A window lasts {window} seconds unless the room
  says otherwise (`windowSeconds`), and ends early when every seat that may stake has sent `ready`. A pause of {pause}
  seconds follows the result.
- A seat without a stake sits the round out. Three such windows in a row free the seat. If nobody stakes, no card is
  dealt: the round has no `round_result`, and `seed_reveal` follows the closing.
- All deadlines are the server's. When one passes, the default action is carried out once:
  `{default}`{window_default}.
- The cards that are left over stay in the shoe. A new shoe is laid out between rounds when the cut card is reached. A
  shoe that runs empty during a deal is refilled with all cards but those on the table.
- Rules, limits and odds of a round are those of the moment when its window opened.
- At a table of real money, a seat that is taken in an open window may stake from the next one on.
- Who leaves or loses the connection during a round is played out by default actions. The seat is kept for 120
  seconds, and until the round is settled.
"""
_TURN_RULES: Final = """
- Each decision has its own {turn} seconds unless the room says otherwise (`turnSeconds`); what is not used is not
  kept.
- A refused answer leaves the request open until its first deadline; the request is sent again with the time that is
  left, and `repeats` is the first one's `messageId`. After `INVALID_MESSAGE`, `DUPLICATE_MESSAGE` and `RATE_LIMITED` it
  is not sent again.
"""
_ACTION_RULES: Final = """
`availableActions` of a window or a request lists what may be sent now, with its limits. `place_bet`, `clear_bets`,
`ready` and `no_bet` answer an open `betting_window_open`; every other action answers an open `game_action_request`.
What is not on offer is `INVALID_ACTION`, an amount outside the limits `INVALID_AMOUNT`. An action that moves money is
booked when its `ack` comes. `clear_bets` takes all stakes of the window back, `place_bet` and `clear_bets` take a
`ready` back, `no_bet` has no effect.
"""
_CLIENT: Final = """
A client of a betting window, for each table by itself:

```text
IDLE -> (betting_window_open) -> BETTING
BETTING -> (send submit_action, any number) -> BETTING
BETTING -> (betting_window_closed) -> IDLE
BETTING -> (seed_reveal: the table was closed or the round voided) -> IDLE
```

Keep a fifth of `timeoutSeconds` for the network: an answer that arrives after the deadline is refused, and the
default action was taken. Send each message once with a `messageId` of its own (UUID v4); after a lost connection send
`reconnect` with the last `messageId` that was seen, and drop missed messages whose ids are known. A request or window
that is sent again has a new `messageId`, and the first one's in `repeats`.
"""
_TURN_MACHINE: Final = """
A client that is asked:

```text
IDLE -> (game_action_request) -> DECIDING -> (send submit_action) -> IDLE
IDLE -> (game_action_request with repeats: the answer was refused) -> DECIDING
IDLE -> (error INVALID_MESSAGE, DUPLICATE_MESSAGE or RATE_LIMITED about the answer) -> DECIDING
DECIDING -> (timeoutSeconds pass, or seed_reveal: the round was voided) -> IDLE
```
"""
_FAIRNESS: Final = """
A table makes a chain of server seeds when it opens: s_n is random, and each earlier one is the SHA-256 of the next
one's ASCII text, as lower-case hex. s_0 is published before the first round (`chainCommitment`), so no seed can be
chosen later. Round i of a chain is dealt with s_i; its `seedHash` is s_(i-1), and `seed_reveal` shows s_i after the
result.

The client seed is the contributions of the seats that were occupied when the window opened, in seat order, joined
with `|`. The nonce is the round's number. Integers come from HMAC-SHA256 with the server seed as key over
`clientSeed:nonce:block`, four bytes each, big-endian; a position among n cards is integer * n / 2^32, and an integer
whose product has a low half below 2^32 mod n is skipped (Lemire's method). The algorithm is called
`punto-hmac-sha256-v1`.

`shoe` of `seed_commitment` counts the cards that are left, hearts to spades, ace to king. They are laid out in
passes: pass p takes each face that is counted at least p times, in that order. Each card is drawn from the cards
left, the last of which moves into the gap. `shoe` null: infinite decks, each card is one of 52.

The limit of this: somebody who knows the seed and has a seat can use it for contributions, stakes, decisions and
timing.
"""
