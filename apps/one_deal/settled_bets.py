"""The SQL that lists the settled bets and the cards of a one-deal game for the statistics (`GameSpec`)."""

from apps.one_deal.engine import ResultType
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.table_message_types import card_code_sql


def settled_bets_sql(game: OneDealGame) -> str:
    """Return the query: each record is a bet."""
    kinds = " ".join(f"WHEN {kind.value} THEN '{kind.wire_name}'" for kind in game.bets)
    results = " ".join(f"WHEN {result.value} THEN '{result.wire_name}'" for result in ResultType)
    return f"""
        SELECT ended.*, CASE record.game_type {kinds} END AS kind, 1 AS bets, record.bet_amount AS bet_stake,
            record.reward_amount AS bet_payout, CASE record.result_type {results} END AS result
        FROM ended JOIN {game.record_model._meta.db_table} AS record ON record.round_id = ended.id
        WHERE ended.game = '{game.id}' AND ended.table_round IS NULL
    """  # noqa: S608 - names of the game


def dealt_cards_sql(game: OneDealGame) -> str:
    """Return the query: the sides get their first cards in turns, and then each at most one more."""
    fewest, most = game.cards_a_side
    cards = [f"ended.detail #>> '{{{side},{number}}}'" for number in range(fewest) for side in game.sides]
    if most > fewest:
        first, second = (f"ended.detail #>> '{{{side},{fewest}}}'" for side in game.sides)
        cards += [f"coalesce({first}, {second})", f"CASE WHEN {first} IS NOT NULL THEN {second} END"]
    places = ", ".join(f"({place}, {card})" for place, card in enumerate(cards))
    return f"""
        SELECT ended.at, ended.game, ended.paytable_id, dealt.place, dealt.card
        FROM ended CROSS JOIN LATERAL (VALUES {places}) AS dealt (place, card)
        WHERE ended.game = '{game.id}' AND ended.table_round IS NULL AND NOT ended.is_void
    """  # noqa: S608 - names of the game


def table_cards_sql(game: OneDealGame) -> str:
    """Return the query for tables: the sides get their first cards in turns, for all seats together."""
    fewest, _ = game.cards_a_side
    places = ", ".join(
        f"({number * len(game.sides) + turn}, {card_code_sql(f'played.detail #> {_path(side, number)}')})"
        for number in range(fewest)
        for turn, side in enumerate(game.sides)
    )
    return f"""
        SELECT once.at, once.game, once.paytable_id, dealt.place, dealt.card
        FROM (
            SELECT DISTINCT ON (table_round) table_round, at, game, paytable_id FROM ended
            WHERE game = '{game.id}' AND table_round IS NOT NULL AND NOT is_void ORDER BY table_round
        ) AS once JOIN table_round AS played ON played.id = once.table_round
        CROSS JOIN LATERAL (VALUES {places}) AS dealt (place, card)
    """  # noqa: S608 - names of the game


def _path(side: str, number: int) -> str:
    return f"'{{public,{side},cards,{number}}}'"
