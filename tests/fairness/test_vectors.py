"""The server deals the vectors of tests/vectors/deals.json; tests/js checks the browser's code against the same
file."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.baccarat.engine import deal
from apps.cards.notation import format_cards
from apps.fairness.engine import commitment, fair_shoe

VECTORS = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "deals.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_the_server_deals_the_vectors(vector: dict[str, Any]) -> None:
    seeds = vector["serverSeed"], vector["clientSeed"], vector["nonce"]
    shoe = fair_shoe(*seeds, decks=vector["decks"])
    dealt = deal(fair_shoe(*seeds, decks=vector["decks"]))
    cards = vector["cards"].split()
    assert [shoe[index].code for index in range(len(cards))] == cards
    assert (format_cards(dealt.player), format_cards(dealt.banker)) == (vector["player"], vector["banker"])
    assert commitment(vector["serverSeed"]) == vector["commitment"]
