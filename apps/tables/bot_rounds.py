"""The filter that leaves the rounds of practice bots out of reports."""

from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef

from apps.rounds.models import Round
from apps.tables.models import TablePlayer

if TYPE_CHECKING:
    from django.db.models import QuerySet


def bots() -> "QuerySet[TablePlayer, Any]":
    """Return the ids of the players that are practice bots, as `player`."""
    return TablePlayer.objects.filter(is_bot=True).values("player")


def without_bots(rounds: "QuerySet[Round]") -> "QuerySet[Round]":
    """Return the rounds that people have played."""
    return rounds.filter(~Exists(bots().filter(player=OuterRef("player_id"))))
