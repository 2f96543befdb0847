"""Plays a blackjack round from its seeds and from actions that a client lists."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec
from msgspec import UNSET

from apps.blackjack.engine.actions import Action, IllegalAction, Move, insurance_range
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, RulesError, rules_from_text
from apps.blackjack.engine.setup import RoundSetup, SeatStakes, StakesError
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOdds
from apps.blackjack.engine.state import Pace, Phase, RoundState
from apps.blackjack.messages import WireAction
from apps.blackjack.wire import MOVE_NAMES, MOVES, STAKE_NAMES, Funds, state_data
from apps.core.errors import BadParams, shortened
from apps.core.money import MAX_AMOUNT, is_multiple, parse_plain
from apps.fairness.round_seeds import Seeds
from apps.rounds.explanation import Redeal
from apps.rounds.verified_actions import MAX_ACTIONS, action_read

MAX_STAKE_UNITS: Final = 10**20
LOGGED_ACTIONS: Final = frozenset({*(move.value for move in Move), "bet"})
"""The names of actions in the log (`RoundAction.action`)."""

ACTION_NAMES: Final = LOGGED_ACTIONS | {action.value for action in WireAction}


def blackjack_redeal(
    seeds: Seeds,
    *,
    rules: Mapping[str, Any],
    actions: Sequence[Any],
    quantum: Decimal,
    odds: SideBetOdds = STANDARD_ODDS,
    pace: Pace = Pace.SOLO,
) -> Redeal:
    """Play the round of these seeds as far as `actions` go. Raises BadParams, which names the invalid action.

    `rules` are options over the solo game's. An action is a name of the wire ("Hit"), the name with its data
    (`{"action": "Peek", "data": {"acceptedInsurance": true}}`), or one as the round's details list it. Without
    a Bet at the front one unit of the currency is staked. `quantum` is its smallest one.
    """
    if len(actions) > MAX_ACTIONS:
        raise BadParams(f"actions: {MAX_ACTIONS} at most", field="actions")
    try:
        options = BlackjackRules.from_json(rules, base=SOLO_RULES)
    except RulesError as error:
        raise BadParams(f"rules: {shortened(str(error))}", field="rules") from error
    named = [action_read(number, item, ACTION_NAMES) for number, item in enumerate(actions)]
    stakes = SeatStakes(int(1 / quantum))
    if named and named[0][0] in {"Bet", "bet"}:
        stakes = _stakes_read(named.pop(0)[1], quantum)
    shoe = seeds.shoe(options.decks)
    state, _ = round_start(RoundSetup(options, (stakes,), pace, odds), shoe)
    last = WireAction.BET.value
    for number, (name, data) in enumerate(named):
        try:
            action = _action(state, name, data, quantum)
            state, _ = apply_action(state, action, shoe)
        except (IllegalAction, InvalidOperation, ValueError) as error:
            message = f"actions: {name[:20]!r}, number {number + 1} after the bet, is not possible"
            raise BadParams(message, field="actions") from error
        last = MOVE_NAMES[action.move]
    funds = Funds(MAX_AMOUNT, quantum)
    shown = state_data(state, last_action=last, first_stake=stakes.main, funds=funds)
    shown.balance = UNSET
    outcome = msgspec.to_builtins(shown) | {"roundEnded": state.phase is Phase.SETTLED}
    return Redeal(options.to_json(), [shoe[index].code for index in range(state.drawn)], outcome)


def blackjack_rules_from_text(text: str) -> dict[str, Any]:
    """Return the solo game's rules with these options, which are separated by commas or blanks. Raises RulesError."""
    return rules_from_text([text], base=SOLO_RULES).to_json()


def _stakes_read(data: Mapping[str, Any], quantum: Decimal) -> SeatStakes:
    try:
        if "stakes" in data:  # recorded stakes are already in smallest units
            stakes = msgspec.convert(data["stakes"], SeatStakes)
        else:
            stakes = SeatStakes(**{kind: _stake_read(data, names, quantum) for kind, names in STAKE_NAMES.items()})
        RoundSetup(SOLO_RULES, (stakes,))
    except (StakesError, msgspec.ValidationError, InvalidOperation, ValueError) as error:
        raise BadParams("actions.0: no stakes that a round starts with", field="actions.0") from error
    if stakes.main > MAX_STAKE_UNITS:
        raise BadParams("actions.0: a stake larger than any wallet", field="actions.0")
    return stakes


def _stake_read(data: Mapping[str, Any], names: Sequence[str], quantum: Decimal) -> int:
    return _units(next((data[name] for name in names if name in data), 0), quantum)


def _units(amount: Any, quantum: Decimal) -> int:
    if isinstance(amount, bool) or not isinstance(amount, int | str | Decimal):
        raise InvalidOperation(amount)
    value = parse_plain(amount) if isinstance(amount, str) else Decimal(amount)
    if not is_multiple(value, quantum):
        raise ValueError(amount)
    return int(value / quantum)


def _action(state: RoundState, name: str, data: Mapping[str, Any], quantum: Decimal) -> Action:
    if name == WireAction.PEEK.value:
        if not data.get("acceptedInsurance"):
            return Action(Move.DECLINE)
        stakes = insurance_range(state, None)
        amount = data.get("insuranceAmount")
        units = max(stakes, default=0) if amount is None else _units(amount, quantum)
        return Action(Move.INSURE, insurance=units)
    if name == WireAction.HIT.value and state.phase is Phase.DEALER:
        return Action(Move.DEALER_HIT)
    insurance = data.get("insurance", 0)
    if type(insurance) is not int:
        raise ValueError(insurance)
    return Action(_MOVES_BY_NAME.get(name) or Move(name), insurance=insurance)


_MOVES_BY_NAME: Final = {action.value: move for action, move in MOVES.items()}
