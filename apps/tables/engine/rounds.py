"""The round of a table from the opening of its window to the end of the pause. Pure."""

from typing import Final, TypeVar

import msgspec

from apps.cards.shoe import INFINITE_DECKS
from apps.fairness.engine import contributions_joined
from apps.rounds.table_game import NO_BET, SeatAction, SeatFunds, TableTerms
from apps.tables.engine.draft import TableDraft
from apps.tables.engine.state import (
    Ending,
    EventAudience,
    GameplayEvent,
    Json,
    MoveKind,
    RoundClosed,
    SeatFreed,
    SeatOutcome,
    TableChainState,
    TablePhase,
    TableRoundState,
    TableSeatState,
)
from apps.tables.engine.view import (
    action_payload,
    history_payload,
    is_hidden,
    public_state,
    result_payload,
    seconds,
    window_payload,
)

S = TypeVar("S")

FREED_AFTER_IDLE_WINDOWS: Final = 3
"""The number of successive windows without a stake after which the seat is freed."""


def state_send(draft: TableDraft[S]) -> None:
    """Send everybody the public state."""
    payload = public_state(draft.game, draft.state)
    draft.say("game_state_update", {"payload": payload}, live=history_payload(draft.game, draft.state))


def action_send(draft: TableDraft[S], seat: TableSeatState, action: SeatAction, *, timeout: bool) -> None:
    """Send everybody the action of a seat."""
    hidden = is_hidden(draft.state)
    payload = action_payload(draft.game, draft.state, seat, action, timeout=timeout, is_hidden=hidden)
    draft.say("player_action_broadcast", {"payload": payload})


def chain_begin(draft: TableDraft[S], first_round: int) -> TableChainState:
    """Begin a new chain of seeds. All contributions become void, because they were made before its commitment."""
    start = draft.context.chain_new()
    chain = TableChainState(
        id=start.id,
        commitment=start.commitment,
        length=start.length,
        first_round=first_round,
        last_revealed=start.commitment,
    )
    draft.put(chain=chain)
    draft.seats_put(contribution="")
    draft.chains.append((start, first_round))
    return chain


def window_open(draft: TableDraft[S]) -> None:
    """Begin the next round: its terms, shoe, seed and contributions are fixed before a stake is taken."""
    terms = draft.context.terms
    state = draft.state
    _shoe_lay_out(draft, terms)
    contributions = tuple((seat.seat, seat.contribution) for seat in state.seats if seat.contribution)
    number = state.round_number + 1
    opened: TableRoundState[S] = TableRoundState(
        id=draft.context.id_new(),
        number=number,
        position=state.chain.used + 1,
        seed_hash=state.chain.last_revealed,
        contributions=contributions,
        client_seed=contributions_joined([text for _, text in contributions]),
        shoe=draft.state.shoe,
        terms=terms,
        window_id=draft.context.id_new(),
        started=draft.context.now,
    )
    draft.put(
        phase=TablePhase.BETTING,
        round=opened,
        round_number=number,
        requests=(),
        phase_deadline=draft.context.now + terms.window_ms,
        seats=tuple(_seat_in_window(seat, terms) for seat in state.seats),
    )
    draft.opened.append(opened)
    state_send(draft)
    draft.say(_COMMITMENT, _commitment_fields(opened))
    draft.events += window_events(draft)


def window_events(draft: TableDraft[S], *, again_for: int | None = None) -> list[GameplayEvent]:
    """Return the commitment and `betting_window_open` for all, or repeated for one seat; 0 stands for a watcher."""
    running = draft.round
    deadline = draft.state.phase_deadline
    assert deadline is not None
    head: Json = {"timeoutSeconds": seconds(deadline - draft.context.now)}
    if again_for is not None:
        seat = draft.state.seat_at(again_for)
        fields = head | {"repeats": running.window_id, "payload": _window_payload(draft, seat)}
        # A player who enters during the window must have the commitment before the first stake too.
        return [
            GameplayEvent(
                id=draft.context.id_new(),
                type=kind,
                audience=EventAudience.WATCHERS if seat is None else EventAudience.SEAT,
                seat=None if seat is None else seat.seat,
                fields=told,
            )
            for kind, told in ((_COMMITMENT, _commitment_fields(running)), (_WINDOW, fields))
        ]
    if not running.terms.is_points:
        return [
            GameplayEvent(id=running.window_id, type=_WINDOW, fields=head | {"payload": _window_payload(draft, None)})
        ]
    # At a points table the highest stake depends on the seat's score.
    seats: list[TableSeatState | None] = [*draft.state.seats, None]
    return [
        GameplayEvent(
            id=running.window_id,
            type=_WINDOW,
            audience=EventAudience.WATCHERS if seat is None else EventAudience.SEAT,
            seat=None if seat is None else seat.seat,
            fields=head | {"payload": _window_payload(draft, seat)},
        )
        for seat in seats
    ]


def _commitment_fields(running: TableRoundState[S]) -> Json:
    shoe = None if running.shoe is None else list(running.shoe)
    return {"handId": running.id, "seedHash": running.seed_hash, "nonce": running.number, "shoe": shoe}


def window_close(draft: TableDraft[S]) -> bool:
    """Close the window and deal if there are stakes. Returns whether cards were dealt."""
    for seat in draft.state.seats:
        if seat.is_in_window and not seat.bets and not seat.is_ready and not seat.is_leaving:
            draft.log(seat.seat, _NO_BET, timeout=True)
            action_send(draft, seat, _NO_BET, timeout=True)
    draft.put(
        phase=TablePhase.PLAYING,
        phase_deadline=None,
        seats=tuple(_seat_after_window(seat) for seat in draft.state.seats),
    )
    draft.say("betting_window_closed", {})
    staking = [seat for seat in draft.state.seats if seat.bets]
    if not staking:
        round_end(draft, Ending.UNSTAKED)
        return False
    running = draft.round
    play = draft.game.round_start(running.terms, [seat.bets for seat in staking], draft.shoe())
    draft.round_put(
        seats=tuple(seat.seat for seat in staking), player_ids=tuple(seat.player_id for seat in staking), play=play
    )
    state_send(draft)
    return True


def round_end(draft: TableDraft[S], ending: Ending) -> None:
    """Pay the round, reveal its seed, and begin the pause, in which the cards stay visible."""
    running = draft.round
    seed = draft.server_seed()
    dealt = running.play is not None
    shoe = running.shoe
    drawn = 0
    if running.play is not None:
        drawn = draft.game.drawn(running.play)
        shoe = draft.shoe().counts_after(drawn)
    outcomes = _paid(draft, ending)
    draft.put(phase=TablePhase.PAUSE, requests=(), shoe=shoe)
    if ending is Ending.SETTLED:
        assert running.play is not None
        _history_add(draft, drawn)
        results = draft.game.results(running.terms, running.play)
        draft.say("round_result", {"payload": result_payload(draft.game, draft.state, results, seed)})
    draft.say("seed_reveal", {"handId": running.id, "seed": seed, "algorithm": "sha256"})
    draft.closed.append(
        RoundClosed(
            round=running,
            ending=ending,
            seed=seed,
            ended=draft.context.now,
            outcomes=outcomes,
            public=draft.game.public_view(running.terms, running.play) if running.play is not None else {},
            drawn=drawn,
        )
    )
    chain = draft.state.chain
    if chain.used + 1 < chain.length:
        draft.put(chain=msgspec.structs.replace(chain, used=chain.used + 1, last_revealed=seed))
    else:
        # The chain is announced now, so that there is time to contribute before the next window.
        chain_begin(draft, running.number + 1)
    _seats_free(draft)
    pause = running.terms.pause_ms if dealt or ending is Ending.UNSTAKED else 0
    draft.put(phase_deadline=draft.context.now + pause)
    state_send(draft)


def pause_end(draft: TableDraft[S]) -> None:
    """Remove the cards; then close the table if it is to be closed, or open the next window if a player is seated."""
    draft.put(round=None, phase_deadline=None)
    if draft.state.is_closing:
        table_shut(draft)
    elif draft.state.seats:
        window_open(draft)
    else:
        draft.put(phase=TablePhase.WAITING)
        state_send(draft)


def seat_free(draft: TableDraft[S], seat: TableSeatState, reason: str) -> None:
    """Free a seat."""
    draft.freed.append(SeatFreed(seat.seat, seat.player, reason))
    draft.put(seats=tuple(other for other in draft.state.seats if other.seat != seat.seat))


def table_shut(draft: TableDraft[S]) -> None:
    """Close the table and free all seats; the caller has checked that no round is running."""
    for seat in draft.state.seats:
        seat_free(draft, seat, "closed")
    draft.put(phase=TablePhase.CLOSED, round=None, phase_deadline=None, is_closing=False)
    state_send(draft)


def _paid(draft: TableDraft[S], ending: Ending) -> tuple[SeatOutcome, ...]:
    """Book the payouts, and return the outcome of each seat that staked."""
    running = draft.round
    outcomes = []
    if ending is Ending.SETTLED:
        assert running.play is not None
        results = draft.game.results(running.terms, running.play)
        for number, result in zip(running.seats, results, strict=True):
            seat = draft.seat(number)
            draft.move(seat, MoveKind.REWARD, result.paid)
            if running.terms.is_points:
                draft.seat_put(number, points=seat.points + result.paid - result.staked)
            outcomes.append(_outcome(seat, result.staked, result.paid, list(result.hands), result.extra))
    else:
        for seat in draft.state.seats:
            if seat.bets:
                staked = sum(seat.bets.values()) + seat.added
                draft.move(seat, MoveKind.REFUND, staked)
                outcomes.append(_outcome(seat, staked, staked, [], {}))
    return tuple(outcomes)


def _outcome(seat: TableSeatState, staked: int, paid: int, hands: list[Json], extra: Json) -> SeatOutcome:
    return SeatOutcome(
        seat=seat.seat,
        player=seat.player,
        player_id=seat.player_id,
        bets=seat.bets,
        staked=staked,
        paid=paid,
        hands=hands,
        extra=extra,
    )


def _shoe_lay_out(draft: TableDraft[S], terms: TableTerms) -> None:
    """Open a new shoe if the last one has reached the cut card, or if its number of decks has changed."""
    decks = terms.decks
    state = draft.state
    if state.shoe_decks == decks and (state.shoe is None or sum(state.shoe) > terms.cut_card):
        return
    shoe = None if decks == INFINITE_DECKS else (decks,) * 52
    draft.put(shoe=shoe, shoe_decks=decks, history=())


def _history_add(draft: TableDraft[S], drawn: int) -> None:
    running = draft.round
    assert running.play is not None
    entry = (running.number, draft.game.summary(running.play))
    was_refilled = running.shoe is not None and drawn > sum(running.shoe)
    history = () if was_refilled else draft.state.history
    draft.put(history=(*history, entry)[-MAX_HISTORY:])


def _seat_in_window(seat: TableSeatState, terms: TableTerms) -> TableSeatState:
    return msgspec.structs.replace(
        seat,
        bets={},
        added=0,
        is_ready=False,
        is_in_window=bool(seat.contribution) or not terms.contribution_required,
        timed_out=False,
    )


def _seat_after_window(seat: TableSeatState) -> TableSeatState:
    idle = 0 if seat.bets else seat.idle_windows + 1
    return msgspec.structs.replace(seat, idle_windows=idle, is_ready=False)


def _seats_free(draft: TableDraft[S]) -> None:
    """Free the seats whose players left or missed too many windows; the caller has checked that the round is
    settled."""
    for seat in draft.state.seats:
        if seat.is_leaving:
            seat_free(draft, seat, "left")
        elif seat.idle_windows >= FREED_AFTER_IDLE_WINDOWS and not seat.is_bot:
            seat_free(draft, seat, "idle")


def _window_payload(draft: TableDraft[S], seat: TableSeatState | None) -> Json:
    terms = draft.round.terms
    funds = _ONLOOKER if seat is None else draft.seat_funds(seat)
    return window_payload(draft.game, draft.state, draft.game.window_actions(terms, funds))


_COMMITMENT: Final = "seed_commitment"
_WINDOW: Final = "betting_window_open"
_NO_BET: Final = SeatAction(NO_BET)
_ONLOOKER: Final = SeatFunds(None)
MAX_HISTORY: Final = 200
"""The largest number of rounds of a shoe that its history has; only an infinite deck deals more."""
