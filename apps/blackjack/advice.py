"""Advice on a player's decisions, from the cards that the player sees."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from apps.blackjack.advice_values import chart_find, values_find
from apps.blackjack.decisions import Decision, chart_move, decision_now, decisions_taken
from apps.blackjack.engine.actions import Action, Move
from apps.blackjack.engine.codec import from_json
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import RoundState
from apps.blackjack.explain import BlackjackExplanation
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.store import state_read
from apps.blackjack.table import move_of
from apps.core.errors import NotFound
from apps.rounds.models import ActedBy, Round, RoundEnd
from apps.rounds.table_game import SeatDecision
from apps.wallet.models import Wallet

NAMES: Final = {
    Move.HIT: "Hit",
    Move.STAND: "Stand",
    Move.DOUBLE: "Double",
    Move.SPLIT: "Split",
    Move.SURRENDER: "Surrender",
    Move.INSURE: "Insure",
    Move.DECLINE: "Decline",
}
"""The moves on the wire."""
VALUE_DECIMALS: Final = 6


def round_advice(played: Round, *, is_exact: bool) -> dict[str, Any]:
    """Return the best play of the open decision, or of each decision of a finished round with what was played.

    `isReady` is false while the worker computes. Raises NotFound for a round at a table, Unavailable.
    """
    if played.table_round is not None or not hasattr(played, "blackjack"):
        raise NotFound("there is no advice for this round")
    setup = from_json(RoundSetup, played.settlement_terms)
    is_open = played.how_ended == RoundEnd.OPEN
    decisions = _open_decision(played, setup) if is_open else _past_decisions(played, setup)
    chart = chart_find(setup.rules)
    worths = [values_find(decision) if is_exact else None for decision, _ in decisions]
    return {
        "roundId": str(played.pk),
        "isOpen": is_open,
        "isReady": chart is not None and (not is_exact or None not in worths),
        "decisions": [
            _advice(decision, taken, chart, worth) for (decision, taken), worth in zip(decisions, worths, strict=True)
        ],
    }


def table_advice(state: RoundState, position: int, *, is_exact: bool) -> dict[str, Any]:
    """Return the best play of the open decision of a seat at a live table.

    `decisions` is empty while the seat has nothing to decide. Raises Unavailable.
    """
    decision = decision_now(state, funds=None, seat=position)
    chart = None if decision is None else chart_find(decision.rules)
    worth = values_find(decision) if decision is not None and is_exact else None
    return {
        "isOpen": True,
        "isReady": decision is None or (chart is not None and (not is_exact or worth is not None)),
        "decisions": [] if decision is None else [_advice(decision, None, chart, worth)],
    }


def table_review(decisions: Iterable[SeatDecision], *, is_exact: bool) -> dict[str, Any]:
    """Return the best play of each decision of a player in a finished round at a live table, with what was played.

    Raises Unavailable.
    """
    taken = [
        (decision, move_of(each.play, each.action))
        for each in decisions
        if (decision := decision_now(each.play, funds=None, seat=each.position)) is not None
    ]
    chart = chart_find(taken[0][0].rules) if taken else None
    worths = [values_find(decision) if is_exact else None for decision, _ in taken]
    return {
        "isOpen": False,
        "isReady": not taken or (chart is not None and (not is_exact or None not in worths)),
        "decisions": [
            _advice(decision, move, chart, worth) for (decision, move), worth in zip(taken, worths, strict=True)
        ],
    }


def _open_decision(played: Round, setup: RoundSetup) -> Sequence[tuple[Decision, Move | None]]:
    wallet = Wallet.objects.get(player_id=played.player_id, currency_id=played.currency_id)
    funds = int(wallet.balance / played.currency.quantum)
    decision = decision_now(state_read(played.blackjack.state, setup), funds=funds)
    return [] if decision is None else [(decision, None)]


def _past_decisions(played: Round, setup: RoundSetup) -> Sequence[tuple[Decision, Move | None]]:
    rows = [row for row in played.actions.order_by("number") if row.number > 1]
    actions = [Action(Move(row.action["move"]), row.action["seat"], row.action["insurance"]) for row in rows]
    taken = decisions_taken(setup, actions, BlackjackExplanation(played).dealt.cards)
    # The platform plays out a round that was left open.
    return [each for row, each in zip(rows, taken, strict=True) if each and row.acted_by == ActedBy.PLAYER]


def _advice(
    decision: Decision, taken: Move | None, chart: Chart | None, worth: dict[str, float] | None
) -> dict[str, Any]:
    moves = decision.moves
    best = None if worth is None else max(moves, key=lambda move: worth[move.value])
    return {
        "hand": decision.hand_index,
        "cards": [card.code for card in decision.cards],
        "upcard": decision.upcard.code,
        "moves": [NAMES[move] for move in moves],
        "taken": None if taken is None else NAMES[taken],
        "basicStrategy": None if chart is None else NAMES[chart_move(chart, decision)],
        "best": None if best is None else NAMES[best],
        "values": None if worth is None else {NAMES[move]: f"{worth[move.value]:.{VALUE_DECIMALS}f}" for move in moves},
    }
