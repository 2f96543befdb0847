"""The fair deal against the vectors of docs/fairness.md and a second implementation."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.cards.card import CARDS
from apps.cards.notation import format_cards
from apps.cards.shoe import INFINITE_DECKS
from apps.fairness import engine
from apps.fairness.engine import FairShoe, commitment, draw_below, fair_shoe, is_client_seed, is_server_seed, stream

SERVER_SEED = "0123456789abcdef" * 4
CLIENT_SEED = "punto"


def test_the_commitment_is_the_documented_hash_of_the_server_seed() -> None:
    assert commitment(SERVER_SEED) == "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e"


def test_the_first_ten_floats_are_the_documented_ones() -> None:
    floats = [f"{integer / 2**32:.10f}" for integer in islice(stream(SERVER_SEED, CLIENT_SEED, 0), 10)]
    assert floats == [
        "0.7559491796",
        "0.5492003052",
        "0.1169978313",
        "0.1770223430",
        "0.0471887607",
        "0.3664306344",
        "0.2704299442",
        "0.3496464605",
        "0.3492808919",
        "0.9012344913",
    ]


@pytest.mark.parametrize(
    ("decks", "nonce", "cards"),
    [
        (INFINITE_DECKS, 0, "S1 C3 H7 H10 H3 D7 D2 D6 D6 S8"),
        (8, 0, "H3 D7 S10 D9 D7 S8 H7 S1 CK H3"),
        (1, 7, "HK S10 H10 C6 D2 HQ CK CJ H1 H8"),
    ],
)
def test_the_first_ten_cards_are_the_documented_ones(decks: int, nonce: int, cards: str) -> None:
    shoe = fair_shoe(SERVER_SEED, CLIENT_SEED, nonce, decks=decks)
    assert format_cards([shoe[index] for index in range(10)]) == cards


@pytest.mark.parametrize(
    ("integers", "n", "position", "taken"),
    [
        pytest.param([0, 1], 52, 0, 2, id="0-is-discarded"),
        pytest.param([82595525, 4294967295], 52, 51, 2, id="82595525-is-discarded"),
        pytest.param([0, 82595525, 0, 1], 52, 0, 4, id="three-in-a-row-are-discarded"),
        pytest.param([1], 52, 0, 1, id="1-is-kept"),
        pytest.param([4294967295], 52, 51, 1, id="the-last-is-kept"),
        pytest.param([0], 64, 0, 1, id="a-power-of-two-discards-nothing"),
    ],
)
def test_integers_that_would_favour_some_cards_are_discarded(
    integers: list[int], n: int, position: int, taken: int
) -> None:
    source = iter([*integers, 7, 7])
    assert draw_below(source, n) == position
    assert len(list(source)) == len(integers) + 2 - taken


def test_draws_are_exactly_uniform_over_all_integers_of_a_small_stream() -> None:
    """Try Lemire's method on every integer of 10 bits, since `draw_below` has too many integers of 32 bits."""
    bits = 10
    for n in (3, 7, 52):
        kept = [u * n >> bits for u in range(2**bits) if (u * n) % 2**bits >= 2**bits % n]
        assert set(Counter(kept).values()) == {2**bits // n}


@settings(max_examples=200)
@given(integer=st.integers(0, 2**32 - 1), n=st.integers(1, 416))
def test_a_draw_is_the_floor_of_the_float_or_discarded(integer: int, n: int) -> None:
    kept = (integer * n) % 2**32 >= 2**32 % n
    source = iter([integer, 2**31 + 1])
    position = draw_below(source, n)
    assert position == (int(integer / 2**32 * n) if kept else (2**31 + 1) * n // 2**32)


@pytest.mark.parametrize("decks", [1, 2, 8])
def test_a_shoe_deals_each_of_its_cards_once(decks: int) -> None:
    shoe = fair_shoe(SERVER_SEED, CLIENT_SEED, 3, decks=decks)
    dealt = Counter(shoe[index] for index in range(52 * decks))
    assert dealt == dict.fromkeys(CARDS, decks)
    with pytest.raises(IndexError, match=f"all {52 * decks} cards of the shoe are dealt"):
        shoe[52 * decks]


def test_an_infinite_shoe_has_no_last_card() -> None:
    assert fair_shoe(SERVER_SEED, CLIENT_SEED, 0, decks=INFINITE_DECKS)[1000] in CARDS


def test_a_card_has_its_place_in_any_order_of_access() -> None:
    shoe, other = (fair_shoe(SERVER_SEED, CLIENT_SEED, 5, decks=6) for _ in range(2))
    backwards = [shoe[index] for index in range(39, -1, -1)]
    assert backwards[::-1] == [other[index] for index in range(40)] == [shoe[index] for index in range(40)]
    with pytest.raises(IndexError, match="dealt from its front"):
        shoe[-1]


def test_only_the_requested_cards_are_drawn() -> None:
    taken = []

    def counted() -> Iterator[int]:
        for integer in stream(SERVER_SEED, CLIENT_SEED, 0):
            taken.append(integer)
            yield integer

    shoe = FairShoe(counted(), decks=8)
    assert taken == []
    assert shoe[3] is shoe[3]
    assert len(taken) == 4


@pytest.mark.parametrize("decks", [0, 10])
def test_invalid_numbers_of_decks_are_refused(decks: int) -> None:
    with pytest.raises(ValueError, match="1 to 8 are possible"):
        fair_shoe(SERVER_SEED, CLIENT_SEED, 0, decks=decks)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("punto", True),
        ("!", True),
        ("~" * 64, True),
        ("", False),
        ("~" * 65, False),
        ("a|b", False),
        ("a b", False),
        ("\x7f", False),
        ("é", False),
        ("punto\n", False),
    ],
)
def test_a_client_seed_is_1_to_64_printable_characters_of_ascii_without_spaces_and_bars(text: str, valid: bool) -> None:
    assert is_client_seed(text) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [(SERVER_SEED, True), (SERVER_SEED.upper(), False), (SERVER_SEED[:-1], False), (SERVER_SEED + "\n", False)],
)
def test_a_server_seed_is_64_lower_case_hexadecimal_digits(text: str, valid: bool) -> None:
    assert is_server_seed(text) is valid


def cards_again(server_seed: str, client_seed: str, nonce: int, decks: int) -> Iterator[int]:
    """A second implementation of docs/fairness.md: return the numbers of the dealt cards."""

    def integers() -> Iterator[int]:
        for block in count():
            message = f"{client_seed}:{nonce}:{block}".encode()
            digest = hmac.new(server_seed.encode(), message, hashlib.sha256).digest()
            for place in range(0, 32, 4):
                yield int.from_bytes(digest[place : place + 4], "big")

    source = integers()
    left = [number for _ in range(decks) for number in range(52)]
    while True:
        n = 52 if decks == INFINITE_DECKS else len(left)
        while (product := next(source) * n) % 2**32 < 2**32 % n:
            pass
        position = product // 2**32
        if decks == INFINITE_DECKS:
            yield position
        else:
            yield left[position]
            left[position] = left[-1]
            left.pop()


@settings(max_examples=60)
@given(
    server_seed=st.text("0123456789abcdef", min_size=64, max_size=64),
    client_seed=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="|"), min_size=1),
    nonce=st.integers(0, 10**9),
    decks=st.integers(1, INFINITE_DECKS),
)
def test_a_second_implementation_deals_the_same_cards(
    server_seed: str, client_seed: str, nonce: int, decks: int
) -> None:
    shoe = fair_shoe(server_seed, client_seed, nonce, decks=decks)
    again = list(islice(cards_again(server_seed, client_seed, nonce, decks), 45))
    assert [shoe[index].number for index in range(45)] == again


def test_the_engine_has_no_randomness_of_its_own() -> None:
    source = Path(engine.__file__).read_text(encoding="utf-8")
    assert "import random" not in source
    assert "secrets" not in source
