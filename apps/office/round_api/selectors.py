"""A round's details, the same for every game."""

from typing import Any
from uuid import UUID

from apps.core.errors import RoundDetailsNotFound
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import round_explain


def round_detail(*, player_id: int, game: str, round_id: UUID) -> dict[str, Any]:
    """Return one of the player's rounds for `RoundDetailOutput`. Raises RoundDetailsNotFound.

    For a round that was not played to its end the outcome is the public view. The server seed is included once it is
    revealed.
    """
    rounds = Round.objects.select_related("seed_pair", "currency")
    found = rounds.filter(pk=round_id, player_id=player_id).first()
    if found is None or found.game != game:
        raise RoundDetailsNotFound("no such round")
    explanation = round_explain(found)
    source = explanation.source
    seed = {"serverSeed": source.server_seed} if source.server_seed else {"serverSeedHashed": source.commitment}
    return {
        "roundId": found.pk,
        "gameId": found.game,
        "clientSeed": source.client_seed,
        "nonce": source.nonce,
        "isVerifiable": bool(source.server_seed),
        **seed,
        "roundOutcome": {
            "roundEnded": found.how_ended != RoundEnd.OPEN,
            "howEnded": found.how_ended or None,
            "currency": found.currency_id,
            "stake": found.stake,
            "payout": found.payout,
            "state": explanation.shown_state,
            "bets": explanation.bets,
            "actions": explanation.actions,
        },
    }
