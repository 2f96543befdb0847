"""The use cases of solo blackjack: an action changes state and money in one transaction, once for each `eventId`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import structlog

from apps.audit.services import audit_record_awaited
from apps.blackjack.bet_limits import stake_read, stakes_read
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
from apps.blackjack.engine.setup import RoundSetup, highest_payout
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.engine.state import ACE_VALUE, Pace, Phase, RoundState
from apps.blackjack.messages import (
    Inbound,
    MessageError,
    RoundUpdate,
    WireAction,
    amount_read,
    outbound_write,
)
from apps.blackjack.store import (
    ActionContext,
    ActionRecord,
    StoredActionAnswer,
    action_context_load,
    action_lock,
    action_save,
    is_idle_load,
    may_stake_load,
    platform_context_load,
)
from apps.blackjack.wire import MOVE_NAMES, MOVES, Funds, state_data, update_data
from apps.core.errors import (
    AmountTooLarge,
    AuthenticationFailed,
    DomainError,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidCurrency,
    MalformedBody,
    PlayerBlocked,
    Refused,
    SessionTakenOver,
    StaleState,
)
from apps.core.money import MAX_AMOUNT, payout_too_large, plain
from apps.core.player_changes import player_changed_now
from apps.core.postgres_pool import Executor, Transaction, pool
from apps.idempotency.services import body_hash
from apps.rounds.models import ActedBy, RoundEnd
from apps.rounds.round_ids import round_id_make

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class SeatedSession:
    """A session and the socket that holds it. The socket's actions are taken one after the other."""

    session_id: int
    socket: str
    pace: Pace = Pace.SOLO
    """The pace of rounds started on it."""
    kept: "KeptContexts | None" = None


class KeptContexts(NamedTuple):
    """The contexts after a socket's last action, so that the next one need not load its own.

    They may be outdated, because anything may have changed meanwhile. So they are only good for an action that is
    carried out: the statement that writes it checks all of its context.
    """

    following: ActionContext
    """That of the next action: on the open round, or a bet."""
    bet: ActionContext | None
    """That of the bet which began the open round."""

    def fits(self, action: WireAction) -> bool:
        return (action is WireAction.BET) == (self.following.round_id is None)


class _Taken(NamedTuple):
    text: str
    player_id: int
    kept: KeptContexts | None


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The result of an action: the engine's step, and its money in currency units."""

    setup: RoundSetup
    before: RoundState | None
    after: RoundState
    events: tuple[Event, ...]
    action: dict[str, Any]
    debit: Decimal
    credit: Decimal


async def round_action_take(*, seated: SeatedSession, message: Inbound) -> str:
    """Carry out one RoundAction and return its RoundUpdate; a repeated `eventId` returns the stored one.

    Locks, while it writes: the wallet where money moves, the seed pair (Bet), the round. Raises AuthenticationFailed,
    MessageError, InvalidBetAmount, InsufficientFunds, InvalidCurrency, PlayerBlocked, Busy: nothing has changed. Raises
    Unavailable: the action may have been written or not. Commits by itself.
    """
    assert isinstance(message.action, WireAction)
    try:
        digest = body_hash({"action": message.action.value, "data": message.body})
    except MalformedBody as error:
        raise MessageError(error.message, code="INVALID_PAYLOAD_SCHEMA") from error
    kept, seated.kept = seated.kept, None
    taken = None
    if kept is not None and kept.fits(message.action):
        with suppress(StaleState, Refused, MessageError):
            taken = await _action_take(pool(), kept.following, seated, message, digest, kept.bet)
    if taken is None:
        taken = await _loaded_action_take(seated, message, digest)
    seated.kept = taken.kept
    player_changed_now(taken.player_id)
    return taken.text


async def _loaded_action_take(seated: SeatedSession, message: Inbound, digest: bytes) -> _Taken:
    context = await _context_load(pool(), seated, message)
    try:
        return await _action_take(pool(), context, seated, message, digest)
    except StaleState:
        # Another action of this player was faster. Lock first this time, so that others wait.
        async with pool().transaction() as transaction:
            await action_lock(transaction, context)
            context = await _context_load(transaction, seated, message)
            return await _action_take(transaction, context, seated, message, digest)


async def idle_rounds_play_out(*, round_ids: Sequence[UUID], idle_before: datetime) -> int:
    """Play out the rounds without an action since `idle_before`: no insurance, stand, the dealer draws.

    The actions are the platform's in the round's log; a round and its audit entry are written in one transaction.
    Returns the number of rounds that were still open and idle. A round that cannot be played out is logged and skipped.
    Locks: the wallet, the round.
    """
    completed = 0
    for round_id in round_ids:
        try:
            player_id = await _idle_round_complete(round_id, idle_before)
        except DomainError as error:
            # Its player is acting right now, or the database is unreachable: the next run tries again.
            log.warning("idle_round_left", round=str(round_id), code=error.code)
        except Exception:
            # A round that cannot be continued needs a person; the rounds after it must not wait for it.
            log.exception("idle_round_failed", round=str(round_id))
        else:
            if player_id is not None:
                completed += 1
                player_changed_now(player_id)
    return completed


async def _idle_round_complete(round_id: UUID, idle_before: datetime) -> int | None:
    """Play out one round and return its player; None if it is no longer open and idle."""
    async with pool().transaction() as transaction:
        context = await platform_context_load(transaction, round_id=round_id)
        if context is None:
            return None
        await action_lock(transaction, context)
        if not await is_idle_load(transaction, round_id=round_id, idle_before=idle_before):
            return None
        while (context := await platform_context_load(transaction, round_id=round_id)) is not None:
            state = context.state()
            move = _platform_move(state)
            turn = _turn(context, state, Action(move))
            record = _record(context, turn, round_id, _funds_after(context, turn), ActedBy.PLATFORM, MOVE_NAMES[move])
            await action_save(transaction, context, record=record)
            if turn.after.phase is Phase.SETTLED:
                await _completion_audit(transaction, context, round_id, turn)
                return context.player_id
    return None


async def _context_load(executor: Executor, seated: SeatedSession, message: Inbound) -> ActionContext:
    context = await action_context_load(
        executor,
        is_bet=message.action is WireAction.BET,
        session_id=seated.session_id,
        socket=seated.socket,
        event_id=message.event_id,
    )
    if context is None or not context.is_session_live:
        raise AuthenticationFailed("the game session is unknown or has expired")
    if context.is_taken_over:
        raise SessionTakenOver("taken over: the session is open on another connection")
    return context


async def _action_take(
    executor: Executor,
    context: ActionContext,
    seated: SeatedSession,
    message: Inbound,
    digest: bytes,
    bet: ActionContext | None = None,
) -> _Taken:
    """Check, play and store; return the answer, or the one stored for the key. `bet` is the context of the open round's
    bet, if it is known. Raises Refused, MessageError, StaleState.
    """
    assert isinstance(message.action, WireAction)
    if context.stored_answer is not None:
        if context.stored_hash != digest:
            raise MessageError("this eventId was used before, with another payload")
        return _Taken(context.stored_answer.decode(), context.player_id, None)
    if context.wallet_id is None:
        raise InvalidCurrency(f"you have no wallet in {context.currency}")
    if message.action is WireAction.BET:
        turn = await _bet(executor, context, message.body, seated.pace)
    else:
        turn = await _move(executor, context, message)
    funds = _funds_after(context, turn)
    round_id = context.round_id or round_id_make()
    update = RoundUpdate(
        action=message.action.value,
        round_id=str(round_id),
        event_id=message.event_id,
        data=update_data(turn.before, turn.after, message.action, funds),
    )
    text = outbound_write(update)
    record = _record(context, turn, round_id, funds, ActedBy.PLAYER, message.action.value)
    stored = StoredActionAnswer(seated.session_id, seated.socket, message.event_id, digest, text.encode())
    await action_save(executor, context, record=record, stored=stored)
    return _Taken(text, context.player_id, _kept(context, context if turn.before is None else bet, record, funds))


def _kept(context: ActionContext, bet: ActionContext | None, record: ActionRecord, funds: Funds) -> KeptContexts | None:
    if record.how_ended is RoundEnd.OPEN:
        return KeptContexts(context.after_action(record, funds.balance), bet)
    return None if bet is None else KeptContexts(bet.after_round(funds.balance), None)


def _funds_after(context: ActionContext, turn: Turn) -> Funds:
    return Funds(context.balance - turn.debit + turn.credit, context.quantum)


async def _completion_audit(transaction: Transaction, context: ActionContext, round_id: UUID, turn: Turn) -> None:
    account = seat_account(turn.after.seats[0])
    await audit_record_awaited(
        transaction,
        actor="platform",
        action="round.auto_complete",
        subject=f"round {round_id}",
        partner_id=context.partner_id,
        data={"stake": account.staked * context.quantum, "payout": account.paid * context.quantum},
        reason="nobody had touched it in time",
    )


async def _bet(executor: Executor, context: ActionContext, data: dict[str, Any], pace: Pace) -> Turn:
    if context.round_id is not None:
        raise MessageError("a round is open: Bet is not among its nextActions", code="INVALID_NEXT_ACTION")
    if context.terms_text is None or context.limits_text is None:
        raise MessageError(f"blackjack is not offered in {context.currency}", code="INVALID_GAME_ID")
    if not await may_stake_load(executor, context):
        raise PlayerBlocked("you may not bet: the player or the wallet is blocked")
    rules, odds = _terms_read(context.terms_text)
    stakes = stakes_read(context, data, rules)
    total = stakes.main + stakes.perfect_pairs + stakes.poker
    if total > context.funds:
        raise InsufficientFunds(f"the bet is {plain(total * context.quantum)}; the balance is {plain(context.balance)}")
    if context.balance + highest_payout(stakes, odds) * context.quantum > MAX_AMOUNT:
        raise AmountTooLarge(payout_too_large(context.balance, context.currency))
    setup = RoundSetup(rules=rules, stakes=(stakes,), pace=pace, odds=odds)
    after, events = round_start(setup, context.shoe(rules.decks))
    credit = seat_account(after.seats[0]).paid * context.quantum
    named = {"move": "bet", "stakes": msgspec.to_builtins(stakes)}
    return Turn(setup, None, after, events, named, _staked(events) * context.quantum, credit)


@lru_cache(maxsize=256)
def _terms_read(text: str) -> tuple[BlackjackRules, dict[SideBetOutcome, Fraction]]:
    terms = msgspec.json.decode(text)
    odds = {
        SideBetOutcome(name): Fraction(to_one)
        for table in (terms["perfect_pairs_odds"], terms["poker_odds"])
        for name, to_one in table.items()
    }
    return BlackjackRules.from_json(terms["rules"]), odds


async def _move(executor: Executor, context: ActionContext, message: Inbound) -> Turn:
    """Carry out an action on the open round."""
    if context.round_id is None:
        raise MessageError("there is no open round", code="GAME_ROUND_NOT_FOUND")
    assert isinstance(message.action, WireAction)
    state = context.state()
    action = _action_read(context, state, message.action, message.body)
    cost = action_cost(state, action)
    if cost and not await may_stake_load(executor, context):
        raise PlayerBlocked("you may not raise the stake: the player or the wallet is blocked")
    if cost > context.funds:
        raise InsufficientFunds(f"this costs {plain(cost * context.quantum)}; the balance is {plain(context.balance)}")
    return _turn(context, state, action)


def _action_read(context: ActionContext, state: RoundState, wire_action: WireAction, data: dict[str, Any]) -> Action:
    """Return the engine's action for a wire action. Raises MessageError, InvalidBetAmount."""
    legal = legal_actions(state, None)
    if wire_action is WireAction.PEEK:
        if state.phase is not Phase.QUESTION:
            raise _not_next(wire_action, legal)
        return _peek_read(context, state, data)
    move = Move.DEALER_HIT if state.phase is Phase.DEALER and wire_action is WireAction.HIT else MOVES[wire_action]
    if move not in legal:
        raise _not_next(wire_action, legal)
    return Action(move)


def _peek_read(context: ActionContext, state: RoundState, data: dict[str, Any]) -> Action:
    accepted = data.get("acceptedInsurance")
    if not isinstance(accepted, bool):
        raise MessageError("acceptedInsurance must be true or false")
    if not accepted:
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
    units = int(stake_read(context, "insuranceAmount", amount) / context.quantum)
    if units not in stakes:
        high = plain(stakes[-1] * context.quantum)
        raise InvalidBetAmount(f"insuranceAmount is {plain(amount)}; up to {high}, half of the bet, is possible")
    return Action(Move.INSURE, insurance=units)


def _not_next(wire_action: WireAction, legal: tuple[Move, ...]) -> MessageError:
    names = ", ".join(dict.fromkeys(MOVE_NAMES[move] for move in legal))
    return MessageError(f"{wire_action.value} is not among nextActions: {names}", code="INVALID_NEXT_ACTION")


def _turn(context: ActionContext, state: RoundState, action: Action) -> Turn:
    after, events = apply_action(state, action, context.shoe(state.rules.decks))
    credit = (seat_account(after.seats[0]).paid - seat_account(state.seats[0]).paid) * context.quantum
    named = {"move": action.move.value, "seat": action.seat, "insurance": action.insurance}
    return Turn(context.setup(), state, after, events, named, _staked(events) * context.quantum, credit)


def _staked(events: tuple[Event, ...]) -> int:
    return sum(event.amount for event in events if isinstance(event, StakeTaken))


def _record(
    context: ActionContext, turn: Turn, round_id: UUID, funds: Funds, acted_by: ActedBy, wire_name: str
) -> ActionRecord:
    """Return the record to write for the turn."""
    how_ended, detail = RoundEnd.OPEN, None
    if turn.after.phase is Phase.SETTLED:
        how_ended = RoundEnd.PLAYED if acted_by is ActedBy.PLAYER else RoundEnd.AUTO_COMPLETED
        shown = state_data(turn.after, last_action=wire_name, first_stake=turn.setup.stakes[0].main, funds=funds)
        detail = msgspec.json.encode(shown)
    return ActionRecord(
        round_id=round_id,
        number=1 if turn.before is None else context.action_count + 1,
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
