"""The sentences of the portal's scripts, by the pages that need them. `{name}` is the place of a value.

`apps/portal/words.py` puts them together.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SHARED: Final[dict[str, str | Promise]] = {
    "list-comma": _(", "),
    "card-name": _("{rank} of {suit}"),
    "card-hidden": _("card face down"),
    "rank-1": _("ace"),
    "rank-2": _("two"),
    "rank-3": _("three"),
    "rank-4": _("four"),
    "rank-5": _("five"),
    "rank-6": _("six"),
    "rank-7": _("seven"),
    "rank-8": _("eight"),
    "rank-9": _("nine"),
    "rank-10": _("ten"),
    "rank-J": _("jack"),
    "rank-Q": _("queen"),
    "rank-K": _("king"),
    "suit-H": _("hearts"),
    "suit-D": _("diamonds"),
    "suit-C": _("clubs"),
    "suit-S": _("spades"),
    "copied": _("Copied"),
    "log-in-again": _("Log in again"),
    "frame-opens-again": _("Your casino's page opens the table again."),
    "frame-paused": _("The table is paused."),
    "frame-closed": _("This table is closed."),
    "refill-fill": _("Fill up to {amount}"),
    "refill-round": _(
        "Your balance is too low for a bet. Finish your open round first: after that you can fill it up."
    ),
    "refill-day": _(
        "Your balance is too low for a bet, and you have filled it up today. You can do so again from {time}."
    ),
    "refill-offer": _("Your balance is too low for a bet. Once a day you can fill it up to {amount}, free of charge."),
    "range": _("{least} to {most}"),
    "odds": _("{odds} to 1"),
}
"""The sentences of scripts that every page has."""

TABLE: Final[dict[str, str | Promise]] = {
    "limits-a-bet": _("Bet limits: {limits} {currency}"),
    "line-ready": _("Ready"),
    "line-up": _("Connected"),
    "line-down": _("Connection lost, reconnecting…"),
    "line-taken": _("Open in another window"),
    "line-over": _("The session is over"),
    "play-here": _("Play here"),
    "switch-on": _("on"),
    "switch-off": _("off"),
    "no-more-bets": _("No more bets."),
    "last-bet-sought": _("Looking for your last bet…"),
    "nothing-was-bet": _("Nothing was bet."),
    "bet-unknown": _("It is not known whether your bet was placed."),
    "busy-retry": _("The table is busy. Trying again…"),
    "lost-retry": _("Connection lost. Trying again…"),
    "squeeze-card": _("Squeeze the card"),
    "placed-once": _("Your bet is placed only once."),
    "net-won": _("You win {amount}."),
    "net-lost": _("You lose {amount}."),
    "net-even": _("Your stake comes back."),
    "staked-and-back": _("Staked {staked}, returned {back}."),
    "side-cards": _("{side}: {cards}."),
    "spot-push": _("Push"),
    "spot-lost": _("Lost"),
    "spot-back": _("{amount} back"),
    "stake-on-spot": _("staked {amount}"),
    "stake-none": _("no stake"),
}
"""The sentences of tables' scripts."""

CHECK: Final[dict[str, str | Promise]] = {
    "replay-step": _("{number} of {count}: {text}"),
    "seed-committed": _("The server seed is the one that was committed to."),
    "seed-not-committed": _("The server seed does not match the commitment."),
    "cards-yours": _("All {count} cards are the ones that you were dealt."),
    "cards-not-yours": _("These are not the cards that you were dealt."),
    "crypto-needs-https": _("This browser offers Web Crypto only over HTTPS: open this page by its https address."),
}
"""The sentences of replays and of rounds that are dealt again, on pages and beside tables."""

CHECK_PAGES: Final[dict[str, str | Promise]] = {
    "dealt-again": _("Dealt again"),
    "hands-as-dealt": _("The hands as they were dealt"),
    "seed-sha": _("SHA-256 of the server seed: {digest}"),
}
"""Further sentences of the pages that deal a round again."""

REFUSALS: Final[dict[str, str | Promise]] = {
    "refused-BAD_REQUEST": _("This page and the casino do not understand each other. Load the page again."),
    "refused-NOT_FOUND": _("This is not there any more. Load the page again."),
    "refused-CONFLICT": _("Something has changed meanwhile. Load the page again."),
    "refused-REFUSED": _("This is not allowed here."),
    "refused-INTERNAL_ERROR": _("Something went wrong on our side. Load the page again to see whether it was done."),
    "refused-AUTH_REQUIRED": _("Log in to play."),
    "refused-INSUFFICIENT_BALANCE": _("Your balance does not cover this."),
    "refused-INVALID_AMOUNT": _("This amount is outside the limits of the table."),
    "refused-ROUND_NOT_FOUND": _("There is no such round."),
    "refused-GAME_NOT_FOUND": _("There is no such game here."),
    "refused-TIMEOUT": _("The time for this is over."),
    "refused-LIMIT_EXCEEDED": _("You have reached a limit of your account. Leave a table, or wait a while."),
    "refused-AUTH_EXPIRED": _("Your session has ended. Load the page again."),
    "refused-AUTH_INVALID": _("Your session has ended. Load the page again."),
    "refused-MALFORMED_BODY": _("This page and the casino do not understand each other. Load the page again."),
    "refused-METHOD_NOT_ALLOWED": _("This page and the casino do not understand each other. Load the page again."),
    "refused-SCOPE_MISSING": _("This is not allowed here."),
    "refused-INVALID_EVENT_INPUTS": _("This page and the casino do not understand each other. Load the page again."),
    "refused-BAD_REQUEST_PARAMS": _("This page and the casino do not understand each other. Load the page again."),
}
"""Refusals, besides those of `apps/portal/words.py`. Most of them appear only on an outdated page."""

LIVE_REFUSALS: Final[dict[str, str | Promise]] = {
    "refused-BETTING_WINDOW_CLOSED": _("The bets were closed before this one arrived. Nothing was taken for it."),
    "refused-CONTRIBUTION_REQUIRED": _("This table needs a seed from your browser. Load the page again."),
    "refused-INVALID_ACTION": _("This is not possible now."),
    "refused-NOT_YOUR_TURN": _("It is not your turn."),
    "refused-ROUND_COMPLETE": _("The round is over."),
    "refused-SEAT_TAKEN": _("Somebody has taken this seat. Choose another one."),
    "refused-TABLE_FULL": _("Every seat is taken."),
    "refused-TABLE_NOT_FOUND": _("This table is closed."),
    "refused-INVALID_MESSAGE": _("This page and the casino do not understand each other. Load the page again."),
    "refused-VERSION_UNSUPPORTED": _("This page and the casino do not understand each other. Load the page again."),
    "refused-DUPLICATE_MESSAGE": _("This page and the casino do not understand each other. Load the page again."),
    "refused-form": _("Some of what was entered is not possible. Check the fields."),
}
"""Refusals of live tables alone."""
