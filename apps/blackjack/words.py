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
    "insurance-natural": _("You have blackjack: with insurance you win your bet whatever the dealer has."),
}
