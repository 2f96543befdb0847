"""The rules of a blackjack round: options, their checks, and their text forms (docs/blackjack-rules.md). Pure.

They are applied to moves in actions.py, to the dealer in play.py (`dealer_draws`), and to payouts in settle.py.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from typing import Final, Self, TypeVar

from apps.cards.shoe import INFINITE_DECKS, deck_count_check

MAX_SPLITS: Final = 3
"""A seat splits at most three times a round, so it never holds more than four hands."""

_PAYS: Final = {"3:2": Fraction(3, 2), "6:5": Fraction(6, 5)}
_BOOLS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class RulesError(ValueError):
    """The rules are invalid: the message names the option and its possible values."""


class DoubleOn(Enum):
    """The first two cards on which a hand may double; ranges are hard totals."""

    ANY = "any"
    NINE_TO_ELEVEN = "9-11"
    TEN_ELEVEN = "10-11"


class Surrender(Enum):
    """When a hand may be surrendered for half its stake: before the dealer's peek (early), or after it (late)."""

    OFF = "off"
    LATE = "late"
    EARLY_NOT_ACE = "early-not-ace"
    """Early against a ten, late against an ace."""
    EARLY = "early"


class Insurance(Enum):
    """The possible stakes of insurance, which pays 2 to 1 if the dealer has a natural with an ace."""

    OFF = "off"
    EXACT_HALF = "exact-half"
    UP_TO_HALF = "up-to-half"


_Choice = TypeVar("_Choice", bound=Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackjackRules:
    """One rule set; the defaults are the solo game's.

    Raises RulesError for an invalid value and for contradicting options. An option without effect (`double_after_split`
    without splits) is accepted.
    """

    decks: int = 8
    """1 to 8, or INFINITE_DECKS."""
    dealer_hits_soft_17: bool = False
    dealer_peek: bool = True
    """Off: no hole card is dealt, and the dealer draws the second card after the hands."""
    simple: bool = False
    """Hit and Stand only, independently of the options below; naturals keep their bonus."""
    double: DoubleOn = DoubleOn.ANY
    double_after_split: bool = True
    surrender: Surrender = Surrender.LATE
    surrender_after_hit: bool = False
    surrender_after_split: bool = False
    split_non_ace: int = 1
    """How often a seat may split a round: N splits make N + 1 hands."""
    split_ace: int = 1
    hit_split_ace: bool = True
    """Off: a split ace gets one card, and may then only be split again or stand."""
    insurance: Insurance = Insurance.EXACT_HALF
    blackjack_pays: Fraction = Fraction(3, 2)
    inverted: bool = False
    """Every balance change is negated; only for points tables."""

    def __post_init__(self) -> None:
        _decks_check(self.decks)
        for name in _BOOL_OPTIONS:
            if type(getattr(self, name)) is not bool:
                raise RulesError(f"{name} is {getattr(self, name)!r}; true and false are possible")
        for name, choice in _CHOICE_OPTIONS.items():
            if not isinstance(getattr(self, name), choice):
                raise RulesError(f"{name} is {getattr(self, name)!r}; {_choices(choice)} are possible")
        for name in _SPLIT_OPTIONS:
            splits = getattr(self, name)
            if type(splits) is not int or not 0 <= splits <= MAX_SPLITS:
                raise RulesError(f"{name} is {splits!r}; 0 to {MAX_SPLITS} times are possible")
        if self.blackjack_pays not in _PAYS.values():
            raise RulesError(f"blackjack_pays is {self.blackjack_pays}; {_PAYS_TEXT} are possible")
        self._surrender_check()

    def _surrender_check(self) -> None:
        if self.dealer_peek or self.simple:
            return
        if self.surrender is Surrender.LATE:
            raise RulesError("surrender is late and dealer_peek is off: there is no peek to be late for")
        if self.surrender is Surrender.EARLY_NOT_ACE:
            raise RulesError(
                "surrender is early-not-ace, which is late against an ace, and dealer_peek is off: "
                "there is no peek to be late for"
            )

    @property
    def is_infinite(self) -> bool:
        return self.decks == INFINITE_DECKS

    def to_json(self) -> dict[str, int | bool | str]:
        """Return the options by name as JSON values."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, object], *, base: Self | None = None) -> Self:
        """Return the rules that `to_json` wrote; a `decks` of 0 is also read as infinite.

        Missing options are taken from `base`; without one, none may be missing. Raises RulesError.
        """
        names = {field.name for field in fields(cls)}
        if unknown := sorted(set(data) - names):
            raise RulesError(f"no such option: {', '.join(unknown)}; the options are {', '.join(sorted(names))}")
        if base is None and (missing := sorted(names - set(data))):
            raise RulesError(f"options missing: {', '.join(missing)}")
        values = {name: _option_read(name, value) for name, value in data.items()}
        # The constructor checks the values.
        return cls(**values) if base is None else replace(base, **values)  # type: ignore[arg-type]

    def fingerprint(self) -> str:
        """Return SHA-256, in hex, of the canonical JSON: the same for equal rules on every machine."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return sha256(text.encode("ascii")).hexdigest()


def rules_from_text(options: Iterable[str], *, base: BlackjackRules) -> BlackjackRules:
    """Return `base` with options written as on a command line: `decks=6`, `double=9-11`, `decks=infinite`.

    An item may have several options, separated by commas. Raises RulesError.
    """
    data: dict[str, object] = {}
    for item in (part for option in options for part in option.split(",") if part.strip()):
        name, separator, text = item.strip().partition("=")
        if not separator:
            raise RulesError(f"{item!r} is no option: name=value is expected")
        data[name.strip()] = _text_read(name.strip(), text.strip().lower())
    return BlackjackRules.from_json(data, base=base)


def _decks_check(decks: int) -> None:
    if type(decks) is not int:
        raise RulesError(f"decks is {decks!r}; a whole number is expected")
    try:
        deck_count_check(decks)
    except ValueError as error:
        raise RulesError(str(error)) from None


def _choices(choice: type[Enum]) -> str:
    return ", ".join(str(member.value) for member in choice)


def _plain(value: object) -> int | bool | str:
    match value:
        case Enum():
            return str(value.value)
        case Fraction():
            return f"{value.numerator}:{value.denominator}"
        case bool() | int():
            return value
        case _:
            raise TypeError(f"no option holds {value!r}")


def _option_read(name: str, value: object) -> object:
    """Return a JSON value as the option's type. Raises RulesError for an unknown choice or `blackjack_pays`; any other
    invalid value is returned unchanged, and the constructor refuses it.
    """
    if name in _CHOICE_OPTIONS:
        return _choice_read(name, value, _CHOICE_OPTIONS[name])
    if name == "blackjack_pays":
        if not isinstance(value, str) or value not in _PAYS:
            raise RulesError(f"blackjack_pays is {value!r}; {_PAYS_TEXT} are possible")
        return _PAYS[value]
    if name == "decks" and value == 0 and type(value) is int:
        return INFINITE_DECKS
    return value


def _choice_read(name: str, value: object, choice: type[_Choice]) -> _Choice:
    try:
        return choice(value)
    except ValueError:
        raise RulesError(f"{name} is {value!r}; {_choices(choice)} are possible") from None


def _text_read(name: str, text: str) -> object:
    if name in _BOOL_OPTIONS:
        return _BOOLS.get(text, text)
    if name == "decks" and text == "infinite":
        return INFINITE_DECKS
    if (name == "decks" or name in _SPLIT_OPTIONS) and text.isascii() and text.isdigit():
        return int(text)
    return text


_PAYS_TEXT: Final = " and ".join(_PAYS)
_BOOL_OPTIONS: Final = (
    "dealer_hits_soft_17",
    "dealer_peek",
    "simple",
    "double_after_split",
    "surrender_after_hit",
    "surrender_after_split",
    "hit_split_ace",
    "inverted",
)
_SPLIT_OPTIONS: Final = ("split_non_ace", "split_ace")
_CHOICE_OPTIONS: Final[dict[str, type[Enum]]] = {"double": DoubleOn, "surrender": Surrender, "insurance": Insurance}

SOLO_RULES: Final = BlackjackRules()
"""The solo game's defaults: each round a fresh shoe of eight decks."""

TABLE_RULES: Final = BlackjackRules(decks=6, dealer_hits_soft_17=True, split_non_ace=3)
"""The tables' defaults."""

TERMINAL_RULES: Final = BlackjackRules(
    decks=1, double_after_split=False, surrender=Surrender.OFF, insurance=Insurance.OFF
)
"""The terminal game's defaults: one fresh deck a round, split once, no insurance, no surrender."""
