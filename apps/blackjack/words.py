"""The sentences of the game's scripts, beside the portal's; `{name}` is the place of a value."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Final[dict[str, str | Promise]] = {
    "insurance-question": _("The dealer shows an ace. Insure against blackjack for {amount}?"),
    "insurance-terms": _(
        "It costs {stake} and brings back {back} if the dealer has blackjack. The chance is {chance} %: {tens} of"
        " {unseen} unseen cards are tens."
    ),
    "insurance-terms-endless": _(
        "It costs {stake} and brings back {back} if the dealer has blackjack. The chance is {chance} %."
    ),
    "advice-off": _("Switch the hints on, or ask for the exact values of your hand."),
    "advice-none": _("There is no decision now."),
    "advice-hint": _("Basic strategy: {move}."),
    "advice-computing": _("Computing ..."),
    "advice-values": _("Expected result for each unit of the hand's stake, from the cards that you see:"),
    "advice-hand": _("{cards} against {upcard}"),
    "advice-best": _("You played: {taken}. Best play would have been: {best}."),
    "advice-right": _("You played: {taken}. That was the best play."),
    "advice-review": _("Your decisions in this round"),
    "advice-nothing": _("There was nothing to decide in this round."),
    "move-Hit": _("hit"),
    "move-Stand": _("stand"),
    "move-Double": _("double"),
    "move-Split": _("split"),
    "move-Surrender": _("surrender"),
    "move-Insure": _("insure"),
    "move-Decline": _("no insurance"),
    "insurance-natural": _("You have blackjack: with insurance you win your bet whatever the dealer has."),
}
