"""The luck of recorded solo rounds of blackjack, for the statistics."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

import structlog

from apps.blackjack.engine.actions import Action, IllegalAction, Move
from apps.blackjack.engine.codec import from_json
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.explain import BlackjackExplanation
from apps.blackjack.luck import luck_of_round
from apps.blackjack.offered_terms import MAIN_BET
from apps.blackjack.store import state_read
from apps.rounds.game_spec import LuckMeasure
from apps.rounds.models import Round

_UNREADABLE: Final = (IllegalAction, LookupError, ValueError, TypeError, ArithmeticError)
"""The errors that an altered record may raise. The proof names such a round."""

log = structlog.get_logger(__name__)


def rounds_luck(ids: Sequence[UUID]) -> Mapping[UUID, tuple[float, float]]:
    """Return luck and what was given away, in first stakes, of each round that had a stake."""
    found: dict[UUID, tuple[float, float]] = {}
    rounds = Round.objects.filter(pk__in=ids).select_related("currency", *BlackjackExplanation.hands_read)
    for played in rounds.prefetch_related("actions"):
        setup = from_json(RoundSetup, played.settlement_terms)
        if not setup.stakes[0].main:
            continue
        rows = sorted((row for row in played.actions.all() if row.number > 1), key=lambda row: row.number)
        try:
            actions = [Action(Move(row.action["move"]), row.action["seat"], row.action["insurance"]) for row in rows]
            seat = state_read(played.blackjack.state, setup).seats[0]
            luck = luck_of_round(setup, actions, BlackjackExplanation(played).dealt.cards, seat)
            found[played.pk] = (luck.luck, luck.given_away)
        except _UNREADABLE:
            log.exception("round_luck_unreadable", round=str(played.pk))
    return found


LUCK: Final = LuckMeasure(kind=MAIN_BET, of_rounds=rounds_luck)
