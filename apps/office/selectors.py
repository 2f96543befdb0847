"""Queries over all games."""

from typing import TYPE_CHECKING

from apps.core.staff_scope import Viewer, in_scope
from apps.rounds.models import Round

if TYPE_CHECKING:
    from django.db.models import QuerySet


def round_list(*, viewer: Viewer) -> "QuerySet[Round]":
    """Return the rounds that the viewer may see."""
    return in_scope(Round.objects.all(), viewer=viewer, partner_path="partner_id")
