"""Reads of a partner's blackjack offer: its limits, its house edges, and its pending terms.

No bet is checked here: bet_limits.py refuses a stake outside the limits.
"""

from fractions import Fraction

from django.urls import reverse

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.side_bets import SideBet
from apps.blackjack.labels import SIDE_BET_LABELS
from apps.blackjack.mathematics.side_bets import perfect_pairs_deviation, poker_deviation
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.standard_deviations import deviation_known
from apps.core.staff_scope import Viewer, in_scope
from apps.rounds.game_spec import WAITING_SHOWN, GameOffer, HouseEdge, WaitingRow


def blackjack_offer(partner_id: int, currency_code: str) -> GameOffer | None:
    """Return the limits of the main bet, if the partner offers the game in the currency."""
    config = _config_offered(partner_id, currency_code)
    return GameOffer(bet_min=config.bet_min, bet_max=config.bet_max) if config else None


def blackjack_house_edges(partner_id: int, currency_code: str) -> list[HouseEdge]:
    """Return the house edge of each bet that the partner offers in the currency.

    The standard deviation of the main bet is that of basic strategy.
    """
    config = _config_offered(partner_id, currency_code)
    if config is None:
        return []
    terms = config.terms.get(status=TermsStatus.ACTIVE)
    rules = BlackjackRules.from_json(terms.rules)
    main_deviation = deviation_known(rules)
    edges = [HouseEdge(bet="hand", label="Main bet", edge=terms.house_edge, standard_deviation=main_deviation)]
    for bet, highest, edge, odds, deviation in (
        (
            SideBet.PERFECT_PAIRS,
            config.perfect_pairs_max,
            terms.perfect_pairs_edge,
            terms.perfect_pairs_odds,
            perfect_pairs_deviation,
        ),
        (SideBet.POKER, config.poker_max, terms.poker_edge, terms.poker_odds, poker_deviation),
    ):
        if highest and not rules.simple:
            to_one = {name: Fraction(text) for name, text in odds.items()}
            edges.append(
                HouseEdge(
                    bet=bet.value,
                    label=SIDE_BET_LABELS[bet],
                    edge=edge,
                    standard_deviation=deviation(to_one, rules.decks),
                )
            )
    return edges


def blackjack_waiting(viewer: Viewer) -> list[WaitingRow]:
    """Return the pending rules and odds."""
    pending = in_scope(
        BlackjackTerms.objects.filter(status=TermsStatus.PENDING).select_related("config__partner"),
        viewer=viewer,
        partner_path="config__partner_id",
    )
    return [
        WaitingRow(
            url=reverse("admin:blackjack_blackjackterms_change", args=[terms.pk]),
            title=f"{terms.config.partner}: blackjack {terms}",
            reason=terms.reason,
        )
        for terms in pending[:WAITING_SHOWN]
    ]


def blackjack_unplayable(viewer: Viewer) -> list[WaitingRow]:
    """Return the active limits without active rules and odds."""
    empty = in_scope(
        BlackjackConfig.objects.filter(active=True).exclude(terms__status=TermsStatus.ACTIVE).select_related("partner"),
        viewer=viewer,
        partner_path="partner_id",
    )
    return [
        WaitingRow(
            url=reverse("admin:blackjack_blackjackconfig_change", args=[config.pk]),
            title=f"{config.partner}: {config}",
            reason="No rules and odds are active: every bet is refused.",
        )
        for config in empty[:WAITING_SHOWN]
    ]


def _config_offered(partner_id: int, currency_code: str) -> BlackjackConfig | None:
    return BlackjackConfig.objects.filter(
        partner=partner_id, currency=currency_code, active=True, terms__status=TermsStatus.ACTIVE
    ).first()
