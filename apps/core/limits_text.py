"""The limits of a bet in the page's language: "1 to 1,000"."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext

from apps.core.money import plain


def limits_text(least: Decimal, most: Decimal) -> str:
    """Return both limits with the signs of the page's language, without zeros at their ends."""
    return gettext("{least} to {most}").format(least=_amount_text(least), most=_amount_text(most))


def _amount_text(amount: Decimal) -> str:
    text = plain(amount)
    decimals = len(text.partition(".")[2])
    return number_format(Decimal(text), decimal_pos=decimals, use_l10n=True, force_grouping=True)
