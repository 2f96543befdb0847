"""House edges on pages, and what an approver reads of blackjack rules and odds that favour the player."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from apps.approvals.details import ActDetails, about_rows, approval_details
from apps.blackjack.engine.side_bets import SideBet
from apps.blackjack.labels import SIDE_BET_LABELS, SIDE_BET_OUTCOMES
from apps.blackjack.models import BlackjackTerms, TermsStatus
from apps.core.edge_rounding import edge_pct
from apps.core.office_html import in_words, link_html
from apps.core.subjects import value_text

Changed = tuple[str, object, object]
_OUTCOMES: Final = {outcome.value: label for outcome, label in SIDE_BET_OUTCOMES.items()}


def _facts(terms: BlackjackTerms) -> list[tuple[str, object]]:
    config = terms.config
    return [
        ("partner", config.partner),
        ("limits", link_html("blackjack_blackjackconfig", config.pk, config)),
        ("rules and odds", link_html("blackjack_blackjackterms", terms.pk, terms)),
    ]


_TERMS: Final = BlackjackTerms.objects.select_related("config__partner")


@approval_details(
    "blackjack.terms.confirm",
    "Confirm blackjack rules or odds that favour the player",
    about_rows("terms", _TERMS, _facts),
)
def terms_details(asked: Mapping[str, Any]) -> ActDetails:
    """Return whose terms are confirmed, their house edges, and each rule that differs from those in force."""
    terms = _TERMS.get(pk=asked["terms"])
    config = terms.config
    active = config.terms.filter(status=TermsStatus.ACTIVE).exclude(pk=terms.pk).first()
    return ActDetails(
        [
            *_facts(terms),
            ("currency", config.currency_id),
        ],
        [*_edges(active, terms), *_differences(active, asked)],
    )


def _edges(active: BlackjackTerms | None, terms: BlackjackTerms) -> Iterator[Changed]:
    for name, field in (
        ("house edge of the main game", "house_edge"),
        (f"house edge of {SIDE_BET_LABELS[SideBet.PERFECT_PAIRS]}", "perfect_pairs_edge"),
        (f"house edge of {SIDE_BET_LABELS[SideBet.POKER]}", "poker_edge"),
    ):
        now = "-" if active is None else edge_text(getattr(active, field))
        yield name, now, edge_text(getattr(terms, field))


def _differences(active: BlackjackTerms | None, asked: Mapping[str, Any]) -> Iterator[Changed]:
    """Yield the rules and odds that are not those in force; all of them if none are."""
    tables: tuple[tuple[str, str, Mapping[str, str]], ...] = (
        ("rules", "", {}),
        ("perfect_pairs_odds", f"{SIDE_BET_LABELS[SideBet.PERFECT_PAIRS]}: ", _OUTCOMES),
        ("poker_odds", f"{SIDE_BET_LABELS[SideBet.POKER]}: ", _OUTCOMES),
    )
    for field, beginning, names in tables:
        now: Mapping[str, Any] = {} if active is None else getattr(active, field)
        then: Mapping[str, Any] = asked[field]
        for name in {**now, **then}:
            if now.get(name) != then.get(name):
                yield (
                    f"{beginning}{names.get(name) or in_words(name)}",
                    value_text(now.get(name)),
                    value_text(then.get(name)),
                )


def edge_text(edge: Decimal | Fraction | None) -> str:
    """Return the text of a house edge in percent."""
    if edge is None:
        return "being computed"
    return f"{edge_pct(edge)} %{' (favours the player)' if edge < 0 else ''}"
