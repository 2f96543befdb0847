"""The SQL that lists the settled bets and the cards of solo blackjack for the statistics (`GameSpec`)."""

from typing import Final

from apps.blackjack.apps import GAME_ID

# The hands of a round are one bet: the main stake, what splits and doubles added to it, and what all hands pay.
SETTLED_BETS_SQL: Final = f"""
    SELECT ended.*, settled.kind, settled.bets, settled.stake * ended.quantum AS bet_stake,
        settled.payout * ended.quantum AS bet_payout, settled.result
    FROM ended JOIN blackjack_round AS play ON play.round_id = ended.id
    CROSS JOIN LATERAL (
        SELECT 'hand' AS kind, count(*)::integer AS bets, sum((hand ->> 'stake')::numeric) AS stake,
            sum(coalesce((hand ->> 'payout')::numeric, 0)) AS payout, NULL::text AS result
        FROM jsonb_array_elements(play.state #> '{{seats,0,hands}}') AS hand
        UNION ALL
        SELECT side ->> 'bet', 1, (side ->> 'stake')::numeric, (side ->> 'payout')::numeric, side ->> 'outcome'
        FROM jsonb_array_elements(play.state #> '{{seats,0,side_bets}}') AS side
        UNION ALL
        SELECT 'insurance', 1, (insured ->> 'stake')::numeric, coalesce((insured ->> 'payout')::numeric, 0), NULL
        FROM (SELECT play.state #> '{{seats,0,insurance}}') AS answer (insured)
        WHERE coalesce((insured ->> 'stake')::numeric, 0) > 0
    ) AS settled
    WHERE ended.game = '{GAME_ID}' AND ended.table_round IS NULL
"""  # noqa: S608 - the game's id

# The first two cards of the deal. The player's second one moves to another hand in a split, and later cards are drawn
# or not by decisions.
DEALT_CARDS_SQL: Final = f"""
    SELECT ended.at, ended.game, ended.paytable_id, dealt.place, dealt.card
    FROM ended JOIN blackjack_round AS play ON play.round_id = ended.id
    CROSS JOIN LATERAL (
        VALUES (0, play.state #>> '{{seats,0,hands,0,cards,0}}'), (1, play.state #>> '{{dealer,0}}')
    ) AS dealt (place, card)
    WHERE ended.game = '{GAME_ID}' AND ended.table_round IS NULL AND NOT ended.is_void
"""  # noqa: S608 - the game's id
