"""Numbers, limits and amounts in the page's language: "0.95", "1 to 1,000", "5.00 FUN"."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext

from apps.core.money import CurrencyUnit, plain


def limits_text(least: Decimal, most: Decimal) -> str:
    """Return both limits with the signs of the page's language, without trailing zeros."""
    return gettext("{least} to {most}").format(least=number_text(least), most=number_text(most))


def number_text(amount: Decimal) -> str:
    """Return a number with the signs of the page's language, without trailing zeros."""
    text = plain(amount)
    decimals = len(text.partition(".")[2])
    return decimals_text(Decimal(text), decimals)


def decimals_text(amount: Decimal, decimals: int) -> str:
    """Return a number with the signs of the page's language and this many decimals."""
    return number_format(amount, decimal_pos=decimals, use_l10n=True, force_grouping=True)


def money_text(amount: Decimal, currency: CurrencyUnit) -> str:
    """Return an amount with the signs of the page's language and all of the currency's decimals, then the code."""
    return f"{decimals_text(amount, currency.decimals)} {currency.code}"
