"""The terms and figures of bets at blackjack tables, and the SQL of their cards, for pay tables and statistics."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.blackjack.apps import GAME_ID
from apps.blackjack.engine.side_bets import PERFECT_PAIRS_WINS, POKER_WINS, SideBet
from apps.blackjack.paytables import figures_of, terms_stored
from apps.blackjack.standard_deviations import deviation_known
from apps.blackjack.table import rules_of
from apps.blackjack.table_edges import edge_stored
from apps.paytables.paytable_rows import BetFigures
from apps.rounds.game_spec import TablePay
from apps.rounds.table_game import TableTerms
from apps.rounds.table_message_types import card_code_sql

_WINS: Final = {SideBet.PERFECT_PAIRS: PERFECT_PAIRS_WINS, SideBet.POKER: POKER_WINS}


def _terms(terms: TableTerms) -> dict[str, Any]:
    return terms_stored(rules_of(terms).to_json(), _odds(terms))


def _figures(terms: TableTerms) -> Sequence[BetFigures] | None:
    rules = rules_of(terms)
    edge = edge_stored(rules)
    return None if edge is None else figures_of(rules, edge, _odds(terms), deviation=deviation_known(rules))


def _odds(terms: TableTerms) -> dict[SideBet, Mapping[str, str]]:
    return {
        bet: {outcome.value: terms.odds[outcome.value] for outcome in wins}
        for bet, wins in _WINS.items()
        if bet.value in terms.limits
    }


_UPCARD: Final = card_code_sql("played.detail #> '{public,dealer,cards,0}'")

# The first card of each seat that staked, and then the dealer's: every deal has them, and no decision moves them.
_DEALT_CARDS_SQL: Final = f"""
    SELECT once.at, once.game, once.paytable_id, dealt.place, dealt.card
    FROM (
        SELECT DISTINCT ON (table_round) table_round, at, game, paytable_id FROM ended
        WHERE game = '{GAME_ID}' AND table_round IS NOT NULL AND NOT is_void ORDER BY table_round
    ) AS once JOIN table_round AS played ON played.id = once.table_round
    CROSS JOIN LATERAL (
        SELECT seat.place - 1, {card_code_sql("seat.result #> '{hands,0,cards,0}'")}
        FROM jsonb_array_elements(played.detail -> 'results') WITH ORDINALITY AS seat (result, place)
        UNION ALL
        SELECT jsonb_array_length(played.detail -> 'results'), {_UPCARD}
    ) AS dealt (place, card)
"""  # noqa: S608 - the game's id

TABLE_PAY: Final = TablePay(
    terms=_terms, figures=_figures, kinds={}, is_shared_deal=False, dealt_cards_sql=_DEALT_CARDS_SQL
)
