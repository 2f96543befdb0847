"""House edges on pages, and what an approver reads of odds that favour the player."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.approvals.details import ActDetails
from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_pct
from apps.core.money import plain
from apps.core.office_html import admin_name, link_html
from apps.one_deal.forms import bet_label
from apps.one_deal.models import ConfigStatus, OneDealConfig
from apps.one_deal.one_deal_game import OneDealGame


def decks_text(decks: int) -> str:
    """Return a number of decks, which may be infinite."""
    return "infinite" if decks == INFINITE_DECKS else str(decks)


def edge_text(game: OneDealGame, game_type: int, odds: Decimal, decks: int) -> SafeString:
    """Return the exact house edge in percent."""
    return edge_html(game.house_edge(game.bets(game_type), Fraction(odds), decks))


def edge_html(edge: Fraction) -> SafeString:
    """Return an edge in percent, marked if it favours the player."""
    if edge < 0:
        return format_html('<span class="minus">{} % (favours the player)</span>', edge_pct(edge))
    return format_html('<span class="plus">{} %</span>', edge_pct(edge))


def bets_offered(config: OneDealConfig) -> set[int]:
    """Return the bets with active odds."""
    return set(config.odds_rows.filter(status=ConfigStatus.ACTIVE).values_list("game_type", flat=True))


def waiting_text(game: OneDealGame, config: OneDealConfig, game_types: Collection[int]) -> str:
    """Return which odds of these bets wait, why, and what is offered until then; empty if none do."""
    told = []
    rows = list(config.odds_rows.exclude(status=ConfigStatus.INACTIVE))
    active = {row.game_type: plain(row.odds) for row in rows if row.status == ConfigStatus.ACTIVE}
    for row in rows:
        if row.status == ConfigStatus.PENDING and row.game_type in game_types:
            now = f"pays {active[row.game_type]} to 1" if row.game_type in active else "is off"
            bet = bet_label(game, row.game_type)
            told.append(f"{bet} at {plain(row.odds)} to 1 waits. {row.reason} Until then it {now}.")
    return " ".join(told)


def odds_details(game: OneDealGame, asked: Mapping[str, Any]) -> ActDetails:
    """Return whose odds are confirmed, and the odds and house edge of the bet before and after."""
    row = odds_rows(game).get(pk=asked["odds"])
    config, decks, to_one = row.limits, asked["decks"], Decimal(asked["to_one"])
    active = config.odds_rows.filter(game_type=row.game_type, status=ConfigStatus.ACTIVE).first()
    before = ("not offered", "-") if active is None else _odds(game, row.game_type, active.odds, decks)
    after = _odds(game, row.game_type, to_one, decks)
    return ActDetails(
        [
            *odds_facts(game, row),
            ("currency", config.currency_id),
            ("decks", decks_text(decks)),
        ],
        [("odds", before[0], after[0]), ("house edge", before[1], after[1])],
    )


def odds_rows(game: OneDealGame) -> "QuerySet[Any]":
    """Return the game's odds with what `odds_facts` reads."""
    return game.odds_model._default_manager.select_related(f"{game.config_field}__partner")


def odds_facts(game: OneDealGame, row: Any) -> list[tuple[str, object]]:
    """Return whose odds these are, and of what."""
    config = row.limits
    return [
        ("partner", config.partner),
        ("limits", link_html(admin_name(game.config_model), config.pk, config)),
        ("bet", link_html(admin_name(game.odds_model), row.pk, bet_label(game, row.game_type))),
    ]


def _odds(game: OneDealGame, game_type: int, to_one: Decimal, decks: int) -> tuple[str, SafeString]:
    return f"{plain(to_one)} to 1", edge_text(game, game_type, to_one, decks)
