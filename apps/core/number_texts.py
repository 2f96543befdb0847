"""Numbers and limits in the page's language: "0.95", "1 to 1,000"."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext

from apps.core.money import plain


def limits_text(least: Decimal, most: Decimal) -> str:
    """Return both limits with the signs of the page's language, without trailing zeros."""
    return gettext("{least} to {most}").format(least=number_text(least), most=number_text(most))


def number_text(amount: Decimal) -> str:
    """Return a number with the signs of the page's language, without trailing zeros."""
    text = plain(amount)
    decimals = len(text.partition(".")[2])
    return number_format(Decimal(text), decimal_pos=decimals, use_l10n=True, force_grouping=True)
