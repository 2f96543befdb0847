"""Random odd values and odd JSON."""

import json
import random
from typing import Any, Final

LONG: Final = "Zq" * 3000
ECHO: Final = "Zq" * 51
"""A refusal must not repeat more than 100 characters of a client's text."""

TEXTS: Final = (
    "", " ", "0", "-1", "1e999999999", "NaN", "Infinity", "0x10", "1,5", "1_000", "٣", "½", "null", "true", "a" * 65,
    "\x00", "a\x00b", "\ud800", "\u202e", "\ufeff", "é", "🂡", "%", "_", "%_", "'", "\"", "\\", "' OR 1=1 --", "{{7*7}}",
    "<script>alert(1)</script>", "../../etc/passwd", "a\r\nX-Injected: 1", "=1+1", "FUN", "fun", "EUR", "XXX",
    "00000000-0000-4000-8000-000000000000", "not-a-uuid", "9" * 400, "2026-13-45", "0001-01-01", "9999-12-31T23:59:60Z",
    LONG,
)  # fmt: skip
NUMBERS: Final = ("0", "-0", "-1", "1", "0.00000001", "0.001", "1e2", "1E-30", "1e999999999", "9" * 30, "2147483648",
                  "9223372036854775808", "1.7976931348623157e309")  # fmt: skip
ODD_JSON: Final = (
    b"", b" ", b"{", b"[]", b"{}", b"null", b"1", b'"x"', b"[[[[[[]]]]]]", b"\xff\xfe", b"\xef\xbb\xbf{}", b"{'a':1}",
    b'{"a":1,}', b'{"a":1}{"b":2}', b'{"a":NaN}', b'{"a":-Infinity}', b'{"a":"\\ud800"}', b"[" * 5000, b'{"a":' * 2000,
    b'{"\\u0000":"\\u0000"}', b'{"a":01}', b"/*x*/{}", b"\x00",
)  # fmt: skip


class RawNumber(float):
    """A number that is encoded as its text, however large."""

    def __new__(cls, text: str) -> "RawNumber":
        number = super().__new__(cls, 0)
        number.text = text  # type: ignore[attr-defined]
        return number

    def __repr__(self) -> str:
        return str(self.text)  # type: ignore[attr-defined]


def value_odd(chance: random.Random) -> Any:
    """Return a random odd value."""
    kind = chance.randrange(6)
    if kind <= 2:
        return chance.choice(TEXTS)
    if kind == 3:
        return RawNumber(chance.choice(NUMBERS))
    return chance.choice([None, True, False, [], {}, [1], {"a": 1}, [[]], [None] * 200])


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with one odd value at any depth."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        match chance.randrange(6):
            case 0:
                return {key: part for key, part in value.items() if key != name}
            case 1:
                return value | {chance.choice(TEXTS): value_odd(chance)}
            case _:
                return value | {name: mutated(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        if chance.random() < 0.3:
            return value * chance.choice([0, 2, 120])
        return [*value[:place], mutated(value[place], chance), *value[place + 1 :]]
    return value_odd(chance)


def written(value: Any) -> bytes:
    """Return a value as JSON; a RawNumber keeps its digits."""
    marks: list[str] = []

    def marked(part: Any) -> Any:
        if isinstance(part, RawNumber):
            marks.append(repr(part))
            return f"@number {len(marks) - 1}@"
        if isinstance(part, dict):
            return {key: marked(item) for key, item in part.items()}
        return [marked(item) for item in part] if isinstance(part, list) else part

    text = json.dumps(marked(value))
    for number, mark in enumerate(marks):
        text = text.replace(f'"@number {number}@"', mark)
    return text.encode()
