"""Rounds of either game, explained in one form."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from apps.baccarat.explain import baccarat_explain
from apps.blackjack.explain import blackjack_explain
from apps.blackjack.selectors import open_round_outcome
from apps.core.errors import RoundDetailsNotFound
from apps.rounds.explanation import Explanation
from apps.rounds.games import BACCARAT, BLACKJACK
from apps.rounds.models import Round, RoundEnd

_EXPLAIN: Final[dict[str, Callable[[Round], Explanation]]] = {BACCARAT: baccarat_explain, BLACKJACK: blackjack_explain}


def round_explain(played: Round) -> Explanation:
    """Return the round's bets, actions and outcome, in units of its currency."""
    return _EXPLAIN[played.game](played)


def round_detail(*, player_id: int, game: str, round_id: UUID) -> dict[str, Any]:
    """Return one of the player's rounds as `RoundDetailOutput` prints it. Raises RoundDetailsNotFound.

    A round that was not played to its end is its public view; the server seed stands there once its pair is revealed.
    """
    found = (
        Round.objects.select_related("seed_pair", "currency", "blackjack")
        .prefetch_related("actions", "baccarat_records")
        .filter(pk=round_id, player_id=player_id)
        .first()
    )
    if found is None or found.game != game:
        raise RoundDetailsNotFound("no such round")
    pair = found.seed_pair
    seed = {"serverSeed": pair.server_seed} if pair.server_seed else {"serverSeedHashed": pair.commitment}
    explanation = round_explain(found)
    return {
        "roundId": found.pk,
        "gameId": found.game,
        "clientSeed": pair.client_seed,
        "nonce": found.nonce,
        "isVerifiable": bool(pair.server_seed),
        **seed,
        "roundOutcome": {
            "roundEnded": found.how_ended != RoundEnd.OPEN,
            "howEnded": found.how_ended or None,
            "currency": found.currency_id,
            "stake": found.stake,
            "payout": found.payout,
            "state": explanation.outcome or open_round_outcome(found),
            "bets": explanation.bets,
            "actions": explanation.actions,
        },
    }
