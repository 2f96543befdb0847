"""Deals many rounds of a one-deal game again and compares them with their records, without an object for each row."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from apps.core.database_snapshot import rows_stream
from apps.core.models import Currency
from apps.fairness.opened_pairs import OpenedPair, pairs_open
from apps.one_deal.engine import BetKind
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.bulk_check import IN_SCOPE_SQL, CheckedRounds, RoundScope
from apps.rounds.models import RoundEnd

_ROUNDS_AT_ONCE: Final = 2_000
_TERMS_KEPT: Final = 1_000
# In order of seed pair and nonce, so that few seeds are decrypted for many rounds. A round without records has a row
# too.
_SQL: Final = """
    SELECT held.id::text, held.seed_pair_id, held.nonce, held.currency_id, held.how_ended, held.stake, held.payout,
        (coalesce(paytable.terms, '{{}}') || held.terms)::text, held.detail,
        record.game_type, record.bet_amount, record.odds, record.result_type, record.reward_amount,
        record.seed_pair_id = held.seed_pair_id AND record.nonce = held.nonce, {sides}
    FROM game_round AS held LEFT JOIN "{records}" AS record ON record.round_id = held.id
    LEFT JOIN paytable ON paytable.id = held.paytable_id AND paytable.game = held.game
    WHERE held.game = %(game)s AND held.table_round IS NULL AND {in_scope}
    ORDER BY held.seed_pair_id, held.nonce, held.id
"""
# The errors that an altered row may cause in the rules.
_UNREADABLE: Final = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError)


class _Row(NamedTuple):
    """A round with one of its records."""

    round_id: str
    seed_pair_id: int
    nonce: int
    currency_id: str
    how_ended: str
    stake: Decimal
    payout: Decimal
    terms: str
    detail: str
    game_type: int
    bet_amount: Decimal
    odds: Decimal
    result_type: int
    reward_amount: Decimal
    is_of_the_nonce: bool
    first_cards: str
    """The cards of the game's first side, as PostgreSQL prints an array."""
    second_cards: str


class _Terms(NamedTuple):
    """A round's terms, parsed once for all rounds that have them."""

    decks: int
    odds: dict[int, tuple[BetKind, Decimal, Fraction]]
    """By the bet's number."""


class _Rules:
    """The rules of a game for the check of all its rounds."""

    def __init__(self, game: OneDealGame) -> None:
        self._game = game
        self._quanta = {currency.code: currency.quantum for currency in Currency.objects.all()}
        self._terms = lru_cache(maxsize=_TERMS_KEPT)(self._terms_read)

    def is_as_dealt(self, rows: Sequence[_Row], pair: OpenedPair | None) -> bool:
        """Deal the round of these rows again; return False if anything differs or cannot be checked."""
        try:
            return pair is not None and self._is_as_dealt(rows, pair)
        except _UNREADABLE:
            return False

    def _is_as_dealt(self, rows: Sequence[_Row], pair: OpenedPair) -> bool:
        game, row = self._game, rows[0]
        terms = self._terms(row.terms)
        deal = game.deal(pair.shoe(row.nonce, terms.decks))
        outcome: dict[str, Any] = game.outcome(deal)
        if row.how_ended != _PLAYED or msgspec.json.decode(row.detail) != outcome:
            return False
        first_cards, second_cards = [f"{{{','.join(outcome[side])}}}" for side in game.sides]
        quantum = self._quanta[row.currency_id]
        staked = paid = _ZERO
        for row in rows:
            kind, odds, exact_odds = terms.odds[row.game_type]
            result = game.settle(deal, kind, row.bet_amount, exact_odds, quantum=quantum)
            if (
                not row.is_of_the_nonce
                or row.first_cards != first_cards
                or row.second_cards != second_cards
                or row.odds != odds
                or row.result_type != result.result_type
                or row.reward_amount != result.payout
            ):
                return False
            staked += row.bet_amount
            paid += row.reward_amount
        return staked == row.stake and paid == row.payout

    def _terms_read(self, text: str) -> _Terms:
        terms = msgspec.json.decode(text)
        if terms.keys() != {"decks", "odds"}:
            raise ValueError("a round's terms are decks and odds")
        known = ((kind, terms["odds"].get(kind.wire_name)) for kind in self._game.bets)
        odds = {int(kind): (kind, Decimal(text), Fraction(text)) for kind, text in known if text is not None}
        return _Terms(int(terms["decks"]), odds)


def rounds_doubted(game: OneDealGame, scope: RoundScope) -> Iterator[CheckedRounds]:
    """Deal the game's rounds again (apps/rounds/bulk_check.py); all open or voided rounds need the full check."""
    sides = ", ".join(f'record."{side}_cards"::text' for side in game.sides)
    sql = _SQL.format(sides=sides, records=game.record_model._meta.db_table, in_scope=IN_SCOPE_SQL)
    rules = _Rules(game)
    stream = rows_stream(sql, {"game": game.id, **scope.parameters()})
    rounds = (list(map(_Row._make, rows)) for _, rows in groupby(stream, key=itemgetter(0)))
    while batch := list(islice(rounds, _ROUNDS_AT_ONCE)):
        pairs = pairs_open({rows[0].seed_pair_id for rows in batch})
        doubted = [
            UUID(rows[0].round_id) for rows in batch if not rules.is_as_dealt(rows, pairs.get(rows[0].seed_pair_id))
        ]
        yield CheckedRounds(len(batch), doubted)


_PLAYED: Final = RoundEnd.PLAYED.value
_ZERO: Final = Decimal(0)
