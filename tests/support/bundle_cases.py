"""Rounds of the engines in the form of a round's bundle, for the rules in the bundle."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from apps.baccarat.engine import STANDARD_ODDS, GameType, bet_settle, deal
from apps.blackjack.advice import NAMES
from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, Surrender
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import STANDARD_ODDS as SIDE_ODDS
from apps.blackjack.engine.state import Pace, Phase, RoundState, seats_to_act
from apps.blackjack.explain import cards_dealt
from apps.blackjack.table import card_places
from apps.cards.card import CARDS, Card
from apps.dragon_tiger import engine as dragon_tiger
from apps.fairness.engine import fair_shoe

TABLE_NAMES = {
    Move.HIT: "hit", Move.STAND: "stand", Move.DOUBLE: "double_down", Move.SPLIT: "split",
    Move.SURRENDER: "surrender", Move.INSURE: "insurance", Move.DECLINE: "stand",
}  # fmt: skip
"""The names of moves in the log of a table's round."""
STAKE = Decimal("7.01")
"""The stake of each bet of a one-deal game, whose payouts need rounding."""


class Case(NamedTuple):
    """A round of an engine in a bundle's form, and the payouts of its bets in smallest units."""

    played: dict[str, Any]
    cards: dict[str, Any]
    paid: list[int]


def baccarat_cases(count: int) -> Iterator[Case]:
    """Yield deals with a bet of each kind."""
    terms = {"odds": {kind.wire_name: str(float(odds)) for kind, odds in STANDARD_ODDS.items()}}
    for nonce in range(count):
        outcome = deal(fair_shoe("ab" * 32, "punto", nonce, decks=8))
        cards = [outcome.player[0], outcome.banker[0], outcome.player[1], outcome.banker[1]]
        cards += [*outcome.player[2:], *outcome.banker[2:]]
        settled = [bet_settle(outcome, kind, STAKE, STANDARD_ODDS[kind], quantum=Decimal("0.01")) for kind in GameType]
        yield one_deal_case([kind.wire_name for kind in GameType], terms, cards, [each.payout for each in settled])


def dragon_tiger_cases(count: int) -> Iterator[Case]:
    """Yield deals with a bet of each kind."""
    odds = dragon_tiger.STANDARD_ODDS
    terms = {"odds": {kind.wire_name: str(Fraction(x)) for kind, x in odds.items()}}
    for nonce in range(count):
        pair = dragon_tiger.deal(fair_shoe("ab" * 32, "punto", nonce, decks=8))
        settled = [
            dragon_tiger.bet_settle(pair, kind, STAKE, odds[kind], quantum=Decimal("0.01"))
            for kind in dragon_tiger.GameType
        ]
        names = [kind.wire_name for kind in dragon_tiger.GameType]
        yield one_deal_case(names, terms, [pair.dragon, pair.tiger], [each.payout for each in settled])


def one_deal_case(
    names: Sequence[str], terms: dict[str, Any], cards: Sequence[Card], payouts: Sequence[Decimal]
) -> Case:
    played = {
        "bets": [{"bet": name, "stake": str(STAKE)} for name in names],
        "terms": terms, "paytable": None, "quantum": "0.01",
    }  # fmt: skip
    return Case(played, {"dealt": [card.code for card in cards], "places": []}, [int(100 * paid) for paid in payouts])


def blackjack_cases(count: int) -> Iterator[Case]:
    """Yield rounds with every kind of decision at random, every second one of a seat at a table."""
    chance = random.Random(7)
    for number in range(count):
        rules = replace(
            SOLO_RULES,
            dealer_peek=number % 3 > 0,
            dealer_hits_soft_17=number // 2 % 2 > 0,
            surrender=Surrender.LATE if number % 3 else Surrender.OFF,
        )
        seats = [None] if number % 2 else sorted(chance.sample(range(1, 8), chance.randint(1, 4)))
        shoe = tuple(CARDS[place % 52] for place in chance.sample(range(52 * 8), 100))
        if number % 5 == 0:
            again = len(seats) + 1
            shoe = (*shoe[:again], CARDS[(shoe[0].rank + 13 * chance.randrange(4)) % 52], *shoe[again + 1 :])
        setup = RoundSetup(rules, tuple(SeatStakes(7, 3, 5) for _ in seats), Pace.SOLO if number % 2 else Pace.TABLE)
        state, events, moves = at_random(setup, shoe, chance)
        hole_index = state.hole_index if rules.dealer_peek else None
        if seats == [None]:
            dealt = cards_dealt(events, hole_index=hole_index)
            cards = {"dealt": list(dealt.cards), "places": list(dealt.places)}
        else:
            places = card_places(events, [seat or 0 for seat in seats], hole_index=hole_index)
            cards = {"dealt": [card.code for card in shoe[: state.drawn]], "places": places}
        yield from (
            Case(*blackjack_seat(setup, state, position, seat, moves, cards)) for position, seat in enumerate(seats)
        )


def at_random(
    setup: RoundSetup, shoe: tuple[Card, ...], chance: random.Random
) -> tuple[RoundState, list[Event], list[tuple[int, Move]]]:
    """Play a round with random decisions; return its end, its events, and the moves by position."""
    state, told = round_start(setup, shoe)
    events, moves = list(told), []
    while state.phase is not Phase.SETTLED:
        position = seats_to_act(state)[0] if setup.pace is Pace.TABLE else 0
        move = chance.choice(legal_actions(state, None, position))
        insurance = insurance_range(state, None, position)[-1] if move is Move.INSURE else 0
        state, told = apply_action(state, Action(move, position, insurance), shoe)
        events += told
        moves.append((position, move))
    return state, events, moves


def blackjack_seat(
    setup: RoundSetup, state: RoundState, position: int, number: int | None, moves: Sequence[tuple[int, Move]],
    cards: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any], list[int]]:  # fmt: skip
    """Return a seat's round in its bundle's form, and the payouts of its bets."""
    seat = state.seats[position]
    rows = [("hand", index, hand.stake, hand.payout, hand.status.value) for index, hand in enumerate(seat.hands)]
    rows += [(side.bet.value, None, side.stake, side.payout, side.outcome.value) for side in seat.side_bets]
    if seat.insurance is not None and seat.insurance.stake:
        rows.append(("insurance", None, seat.insurance.stake, seat.insurance.payout, seat.insurance.status.value))
    names = TABLE_NAMES if number else NAMES
    played = {
        "bets": [
            {"bet": bet, "hand": hand, "stake": str(stake), "result": result} for bet, hand, stake, _, result in rows
        ],
        "decisions": [{"action": names.get(move, "")} for at, move in moves if at == position],
        "terms": {"rules": setup.rules.to_json(), "odds": {name.value: str(x) for name, x in SIDE_ODDS.items()}},
        "paytable": None, "quantum": "1", "seat": number,
    }  # fmt: skip
    return played, cards, [row[3] for row in rows]


CASES: dict[str, Callable[[int], Iterator[Case]]] = {
    "og-baccarat": baccarat_cases,
    "og-dragon-tiger": dragon_tiger_cases,
    "og-blackjack": blackjack_cases,
}
