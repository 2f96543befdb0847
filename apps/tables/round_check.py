"""Checks one round of a table: replays it from its seeds and its log, and compares the result with the whole record."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from apps.cards.card import Card
from apps.core import json as exact_json
from apps.core.money import quantum_of
from apps.fairness.engine import contributions_joined
from apps.fairness.round_seeds import TableSeeds
from apps.paytables.models import PayTableUse
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import game_of
from apps.rounds.table_game import WINDOW_ACTIONS, Bets, TableGame, TableTerms
from apps.tables.change_items import stake_round_id
from apps.tables.engine.codec import terms_from_json
from apps.tables.engine.replay import LoggedAction, ReplayError, ReplayResult, round_replay
from apps.tables.engine.state import Ending, Json, SeatOutcome
from apps.tables.models import RoundEnding, TableAction, TableRound
from apps.tables.record import actions_of, closed_details, round_record, stakes_of
from apps.tables.registry import table_game_of

NEAR: Final = timedelta(seconds=60)
"""A transaction may have waited for the table's lock, so its time may be earlier than that of the change before it."""


class CheckedRound(NamedTuple):
    """The result of a replayed round, and the differences of its record."""

    played: TableRound
    faults: list[str]
    cards: Sequence[Card]
    shoe_after: tuple[int, ...] | None
    play: Any
    """The game's own state at the end of the log; None if no card was dealt."""
    seats: Mapping[int, SeatOutcome]
    """The results by player, if the round was played to its end."""
    details: Mapping[str, Json]
    """The stored details of each seat, by player."""
    staked: Mapping[int, int]
    """The stakes in the log by player, without withdrawn ones."""
    quantum: Decimal


def round_faults(played: TableRound, seeds: TableSeeds) -> CheckedRound:
    """Replay a table's round to the end of its log. `played` comes with its actions and table."""
    game: TableGame[Any] = table_game_of(played.table.game_type)
    terms = terms_from_json(played.terms)
    rows = sorted(played.actions.all(), key=lambda row: row.number)
    actions = actions_of(played)
    stakes, costs = stakes_of(game, terms, actions)
    faults = _source_faults(played, seeds) + _action_faults(played, rows, actions, terms)
    replay: ReplayResult[Any]
    try:
        replay = round_replay(game, round_record(game, played, seeds))
    except ReplayError as error:
        replay = ReplayResult(play=None, cards=(), steps=(), results=(), shoe_after=None)
        faults.append(f"its log is no round of these seeds: {error}")
    players = {row.seat: row for row in rows if row.action["name"] == "place_bet"}
    outcomes = _outcomes(replay, stakes, players, is_played=played.ending == RoundEnding.SETTLED)
    details: Mapping[str, Json] = {}
    if played.ending == RoundEnding.RUNNING and (played.detail or played.seed):
        faults.append("it is running, and has an outcome")
    if played.ending != RoundEnding.RUNNING:
        public = game.public_view(terms, replay.play) if replay.play is not None else {}
        detail, details = closed_details(
            terms=terms,
            ending=Ending(played.ending),
            outcomes=list(outcomes.values()),
            public=public,
            drawn=len(replay.cards),
        )
        faults += _ending_faults(played, replay, detail)
    return CheckedRound(
        played=played,
        faults=faults,
        cards=replay.cards,
        shoe_after=replay.shoe_after,
        play=replay.play,
        seats=outcomes,
        details=details,
        staked=_staked(rows, costs),
        quantum=quantum_of(terms.decimals),
    )


def seat_faults(checked: CheckedRound, seat: Round) -> list[str]:
    """Return the differences of a seat's round from its table's round."""
    played = checked.played
    table = played.table
    faults = []
    expected = {
        "id": stake_round_id(str(played.pk), seat.player_id),
        "partner_id": table.partner_id,
        "currency_id": table.currency_id,
        "game": table_game_of(table.game_type).game_id,
        "nonce": played.nonce,
        "config_version": played.config_version,
        "terms": played.terms,
        "ended_at": played.ended_at,
    }
    differing = [name for name, value in expected.items() if getattr(seat, name) != value]
    faults += [f"its {name} is not that of its table" for name in differing]
    if seat.started_at < played.started_at - NEAR:
        faults.append("it began before the round of its table")
    faults += _paytable_faults(played, seat)
    if seat.player_id not in checked.staked:
        return [*faults, "the log of its table has no stake of its player"]
    if seat.seat not in {row.seat for row in played.actions.all() if row.player_id == seat.player_id}:
        faults.append("its seat is not the one that its player acted for")
    ends = _ENDS[RoundEnding(played.ending)]
    if seat.how_ended not in ends:
        faults.append("it did not end as the round of its table did")
    outcome = checked.seats.get(seat.player_id)
    staked = checked.staked[seat.player_id] * checked.quantum
    if played.ending == RoundEnding.VOIDED and seat.how_ended == RoundEnd.WITHDRAWN:
        staked = Decimal(0)  # the table was closed while stakes could be taken back
    paid = outcome.paid * checked.quantum if outcome is not None else Decimal(0)
    if seat.how_ended != RoundEnd.VOIDED and (seat.stake, seat.payout) != (staked, paid):
        faults.append(f"{staked} is staked and {paid} paid, the round has {seat.stake} and {seat.payout}")
    if seat.how_ended == RoundEnd.PLAYED and not _same(checked.details.get(str(seat.player_id), {}), seat.detail):
        faults.append("the outcome is not as recorded")
    return faults


def _paytable_faults(played: TableRound, seat: Round) -> list[str]:
    """Return the contradictions between the seat's pay table and its table's configuration and terms."""
    used = PayTableUse.objects.filter(table_id=played.table_id, table_version=played.config_version, ends=None).first()
    if seat.paytable_id is None and (used is None or used.available_from > seat.started_at):
        return []
    if used is None or used.paytable_id != seat.paytable_id:
        return ["its pay table is not the one that its table offered"]
    pay = game_of(seat.game).table_pay
    terms = terms_from_json(played.terms)
    return [] if pay is not None and used.paytable.terms == pay.terms(terms) else ["its pay table has other terms"]


_ENDS: Final = {
    RoundEnding.RUNNING: {RoundEnd.OPEN},
    RoundEnding.SETTLED: {RoundEnd.PLAYED, RoundEnd.WITHDRAWN},
    RoundEnding.UNSTAKED: {RoundEnd.WITHDRAWN},
    RoundEnding.VOIDED: {RoundEnd.VOIDED, RoundEnd.WITHDRAWN},
}


def _source_faults(played: TableRound, seeds: TableSeeds) -> list[str]:
    faults = []
    if seeds.commitment != played.seed_hash:
        faults.append("the server seed is not the one that was committed to")
    if contributions_joined([row["clientSeed"] for row in played.contributions]) != played.client_seed:
        faults.append("the client seed is not the contributions in seat order")
    if sorted(row["seat"] for row in played.contributions) != [row["seat"] for row in played.contributions]:
        faults.append("the contributions are not in seat order")
    if played.nonce != played.number:
        faults.append(f"its nonce is {played.nonce}, and its number {played.number}")
    return faults


def _action_faults(
    played: TableRound, rows: Sequence[TableAction], actions: Sequence[LoggedAction], terms: TableTerms
) -> list[str]:
    """Return the faults of the log itself."""
    faults = []
    first = _first_number(played, rows)
    if [row.number for row in rows] != list(range(first, first + len(rows))):
        faults.append("one of its actions is missing")
    quantum = quantum_of(terms.decimals)
    for row, taken in zip(rows, actions, strict=True):
        units = taken.action.amount
        if row.amount != (None if units is None else units * quantum):
            faults.append(f"the amount of action {row.number} is not what was done")
        if row.ctime < played.started_at - NEAR or (played.ended_at is not None and row.ctime > played.ended_at + NEAR):
            faults.append(f"action {row.number} is of a time at which it was not played")
    by_seat: dict[int, int] = {}
    for row in rows:
        if row.action["name"] not in WINDOW_ACTIONS and by_seat.get(row.seat) != row.player_id:
            faults.append(f"action {row.number} is not of the player who staked at its seat")
        if row.action["name"] == "place_bet":
            by_seat[row.seat] = row.player_id
    return faults


def _first_number(played: TableRound, rows: Sequence[TableAction]) -> int:
    """Return the number that the log begins with: 1.

    Before migration 0004, a round that was opened by the same change as the previous round's end also counted that
    round's actions of the change.
    """
    if not rows or rows[0].number == 1:
        return 1
    before = TableAction.objects.filter(
        round__table=played.table_id, round__number=played.number - 1, ctime=rows[0].ctime
    )
    return before.count() + 1


def _outcomes(
    replay: ReplayResult[Any],
    stakes: Mapping[int, Bets],
    players: Mapping[int, TableAction],
    *,
    is_played: bool,
) -> dict[int, SeatOutcome]:
    if not is_played:
        return {}
    found = {}
    for (seat, bets), result in zip(stakes.items(), replay.results, strict=False):
        row = players[seat]
        found[row.player_id] = SeatOutcome(
            seat=seat,
            player=str(row.player_id),
            player_id=str(row.player.at_tables.public_id),
            bets=bets,
            staked=result.staked,
            paid=result.paid,
            hands=list(result.hands),
            extra=result.extra,
        )
    return found


def _ending_faults(played: TableRound, replay: ReplayResult[Any], detail: Json) -> list[str]:
    faults = []
    if played.ending == RoundEnding.SETTLED and not replay.results:
        faults.append("it is settled, and its log does not end it")
    if played.ending == RoundEnding.UNSTAKED and replay.cards:
        faults.append("nobody staked in it, and its log has stakes")
    recorded = played.detail
    if played.ending == RoundEnding.VOIDED:
        # The ledger has the stakes and their refunds.
        recorded, detail = ({**each, "results": []} for each in (recorded, detail))
    if not _same(detail, recorded):
        faults.append("the outcome is not as recorded")
    return faults


def _staked(rows: Sequence[TableAction], costs: Sequence[int]) -> dict[int, int]:
    staked: dict[int, int] = {}
    for row, cost in zip(rows, costs, strict=True):
        staked[row.player_id] = staked.get(row.player_id, 0) + cost
    return staked


def _same(computed: Json, recorded: Json) -> bool:
    """Compare with JSON that Django has read: its decimal numbers are floats."""
    again: Json = json.loads(exact_json.encode(computed))
    return again == recorded
