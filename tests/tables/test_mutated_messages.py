"""Messages with one fault each get the documented answer, keep the connection open, and change nothing.

The short run is one of `make test`; with `make soak` it is 10,000 messages, drawn anew each time.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid1, uuid4, uuid5

from apps.office.proof import proof_run
from apps.tables.models import GameTable, TableAction, TableSession
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.tables import Message, Seated, players_make, seated, session_make, sit, table_make

MESSAGES = 10_000 if IS_LONG else 400
SEED = random.randrange(2**32) if IS_LONG else 0

ACK: Final = "ack"
SILENCE: Final = "silence"
NO_MESSAGE: Final = frozenset({"INVALID_MESSAGE"})
TAKEN: Final = frozenset({ACK, "BETTING_WINDOW_CLOSED", "INVALID_AMOUNT"})
"""The answers to a valid stake: the sum of a round's stakes may reach the limit, and the window may have closed."""
OUT_OF_TURN: Final = frozenset({"NOT_YOUR_TURN", "ROUND_COMPLETE"})
"""The answers to an action out of turn: the second one comes in the pause after a round."""
DOCUMENTED: Final = TAKEN | OUT_OF_TURN | {
    SILENCE, "INVALID_MESSAGE", "DUPLICATE_MESSAGE", "VERSION_UNSUPPORTED", "GAME_NOT_FOUND", "TABLE_NOT_FOUND",
    "INVALID_ACTION",
}  # fmt: skip
TEXTS: Final = ("", "x", "\x00", "é" * 40, "'; --", "place_bet ", "PLACE_BET", "\u202e", "0" * 2_000, "null", "../..")
NO_TEXTS: Final = (None, True, 0, -1, 1.5, [], {}, [1], {"a": 1})
NO_NUMBERS: Final = (None, True, "10", "1e3", [], {}, [10], {"amount": 10})
NO_AMOUNTS: Final = ("-1", "0", "-0.0", "0.001", "1e15", "1e300", "99999999999999999999", "1e-400")
MAX_TEXT_CHARS: Final = 256
NO_OBJECTS: Final = (
    "null",
    "1",
    '"text"',
    "[]",
    "[{}]",
    "{",
    "}",
    "",
    " ",
    "{]",
    '{"a":}',
    "[" * 5_000,
    "{'a': 1}",
    "NaN",
)


@dataclass
class Mutator:
    """Makes messages at random, each with the answers that are documented for it."""

    baccarat: GameTable
    blackjack: GameTable
    token: str
    chance: random.Random
    used: list[str] = field(default_factory=list)
    """The ids of messages that were answered."""

    def draw(self) -> tuple[str, str | bytes, frozenset[str]]:
        """Return the name of the mutation, the frame, and the documented answers."""
        kind = self.chance.choice(KINDS)
        frame, answers = kind(self)
        return kind.__name__, frame, answers

    def good(self, **changes: Any) -> Message:
        """Return a valid stake with changes."""
        return {
            "type": "submit_action",
            "messageId": str(uuid4()),
            "timestamp": 1,
            "gameType": "baccarat",
            "tableId": str(self.baccarat.pk),
            "payload": {"action": "place_bet", "betType": "tie", "amount": 1},
        } | changes

    def payload(self, **changes: Any) -> Message:
        message = self.good()
        message["payload"] |= changes
        return message


Mutation = tuple[str | bytes, frozenset[str]]


def refusal_of(text: str, code: str) -> frozenset[str]:
    """Return the answer to an odd text in a field of the envelope: one that is too long is of the wrong type."""
    return NO_MESSAGE if len(text) > MAX_TEXT_CHARS else frozenset({code})


def nothing(mutator: Mutator) -> Mutation:
    return json.dumps(mutator.good()), TAKEN


def unknown_fields(mutator: Mutator) -> Mutation:
    extra = {f"extra{number}": mutator.chance.choice(NO_TEXTS) for number in range(3)}
    return json.dumps(mutator.payload(**extra) | extra), TAKEN


def field_missing(mutator: Mutator) -> Mutation:
    message = mutator.good()
    del message[mutator.chance.choice(list(message))]
    return json.dumps(message), NO_MESSAGE


def field_of_the_wrong_type(mutator: Mutator) -> Mutation:
    name = mutator.chance.choice(["type", "messageId", "gameType", "tableId", "protocolVersion"])
    odd: Any = mutator.chance.choice(NO_TEXTS)
    if mutator.chance.random() < 0.3:
        name, odd = mutator.chance.choice([("timestamp", "1"), ("timestamp", [1]), ("payload", "x"), ("payload", [])])
    return json.dumps(mutator.good(**{name: odd})), NO_MESSAGE


def no_version_4_id(mutator: Mutator) -> Mutation:
    odd = mutator.chance.choice([*TEXTS, str(uuid1()), str(uuid5(uuid4(), "x")), uuid4().hex[:-1], f"{uuid4()}0"])
    return json.dumps(mutator.good(messageId=odd)), NO_MESSAGE


def used_id(mutator: Mutator) -> Mutation:
    used = mutator.chance.choice(mutator.used)
    message_id = mutator.chance.choice([used, used.upper()])
    return json.dumps(mutator.good(messageId=message_id)), frozenset({"DUPLICATE_MESSAGE"})


def other_version(mutator: Mutator) -> Mutation:
    odd = mutator.chance.choice([*TEXTS, "1", "1.00", "2.0"])
    return json.dumps(mutator.good(protocolVersion=odd)), refusal_of(odd, "VERSION_UNSUPPORTED")


def other_game(mutator: Mutator) -> Mutation:
    if mutator.chance.random() < 0.5:
        return json.dumps(mutator.good(gameType="blackjack")), frozenset({"TABLE_NOT_FOUND"})
    odd = mutator.chance.choice(TEXTS)
    return json.dumps(mutator.good(gameType=odd)), refusal_of(odd, "GAME_NOT_FOUND")


def other_table(mutator: Mutator) -> Mutation:
    odd = mutator.chance.choice([*TEXTS, str(uuid4()), mutator.baccarat.pk.hex])
    return json.dumps(mutator.good(tableId=odd)), refusal_of(odd, "TABLE_NOT_FOUND")


def unknown_action(mutator: Mutator) -> Mutation:
    odd = mutator.chance.choice([*TEXTS, "hit", "stand", "insurance"])
    return json.dumps(mutator.payload(action=odd)), frozenset({"INVALID_ACTION"})


def unknown_bet(mutator: Mutator) -> Mutation:
    return json.dumps(mutator.payload(betType=mutator.chance.choice(TEXTS))), frozenset({"INVALID_ACTION"})


def payload_of_the_wrong_type(mutator: Mutator) -> Mutation:
    name = mutator.chance.choice(["action", "betType", "amount"])
    odd = mutator.chance.choice(NO_NUMBERS if name == "amount" else NO_TEXTS)
    return json.dumps(mutator.payload(**{name: odd})), NO_MESSAGE


def payload_missing_a_field(mutator: Mutator) -> Mutation:
    message = mutator.good()
    del message["payload"][mutator.chance.choice(["action", "betType", "amount"])]
    return json.dumps(message), NO_MESSAGE


def amount_outside_the_limits(mutator: Mutator) -> Mutation:
    text = json.dumps(mutator.good()).replace('"amount": 1', f'"amount": {mutator.chance.choice(NO_AMOUNTS)}')
    return text, frozenset({"INVALID_AMOUNT", "INVALID_MESSAGE", "BETTING_WINDOW_CLOSED"})


def out_of_turn(mutator: Mutator) -> Mutation:
    action = mutator.chance.choice(["hit", "stand", "split", "double_down", "surrender", "insurance"])
    address = {"gameType": "blackjack", "tableId": str(mutator.blackjack.pk)}
    return json.dumps(mutator.good(**address, payload={"action": action})), OUT_OF_TURN


def unknown_type(mutator: Mutator) -> Mutation:
    kind = mutator.chance.choice([*TEXTS, "error", "game_error", "round_result", "hello"])
    return json.dumps(mutator.good(type=kind)), frozenset({SILENCE})


def log_in_again(mutator: Mutator) -> Mutation:
    kind = mutator.chance.choice(["authenticate", "reconnect"])
    token = mutator.chance.choice([*TEXTS, mutator.token])
    return json.dumps(mutator.good(type=kind, token=token, sessionId=str(uuid4()))), NO_MESSAGE


def odd_direction(mutator: Mutator) -> Mutation:
    odd = mutator.chance.choice([*TEXTS, *NO_TEXTS])
    return json.dumps(mutator.good(type="heartbeat", direction=odd)), NO_MESSAGE


def no_object(mutator: Mutator) -> Mutation:
    odd: str | bytes = mutator.chance.choice(NO_OBJECTS)
    if mutator.chance.random() < 0.3:
        odd = json.dumps(mutator.good()).encode()
    return odd, NO_MESSAGE


def cut_off(mutator: Mutator) -> Mutation:
    text = json.dumps(mutator.good())
    return text[: mutator.chance.randrange(len(text))], NO_MESSAGE


def characters_changed(mutator: Mutator) -> Mutation:
    text = list(json.dumps(mutator.good()))
    for _ in range(mutator.chance.randint(1, 3)):
        text[mutator.chance.randrange(len(text))] = chr(mutator.chance.choice([0, 34, 44, 48, 92, 123, 125, 0x20AC]))
    return "".join(text), DOCUMENTED


KINDS: Final[tuple[Callable[[Mutator], Mutation], ...]] = (
    nothing, unknown_fields, field_missing, field_of_the_wrong_type, no_version_4_id, used_id, other_version,
    other_game, other_table, unknown_action, unknown_bet, payload_of_the_wrong_type, payload_missing_a_field,
    amount_outside_the_limits, out_of_turn, unknown_type, log_in_again, odd_direction, no_object, cut_off,
    characters_changed,
)  # fmt: skip


def test_each_wrong_message_gets_the_documented_answer_and_changes_nothing(
    committed: None, shared_server: Server
) -> None:
    logged = len(shared_server.log_text)  # other tests bring about errors of their own
    partner, (player,) = players_make(1, balance=1_000_000)
    baccarat = table_make(partner, game_type="baccarat", currency="FUN", window_s=60)
    blackjack = table_make(partner, currency="FUN", window_s=30)
    session, token = session_make(player)
    sit(session, baccarat)
    sit(session, blackjack)
    mutator = Mutator(baccarat, blackjack, token, random.Random(SEED))
    counts: Counter[str] = Counter()

    async def play() -> None:
        async with seated(shared_server, token) as client:
            refusal = await client.act(baccarat, "dance")
            mutator.used.append(refusal["relatedMessageId"])
            for number in range(MESSAGES):
                kind, frame, documented = mutator.draw()
                answers = await answers_to(client, frame)
                assert len(answers) == 1, (SEED, number, kind, frame, answers)
                assert answers[0] in documented, (SEED, number, kind, frame, answers)
                counts[answers[0]] += 1
                if kind in ("nothing", "unknown_action", "unknown_bet"):
                    mutator.used.append(json.loads(frame)["messageId"])

    asyncio.run(play())
    assert counts.keys() >= DOCUMENTED - {"BETTING_WINDOW_CLOSED", "ROUND_COMPLETE"}
    assert TableAction.objects.filter(is_timeout=False).count() == counts[ACK]
    assert not proof_run().findings
    assert TableSession.objects.get().ended_at is None
    failures = ("Traceback", "_failed")
    assert not [line for line in shared_server.log_text[logged:].splitlines() if any(word in line for word in failures)]


async def answers_to(client: Seated, frame: str | bytes) -> list[str]:
    """Return the codes of the answers to a frame: those before the pong of a ping that is sent after it."""
    heard = len(client.heard)
    await client.link.send(frame)
    await client.send("heartbeat", direction="ping")
    pong = await client.until(lambda message: message["type"] == "heartbeat" and message["direction"] == "pong")
    told = client.heard[heard : client.heard.index(pong, heard)]
    codes = [str(message.get("code", ACK)) for message in told if message["type"] in ("error", "game_error", ACK)]
    return codes or [SILENCE]
