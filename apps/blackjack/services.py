"""One action of the solo game: state and money in one transaction, exactly once by its `eventId`."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

import msgspec
from django.db import transaction

from apps.audit.services import audit_record
from apps.blackjack.engine.actions import (
    Action,
    Move,
    action_cost,
    insurance_range,
    legal_actions,
)
from apps.blackjack.engine.events import Event, StakeTaken
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import BlackjackRules, Insurance
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.engine.state import ACE_VALUE, Pace, Phase, RoundState
from apps.blackjack.messages import (
    Inbound,
    MessageError,
    RoundUpdate,
    WireAction,
    amount_read,
    bool_read,
    outbound_write,
)
from apps.blackjack.models import BlackjackRound
from apps.blackjack.play import (
    Desk,
    Kept,
    Step,
    desk_lock,
    desk_of_bet,
    desk_of_move,
    desk_of_round,
    may_stake,
    step_save,
)
from apps.blackjack.wire import MOVE_NAMES, MOVES, STAKE_NAMES, Purse, state_data, update_data
from apps.core.database import database_errors
from apps.core.errors import (
    AuthenticationFailed,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidCurrency,
    MalformedBody,
    Outpaced,
    PlayerBlocked,
    SessionTakenOver,
)
from apps.core.money import is_multiple, plain
from apps.core.statement import Asking, answer
from apps.idempotency.services import body_hash
from apps.rounds.models import ActedBy, RoundEnd


@dataclass(frozen=True, slots=True)
class SeatedSession:
    """A session, and the socket that holds it."""

    session_id: int
    socket: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What an action did: the engine's step, and its money in currency units."""

    setup: RoundSetup
    before: RoundState | None
    after: RoundState
    events: tuple[Event, ...]
    action: dict[str, Any]
    debit: Decimal
    credit: Decimal


def round_action_take(*, seated: SeatedSession, message: Inbound) -> str:
    """Carry out one RoundAction and return its RoundUpdate; an `eventId` seen before gets the stored text again.

    Locks, while it writes: the wallet where money moves, the seed pair (Bet), the round. Raises AuthenticationFailed,
    MessageError, InvalidBetAmount, InsufficientFunds, InvalidCurrency, PlayerBlocked, Busy, Unavailable: nothing is
    changed then. It commits: not to be called in a transaction.
    """
    try:
        return answer(round_action(seated=seated, message=message))
    except Outpaced:
        # Another action of this player was faster. Now the locks come first, and the others wait.
        with database_errors(), transaction.atomic(durable=True):
            desk_lock(answer(_desk_read(seated, message)))
            return answer(round_action(seated=seated, message=message))


def round_action(*, seated: SeatedSession, message: Inbound) -> Asking[str]:
    """Work out one RoundAction and write it if nothing has changed meanwhile, else raise Outpaced.

    Whoever gets that goes to `round_action_take`, which says what else is raised. Two statements, three where a stake
    is raised.
    """
    assert isinstance(message.action, WireAction)
    try:
        digest = body_hash({"action": message.action.value, "data": message.body})
    except MalformedBody as error:
        raise MessageError(error.message, code="INVALID_PAYLOAD_SCHEMA", event_id=message.event_id) from error
    desk = yield from _desk_read(seated, message)
    if desk.stored_answer is not None:
        if desk.stored_hash != digest:
            raise MessageError("this eventId was used before, with another payload", event_id=message.event_id)
        return desk.stored_answer.decode()
    if desk.wallet_id is None:
        raise InvalidCurrency(f"you have no wallet in {desk.currency}")
    turn = yield from (_bet(desk, message.body) if message.action is WireAction.BET else _move(desk, message))
    purse = Purse(desk.balance - turn.debit + turn.credit, desk.quantum)
    round_id = desk.round_id or uuid4()
    update = RoundUpdate(
        action=message.action.value,
        round_id=str(round_id),
        event_id=message.event_id,
        data=update_data(turn.before, turn.after, turn.events, message.action, purse),
    )
    text = outbound_write(update)
    step = _step(desk, turn, round_id, purse, ActedBy.PLAYER, message.action.value)
    kept = Kept(message.event_id, digest, text.encode())
    yield from step_save(desk=desk, session_id=seated.session_id, step=step, kept=kept)
    return text


def _desk_read(seated: SeatedSession, message: Inbound) -> Asking[Desk]:
    read = desk_of_bet if message.action is WireAction.BET else desk_of_move
    desk = yield from read(session_id=seated.session_id, socket=seated.socket, event_id=message.event_id)
    if desk is None or not desk.session_live:
        raise AuthenticationFailed("the game session is unknown or has expired")
    if desk.is_taken_over:
        raise SessionTakenOver("taken over: the session is open on another connection")
    return desk


def idle_round_complete(*, round_id: UUID, idle_before: datetime) -> bool:
    """Play out one round that nobody has touched since `idle_before`: no insurance, stand, the dealer draws.

    Each step is an action of the platform's in the round's log, with an audit entry, all in one transaction. Says
    whether the round was still open and idle. Locks: the wallet, the round.
    """
    with database_errors(), transaction.atomic(durable=True):
        desk = answer(desk_of_round(round_id=round_id))
        if desk is None:
            return False
        desk_lock(desk)
        if not BlackjackRound.objects.filter(pk=round_id, acted_at__lt=idle_before).exists():
            return False
        while (desk := answer(desk_of_round(round_id=round_id))) is not None:
            state = desk.state()
            move = _platform_move(state)
            turn = _turn(desk, state, Action(move))
            purse = Purse(desk.balance - turn.debit + turn.credit, desk.quantum)
            step = _step(desk, turn, round_id, purse, ActedBy.PLATFORM, MOVE_NAMES[move])
            answer(step_save(desk=desk, session_id=None, step=step, kept=None))
            if turn.after.phase is Phase.SETTLED:
                _completion_audit(desk, round_id, turn)
                return True
    return False


def _completion_audit(desk: Desk, round_id: UUID, turn: Turn) -> None:
    account = seat_account(turn.after.seats[0])
    audit_record(
        actor="platform",
        action="round.auto_complete",
        subject=f"round {round_id}",
        partner_id=desk.partner_id,
        data={"stake": account.staked * desk.quantum, "payout": account.paid * desk.quantum},
        reason="nobody had touched it in time",
    )


def _bet(desk: Desk, data: dict[str, Any]) -> Asking[Turn]:
    if desk.round_id is not None:
        raise MessageError("a round is open: Bet is not among its nextActions", code="INVALID_NEXT_ACTION")
    if desk.terms_text is None or desk.limits_text is None:
        raise MessageError(f"blackjack is not offered in {desk.currency}", code="INVALID_GAME_ID")
    if not (yield from may_stake(desk)):
        raise PlayerBlocked("you may not bet: the player or the wallet is blocked")
    rules, odds = _terms_read(desk.terms_text)
    stakes = _stakes_read(desk, data, rules)
    total = stakes.main + stakes.perfect_pairs + stakes.poker
    if total > desk.funds:
        raise InsufficientFunds(f"the bet is {plain(total * desk.quantum)}; the balance is {plain(desk.balance)}")
    setup = RoundSetup(rules=rules, stakes=(stakes,), pace=Pace.SOLO, odds=odds)
    after, events = round_start(setup, desk.shoe(rules.decks))
    credit = seat_account(after.seats[0]).paid * desk.quantum
    named = {"move": "bet", "stakes": msgspec.to_builtins(stakes)}
    return Turn(setup, None, after, events, named, _staked(events) * desk.quantum, credit)


@lru_cache(maxsize=256)
def _terms_read(text: str) -> tuple[BlackjackRules, dict[SideBetOutcome, Fraction]]:
    terms = msgspec.json.decode(text)
    odds = {
        SideBetOutcome(name): Fraction(to_one)
        for table in (terms["perfect_pairs_odds"], terms["poker_odds"])
        for name, to_one in table.items()
    }
    return BlackjackRules.from_json(terms["rules"]), odds


def _stakes_read(desk: Desk, data: dict[str, Any], rules: BlackjackRules) -> SeatStakes:
    """Return the three stakes in smallest units, each within its limits. Raises InvalidBetAmount, MessageError."""
    limits = {name: Decimal(text) for name, text in msgspec.json.decode(desk.limits_text or "{}").items()}
    main = _stake_read(desk, "betAmount", amount_read(data, *STAKE_NAMES["main"]))
    if not limits["bet_min"] <= main <= limits["bet_max"]:
        raise InvalidBetAmount(
            f"betAmount is {plain(main)}; {plain(limits['bet_min'])} to {plain(limits['bet_max'])} is possible"
        )
    side_stakes = []
    for kind in ("perfect_pairs", "poker"):
        wire_name = STAKE_NAMES[kind][0]
        stake = _stake_read(desk, wire_name, amount_read(data, *STAKE_NAMES[kind]))
        low, high = limits[f"{kind}_min"], limits[f"{kind}_max"]
        if stake and (rules.simple or not high):
            raise InvalidBetAmount(f"{wire_name}: this side bet is not offered")
        if stake and not low <= stake <= high:
            raise InvalidBetAmount(f"{wire_name} is {plain(stake)}; {plain(low)} to {plain(high)} is possible")
        if stake and not main:
            raise InvalidBetAmount(f"{wire_name}: a side bet needs a betAmount above 0")
        side_stakes.append(int(stake / desk.quantum))
    return SeatStakes(int(main / desk.quantum), *side_stakes)


def _stake_read(desk: Desk, name: str, amount: Decimal | None) -> Decimal:
    if amount is None:
        return Decimal(0)
    if amount < 0:
        raise InvalidBetAmount(f"{name} is below 0")
    if not is_multiple(amount, desk.quantum):
        raise InvalidBetAmount(f"{name} has too many decimals, or is too large: {desk.currency} has {desk.decimals}")
    return amount


def _move(desk: Desk, message: Inbound) -> Asking[Turn]:
    """Carry out an action on the open round."""
    if desk.round_id is None:
        raise MessageError("there is no open round", code="GAME_ROUND_NOT_FOUND")
    assert isinstance(message.action, WireAction)
    state = desk.state()
    action = _action_read(desk, state, message.action, message.body)
    cost = action_cost(state, action)
    if cost and not (yield from may_stake(desk)):
        raise PlayerBlocked("you may not raise the stake: the player or the wallet is blocked")
    if cost > desk.funds:
        raise InsufficientFunds(f"this costs {plain(cost * desk.quantum)}; the balance is {plain(desk.balance)}")
    return _turn(desk, state, action)


def _action_read(desk: Desk, state: RoundState, wire_action: WireAction, data: dict[str, Any]) -> Action:
    """Return the engine's action for one of the wire's. Raises MessageError, InvalidBetAmount."""
    legal = legal_actions(state, None)
    if wire_action is WireAction.PEEK:
        if state.phase is not Phase.QUESTION:
            raise _not_next(wire_action, legal)
        return _peek_read(desk, state, data)
    move = Move.DEALER_HIT if state.phase is Phase.DEALER and wire_action is WireAction.HIT else MOVES[wire_action]
    if move not in legal:
        raise _not_next(wire_action, legal)
    return Action(move)


def _peek_read(desk: Desk, state: RoundState, data: dict[str, Any]) -> Action:
    if not bool_read(data, "acceptedInsurance"):
        return Action(Move.DECLINE)
    if state.upcard.value != ACE_VALUE or state.rules.insurance is Insurance.OFF:
        raise MessageError("acceptedInsurance: no insurance is offered here; false goes on")
    stakes = insurance_range(state, None)
    if not stakes:
        raise InvalidBetAmount("half of the bet is below the smallest unit: it cannot be insured")
    amount = amount_read(data, "insuranceAmount")
    if amount is None:
        return Action(Move.INSURE, insurance=stakes[-1])
    if state.rules.insurance is not Insurance.UP_TO_HALF:
        raise MessageError("insuranceAmount: the insurance is half of the bet, no other amount is possible")
    units = int(_stake_read(desk, "insuranceAmount", amount) / desk.quantum)
    if units not in stakes:
        high = plain(stakes[-1] * desk.quantum)
        raise InvalidBetAmount(f"insuranceAmount is {plain(amount)}; up to {high}, half of the bet, is possible")
    return Action(Move.INSURE, insurance=units)


def _not_next(wire_action: WireAction, legal: tuple[Move, ...]) -> MessageError:
    names = ", ".join(dict.fromkeys(MOVE_NAMES[move] for move in legal))
    return MessageError(f"{wire_action.value} is not among nextActions: {names}", code="INVALID_NEXT_ACTION")


def _turn(desk: Desk, state: RoundState, action: Action) -> Turn:
    after, events = apply_action(state, action, desk.shoe(state.rules.decks))
    credit = (seat_account(after.seats[0]).paid - seat_account(state.seats[0]).paid) * desk.quantum
    named = {"move": action.move.value, "seat": action.seat, "insurance": action.insurance}
    return Turn(desk.setup(), state, after, events, named, _staked(events) * desk.quantum, credit)


def _staked(events: tuple[Event, ...]) -> int:
    return sum(event.amount for event in events if isinstance(event, StakeTaken))


def _step(desk: Desk, turn: Turn, round_id: UUID, purse: Purse, acted_by: ActedBy, wire_name: str) -> Step:
    """Return what is to be written for the turn."""
    how_ended, detail = RoundEnd.OPEN, None
    if turn.after.phase is Phase.SETTLED:
        how_ended = RoundEnd.PLAYED if acted_by is ActedBy.PLAYER else RoundEnd.AUTO_COMPLETED
        shown = state_data(turn.after, last_action=wire_name, first_stake=turn.setup.stakes[0].main, purse=purse)
        detail = msgspec.json.encode(shown).decode()
    return Step(
        round_id=round_id,
        number=1 if turn.before is None else desk.action_count + 1,
        setup=turn.setup,
        state=turn.after,
        detail=detail,
        acted_by=acted_by,
        action=turn.action | {"wire": wire_name},
        events=turn.events,
        debit=turn.debit,
        credit=turn.credit,
        how_ended=how_ended,
    )


def _platform_move(state: RoundState) -> Move:
    match state.phase:
        case Phase.QUESTION:
            return Move.DECLINE
        case Phase.PLAYERS:
            return Move.STAND
        case Phase.DEALER:
            return Move.DEALER_HIT
        case Phase.SETTLED:
            raise AssertionError("a settled round has no open row")
