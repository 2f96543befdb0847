"""The public state of a table, and the payloads of its messages. Pure.

Who receives an event is its `EventAudience` (state.py); `_recipients_of` (apps/tables/change_items.py) finds their
sessions. The public state has no card that lies face down, since the state of a game's round has none
(`TableGame` in apps/rounds/table_game.py).
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeVar

from apps.fairness.engine import ALGORITHM
from apps.rounds.table_game import SeatAction, SeatResult, TableGame
from apps.rounds.table_payloads import PREVIOUS_RESULTS
from apps.tables.engine.state import Json, TablePhase, TableRoundState, TableSeatState, TableState

S = TypeVar("S")


def seconds(milliseconds: int) -> int | Decimal:
    """Return a span of time for `timeoutSeconds`."""
    whole, rest = divmod(max(milliseconds, 0), 1000)
    return Decimal(milliseconds).scaleb(-3).normalize() if rest else whole


def public_state(game: TableGame[S], state: TableState[S], own_seat: int | None = None) -> Json:
    """Return the public state. With a seat, it has that seat's own stakes while stakes are hidden. `history_payload`
    has the results and road maps of earlier rounds.
    """
    running = state.round
    view: Json = {
        "phase": state.phase.value,
        "roundId": None if running is None else running.id,
        "roundNumber": state.round_number,
        "deadline": state.phase_deadline,
        "turns": [
            {"seat": request.seat, "deadline": request.deadline} for request in state.requests if request.answer is None
        ],
        "chainCommitment": state.chain.commitment,
        "chainFirstRound": state.chain.first_round,
        "cardsLeft": _cards_left(state),
        "seats": [_seat_view(game, state, seat, is_own=seat.seat == own_seat) for seat in state.seats],
        "results": [],
    }
    if state.is_closing:
        view["isClosing"] = True
    if running is not None and running.play is not None:
        view |= game.public_view(running.terms, running.play)
        if state.phase is TablePhase.PAUSE and game.is_over(running.play):
            view["results"] = results_payload(running, game.results(running.terms, running.play))
    return view


def history_payload(game: TableGame[S], state: TableState[S]) -> Json:
    """Return the part of the public state about earlier rounds: results and road maps."""
    return {
        "previousResults": previous_results(game, state),
        **game.history_view([summary for _, summary in state.history]),
    }


def previous_results(game: TableGame[S], state: TableState[S]) -> list[Json]:
    """Return the last rounds of the shoe, the oldest first."""
    return [
        {"roundNumber": number, **game.summary_view(summary)} for number, summary in state.history[-PREVIOUS_RESULTS:]
    ]


def contributions_payload(running: TableRoundState[Any]) -> list[Json]:
    """Return the contributions to the client seed of a round."""
    return [{"seat": seat, "clientSeed": contribution} for seat, contribution in running.contributions]


def window_payload(game: TableGame[S], state: TableState[S], actions: Sequence[Json]) -> Json:
    """Return the payload of `betting_window_open`."""
    running = state.round
    assert running is not None
    return {
        "roundId": running.id,
        "roundNumber": running.number,
        "deadline": state.phase_deadline,
        "contributions": contributions_payload(running),
        "availableActions": list(actions),
        "previousResults": previous_results(game, state),
    }


def action_payload(
    game: TableGame[S],
    state: TableState[S],
    seat: TableSeatState,
    action: SeatAction,
    *,
    timeout: bool,
    is_hidden: bool,
) -> Json:
    """Return the payload of `player_action_broadcast`, without amounts if stakes are hidden."""
    running = state.round
    assert running is not None
    payload: Json = {"playerId": seat.player_id, "seat": seat.seat, "action": action.name}
    if not is_hidden:
        if action.amount is not None:
            payload["amount"] = running.terms.amount(action.amount)
        if action.bet_type:
            payload["betType"] = action.bet_type
        payload |= {name: running.terms.amount(units) for name, units in action.extra.items()}
    if timeout:
        payload["timeout"] = True
    payload["resultingState"] = public_state(game, state)
    return payload


def results_payload(running: TableRoundState[Any], results: Sequence[SeatResult]) -> list[Json]:
    """Return `results`: one entry for each seat that staked."""
    amount = running.terms.amount
    return [
        {
            "seat": seat,
            "playerId": player_id,
            "hands": list(result.hands),
            **result.extra,
            "stakes": amount(result.staked),
            "payout": amount(result.paid),
            "net": amount(result.paid - result.staked),
        }
        for seat, player_id, result in zip(running.seats, running.player_ids, results, strict=True)
    ]


def result_payload(game: TableGame[S], state: TableState[S], results: Sequence[SeatResult], seed: str) -> Json:
    """Return the payload of `round_result`."""
    running = state.round
    assert running is not None
    assert running.play is not None
    amount = running.terms.amount
    return {
        "roundId": running.id,
        "roundNumber": running.number,
        "winners": [
            {"playerId": player_id, "grossAmount": amount(result.paid), "rake": 0, "netAmount": amount(result.paid)}
            for player_id, result in zip(running.player_ids, results, strict=True)
            if result.paid > result.staked
        ],
        "totalRake": 0,
        "results": results_payload(running, results),
        "fairnessProof": {
            "serverSeed": seed,
            "clientSeed": running.client_seed,
            "nonce": running.number,
            "shoe": None if running.shoe is None else list(running.shoe),
            "algorithm": ALGORITHM,
        },
        **game.public_view(running.terms, running.play),
    }


def is_hidden(state: TableState[S]) -> bool:
    """Return whether stakes are hidden: at points tables until the betting ends."""
    return state.round is not None and state.round.terms.is_points and state.phase is TablePhase.BETTING


def _cards_left(state: TableState[S]) -> int | None:
    shoe = state.round.shoe if state.round is not None and state.phase is not TablePhase.PAUSE else state.shoe
    return None if shoe is None else sum(shoe)


def _seat_view(game: TableGame[S], state: TableState[S], seat: TableSeatState, *, is_own: bool) -> Json:
    running = state.round
    view: Json = {
        "seat": seat.seat,
        "playerId": seat.player_id,
        "displayName": seat.name,
        "bot": seat.is_bot,
        "ready": seat.is_ready,
        "staked": bool(seat.bets),
        "stakes": {},
    }
    if running is None:
        return view
    if running.terms.is_points:
        view["points"] = seat.points
    view["stakes"] = None if is_hidden(state) and not is_own else game.bets_view(running.terms, seat.bets)
    if running.play is not None and seat.seat in running.seats:
        position = running.seats.index(seat.seat)
        # The seat may have been freed and taken again during the pause.
        if running.player_ids[position] == seat.player_id:
            view |= game.seat_view(running.terms, running.play, position)
    return view
