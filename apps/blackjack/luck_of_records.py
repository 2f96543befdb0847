"""The luck of recorded solo rounds of blackjack, for the statistics.

The fold reads every round by it, so it reads columns and not rows of models, and of JSON only what luck depends on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
import structlog
from django.db.models import F, TextField
from django.db.models.functions import Cast

from apps.blackjack.engine.actions import Action, IllegalAction, Move
from apps.blackjack.engine.codec import event_from_json, from_json
from apps.blackjack.engine.events import CardDealt, DealerCardShown
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import SeatState
from apps.blackjack.explain import cards_dealt
from apps.blackjack.luck_of_decisions import luck_of_round
from apps.blackjack.mathematics.luck import Luck
from apps.blackjack.paytables import MAIN_BET
from apps.blackjack.standard_deviations import deviation_of_terms
from apps.paytables.models import PayTable
from apps.rounds.game_spec import LuckMeasure
from apps.rounds.models import Round, RoundAction

_UNREADABLE: Final = (IllegalAction, LookupError, ValueError, TypeError, ArithmeticError)
"""The errors that an altered record may raise. The proof names such a round."""
_CARDS_TOLD: Final = {CardDealt.__name__, DealerCardShown.__name__}
_HOLE_INDEX: Final = 3
"""The place of the hole card in the shoe, with one seat (`RoundState.hole_index`)."""

log = structlog.get_logger(__name__)
_read = msgspec.json.decode


def rounds_luck(ids: Sequence[UUID]) -> Mapping[UUID, tuple[float, float]]:
    """Return luck and what was given away, in first stakes, of each round that had a stake."""
    found: dict[UUID, tuple[float, float]] = {}
    setups: dict[tuple[str, int | None], RoundSetup] = {}
    rounds = Round.objects.filter(pk__in=ids)
    logs = _logs(ids)
    paytables: dict[int | None, Any] = dict(
        PayTable.objects.filter(pk__in=rounds.values("paytable")).values_list("pk", "terms")
    )
    texts = rounds.annotate(own_terms=_text("terms"), seat_state=_text("blackjack__state__seats__0"))
    for pk, paytable, terms, seat in texts.values_list("pk", "paytable_id", "own_terms", "seat_state"):
        try:
            if (setup := setups.get((terms, paytable))) is None:
                setup = from_json(RoundSetup, paytables.get(paytable, {}) | _read(terms))
                setups[terms, paytable] = setup
            if setup.stakes[0].main:
                luck = _luck(setup, logs.get(pk, []), from_json(SeatState, _read(seat)))
                found[pk] = (luck.luck, luck.given_away)
        except _UNREADABLE:
            log.exception("round_luck_unreadable", round=str(pk))
    return found


def _luck(setup: RoundSetup, rows: Iterable[tuple[int, Any, Any]], seat: SeatState) -> Luck:
    actions, events = [], []
    for number, action, told in rows:
        if number > 1:
            taken = _read(action)
            actions.append(Action(Move(taken["move"]), taken["seat"], taken["insurance"]))
        events += [event_from_json(event) for event in _read(told) if event["type"] in _CARDS_TOLD]
    shown = cards_dealt(events, hole_index=_HOLE_INDEX if setup.rules.dealer_peek else None)
    return luck_of_round(setup, actions, shown.cards, seat)


def _logs(ids: Sequence[UUID]) -> Mapping[UUID, list[tuple[int, str, str]]]:
    """Return the number, the action and the events of each row of the rounds' logs, in order."""
    rows = RoundAction.objects.filter(round__in=ids).annotate(taken=_text("action"), told=_text("events"))
    logs: dict[UUID, list[tuple[int, str, str]]] = {}
    for pk, *row in rows.order_by("round_id", "number").values_list("round_id", "number", "taken", "told"):
        logs.setdefault(pk, []).append((row[0], row[1], row[2]))
    return logs


def _text(name: str) -> Cast:
    """Return a JSON column as the text that it is stored as."""
    return Cast(F(name), TextField())


LUCK: Final = LuckMeasure(kind=MAIN_BET, of_rounds=rounds_luck, deviation=deviation_of_terms)
