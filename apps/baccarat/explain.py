"""A baccarat round in its bets: one action laid all of them."""

from apps.baccarat.engine import GameType, ResultType
from apps.core.money import plain
from apps.rounds.explanation import ExplainedAction, ExplainedBet, Explanation
from apps.rounds.models import ActedBy, Round

RESULT_NAMES = {ResultType.USER_WIN: "UserWin", ResultType.USER_LOST: "UserLost", ResultType.DRAW: "Draw"}


def baccarat_explain(played: Round) -> Explanation:
    """Return the round's bets and its one action. Reads its records, where they were not prefetched."""
    records = sorted(played.baccarat_records.all(), key=lambda record: record.pk)
    bets = [
        ExplainedBet(
            bet=GameType(record.game_type).wire_name,
            hand=None,
            stake=record.bet_amount,
            odds=record.odds,
            payout=record.reward_amount,
            result=RESULT_NAMES[ResultType(record.result_type)],
        )
        for record in records
    ]
    laid = [{"game_type": record.game_type, "bet_amount": plain(record.bet_amount)} for record in records]
    action = ExplainedAction(
        number=1,
        by=ActedBy.PLAYER.value,
        action="Bet",
        data={"bets": laid},
        stake=played.stake,
        payout=played.payout,
        time=played.started_at,
    )
    return Explanation(bets, [action], played.detail)
