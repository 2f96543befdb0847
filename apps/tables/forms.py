"""The back office's forms for tables, with fields made from the game's options, bets and odds."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from apps.core.errors import DomainError
from apps.core.models import AMOUNT_DECIMALS, AMOUNT_DIGITS, Currency
from apps.core.money import plain
from apps.core.office_html import in_words
from apps.core.widgets import AmountInput, PlainDecimalField
from apps.partners.forms import PartnerField, partners_offer
from apps.partners.models import Partner
from apps.rounds.table_bets import odds_number
from apps.rounds.table_game import BetEdge, Json, TableGame, TableTerms
from apps.tables.models import GameTable
from apps.tables.registry import table_game_of, table_games
from apps.tables.selectors import terms_of
from apps.tables.table_creation import RoomOptions, room_edges, room_terms

POINTS: Final = "points"
MS: Final = 1000

_FIELDS: Final = {
    "windowSeconds": "window_s", "turnSeconds": "turn_s", "pauseSeconds": "pause_s", "cutCard": "cut_card",
    "seats": "seats", "name": "name",
}  # fmt: skip
_NONE: Final = "infinite"
_ENDS: Final = {"min": "lowest", "max": "highest"}


class NewTableForm(forms.Form):
    """The game, the partner and the currency of a new table; all other settings are on the table's page."""

    partner = PartnerField()
    game_type = forms.ChoiceField(label="Game", widget=UnfoldAdminSelectWidget)
    currency = forms.ChoiceField(
        label="Played for",
        widget=UnfoldAdminSelectWidget,
        help_text="It is fixed; everything else can change later.",
    )
    name = forms.CharField(
        max_length=60, required=False, widget=UnfoldAdminTextInputWidget, help_text="Empty: the game's name."
    )
    is_private = forms.BooleanField(
        label="Private: found by its link alone", required=False, widget=UnfoldBooleanSwitchWidget
    )

    def __init__(self, data: Any, *, partners: "QuerySet[Partner]") -> None:
        super().__init__(data)
        partners_offer(self, partners)
        games = self.fields["game_type"]
        assert isinstance(games, forms.ChoiceField)
        games.choices = [(name, game.title) for name, game in table_games().items()]
        currencies = self.fields["currency"]
        assert isinstance(currencies, forms.ChoiceField)
        currencies.choices = [(POINTS, "points"), *((each.code, each.code) for each in Currency.objects.all())]

    @property
    def options(self) -> RoomOptions:
        """The requested table; the form must be valid."""
        data = self.cleaned_data
        return RoomOptions(
            game_type=data["game_type"],
            currency_code=None if data["currency"] == POINTS else data["currency"],
            name=data["name"],
            is_private=data["is_private"],
        )

    @property
    def edges(self) -> Sequence[BetEdge]:
        """The house edges of the chosen game under its default terms."""
        name, code = self["game_type"].value() or next(iter(table_games())), self["currency"].value() or POINTS
        currency = None if code == POINTS else Currency.objects.filter(code=code).first()
        if name not in table_games() or (currency is None and code != POINTS):
            return []
        options = RoomOptions(game_type=name, currency_code=None if currency is None else currency.code)
        return room_edges(table_game_of(name), room_terms(options, currency, partner_id=None))


class TableForm(forms.Form):
    """All settings of a table that can be changed: pace, seats, rules, limits, odds."""

    name = forms.CharField(max_length=60, widget=UnfoldAdminTextInputWidget)
    is_private = forms.BooleanField(
        label="Private: found by its link alone", required=False, widget=UnfoldBooleanSwitchWidget
    )

    def __init__(self, data: Any, *, table: GameTable) -> None:
        super().__init__(data, initial={"name": table.name, "is_private": table.is_private})
        self._table = table
        self._game: TableGame[Any] = table_game_of(table.game_type)
        terms = terms_of(table)
        default, least = self._game.cut_card_default_and_least(terms)
        for name, label, value in (
            ("seats", f"Seats, 1 to {self._game.seats_max}", terms.seats),
            ("window_s", "Betting window, seconds", terms.window_ms // MS),
            ("turn_s", "Turn, seconds", terms.turn_ms // MS),
            ("pause_s", "Pause after a round, seconds", terms.pause_ms // MS),
        ):
            self.fields[name] = forms.IntegerField(label=label, initial=value, widget=AmountInput)
        self.fields["cut_card"] = forms.IntegerField(
            label="Cut card",
            required=False,
            initial=table.cut_card,
            widget=AmountInput,
            help_text=f"Cards left at which a new shoe is opened, {least} at least. Empty: {default}.",
        )
        for name, value in terms.rules.items():
            if name in self._game.points_rules and not terms.is_points:
                continue
            self.fields[f"rule_{name}"] = _rule_field(name, value, self._game.rule_choices.get(name))
        for bet, label in self._game.bet_labels.items():
            limits = terms.limits.get(bet)
            ends: dict[str, int | None] = {"min": None, "max": None}
            if limits is not None:
                ends = {"min": limits.least, "max": limits.most}
            for end, units in ends.items():
                self.fields[f"limit_{bet}_{end}"] = PlainDecimalField(
                    label=f"{label}, {_ENDS[end]}",
                    required=False,
                    max_digits=AMOUNT_DIGITS,
                    decimal_places=AMOUNT_DECIMALS,
                    initial=None if units is None else plain(Decimal(terms.amount(units))),
                    widget=AmountInput,
                )
        for name, to_one in terms.odds.items():
            self.fields[f"odds_{name}"] = PlainDecimalField(
                label=self._game.bet_labels.get(name, in_words(name)).capitalize(),
                max_digits=12,
                decimal_places=6,
                initial=plain(Decimal(odds_number(to_one))),
                widget=AmountInput,
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            self._limits_check(data)
        if not self.errors:
            try:
                data["terms"] = room_terms(self.options, self._table.currency, partner_id=self._table.partner_id)
            except DomainError as refusal:
                # The wire's name of the field is for a program: here the label stands above the message.
                self.add_error(self.field_of(refusal), refusal.message.removeprefix(f"{refusal.field}: "))
        return data

    def field_of(self, refusal: DomainError) -> str | None:
        """Return the form's field for the one that a refusal names."""
        group, _, rest = (refusal.field or "").partition(".")
        bet, _, end = rest.partition(".")
        found = {
            "rules": f"rule_{rest}",
            "odds": f"odds_{rest}",
            "limits": f"limit_{bet}_{'max' if end == 'maxAmount' else 'min'}",
        }.get(group, _FIELDS.get(group, ""))
        return found if found in self.fields else None

    @property
    def options(self) -> RoomOptions:
        """The requested settings; of rules, limits and odds only those that differ from the game's defaults."""
        data = self.cleaned_data
        table, game = self._table, self._game
        given = {
            name: _rule_value(data[f"rule_{name}"], game.rule_choices.get(name))
            for name in (field.removeprefix("rule_") for field in self.fields if field.startswith("rule_"))
        }
        own = game.rules_read({}, is_points=table.currency is None)
        rules = {name: value for name, value in given.items() if value != own[name]}
        odds = {name: data[f"odds_{name}"] for name in _names(self.fields, "odds_")}
        own_odds = game.odds_read({})
        return RoomOptions(
            game_type=table.game_type,
            currency_code=table.currency_id,
            name=data["name"],
            seats=data["seats"],
            rules=rules,
            limits=self._limits(data, own_limits=self._own_limits(given)),
            odds={name: value for name, value in odds.items() if value != odds_number(own_odds[name])},
            window_s=data["window_s"],
            turn_s=data["turn_s"],
            pause_s=data["pause_s"],
            cut_card=data["cut_card"],
            is_private=data["is_private"],
        )

    @property
    def edges(self) -> Sequence[BetEdge]:
        """The house edges under the values in the form."""
        terms: TableTerms = terms_of(self._table)
        if self.is_bound:
            if not self.is_valid():
                return []
            terms = self.cleaned_data["terms"]
        return room_edges(self._game, terms)

    @property
    def general_fields(self) -> list[forms.BoundField]:
        return [field for field in self if not field.name.startswith(("rule_", "limit_", "odds_"))]

    @property
    def rule_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("rule_")]

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("limit_")]

    @property
    def odds_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("odds_")]

    def _own_limits(self, rules: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the game's default limits under these rules; None if the rules are invalid."""
        currency = self._table.currency
        try:
            options = RoomOptions(game_type=self._table.game_type, currency_code=self._table.currency_id, rules=rules)
            terms = room_terms(options, currency, partner_id=self._table.partner_id)
        except DomainError:
            return None
        return {bet: (terms.amount(each.least), terms.amount(each.most)) for bet, each in terms.limits.items()}

    def _limits(self, data: Json, *, own_limits: dict[str, Any] | None) -> dict[str, Any]:
        given = {bet: (data[f"limit_{bet}_min"], data[f"limit_{bet}_max"]) for bet in self._game.bet_labels}
        offered = {bet: ends for bet, ends in given.items() if ends[0] is not None}
        if own_limits is not None and offered == own_limits:
            return {}
        return {bet: {"minAmount": least, "maxAmount": most} for bet, (least, most) in offered.items()}

    def _limits_check(self, data: Json) -> None:
        offered = 0
        for bet in self._game.bet_labels:
            least, most = data.get(f"limit_{bet}_min"), data.get(f"limit_{bet}_max")
            offered += least is not None
            if (least is None) != (most is None):
                self.add_error(f"limit_{bet}_{'min' if least is None else 'max'}", "Both ends are needed, or neither.")
            elif least is not None and least > most:
                self.add_error(f"limit_{bet}_min", "It is above the highest stake.")
        if not offered:
            self.add_error(None, "A table has one bet on offer at least.")


def _rule_field(name: str, value: Any, choices: Sequence[Any] | None) -> forms.Field:
    label = in_words(name).capitalize()
    if choices is None:
        return forms.BooleanField(label=label, required=False, initial=value, widget=UnfoldBooleanSwitchWidget)
    texts = [(_text(choice), _text(choice)) for choice in choices]
    return forms.ChoiceField(label=label, choices=texts, initial=_text(value), widget=UnfoldAdminSelectWidget)


def _rule_value(text: Any, choices: Sequence[Any] | None) -> Any:
    if choices is None:
        return bool(text)
    return next(choice for choice in choices if _text(choice) == text)


def _text(choice: Any) -> str:
    return _NONE if choice is None else str(choice)


def _names(fields: Mapping[str, Any], prefix: str) -> Iterator[str]:
    return (name.removeprefix(prefix) for name in fields if name.startswith(prefix))
