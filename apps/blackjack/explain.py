"""A blackjack round in its bets and actions, as far as it went: nothing here can show a hidden card."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from apps.blackjack.engine.codec import event_from_json, from_json
from apps.blackjack.engine.events import HandSettled, InsuranceSettled, SideBetSettled, StakeTaken
from apps.blackjack.engine.settle import INSURANCE_RETURNS
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import HandStatus, InsuranceStatus, RoundState
from apps.blackjack.play import state_read
from apps.core.money import plain
from apps.rounds.explanation import ExplainedAction, ExplainedBet, Explanation
from apps.rounds.models import Round, RoundAction

_NOT_INSURED: Final = {"acceptedInsurance": False, "insuranceAmount": "0", "insurance": None}
"""What the details of rounds leave out that ended before these members were always there."""


def blackjack_explain(played: Round) -> Explanation:
    """Return the round's bets and actions, and once it has been played its end.

    Reads its actions, its state and its currency, where they were not read with it.
    """
    setup = from_json(RoundSetup, played.terms)
    state = state_read(played.blackjack.state, setup)
    quantum = played.currency.quantum
    rows = sorted(played.actions.all(), key=lambda row: row.number)
    return Explanation(
        bets=list(_bets(state, setup, quantum)),
        actions=[_action(row, quantum) for row in rows],
        outcome=_NOT_INSURED | played.detail if played.detail else {},
    )


def _bets(state: RoundState, setup: RoundSetup, quantum: Decimal) -> Iterator[ExplainedBet]:
    seat = state.seats[0]
    for index, hand in enumerate(seat.hands):
        is_over = hand.status.is_final
        pays = setup.rules.blackjack_pays if hand.status is HandStatus.BLACKJACK else Fraction(1)
        result = hand.status.value if is_over else None
        yield ExplainedBet("hand", index, hand.stake * quantum, _decimal(pays), hand.payout * quantum, result)
    for side in seat.side_bets:
        odds = setup.odds.get(side.outcome)
        yield ExplainedBet(
            side.bet.value,
            None,
            side.stake * quantum,
            None if odds is None else _decimal(odds),
            side.payout * quantum,
            side.outcome.value,
        )
    insurance = seat.insurance
    if insurance is not None and insurance.status is not InsuranceStatus.DECLINED:
        yield ExplainedBet(
            "insurance",
            None,
            insurance.stake * quantum,
            Decimal(INSURANCE_RETURNS - 1),
            insurance.payout * quantum,
            None if insurance.status is InsuranceStatus.PENDING else insurance.status.value,
        )


def _action(row: RoundAction, quantum: Decimal) -> ExplainedAction:
    staked = paid = 0
    for event in map(event_from_json, row.events):
        match event:
            case StakeTaken():
                staked += event.amount
            case SideBetSettled():
                paid += event.result.payout
            case HandSettled() | InsuranceSettled():
                paid += event.payout
    return ExplainedAction(
        number=row.number,
        by=row.acted_by,
        action=row.action["wire"],
        data=_data(row.action, quantum),
        stake=staked * quantum,
        payout=paid * quantum,
        time=row.ctime,
    )


def _data(recorded: Mapping[str, Any], quantum: Decimal) -> dict[str, object]:
    """Return the `data` of an action, as a client would send it."""
    match recorded["move"]:
        case "bet":
            stakes = recorded["stakes"]
            names = {"betAmount": "main", "perfecPairsBetAmount": "perfect_pairs", "pokerBetAmount": "poker"}
            return {name: plain(stakes[kind] * quantum) for name, kind in names.items() if stakes[kind]}
        case "insure":
            return {"acceptedInsurance": True, "insuranceAmount": plain(recorded["insurance"] * quantum)}
        case "decline":
            return {"acceptedInsurance": False}
        case _:
            return {}


def _decimal(odds: Fraction) -> Decimal:
    # Odds have four decimals at most, so the quotient is exact.
    return Decimal(odds.numerator) / Decimal(odds.denominator)
