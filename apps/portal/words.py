"""The sentences of the portal's scripts in the language of the request.

The page hands them over as one object (`static/portal/js/words.js`). `{name}` is the place of a value. Each refusal's
sentence is named after its code.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.portal.panel_words import PANEL_WORDS
from apps.portal.script_words import CHECK, CHECK_PAGES, LIVE_REFUSALS, REFUSALS, SHARED, TABLE
from apps.rounds.game_spec import GameSpec
from apps.rounds.registry import games
from apps.tables.words import WORDS as LIVE

WORDS: Final[dict[str, str | Promise]] = {
    "spot-minimum": _("{spot} takes {amount} or more."),
    "spot-maximum": _("{spot} takes {amount} at most."),
    "balance-too-low": _("Your balance of {amount} is too low for that."),
    "favourite-save": _("Save as favourite bet"),
    "favourite-place": _("Place favourite bet"),
    "favourite-saved": _("Saved as your favourite bet."),
    "refused": _("That did not work. Load the page and try again."),
    "refused-AUTHENTICATION_FAILED": _("Your session has ended."),
    "refused-CSRF_FAILED": _("This page is too old. Load it again."),
    "refused-DUPLICATE_GAME_TYPE": _("A spot was staked twice. Place your chips again."),
    "refused-INSUFFICIENT_FUNDS": _("Your balance is too low for that."),
    "refused-INVALID_BET_AMOUNT": _("A stake is outside the limits of this table, which may have changed."),
    "refused-INVALID_BET_COUNT": _("There are too many bets on this deal."),
    "refused-INVALID_CURRENCY": _("This table is not open in your currency."),
    "refused-INVALID_GAME_TYPE": _("One of these bets is not offered here any more."),
    "refused-INVALID_NEXT_ACTION": _("This move is not possible now."),
    "refused-GAME_DISABLED": _("New bets are switched off here for now. Your balance is safe."),
    "refused-GAME_ROUND_NOT_FOUND": _("This round is over."),
    "refused-GAME_NOT_ALLOWED": _("Your link does not open this game."),
    "refused-IDEMPOTENCY_KEY_REUSED": _("This bet was sent before with other stakes. Load the page and try again."),
    "refused-PLAYER_BLOCKED": _("Play is blocked for your account. Ask the operator."),
    "refused-RATE_LIMITED": _("That was too fast. Try again in a moment."),
    "refused-BUSY": _("The table is busy. Try again in a moment."),
    "refused-SERVICE_UNAVAILABLE": _("The casino does not answer now. Try again in a moment."),
    "refused-REFILL_NOT_OFFERED": _("This currency is not play money: there is no refill."),
    "refused-REFILL_NOT_NEEDED": _("Your balance is enough for a bet."),
    "refused-REFILL_TAKEN": _("There is one refill a day, and you have had today's."),
    "refused-REFILL_ROUND_OPEN": _("A round is open. Finish it first."),
}


PAGES: Final[dict[str, dict[str, str | Promise]]] = {
    "": {},
    "table": TABLE | CHECK | PANEL_WORDS,
    "check": CHECK | CHECK_PAGES,
    "live": TABLE | CHECK | CHECK_PAGES | LIVE | LIVE_REFUSALS | PANEL_WORDS,
    "live-table": TABLE | CHECK | LIVE | LIVE_REFUSALS | PANEL_WORDS,
}
"""The sentences of a kind of page, beside those of every page."""

OF_LIVE_TABLES: Final = ("live-", "rule-", "choice-")
"""How the names of a game's sentences begin that only its live tables say."""


def words(page: str = "", *shown: GameSpec) -> dict[str, str]:
    """Return the sentences of a kind of page in the language of the request.

    A table's page has those of the games that are shown; pages that show rounds of any game have those of all.
    """
    texts = SHARED | REFUSALS | WORDS | PAGES[page]
    for each in shown or (games() if page not in ("", "live-table") else ()):
        texts |= each.page.words
    unused = OF_LIVE_TABLES if page == "table" else ()
    return {name: str(text) for name, text in texts.items() if not name.startswith(unused)}
