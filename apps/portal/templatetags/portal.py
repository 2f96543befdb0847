"""Template tags and filters for amounts, cards, games and rounds on the player's pages."""

import json
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from django import template
from django.template import Context
from django.template.defaultfilters import date as date_text
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from apps.core.errors import MAX_ECHO_CHARS
from apps.core.models import Currency
from apps.core.money import plain, quantum_of
from apps.core.number_texts import decimals_text, number_text
from apps.portal import languages
from apps.portal.appearance import Appearance, appearance_of
from apps.portal.authentication import PagePlayer, changes_token, page_player_of, socket_origin
from apps.portal.cashier_offer import cashier_offer
from apps.portal.guest_offer import guest_page
from apps.portal.odds import BetOdds, bet_odds
from apps.portal.refill import refill_offer
from apps.portal.selectors import wallet_of
from apps.portal.words import words
from apps.rounds.explanation import ExplainedHand
from apps.rounds.game_spec import GameSpec
from apps.rounds.models import Round
from apps.rounds.registry import game_of, games
from apps.rounds.selectors import round_explain
from apps.wallet.models import Wallet

register = template.Library()

MINUS: Final = "\N{MINUS SIGN}"


@register.filter
def money(amount: Decimal, currency: Currency) -> str:
    """Return the amount with all of the currency's decimals, in the form of the page's language: `1,000.00`."""
    return decimals_text(amount.quantize(quantum_of(currency.decimals)), currency.decimals)


@register.filter
def number(text: str) -> str:
    """Return a plain number, such as odds, with the signs of the page's language."""
    return number_text(Decimal(text))


@register.filter
def signed_money(amount: Decimal, currency: Currency) -> str:
    """Return the amount with its sign in front, `+20.00`, a loss with a minus sign; zero has no sign."""
    shown = money(abs(amount), currency)
    return f"{MINUS if amount < 0 else '+'}{shown}" if amount else shown


@register.filter
def grouped(amount: Decimal) -> str:
    """Return a number, such as points or a limit, in the form of the page's language: `1,000`."""
    return number_format(plain(amount), use_l10n=True, force_grouping=True)


@register.filter
def within_sentence(title: str) -> str:
    """Return a game's translated title as it stands within a sentence."""
    return languages.title_within(title)


@register.filter(expects_localtime=True)
def local_time(moment: datetime) -> SafeString:
    """Return a time that the page's script shows in the reader's zone and language."""
    return format_html(
        '<time datetime="{}" data-local>{}</time>', date_text(moment, "c"), date_text(moment, "Y-m-d H:i:s")
    )


@register.filter
def plain_amount(amount: Decimal) -> str:
    """Return the amount as a plain number for a script."""
    return plain(amount)


@register.filter
def sign_class(amount: Decimal) -> str:
    """Return the style class of a gain, a loss or neither."""
    if amount > 0:
        return "plus"
    return "minus" if amount < 0 else "even"


@register.simple_tag(takes_context=True)
def language_attributes(context: Context) -> SafeString:
    """Return the attributes of the page's `html` element: its language, the form of numbers, the time zone."""
    if "request" not in context:
        return SafeString('lang="en"')
    return languages.html_attributes(context["request"], has_cookies="frame" not in context)


@register.simple_tag(takes_context=True)
def page_address(context: Context) -> str:
    """Return the page's address with its query; empty if it is too long to repeat on a page."""
    address: str = context["request"].get_full_path() if "request" in context else ""
    return address if len(address) <= MAX_ECHO_CHARS else ""


@register.simple_tag(takes_context=True)
def page_appearance(context: Context) -> Appearance:
    """Return whether the page is light or dark, and its contrast."""
    return appearance_of(context["request"]) if "request" in context and "frame" not in context else Appearance()


@register.simple_tag(takes_context=True)
def guest_offer(context: Context) -> str:
    """Return the page of live tables that a visitor may open as a guest; empty if there is none."""
    return guest_page(context["request"]) if "request" in context else ""


@register.simple_tag
def game_list() -> tuple[GameSpec, ...]:
    """Return all games."""
    return games()


@register.filter
def game(played: Round) -> GameSpec:
    """Return the round's game."""
    return game_of(played.game)


@register.simple_tag
def round_hands(played: Round) -> Sequence[ExplainedHand]:
    """Return the round's hands with their cards."""
    return round_explain(played).hands


@register.simple_tag
def playing_card(code: str, size: str = "small") -> SafeString:
    """Return a card, face down without a code; `static/portal/js/cards.js` draws it."""
    if code:
        face = format_html('code="{}" aria-label="{}"', code, code)
    else:
        face = mark_safe('back aria-label="card face down"')
    return format_html('<playing-card class="{}" role="img" {}></playing-card>', size, face)


@register.simple_tag(takes_context=True)
def current_wallet(context: Context) -> Wallet | None:
    """Return the wallet of the page's player, if there is one."""
    page_player = page_player_of(context["request"]) if "request" in context else None
    return wallet_of(page_player) if page_player else None


@register.simple_tag(takes_context=True)
def changes_data(context: Context) -> SafeString:
    """Return the attributes of a player's page: its player, and the URL and token of its socket for changes."""
    request = context["request"]
    page_player = page_player_of(request)
    assert page_player is not None
    token = "" if page_player.is_visitor else changes_token(page_player.player)
    attributes = 'data-player="{}" data-changes-url="{}/v1/ws/portal" data-changes-token="{}"'
    return format_html(attributes, page_player.page_id, socket_origin(request), token)


@register.simple_tag
def refill_data(wallet: Wallet) -> str:
    """Return the offer of a refill as JSON for an attribute."""
    return json.dumps(refill_offer(wallet))


@register.simple_tag(takes_context=True)
def cashier_data(context: Context) -> str:
    """Return the offer of the partner's cashier as JSON for an attribute; empty if the page can never have one. Play
    money without a cashier is refilled.
    """
    page_player = page_player_of(context["request"])
    if page_player is None:
        return ""
    wallet = wallet_of(page_player)
    if wallet.currency.is_play and not page_player.cashier_url:
        return ""
    return json.dumps(cashier_offer(page_player, wallet))


@register.simple_tag(takes_context=True)
def current_page_player(context: Context) -> PagePlayer | None:
    """Return the player of the page and the currency, if there is one."""
    return page_player_of(context["request"]) if "request" in context else None


@register.simple_tag(takes_context=True)
def offered_odds(context: Context, game: GameSpec) -> list[BetOdds]:
    """Return the odds of the bets that the page's player is offered in the game."""
    page_player = page_player_of(context["request"])
    return bet_odds(page_player, game) if page_player else []


@register.simple_tag
def page_words(page: str = "", *shown: GameSpec) -> dict[str, str]:
    """Return the sentences of the scripts in the page's language (apps/portal/words.py)."""
    return words(page, *shown)


@register.simple_tag
def live_table_words(shown: Sequence[GameSpec]) -> dict[str, str]:
    """Return the sentences of the scripts of live tables of these games."""
    return words("live-table", *shown)
