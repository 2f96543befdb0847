"""Baccarat, dealt again and held against its record."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from apps.baccarat.engine import Deal, GameType, bet_settle, deal
from apps.cards.shoe import INFINITE_DECKS
from apps.core.errors import BadParams
from apps.office.verification.seeds import DealtAgain, Seeds
from apps.rounds.models import Round

DEFAULT_DECKS: Final = 8

_RESULTS: Final = {1: "UserWin", 2: "UserLost", 3: "Draw"}


def baccarat_deal_again(seeds: Seeds, rules: Mapping[str, Any]) -> DealtAgain:
    """Deal the round of these seeds; `rules` may hold `decks`. Raises BadParams."""
    decks = rules.get("decks", DEFAULT_DECKS)
    if type(decks) is not int or not 1 <= decks <= INFINITE_DECKS or set(rules) - {"decks"}:
        raise BadParams(f"rules: decks of 1 to 8, or {INFINITE_DECKS} for an infinite deck", field="rules")
    outcome = deal(seeds.shoe(decks))
    results = {
        game_type.wire_name: _RESULTS[
            bet_settle(outcome, game_type, Decimal(1), Fraction(1), quantum=Decimal(1)).result_type
        ]
        for game_type in GameType
    }
    return DealtAgain(
        rules={"decks": decks},
        cards=_in_dealing_order(outcome),
        outcome={
            "player": _codes(outcome.player),
            "banker": _codes(outcome.banker),
            "player_score": outcome.player_score,
            "banker_score": outcome.banker_score,
            "winner": outcome.winner.value,
            "results": results,
        },
    )


def baccarat_differences(found: Round, seeds: Seeds) -> tuple[list[str], list[str]]:
    """Deal a recorded round again; return its cards, and a sentence for each thing that is not as recorded."""
    outcome = deal(seeds.shoe(int(found.terms["decks"])))
    quantum = found.currency.quantum
    sides = (_codes(outcome.player), _codes(outcome.banker))
    faults = []
    staked = paid = Decimal(0)
    for record in found.baccarat_records.order_by("pk"):
        name = GameType(record.game_type).wire_name
        if (list(record.player_cards), list(record.banker_cards)) != sides:
            faults.append(f"{name}: the cards are {sides}, the record has {record.player_cards, record.banker_cards}")
        settled = bet_settle(
            outcome, GameType(record.game_type), record.bet_amount, Fraction(record.odds), quantum=quantum
        )
        if (settled.result_type, settled.payout) != (record.result_type, record.reward_amount):
            faults.append(f"{name}: pays {settled.payout}, the record has {record.reward_amount}")
        staked, paid = staked + record.bet_amount, paid + settled.payout
    if (staked, paid) != (found.stake, found.payout):
        faults.append(f"the bets come to {staked} and pay {paid}, the round has {found.stake} and {found.payout}")
    return _in_dealing_order(outcome), faults


def _codes(cards: Any) -> list[str]:
    return [card.code for card in cards]


def _in_dealing_order(outcome: Deal) -> list[str]:
    first = [outcome.player[0], outcome.banker[0], outcome.player[1], outcome.banker[1]]
    return _codes([*first, *outcome.player[2:], *outcome.banker[2:]])
