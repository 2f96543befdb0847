"""The back office's forms of blackjack: limits, rule options and side-bet odds."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from apps.blackjack.configuration import (
    MAX_ODDS,
    PERFECT_PAIRS_OUTCOMES,
    POKER_OUTCOMES,
    STANDARD_PERFECT_PAIRS,
    STANDARD_POKER,
    BlackjackLimits,
)
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, DoubleOn, Insurance, RulesError, Surrender
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.labels import LIMIT_LABELS, SIDE_BET_OUTCOMES
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.cards.shoe import INFINITE_DECKS
from apps.core.models import AMOUNT_DECIMALS, AMOUNT_DIGITS
from apps.core.money import plain
from apps.core.widgets import AmountInput, PlainDecimalField
from apps.partners.forms import CurrencyField, PartnerField, partners_offer
from apps.partners.models import Partner
from apps.scheduled_changes.forms import APPLY_AT, ApplyAtField

DECK_CHOICES: Final = [*((str(decks), str(decks)) for decks in range(1, INFINITE_DECKS)), ("9", "infinite")]
SPLIT_CHOICES: Final = [(str(times), str(times)) for times in range(4)]
_OFF: Final = dict.fromkeys(("perfect_pairs_min", "perfect_pairs_max", "poker_min", "poker_max"), "0")
"""New limits offer no side bet until somebody gives it a highest bet."""
CHOICES: Final[dict[str, list[tuple[str, str]]]] = {
    "decks": DECK_CHOICES,
    "double": [(choice.value, choice.value) for choice in DoubleOn],
    "surrender": [(choice.value, choice.value) for choice in Surrender],
    "split_non_ace": SPLIT_CHOICES,
    "split_ace": SPLIT_CHOICES,
    "insurance": [(choice.value, choice.value) for choice in Insurance],
    "blackjack_pays": [("3:2", "3 to 2"), ("6:5", "6 to 5")],
}
NUMBERS: Final = frozenset({"decks", "split_non_ace", "split_ace"})
NOT_OFFERED: Final = frozenset({"inverted"})
"""Points tables alone are inverted."""


class BlackjackLimitsForm(forms.Form):
    """The stakes of each kind."""

    active = forms.BooleanField(label="Blackjack is offered", required=False, widget=UnfoldBooleanSwitchWidget)
    free_play = forms.BooleanField(
        label="Free play: a bet of 0 is taken",
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="Only with it may the lowest bet be 0.",
    )

    def __init__(self, data: Any, *, config: BlackjackConfig | None) -> None:
        is_free = config is not None and config.free_play
        super().__init__(data, initial={"active": config is None or config.active, "free_play": is_free})
        for name, label in LIMIT_LABELS.items():
            self.fields[name] = PlainDecimalField(
                label=label,
                max_digits=AMOUNT_DIGITS,
                decimal_places=AMOUNT_DECIMALS,
                initial=_OFF.get(name) if config is None else plain(getattr(config, name)),
                widget=AmountInput,
            )
        if config is not None:
            self.fields[APPLY_AT] = ApplyAtField()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for side_bet in ("perfect_pairs", "poker"):
            # A highest bet of 0 turns a side bet off, whatever its lowest bet was while it was on.
            if data.get(f"{side_bet}_max") == 0:
                data[f"{side_bet}_min"] = Decimal(0)
        return data

    @property
    def limits(self) -> BlackjackLimits:
        """The limits of a valid form."""
        return BlackjackLimits(**{name: self.cleaned_data[name] for name in (*LIMIT_LABELS, "free_play")})


class NewBlackjackLimitsForm(BlackjackLimitsForm):
    """Limits in a currency without limits; it begins with the standard rules and odds."""

    field_order = ("partner", "currency", "active", "free_play")
    partner = PartnerField()
    currency = CurrencyField()

    def __init__(self, data: Any, *, partners: "QuerySet[Partner]") -> None:
        super().__init__(data, config=None)
        partners_offer(self, partners)


class TermsForm(forms.Form):
    """Every rule option, and the odds of each outcome of a side bet; an outcome with an empty field loses."""

    def __init__(self, data: Any, *, terms: BlackjackTerms | None) -> None:
        super().__init__(data)
        rules = terms.rules if terms else SOLO_RULES.to_json()
        for name in SOLO_RULES.to_json():  # in the order of the rules, since the database stores none
            if name not in NOT_OFFERED:
                self.fields[name] = _option_field(name, rules[name])
        tables = (
            ("pairs", PERFECT_PAIRS_OUTCOMES, terms.perfect_pairs_odds if terms else STANDARD_PERFECT_PAIRS),
            ("poker", POKER_OUTCOMES, terms.poker_odds if terms else STANDARD_POKER),
        )
        for table, outcomes, odds in tables:
            for outcome in outcomes:
                self.fields[f"{table}_{outcome}"] = _odds_field(outcome, odds.get(outcome))
        self.fields[APPLY_AT] = ApplyAtField()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            try:
                data["rules"] = self._rules(data)
            except RulesError as error:
                self.add_error(None, str(error))
        return data

    @property
    def option_fields(self) -> list[forms.BoundField]:
        return [field for field in self if _is_option(field.name)]

    @property
    def pairs_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("pairs_")]

    @property
    def poker_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("poker_")]

    def odds(self, table: str) -> dict[str, Decimal]:
        """Return the odds of `pairs` or `poker` by outcome of a valid form."""
        prefix = f"{table}_"
        return {
            name.removeprefix(prefix): value
            for name, value in self.cleaned_data.items()
            if name.startswith(prefix) and value is not None
        }

    def fractions(self, table: str) -> dict[str, Fraction]:
        """Return the same odds as fractions, for the mathematics."""
        return {outcome: Fraction(value) for outcome, value in self.odds(table).items()}

    def _rules(self, data: Mapping[str, Any]) -> BlackjackRules:
        options = {name: data[name] for name in self.fields if _is_option(name)}
        numbers = {name: int(options[name]) for name in NUMBERS & options.keys()}
        return BlackjackRules.from_json(options | numbers, base=SOLO_RULES)


def terms_now(config: BlackjackConfig) -> BlackjackTerms | None:
    """Return the pending terms, or else the active ones."""
    return config.terms.exclude(status=TermsStatus.INACTIVE).order_by("-status").first()


def _is_option(name: str) -> bool:
    return name != APPLY_AT and not name.startswith(("pairs_", "poker_"))


def _option_field(name: str, value: Any) -> forms.Field:
    label = name.replace("_", " ").capitalize()
    if name in CHOICES:
        return forms.ChoiceField(label=label, choices=CHOICES[name], initial=str(value), widget=UnfoldAdminSelectWidget)
    return forms.BooleanField(label=label, required=False, initial=value, widget=UnfoldBooleanSwitchWidget)


def _odds_field(outcome: str, odds: str | None) -> forms.Field:
    return PlainDecimalField(
        label=SIDE_BET_OUTCOMES[SideBetOutcome(outcome)],
        required=False,
        min_value=Decimal(0),
        max_value=MAX_ODDS,
        decimal_places=4,
        initial=odds,
        widget=AmountInput({"placeholder": "loses", "size": 8}),
    )
