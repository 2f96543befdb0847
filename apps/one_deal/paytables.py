"""The pay tables of a one-deal game: decks and the odds of all active bets, of an offer or of a live table.

They record what is offered. Odds are saved in configuration.py, and a bet reads them by `bet_context_load` (store.py).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from django.db import transaction

from apps.core.each_alone import each_alone
from apps.core.edge_rounding import fraction_rounded
from apps.core.money import plain
from apps.one_deal.engine import BetKind
from apps.one_deal.models import ConfigStatus, OneDealConfig
from apps.one_deal.one_deal_game import OneDealGame
from apps.paytables.models import PayTable
from apps.paytables.paytable_rows import BetFigures, bet_figures
from apps.paytables.services import paytable_use_set
from apps.rounds.table_bets import TABLE_ODDS_DECIMALS
from apps.rounds.table_game import TableTerms


def terms_stored(decks: int, odds: Mapping[Any, Decimal]) -> dict[str, Any]:
    """Return decks and odds in the form of a round's terms: X to 1 as text, by the bet's name."""
    return {"decks": decks, "odds": {kind.wire_name: plain(x) for kind, x in odds.items()}}


def config_paytable_set(game: OneDealGame, config: OneDealConfig, by: str) -> PayTable | None:
    """Return the pay table of the configuration's active odds and put it in use; None if it offers no bet.

    The caller has locked the configuration, and saves it with the result.
    """
    rows = config.odds_rows.filter(status=ConfigStatus.ACTIVE).order_by("game_type")
    odds = {game.bets(row.game_type): row.odds for row in rows} if config.status == ConfigStatus.ACTIVE else {}
    return paytable_use_set(
        partner_id=config.partner_id,
        currency_code=config.currency_id,
        game_id=game.id,
        terms=terms_stored(config.decks, odds) if odds else None,
        figures=partial(_figures, game, config.decks, odds),
        by=by,
    )


def paytables_add_missing(game: OneDealGame) -> int:
    """Give a pay table to each configuration that offers bets and was saved before there were pay tables.

    Returns their number. Locks one configuration at a time; one that fails leaves the others. Raises ExceptionGroup at
    the end.
    """
    without = game.config_model._default_manager.filter(paytable=None).values_list("pk", flat=True)
    return each_alone(without, partial(_paytable_add, game), what=f"the pay table of {game.id}'s configuration")


@transaction.atomic
def _paytable_add(game: OneDealGame, config_id: int) -> bool:
    config = game.config_model._default_manager.select_for_update(no_key=True).get(pk=config_id)
    config.paytable = config_paytable_set(game, config, "the platform")
    if config.paytable is not None:
        config.save_without_historical_record()  # type: ignore[attr-defined]
    return config.paytable is not None


def table_terms_stored(game: OneDealGame, terms: TableTerms) -> dict[str, Any]:
    """Return a table's decks and odds in the same form."""
    return terms_stored(terms.decks, _table_odds(game, terms))


def table_figures(game: OneDealGame, terms: TableTerms) -> Sequence[BetFigures]:
    """Return the figures of each bet on offer at a table, for a fresh shoe."""
    return _figures(game, terms.decks, _table_odds(game, terms))


def table_chances_left(game: OneDealGame, counts: Sequence[int]) -> Mapping[str, Mapping[str, float]] | None:
    """Return the chances of each bet's results in a round from these cards, by the names in pay tables."""
    chances = game.chances_left(counts)
    if chances is None:
        return None
    return {
        kind.wire_name: {result.wire_name: chance for result, chance in of_kind.items()}
        for kind, of_kind in chances.items()
    }


def table_kinds(game: OneDealGame) -> dict[str, str]:
    """Return the bets' names in pay tables by those at tables."""
    return {kind.name.lower(): kind.wire_name for kind in game.bets}


def _table_odds(game: OneDealGame, terms: TableTerms) -> dict[BetKind, Decimal]:
    odds = {kind: Fraction(terms.odds[kind.name.lower()]) for kind in game.bets if kind.name.lower() in terms.limits}
    return {kind: fraction_rounded(to_one, TABLE_ODDS_DECIMALS) for kind, to_one in odds.items()}


def _figures(game: OneDealGame, decks: int, odds: Mapping[BetKind, Decimal]) -> Sequence[BetFigures]:
    return [bet_figures(kind.wire_name, game.paytable_rows(kind, Fraction(x), decks)) for kind, x in odds.items()]
