"""The back office's forms of one-deal games: limits and odds."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget

from apps.cards.shoe import INFINITE_DECKS
from apps.core.models import AMOUNT_DECIMALS, AMOUNT_DIGITS
from apps.core.money import is_multiple, plain, quantum_of
from apps.core.widgets import AmountInput, PlainDecimalField
from apps.one_deal.configuration import ODDS_BELOW, ODDS_DECIMALS, STANDARD_DECKS, OddsChange
from apps.one_deal.engine import BetKind
from apps.one_deal.models import ConfigStatus, OneDealConfig, OneDealOdds
from apps.one_deal.one_deal_game import OneDealGame
from apps.partners.forms import CurrencyField, PartnerField, partners_offer
from apps.partners.models import Partner
from apps.scheduled_changes.forms import APPLY_AT, ApplyAtField

DECK_CHOICES = [(decks, str(decks)) for decks in range(1, INFINITE_DECKS)] + [(INFINITE_DECKS, "infinite")]


class LimitsForm(forms.Form):
    """The lowest and highest stake of a bet, and the decks of the shoe."""

    bet_min = PlainDecimalField(
        label="Lowest stake", max_digits=AMOUNT_DIGITS, decimal_places=AMOUNT_DECIMALS, widget=AmountInput
    )
    bet_max = PlainDecimalField(
        label="Highest stake", max_digits=AMOUNT_DIGITS, decimal_places=AMOUNT_DECIMALS, widget=AmountInput
    )
    decks = forms.TypedChoiceField(choices=DECK_CHOICES, coerce=int, widget=UnfoldAdminSelectWidget)
    apply_at: forms.Field | None = ApplyAtField()

    @classmethod
    def of(cls, config: OneDealConfig, data: Any) -> "LimitsForm":
        """Return the form with the submitted data, or else with the current configuration."""
        initial = {"bet_min": plain(config.bet_min), "bet_max": plain(config.bet_max), "decks": config.decks}
        return cls(data, initial=initial)

    @property
    def decks_now(self) -> int:
        """The chosen number of decks, or the current one while the choice is invalid."""
        value = self["decks"].value()
        return int(value) if str(value) in {str(decks) for decks, _ in DECK_CHOICES} else STANDARD_DECKS


class NewLimitsForm(LimitsForm):
    """Limits in a currency that has none yet; the game's first bets are created with them."""

    field_order = ("partner", "currency", "bet_min", "bet_max", "decks")
    apply_at = None
    partner = PartnerField()
    currency = CurrencyField()

    def __init__(self, data: Any, *, partners: "QuerySet[Partner]") -> None:
        super().__init__(data, initial={"decks": STANDARD_DECKS})
        partners_offer(self, partners)


class OddsForm(forms.Form):
    """Odds, X to 1, for each bet; an empty field turns the bet off."""

    def __init__(self, data: Any, *, game: OneDealGame, rows: Mapping[int, OneDealOdds]) -> None:
        super().__init__(data)
        self._bets = game.bets
        for game_type in game.bets:
            row = rows.get(game_type)
            self.fields[f"odds_{game_type}"] = PlainDecimalField(
                label=bet_label(game, game_type),
                required=False,
                min_value=Decimal(0),
                max_value=Decimal(ODDS_BELOW - 1),
                decimal_places=ODDS_DECIMALS,
                initial=None if row is None else Decimal(plain(row.odds)),
                widget=AmountInput({"placeholder": "off", "size": 8}),
            )
        self.fields[APPLY_AT] = ApplyAtField()

    def odds_now(self, game_type: BetKind) -> Fraction | None:
        """Return the odds in the field, submitted or initial; None if they are not a number or the bet is off."""
        try:
            value = Decimal(str(self[f"odds_{game_type}"].value()))
        except ArithmeticError:
            return None
        # Odds with more decimals are invalid; with millions of them the fraction would fill the memory.
        is_odds = is_multiple(value, quantum_of(ODDS_DECIMALS)) and 0 <= value < ODDS_BELOW
        return Fraction(value) if is_odds else None

    def changes(self, config_id: int) -> list[OddsChange]:
        """Return the odds that differ from the current ones."""
        changes = []
        for game_type in self._bets:
            name = f"odds_{game_type}"
            if name not in self.changed_data:
                continue
            odds, before = self.cleaned_data[name], self.fields[name].initial
            status = ConfigStatus.INACTIVE if odds is None else ConfigStatus.ACTIVE
            changes.append(OddsChange(config_id, game_type, before if odds is None else odds, status))
        return changes


def bet_label(game: OneDealGame, game_type: int) -> str:
    """Return a bet's name for people."""
    return game.bet_labels[game.bets(game_type)]


def odds_rows_now(config: OneDealConfig) -> dict[int, OneDealOdds]:
    """Return each bet's active row, or its pending one if none is active."""
    rows = config.odds_rows.exclude(status=ConfigStatus.INACTIVE).order_by("-status")
    return {row.game_type: row for row in rows}


def standard_odds_text(game: OneDealGame, game_type: BetKind) -> str:
    """Return the bet's usual odds."""
    odds = game.standard_odds[game_type]
    return plain(Decimal(odds.numerator) / odds.denominator)
