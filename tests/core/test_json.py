"""The codec: numbers stay exact, and malformed JSON is refused."""

from decimal import Decimal
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import MalformedBody
from apps.core.json import canonical, decode, decode_object, encode, encode_large, type_name

amounts = st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**12), max_value=10**12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20) | amounts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("1e2", Decimal(100)),
        ("10", 10),
        ("52.50", Decimal("52.50")),
        ("[1, 0.3]", [1, Decimal("0.3")]),
        ("true", True),
        ('"0.1"', "0.1"),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": 1, "a": 2, "b": ' + "9" * 5000 + "}", {"a": 2, "b": 10**5000 - 1}),
    ],
)
def test_decode_keeps_numbers_exact(text: str, value: object) -> None:
    decoded = decode(text)
    assert decoded == value
    assert type(decoded) is type(value)


@pytest.mark.parametrize(
    "text",
    ["", "{", "nan", "NaN", "Infinity", "'a'", "[1,]", "\ud800", b"\xff", "[" * 100_000],
)
def test_malformed_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(MalformedBody):
        decode(text)


@pytest.mark.parametrize("rest", ["NaN", '"\\ud800"', "x"])
def test_malformed_json_with_a_number_of_thousands_of_digits_is_refused(rest: str) -> None:
    with pytest.raises(MalformedBody):
        decode(f"[{'9' * 5000}, {rest}]")


@pytest.mark.parametrize(
    ("text", "same", "canonical_text"),
    [
        ("1e999999999", "10.0e999999998", b"1e999999999"),
        ("-1.50e-999999999", "-15e-1000000000", b"-1.5e-999999999"),
        ("1e73", "1" + "0" * 73, b"1e73"),
        ("1" + "0" * 5000, "1e5000", b"1e5000"),
        ("0e999999999", "0", b"0"),
        ("1e99999999999999999999", "2e99999999999999999999", b'"Infinity"'),
        ("-1e-99999999999999999999", "-1e99999999999999999999", b'"-Infinity"'),
    ],
)
def test_a_number_of_any_size_is_read_and_has_a_short_text(text: str, same: str, canonical_text: bytes) -> None:
    assert decode(text) == decode(same)
    assert canonical(decode(text)) == canonical(decode(same)) == canonical_text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[]", "a list"),
        ('"a"', "a string"),
        ("1", "a number"),
        ("0.5", "a number"),
        ("true", "true or false"),
        ("null", "null"),
    ],
)
def test_a_body_that_is_not_an_object_is_refused(text: str, name: str) -> None:
    with pytest.raises(MalformedBody, match=f"^the body is {name}; an object is expected$"):
        decode_object(text)


def test_an_object_is_accepted() -> None:
    assert decode_object(b'{"bet_amount": 0.10}') == {"bet_amount": Decimal("0.10")}
    assert type_name({}) == "an object"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("10.00000000"), b"10"),
        (Decimal("1E+1"), b"10"),
        (Decimal("0E-8"), b"0"),
        (Decimal("1E-8"), b"0.00000001"),
        ({"a": [Decimal("52.50")], "b": (1, None)}, b'{"a":[52.5],"b":[1,null]}'),
        ({"a": [2**64, "1E+1"], "b": (1, None)}, b'{"a":[18446744073709551616,"1E+1"],"b":[1,null]}'),
        (MappingProxyType({"a": 1}), b'{"a":1}'),
    ],
)
def test_encode_writes_exact_numbers(value: object, text: bytes) -> None:
    assert encode(value) == encode_large(value) == text


def test_canonical_sorts_keys_and_shortens_numbers() -> None:
    assert canonical({"b": Decimal("1.0"), "a": {"d": 1, "c": 2}}) == b'{"a":{"c":2,"d":1},"b":1}'
    assert canonical({"a": 1, "b": 2}) == canonical({"b": Decimal("2.00"), "a": Decimal(1)})


@settings(max_examples=60)
@given(values)
def test_encoded_values_decode_to_themselves(value: object) -> None:
    assert decode(encode(value)) == value
    assert decode(canonical(value)) == value
