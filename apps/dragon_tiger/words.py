"""The sentences of the game's scripts, beside the portal's; `{name}` is the place of a value."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Final[dict[str, str | Promise]] = {
    "dragon-side": _("Dragon"),
    "tiger-side": _("Tiger"),
    "dragon-won": _("Dragon wins, {dragon} over {tiger}."),
    "tiger-won": _("Tiger wins, {tiger} over {dragon}."),
    "dragon-tie": _("Tie, {rank} on both sides."),
    "dragon-suited-tie": _("Suited tie, {rank} on both sides."),
}
