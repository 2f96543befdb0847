"""The record of a table's round: written when the round ends, and the source of its replay."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from apps.fairness.round_seeds import TableSeeds
from apps.rounds.table_game import (
    CLEAR_BETS,
    PLACE_BET,
    WINDOW_ACTIONS,
    Bets,
    SeatAction,
    SeatFunds,
    TableGame,
    TableTerms,
)
from apps.tables.engine.codec import terms_from_json
from apps.tables.engine.replay import LoggedAction, RecordedStakes, RoundRecord
from apps.tables.engine.state import Ending, Json, SeatOutcome
from apps.tables.models import TableRound

_ANY: Final = SeatFunds(None, points=10**15)
"""Funds without limits: a recorded stake was checked against the wallet, whose balance is not recorded."""


def closed_details(
    *, terms: TableTerms, ending: Ending, outcomes: Sequence[SeatOutcome], public: Json, drawn: int
) -> tuple[Json, dict[str, Json]]:
    """Return the stored details of a finished round, and those of each seat by player."""
    results = {outcome.player: _seat_detail(terms, outcome) for outcome in outcomes}
    seats = {player: {**result, "table": public} for player, result in results.items()}
    if ending is Ending.UNSTAKED:
        return {}, seats
    named = [{"playerId": outcome.player_id, **results[outcome.player]} for outcome in outcomes]
    return {"public": public, "drawn": drawn, "results": named}, seats


def actions_of(played: TableRound) -> list[LoggedAction]:
    """Return the actions of a round, in order."""
    return [
        LoggedAction(row.seat, msgspec.convert(row.action, SeatAction), row.is_timeout)
        for row in sorted(played.actions.all(), key=lambda row: row.number)
    ]


def stakes_of(
    game: TableGame[Any], terms: TableTerms, actions: Sequence[LoggedAction]
) -> tuple[dict[int, Bets], list[int]]:
    """Return the stakes at the closing of the window by seat, and the amount that each action added to them."""
    bets: dict[int, Bets] = {}
    costs = []
    for taken in actions:
        before: Mapping[str, int] = bets.get(taken.seat, {})
        after = before
        if taken.action.name == PLACE_BET:
            after = game.bets_after(terms, before, taken.action, _ANY)
        elif taken.action.name == CLEAR_BETS:
            after = {}
        elif taken.action.name not in WINDOW_ACTIONS:
            costs.append(taken.action.amount or 0)
            continue
        bets[taken.seat] = after
        costs.append(sum(after.values()) - sum(before.values()))
    return {seat: bets[seat] for seat in sorted(bets) if bets[seat]}, costs


def round_record(game: TableGame[Any], played: TableRound, seeds: TableSeeds) -> RoundRecord:
    """Return the record for a replay with these seeds."""
    terms = terms_from_json(played.terms)
    actions = actions_of(played)
    stakes, _ = stakes_of(game, terms, actions)
    if played.ending == Ending.VOIDED.value and not played.detail.get("drawn"):
        stakes = {}  # the round ended before the deal
    return RoundRecord(
        number=seeds.nonce,
        seed_hash=played.seed_hash,
        seed=seeds.server_seed,
        contributions=tuple((row["seat"], row["clientSeed"]) for row in played.contributions),
        client_seed=seeds.client_seed,
        shoe=None if seeds.counts is None else tuple(seeds.counts),
        terms=terms,
        stakes=tuple(RecordedStakes(seat, bets) for seat, bets in stakes.items()),
        actions=tuple(actions),
    )


def _seat_detail(terms: TableTerms, outcome: SeatOutcome) -> Json:
    return {
        "seat": outcome.seat,
        "hands": outcome.hands,
        **outcome.extra,
        "bets": {name: terms.amount(units) for name, units in outcome.bets.items()},
        "stakes": terms.amount(outcome.staked),
        "payout": terms.amount(outcome.paid),
    }
