"""The sentences of the panel beside a table, for its scripts; `{name}` is the place of a value."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PANEL_WORDS: Final[dict[str, str | Promise]] = {
    "round-open": _("open"),
    "round-void": _("void"),
    "round-reading": _("Reading the round…"),
    "round-page": _("The round's own page"),
    "round-replay": _("Replay"),
    "step-first": _("Start"),
    "step-back": _("Back"),
    "step-next": _("Next step"),
    "step-last": _("End"),
    "fact-commitment": _("Commitment"),
    "fact-client-seed": _("Client seed"),
    "fact-nonce": _("Nonce"),
    "fact-server-seed": _("Server seed"),
    "seed-secret": _("secret until you change the client seed"),
    "verify-round": _("Verify this round"),
    "verify-reveal": _("Change the client seed and verify"),
    "verify-later": _("Verify it when it is over."),
    "verify-dealing": _("Dealing again…"),
    "verify-secret": _("The server seed is still secret."),
    "refused-CHANGE_SEED_FAILED": _("A round is open. Finish it first."),
}
