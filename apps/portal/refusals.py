"""The sentences for players about refusals, by their codes. A refusal's own message is for a client's programmers."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.core.errors import BadParams, Busy, ChangeSeedFailed, DomainError, PlayerBlocked, RateLimited, Unavailable

SENTENCES: Final[dict[str, Promise]] = {
    BadParams.code: _("Only letters, digits and signs of ASCII, without spaces and without |."),
    Busy.code: _("The table is busy. Try again in a moment."),
    ChangeSeedFailed.code: _("A round is open. Finish it first."),
    PlayerBlocked.code: _("Play is blocked for your account. Ask the operator."),
    RateLimited.code: _("That was too fast. Try again in a moment."),
    Unavailable.code: _("The casino does not answer now. Try again in a moment."),
}
"""The sentences for the refusals of the portal's forms, by code."""


def refusal_sentence(refusal: DomainError) -> str:
    """Return the sentence in the page's language."""
    sentence = SENTENCES.get(refusal.code)
    return str(sentence) if sentence else gettext("That did not work. Load the page and try again.")
