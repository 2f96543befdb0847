"""The pay table of a blackjack offer: the rules, and the odds of the side bets that are on."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final

from django.db import transaction

from apps.blackjack.apps import GAME_ID
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.side_bets import SideBet
from apps.blackjack.mathematics.side_bets import perfect_pairs_lines, poker_lines
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.standard_deviations import deviation_known
from apps.core.each_alone import each_alone
from apps.core.edge_rounding import fraction_rounded
from apps.paytables.models import PayTable
from apps.paytables.paytable_rows import FIGURE_DECIMALS, BetFigures, PaytableRow, bet_figures, law_hash
from apps.paytables.services import paytable_use_set

MAIN_BET: Final = "hand"
_LINES: Final = {SideBet.PERFECT_PAIRS: perfect_pairs_lines, SideBet.POKER: poker_lines}


def config_paytable_set(config: BlackjackConfig, by: str) -> PayTable | None:
    """Return the pay table of the configuration's active terms and put it in use; None if nothing is offered.

    The caller has locked the configuration or creates it, and saves it with the result.
    """
    terms = None
    if config.pk is not None and config.active:
        terms = config.terms.filter(status=TermsStatus.ACTIVE).first()
    odds = {} if terms is None else _odds_offered(config, terms)
    return paytable_use_set(
        partner_id=config.partner_id,
        currency_code=config.currency_id,
        game_id=GAME_ID,
        terms=None if terms is None else terms_stored(terms.rules, odds),
        figures=partial(_offered_figures, terms, odds),
        by=by,
    )


def paytables_add_missing() -> int:
    """Give a pay table to each offer that was saved before there were pay tables.

    Returns their number. Locks one configuration at a time; one that fails leaves the others. Raises ExceptionGroup at
    the end.
    """
    without = BlackjackConfig.objects.filter(paytable=None, active=True).values_list("pk", flat=True)
    return each_alone(without, _paytable_add, what="the pay table of blackjack's configuration")


@transaction.atomic
def _paytable_add(config_id: int) -> bool:
    config = BlackjackConfig.objects.select_for_update(no_key=True).get(pk=config_id)
    config.paytable = config_paytable_set(config, "the platform")
    if config.paytable is not None:
        config.save_without_historical_record()  # type: ignore[attr-defined]
    return config.paytable is not None


def terms_stored(rules: Mapping[str, Any], odds: Mapping[SideBet, Mapping[str, str]]) -> dict[str, Any]:
    """Return rules and odds in the form of a round's setup, whose odds are those of all side bets together."""
    return {
        "rules": dict(rules),
        "odds": {name: str(Fraction(text)) for of_bet in odds.values() for name, text in of_bet.items()},
    }


def _odds_offered(config: BlackjackConfig, terms: BlackjackTerms) -> dict[SideBet, Mapping[str, str]]:
    if BlackjackRules.from_json(terms.rules).simple:
        return {}
    odds: dict[SideBet, Mapping[str, str]] = {}
    if config.perfect_pairs_max:
        odds[SideBet.PERFECT_PAIRS] = terms.perfect_pairs_odds
    if config.poker_max:
        odds[SideBet.POKER] = terms.poker_odds
    return odds


def figures_of(
    rules: BlackjackRules,
    house_edge: Decimal,
    odds: Mapping[SideBet, Mapping[str, str]],
    *,
    deviation: Decimal | None,
) -> Sequence[BetFigures]:
    """Return the figures of the main bet with best play and this edge, and of the side bets with these odds."""
    return [
        _main_figures(rules, house_edge, deviation),
        *(bet_figures(bet.value, _paytable_rows(bet, of_bet, rules)) for bet, of_bet in odds.items()),
    ]


def _offered_figures(terms: BlackjackTerms | None, odds: Mapping[SideBet, Mapping[str, str]]) -> Sequence[BetFigures]:
    assert terms is not None
    assert terms.house_edge is not None  # active terms have it
    rules = BlackjackRules.from_json(terms.rules)
    return figures_of(rules, terms.house_edge, odds, deviation=deviation_known(rules))


def _main_figures(rules: BlackjackRules, house_edge: Decimal, deviation: Decimal | None) -> BetFigures:
    """Return the figures of the main bet, whose results depend on how it is played. The deviation is of the chart."""
    return BetFigures(
        kind=MAIN_BET,
        lines=(),
        rtp=fraction_rounded(1 - Fraction(house_edge), FIGURE_DECIMALS),
        deviation=deviation,
        method="best play",
        law=law_hash({"rules": rules.to_json()}),
    )


def _paytable_rows(bet: SideBet, odds: Mapping[str, str], rules: BlackjackRules) -> tuple[PaytableRow, ...]:
    """Return every outcome of the side bet; one without odds loses."""
    exact = {name: Fraction(text) for name, text in odds.items()}
    return _LINES[bet](exact, rules.decks)
