"""Checks that every round of every table follows from its seeds, its log and the round before it.

It does not rely on triggers or constraints. No finding reveals a seed, or a card of a running round.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.db.models import Q
from msgspec import MsgspecError

from apps.core.errors import DomainError
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.fairness.engine import commitment
from apps.fairness.round_seeds import TableSeeds
from apps.fairness.seed_encryption import SeedNotDecrypted, seed_decrypt
from apps.rounds.models import Round
from apps.rounds.table_game import TableRefusal
from apps.tables.engine.codec import state_from_json, terms_from_json
from apps.tables.models import GameTable, RoundEnding, TableChain, TableRound
from apps.tables.registry import table_game_of
from apps.tables.round_check import NEAR, CheckedRound, round_faults, seat_faults
from apps.tables.story import table_rounds_ready

_ROUNDS_AT_ONCE: Final = 500
# The errors that a replay of an altered record may raise.
UNREADABLE: Final = (
    SeedNotDecrypted, DomainError, ObjectDoesNotExist, ArithmeticError, LookupError, TypeError, ValueError,
    AttributeError, AssertionError, TableRefusal, MsgspecError,
)  # fmt: skip


def unreadable_reason(error: Exception) -> str:
    """Return what a finding tells of one of these errors: of most only the class, whose text may contain a card or a
    seed. With another PUNTO_SEED_KEY no seed is decrypted though nothing was altered, so the text of that one is told.
    """
    return str(error) if isinstance(error, SeedNotDecrypted) else type(error).__name__


_STRAY_SQL: Final = """
    SELECT DISTINCT 'table_round row ' || action.round_id,
        'there is no such round of a table: an action that is here belongs to it'
    FROM table_action AS action LEFT JOIN table_round ON table_round.id = action.round_id WHERE table_round.id IS NULL
    UNION ALL
    SELECT 'round ' || held.id, 'there is no such round of a table: the seat''s stakes belong to it'
    FROM game_round AS held LEFT JOIN table_round ON table_round.id = held.table_round
    WHERE held.table_round IS NOT NULL AND table_round.id IS NULL
    UNION ALL
    SELECT 'table_chain row ' || chain.id, 'it belongs to no table' FROM table_chain AS chain
    LEFT JOIN game_table ON game_table.id = chain.table_id WHERE game_table.id IS NULL
    UNION ALL
    SELECT 'table_round row ' || played.id, 'its table or its chain is not there' FROM table_round AS played
    LEFT JOIN game_table ON game_table.id = played.table_id
    LEFT JOIN table_chain AS chain ON chain.id = played.chain_id AND chain.table_id = played.table_id
    WHERE game_table.id IS NULL OR chain.id IS NULL
    ORDER BY 1 LIMIT %(at_most)s
"""
_OPEN_SQL: Final = """
    SELECT 'game_table row ' || game_table.id, CASE
        WHEN rounds.open > 1 THEN 'more than one of its rounds is running'
        WHEN rounds.last IS DISTINCT FROM (game_table.state ->> 'round_number')::bigint THEN
            'it counts ' || (game_table.state ->> 'round_number') || ' rounds, and ' || rounds.last || ' are there'
        WHEN rounds.last <> rounds.count THEN 'one of its rounds is missing'
        ELSE 'it says that it is open, and is not; or the other way round' END
    FROM game_table CROSS JOIN LATERAL (
        SELECT count(*) AS count, coalesce(max(number), 0) AS last, count(*) FILTER (WHERE ending = '') AS open
        FROM table_round WHERE table_id = game_table.id
    ) AS rounds
    WHERE (%(partner)s::bigint IS NULL OR game_table.partner_id = %(partner)s) AND game_table.state <> '{}' AND (
        rounds.open > 1 OR rounds.last <> rounds.count
        OR rounds.last IS DISTINCT FROM (game_table.state ->> 'round_number')::bigint
        OR game_table.is_open = (game_table.state ->> 'phase' = 'closed'
                                 OR coalesce((game_table.state ->> 'is_closing')::boolean, false))
    ) ORDER BY 1 LIMIT %(at_most)s
"""


def table_rounds_check(*, at_most: int, partner_id: int | None = None, since: datetime | None = None) -> Check:
    """Replay running rounds and those that ended after `since`, or all, together with the rounds of their seats.

    Lists at most `at_most` findings of each kind. The caller has opened `one_moment`. `checked` counts rounds of
    tables, staked on or not.
    """
    transaction_require()
    findings = _found(_OPEN_SQL, partner_id, at_most)
    if partner_id is None:
        findings += _found(_STRAY_SQL, partner_id, at_most)
    count = 0
    walk = _Walk()
    for played, seats in _rounds(partner_id, since):
        count += 1
        if len(findings) < at_most * 2:
            findings += walk.findings(played, seats)
    for chain in TableChain.objects.select_related("table").filter(
        **({} if partner_id is None else {"table__partner_id": partner_id})
    ):
        findings += walk.chain_findings(chain)
    return Check(count, findings)


class _Chains:
    """The seeds of the chain that was decrypted last."""

    def __init__(self) -> None:
        self._of: object = None
        self._seeds: list[str] = []

    def seed(self, chain: TableChain, position: int) -> str:
        """Return s_position. Raises LookupError outside the chain, SeedNotDecrypted, ValueError."""
        if self._of != chain.pk:
            seeds = [seed_decrypt(bytes(chain.sealed_seed), commitment=chain.commitment)]
            for _ in range(chain.length):
                seeds.append(commitment(seeds[-1]))
            if seeds[-1] != chain.commitment:
                raise SeedNotDecrypted("the chain does not end in its commitment")
            self._of, self._seeds = chain.pk, seeds[::-1]
        if position < 1:
            raise LookupError("the round was before the chain")
        return self._seeds[position]


class _Walk:
    """Checks rounds table by table, in their order."""

    def __init__(self) -> None:
        self._chains = _Chains()
        self._before: CheckedRound | None = None

    def findings(self, played: TableRound, seats: Sequence[Round]) -> list[Finding]:
        try:
            seed = self._chains.seed(played.chain, played.number - played.chain.first_round + 1)
            checked = round_faults(played, TableSeeds(seed, played.client_seed, played.nonce, played.shoe))
            faults = list(checked.faults)
            if played.seed not in ("", seed):
                faults.append("the seed that was revealed is not that of its chain")
            faults += self._follows(checked)
            faults += _state_faults(checked)
            staked = {player for player, units in checked.staked.items() if units}
            if played.table.currency_id is not None and staked - {seat.player_id for seat in seats}:
                faults.append("a stake of its log has no round of its player")
            of_seats = {seat.pk: seat_faults(checked, seat) for seat in seats}
        except UNREADABLE as error:
            self._before = None
            return [Finding(f"table_round row {played.pk}", f"it cannot be played again: {unreadable_reason(error)}")]
        self._before = checked
        if faults and played.ending == RoundEnding.RUNNING:
            faults = ["it is running, and what is recorded of it does not follow from its seeds and its log"]
        found = [Finding(f"table_round row {played.pk}", "; ".join(faults))] if faults else []
        return found + [Finding(f"round {seat}", "; ".join(each)) for seat, each in of_seats.items() if each]

    def chain_findings(self, chain: TableChain) -> list[Finding]:
        try:
            self._chains.seed(chain, 1)
        except SeedNotDecrypted as error:
            return [Finding(f"table_chain row {chain.pk}", str(error))]
        except UNREADABLE:
            return [Finding(f"table_chain row {chain.pk}", "its seeds do not end in its commitment")]
        return []

    def _follows(self, checked: CheckedRound) -> list[str]:
        """Return what does not follow from the previous round, if that round is known and of the same table."""
        played, before = checked.played, self._before
        if before is None or before.played.table_id != played.table_id:
            before = _round_before(played, self._chains)
            if before is None:
                return _first_faults(played)
        faults = []
        former = before.played
        if former.number != played.number - 1:
            faults.append(f"it follows round {former.number}")
        is_first = played.chain.first_round == played.number
        if played.chain_id != former.chain_id and not is_first:
            faults.append("it is dealt from another chain than the round before")
        terms, terms_before = terms_from_json(played.terms), terms_from_json(former.terms)
        left = before.shoe_after
        is_new = terms.decks != terms_before.decks or (left is not None and sum(left) <= terms.cut_card)
        shoe = None if played.shoe is None else tuple(played.shoe)
        if (is_new and not _is_whole(played)) or (not is_new and shoe != left):
            faults.append("its shoe is not what the round before left")
        if not former.config_version <= played.config_version <= played.table.config_version:
            faults.append("its table had no such configuration then")
        if former.ended_at is None or played.started_at < former.ended_at - NEAR:
            faults.append("it began before the round before it had ended")
        return faults


def _round_before(played: TableRound, chains: _Chains) -> CheckedRound | None:
    former = table_rounds_ready(TableRound.objects.filter(table=played.table_id, number=played.number - 1)).first()
    if former is None:
        return None
    seed = chains.seed(former.chain, former.number - former.chain.first_round + 1)
    return round_faults(former, TableSeeds(seed, former.client_seed, former.nonce, former.shoe))


def _first_faults(played: TableRound) -> list[str]:
    """Return the contradictions to being the table's first round."""
    if played.number != 1 or not _is_whole(played):
        return ["it does not follow the round before"]
    return ["it began before its chain was made"] if played.started_at < played.chain.ctime - NEAR else []


def _is_whole(played: TableRound) -> bool:
    decks = terms_from_json(played.terms).decks
    return played.shoe is None or list(played.shoe) == [decks] * 52


def _state_faults(checked: CheckedRound) -> list[str]:
    """Return the differences between a table's state and the log of its running round."""
    played = checked.played
    if played.ending != RoundEnding.RUNNING:
        return []
    game = table_game_of(played.table.game_type)
    running = state_from_json(game, played.table.state).round
    if running is None or running.id != str(played.pk):
        return ["it is running, and its table has another round or none"]
    kept = (running.number, running.seed_hash, running.client_seed, running.shoe, running.terms)
    shoe = None if played.shoe is None else tuple(played.shoe)
    if kept != (played.number, played.seed_hash, played.client_seed, shoe, terms_from_json(played.terms)):
        return ["its table holds another state of it"]
    if running.play is None:
        return []
    same = game.state_to_json(running.play) == game.state_to_json(checked.play) if checked.play is not None else False
    return [] if same else ["its cards are not those of its log"]


def _rounds(partner_id: int | None, since: datetime | None) -> Iterator[tuple[TableRound, list[Round]]]:
    """Yield rounds table by table, in order, each with the seats' rounds."""
    rounds = TableRound.objects.order_by("table", "number")
    if partner_id is not None:
        rounds = rounds.filter(table__partner_id=partner_id)
    if since is not None:
        rounds = rounds.filter(Q(ending=RoundEnding.RUNNING) | Q(ended_at__gte=since))
    # Other checks name a row whose table or chain is missing.
    ready = table_rounds_ready(rounds.filter(table__in=GameTable.objects.all(), chain__in=TableChain.objects.all()))
    walk = ready.iterator(chunk_size=_ROUNDS_AT_ONCE)
    while some := list(islice(walk, _ROUNDS_AT_ONCE)):
        seats: dict[Any, list[Round]] = {}
        for seat in Round.objects.filter(table_round__in=[played.pk for played in some]):
            seats.setdefault(seat.table_round, []).append(seat)
        for played in some:
            yield played, seats.get(played.pk, [])


def _found(sql: str, partner_id: int | None, at_most: int) -> list[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"partner": partner_id, "at_most": at_most})
        return [Finding(where, what) for where, what in cursor.fetchall()]
