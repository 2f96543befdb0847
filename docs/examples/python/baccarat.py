"""Places one baccarat bet with the generated client and prints the exact answer.

python baccarat.py http://127.0.0.1:8000 <game session's id> 10.25
"""

import sys
import uuid
from decimal import Decimal

from punto_client import AuthenticatedClient
from punto_client.api.baccarat import baccarat_bet
from punto_client.models import BaccaratBet, BaccaratBetPlaced, GameType, ResultType


def main(server: str, session: str, stake: Decimal) -> None:
    """Bet on the banker."""
    client = AuthenticatedClient(base_url=server, token=session)
    bet = BaccaratBet(game_type=GameType.BACCARAT_GAME_BET_ON_BANKER, bet_amount=stake)
    # The same key again gets the same answer, and one bet: a request that was lost may be sent again.
    placed = baccarat_bet.sync(client=client, body=bet, idempotency_key=str(uuid.uuid4()))
    if not isinstance(placed, BaccaratBetPlaced):
        raise SystemExit(f"no bet: {placed}")
    won: Decimal = placed.reward_amount - placed.bet_amount
    result = ResultType(placed.result_type).name
    print(f"{result} stake {placed.bet_amount} won {won} balance {placed.balance}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Decimal(sys.argv[3]))
