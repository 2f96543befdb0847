"""Plays dragon tiger for the contract tests."""

from collections.abc import Sequence
from decimal import Decimal
from random import Random

from apps.dragon_tiger.engine import GameType
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from tests.contract.players import Alteration
from tests.dragon_tiger.players import dragon_tiger_bet_place
from tests.support.loop import run

RECORDS = "dragon_tiger_game_record SET"
OF_ROUND = "WHERE round_id = %(round)s"


class DragonTigerPlayer:
    """Places one to four bets. A round ends with its answer."""

    alterations = (
        Alteration(
            "a record's reward",
            f"UPDATE {RECORDS} reward_amount = bet_amount * 3, result_type = 1 {OF_ROUND}",
        ),
        Alteration("a record's nonce", f"UPDATE {RECORDS} nonce = nonce + 1 {OF_ROUND}"),
        Alteration("a record's odds", f"UPDATE {RECORDS} odds = odds + 1 {OF_ROUND}"),
        Alteration(
            "the winner",
            "UPDATE game_round SET detail = jsonb_set(detail, '{winner}', '\"nobody\"') WHERE id = %(round)s",
        ),
    )

    def play(self, token: str, chance: Random) -> None:
        kinds = chance.sample(list(GameType), chance.randint(1, len(GameType)))
        bets = tuple(Bet(kind, Decimal(chance.randint(1, 9))) for kind in kinds)
        slip = Slip(bets, is_list=True)
        run(dragon_tiger_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))

    def leave_open(self, token: str) -> bool:
        return False

    def texts_of(self, code: str) -> Sequence[str]:
        return ()


PLAYER = DragonTigerPlayer()
