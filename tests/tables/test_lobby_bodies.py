"""Bodies of the lobby's calls: any object is read or refused, and the refusal names the member at fault."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadRequest
from apps.core.struct_reading import struct_read
from apps.tables.lobby_messages import JoinInput, RoomInput

MEMBERS = st.sampled_from(
    [*RoomInput.__struct_encode_fields__, *JoinInput.__struct_encode_fields__, "minAmount", "maxAmount"]
)
KEYS = MEMBERS | st.sampled_from(["", "`", "a.b", "[...]", "$"]) | st.text(max_size=5)
PLAIN = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=70) | st.sampled_from(["blackjack", "FUN", "0" * 32])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(KEYS, VALUES, max_size=6), st.sampled_from([RoomInput, JoinInput]), st.booleans())
def test_any_object_is_read_or_refused_with_the_member_at_fault(
    body: dict[str, Any], kind: type[RoomInput] | type[JoinInput], has_game: bool
) -> None:
    sent = body | {"gameType": "blackjack"} if has_game else body
    refusal: BadRequest | None = None
    try:
        struct_read(sent, kind)
    except BadRequest as error:
        refusal = error
    if refusal is not None:
        assert refusal.field
        assert refusal.message.startswith(f"{refusal.field}: ")
        assert refusal.field.split(".")[0] in kind.__struct_encode_fields__


@pytest.mark.parametrize("member", ["limits", "odds"])
def test_of_a_body_as_large_as_is_allowed_the_key_at_fault_is_named_at_once(member: str) -> None:
    """One whose keys were each read with the whole body would take minutes."""
    limits = {f"a{number}": {"minAmount": 1, "maxAmount": 2} for number in range(12_000)}
    body = {"gameType": "blackjack", "limits": limits, "odds": {f"a{number}": 1 for number in range(40_000)}}
    unknown = {f"x{number}": 1 for number in range(10_000)}
    body[member] = {**body[member], "last": []}  # type: ignore[dict-item]
    with pytest.raises(BadRequest, match=rf"^{member}\.last: "):
        struct_read(body | unknown, RoomInput)
