"""Any request to the bet RPC gets a documented answer and conserves money."""

from decimal import Decimal
from functools import cache
from typing import Any, Final

import pytest
from django.conf import LazySettings
from django.db.models import Sum
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.baccarat.models import BaccaratConfig
from apps.core import json
from apps.wallet.models import WalletTransaction
from tests.support.asgi import AsgiAnswer
from tests.support.baccarat import BET_PATH, Seat, odds_set, seat_make

pytestmark = pytest.mark.usefixtures("committed")

BALANCE: Final = "1000000"
EXAMPLES: Final = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

numbers = st.one_of(
    st.integers(),
    st.integers(0, 11),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=0, max_value=1100),
    st.sampled_from([Decimal("1E+1"), Decimal("1E-9"), Decimal("1E+40"), 10**40, -0, Decimal("0.01")]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
good_bets = st.fixed_dictionaries(
    {
        "game_type": st.sampled_from([int(game_type) for game_type in GameType]),
        "bet_amount": st.decimals("1", "20", places=2),
    }
)
near_bets = st.fixed_dictionaries({"game_type": numbers | scalars, "bet_amount": numbers | scalars})
bodies = st.one_of(
    good_bets,
    near_bets,
    st.fixed_dictionaries({"bets": st.lists(good_bets, min_size=1, max_size=11)}),
    st.fixed_dictionaries({"bets": st.lists(st.one_of(good_bets, near_bets, values), max_size=12)}),
    st.fixed_dictionaries(
        {"game_type": st.just(1), "bet_amount": st.just(5)},
        optional={"currency": values, "bets": values, "more": values},
    ),
    st.dictionaries(st.sampled_from(["bets", "game_type", "bet_amount", "currency"]), values),
    values,
)


@pytest.fixture
def seat(settings: LazySettings) -> Seat:
    """A rich player at a table with all ten bets."""
    settings.PUNTO_BETS_PER_S = None
    seat = seat_make(BALANCE)
    config = BaccaratConfig.objects.get()
    for game_type in list(GameType)[3:]:
        odds_set(config, game_type, str(STANDARD_ODDS[game_type]))
    return seat


@cache
def form_of(status: int) -> tuple[Draft202012Validator, frozenset[str]]:
    """Return the schema and the codes of this status in the OpenAPI document. Raises KeyError."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    content = document["paths"][BET_PATH]["post"]["responses"][str(status)]["content"]["application/json"]
    schema = {"$ref": "#/schema", "schema": content["schema"], "components": document["components"]}
    return Draft202012Validator(schema), frozenset(content["examples"])


def documented(answer: AsgiAnswer) -> None:
    """Check status, body and code of the answer against the OpenAPI document."""
    form, codes = form_of(answer.status)
    # The validator understands plain numbers only.
    form.validate(_plain(answer.body))
    assert answer.status == 200 or answer.body["code"] in codes, answer.bytes


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return float(value)
        case dict():
            return {name: _plain(member) for name, member in value.items()}
        case list():
            return [_plain(member) for member in value]
        case _:
            return value


@EXAMPLES
@given(body=bodies, key=st.none() | st.sampled_from(["a", "b", "c"]))
def test_any_json_gets_a_documented_answer_and_money_is_conserved(seat: Seat, body: object, key: str | None) -> None:
    before, rows = seat.balance, WalletTransaction.objects.count()
    answer = seat.bet(body, key=key)
    documented(answer)
    moved = WalletTransaction.objects.order_by("number")[rows:]
    assert seat.balance == before + sum(row.change for row in moved)
    assert seat.balance == WalletTransaction.objects.aggregate(Sum("change"))["change__sum"]
    if not moved:  # refused, or the key's stored answer
        return
    assert answer.status == 200
    bets = answer.body.get("bets", [answer.body])
    assert seat.balance - before == sum(bet["reward_amount"] - bet["bet_amount"] for bet in bets)
    assert seat.balance == answer.body["balance"]


@EXAMPLES
@given(data=st.binary(max_size=40) | bodies.map(json.encode).flatmap(lambda text: st.just(text[: len(text) // 2])))
def test_any_bytes_get_a_documented_answer(seat: Seat, data: bytes) -> None:
    documented(seat.bet(data))


@pytest.mark.parametrize("depth", [200, 450, 900, 5000, 100_000])
@pytest.mark.parametrize("key", [None, "k"])
def test_deep_nesting_gets_a_documented_answer(seat: Seat, depth: int, key: str | None) -> None:
    nested = b"[" * depth + b"]" * depth
    documented(seat.bet(b'{"game_type": 1, "bet_amount": 1, "more": %s}' % nested, key=key))


@pytest.mark.parametrize("digits", [20, 400, 4000, 5000])
def test_long_numbers_get_a_documented_answer(seat: Seat, digits: int) -> None:
    number = b"9" * digits
    for text in (number, number + b".5", b"0." + number, number + b"e5", b"1e" + number, b"1e-" + number):
        documented(seat.bet(b'{"game_type": 1, "bet_amount": %s}' % text))
        documented(seat.bet(b'{"game_type": %s, "bet_amount": 1}' % text, key=f"{digits}-{len(text)}"))
