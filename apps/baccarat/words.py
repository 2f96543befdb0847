"""The sentences of the game's scripts, beside the portal's; `{name}` is the place of a value."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Final[dict[str, str | Promise]] = {
    "baccarat-player": _("Player"),
    "baccarat-banker": _("Banker"),
    "baccarat-tie": _("Tie"),
    "baccarat-won": _("{side} wins, {high} to {low}."),
    "baccarat-tied": _("Tie, {high} to {low}."),
    "baccarat-scores": _("Player {player}, banker {banker}."),
    "live-tie-at": _("A tie at {score}."),
    "road-beadPlate": _("Bead plate"),
    "road-bigRoad": _("Big road"),
    "road-bigEyeBoy": _("Big eye boy"),
    "road-smallRoad": _("Small road"),
    "road-cockroachPig": _("Cockroach pig"),
    "road-player": _("player"),
    "road-banker": _("banker"),
    "road-tie": _("tie"),
    "road-red": _("red"),
    "road-blue": _("blue"),
    "road-none": _("no mark"),
    "road-next": _("What the next round would add to the roads"),
    "road-if-player": _("If player"),
    "road-if-banker": _("If banker"),
    "road-empty": _("No rounds yet."),
    "road-counts": _("Rounds: {count}. Player {player}, banker {banker}, tie {tie}. The newest: {newest}."),
}
