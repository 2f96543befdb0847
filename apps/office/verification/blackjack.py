"""Blackjack, played again from its seeds and actions, and held against its record."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec
from msgspec import UNSET

from apps.blackjack.engine.actions import Action, IllegalAction, Move, insurance_range
from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.play import apply_action, replay, round_start
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, RulesError
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes, StakesError
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOdds
from apps.blackjack.engine.state import Phase, RoundState
from apps.blackjack.messages import WireAction
from apps.blackjack.play import state_write
from apps.blackjack.wire import MOVE_NAMES, Purse, state_data
from apps.cards.shoe import Shoe
from apps.core.errors import BadParams, shortened
from apps.core.money import MAX_AMOUNT, is_multiple, parse_plain
from apps.office.verification.seeds import DealtAgain, Seeds
from apps.rounds.models import Round

MAX_ACTIONS: Final = 100
MAX_STAKE_UNITS: Final = 10**20

_MOVES: Final = {
    "Hit": Move.HIT,
    "Stand": Move.STAND,
    "Double": Move.DOUBLE,
    "Split": Move.SPLIT,
    "Surrender": Move.SURRENDER,
}


_NAMES: Final = frozenset({*(action.value for action in WireAction), *(move.value for move in Move), "bet"})


def blackjack_play_again(
    seeds: Seeds,
    rules: Mapping[str, Any],
    actions: Sequence[Any],
    *,
    quantum: Decimal,
    odds: SideBetOdds = STANDARD_ODDS,
) -> DealtAgain:
    """Play the round of these seeds as far as `actions` go. Raises BadParams that names the action at fault.

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
    steps = [action_read(number, item) for number, item in enumerate(actions)]
    stakes = SeatStakes(int(1 / quantum))
    if steps and steps[0][0] in {"Bet", "bet"}:
        stakes = _stakes_read(steps.pop(0)[1], quantum)
    shoe = seeds.shoe(options.decks)
    state, _ = round_start(RoundSetup(options, (stakes,), odds=odds), shoe)
    last = WireAction.BET.value
    for number, (name, data) in enumerate(steps):
        try:
            action = _action(state, name, data, quantum)
            state, _ = apply_action(state, action, shoe)
        except (IllegalAction, InvalidOperation, ValueError) as error:
            message = f"actions: {name[:20]!r}, number {number + 1} after the bet, is not possible"
            raise BadParams(message, field="actions") from error
        last = MOVE_NAMES[action.move]
    purse = Purse(MAX_AMOUNT, quantum)
    shown = state_data(state, last_action=last, first_stake=stakes.main, purse=purse)
    shown.balance = UNSET
    outcome = msgspec.to_builtins(shown) | {"roundEnded": state.phase is Phase.SETTLED}
    return DealtAgain(options.to_json(), _cards(state, shoe), outcome)


def blackjack_differences(found: Round, seeds: Seeds) -> tuple[list[str], list[str]]:
    """Play a recorded round again; return its cards, and a sentence for each thing that is not as recorded."""
    setup = from_json(RoundSetup, found.terms)
    shoe = seeds.shoe(setup.rules.decks)
    rows = list(found.actions.order_by("number"))
    taken = [
        Action(Move(row.action["move"]), row.action["seat"], row.action["insurance"]) for row in rows if row.number > 1
    ]
    try:
        state, events = replay(setup, taken, shoe)
    except IllegalAction as error:
        return [], [f"the recorded actions are no round of these seeds: {error}"]
    faults = []
    if state_write(state) != found.blackjack.state:
        faults.append("the hands are not as recorded")
    if [to_json(event) for event in events] != [event for row in rows for event in row.events]:
        faults.append("what happened is not as recorded")
    account = seat_account(state.seats[0])
    money = (account.staked * found.currency.quantum, account.paid * found.currency.quantum)
    if money != (found.stake, found.payout):
        faults.append(f"{money[0]} is staked and {money[1]} paid, the round has {found.stake} and {found.payout}")
    return _cards(state, shoe), faults


def blackjack_record_deal_again(found: Round, seeds: Seeds) -> DealtAgain:
    """Play a recorded round again, with its own rules, odds and actions."""
    setup = from_json(RoundSetup, found.terms)
    actions = [{"action": row.action} for row in found.actions.order_by("number")]
    return blackjack_play_again(seeds, setup.rules.to_json(), actions, quantum=found.currency.quantum, odds=setup.odds)


def action_read(number: int, item: Any) -> tuple[str, dict[str, Any]]:
    """Return an action's name and data. One of the log has its move for a name and amounts in smallest units.

    Raises BadParams for what is no action.
    """
    name: object = item
    data: object = {}
    if isinstance(item, dict):
        name, data = item.get("action"), item.get("data")
        data = {} if data is None else data
        if isinstance(name, dict):
            name, data = name.get("move"), name
    if not isinstance(name, str) or name not in _NAMES or not isinstance(data, dict):
        raise BadParams(f"actions.{number}: a name, or an object with action and data", field=f"actions.{number}")
    return name, data


def _cards(state: RoundState, shoe: Shoe) -> list[str]:
    return [shoe[index].code for index in range(state.drawn)]


def _stakes_read(data: Mapping[str, Any], quantum: Decimal) -> SeatStakes:
    pairs = data.get("perfecPairsBetAmount", data.get("perfectPairsBetAmount", data.get("perfectPairsAmount", 0)))
    try:
        if "stakes" in data:  # as recorded: already in smallest units
            stakes = msgspec.convert(data["stakes"], SeatStakes)
        else:
            amounts = (data.get("betAmount", 0), pairs, data.get("pokerBetAmount", 0))
            stakes = SeatStakes(*[_units(amount, quantum) for amount in amounts])
        RoundSetup(SOLO_RULES, (stakes,))
    except (StakesError, msgspec.ValidationError, InvalidOperation, ValueError) as error:
        raise BadParams("actions.0: no stakes that a round starts with", field="actions.0") from error
    if stakes.main > MAX_STAKE_UNITS:
        raise BadParams("actions.0: a stake larger than any wallet", field="actions.0")
    return stakes


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
    return Action(_MOVES.get(name) or Move(name), insurance=insurance)
