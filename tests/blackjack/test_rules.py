"""The options: defaults, the check and message of each, contradictions, and text forms."""

from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import Any

import pytest

from apps.blackjack.engine.rules import (
    SOLO_RULES,
    TABLE_RULES,
    TERMINAL_RULES,
    BlackjackRules,
    DoubleOn,
    Insurance,
    RulesError,
    Surrender,
    rules_from_text,
)
from apps.cards.shoe import INFINITE_DECKS

DOCUMENTED_SOLO_RULES = {
    "decks": 8,
    "dealer_hits_soft_17": False,
    "dealer_peek": True,
    "simple": False,
    "double": "any",
    "double_after_split": True,
    "surrender": "late",
    "surrender_after_hit": False,
    "surrender_after_split": False,
    "split_non_ace": 1,
    "split_ace": 1,
    "hit_split_ace": True,
    "insurance": "exact-half",
    "blackjack_pays": "3:2",
    "inverted": False,
}
OPTIONS = f"the options are {', '.join(sorted(DOCUMENTED_SOLO_RULES))}"


def test_defaults_are_those_of_the_option_table() -> None:
    assert SOLO_RULES.to_json() == DOCUMENTED_SOLO_RULES
    assert TABLE_RULES.to_json() == {
        **DOCUMENTED_SOLO_RULES,
        "decks": 6,
        "dealer_hits_soft_17": True,
        "split_non_ace": 3,
    }
    assert TERMINAL_RULES.to_json() == {
        **DOCUMENTED_SOLO_RULES,
        "decks": 1,
        "double_after_split": False,
        "surrender": "off",
        "insurance": "off",
    }


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("decks", 10, "decks is 10; 1 to 8 are possible, or 9 for an infinite deck"),
        ("decks", -1, "decks is -1; 1 to 8 are possible, or 9 for an infinite deck"),
        ("decks", True, "decks is True; a whole number is expected"),
        ("decks", "6", "decks is '6'; a whole number is expected"),
        ("dealer_hits_soft_17", 1, "dealer_hits_soft_17 is 1; true and false are possible"),
        ("dealer_peek", "on", "dealer_peek is 'on'; true and false are possible"),
        ("simple", None, "simple is None; true and false are possible"),
        ("double", "9-10", "double is '9-10'; any, 9-11, 10-11 are possible"),
        ("double_after_split", 0, "double_after_split is 0; true and false are possible"),
        ("surrender", True, "surrender is True; off, late, early-not-ace, early are possible"),
        ("surrender_after_hit", "", "surrender_after_hit is ''; true and false are possible"),
        ("surrender_after_split", 2, "surrender_after_split is 2; true and false are possible"),
        ("split_non_ace", 4, "split_non_ace is 4; 0 to 3 times are possible"),
        ("split_non_ace", True, "split_non_ace is True; 0 to 3 times are possible"),
        ("split_ace", -1, "split_ace is -1; 0 to 3 times are possible"),
        ("hit_split_ace", "no", "hit_split_ace is 'no'; true and false are possible"),
        ("insurance", "half", "insurance is 'half'; off, exact-half, up-to-half are possible"),
        ("blackjack_pays", "1:1", "blackjack_pays is '1:1'; 3:2 and 6:5 are possible"),
        ("blackjack_pays", 1.5, "blackjack_pays is 1.5; 3:2 and 6:5 are possible"),
        ("inverted", "yes", "inverted is 'yes'; true and false are possible"),
        ("speed", True, f"no such option: speed; {OPTIONS}"),
    ],
)
def test_each_invalid_option_has_its_message(option: str, value: object, sentence: str) -> None:
    with pytest.raises(RulesError) as refusal:
        BlackjackRules.from_json({option: value}, base=SOLO_RULES)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ({"double": "any"}, "double"),
        ({"surrender": Insurance.OFF}, "surrender"),
        ({"insurance": "off"}, "insurance"),
        ({"blackjack_pays": Fraction(2)}, "blackjack_pays"),
    ],
)
def test_the_constructor_checks_by_itself(values: dict[str, Any], option: str) -> None:
    with pytest.raises(RulesError, match=f"^{option} is "):
        BlackjackRules(**values)


@pytest.mark.parametrize("surrender", [Surrender.LATE, Surrender.EARLY_NOT_ACE])
def test_late_surrender_needs_a_peek(surrender: Surrender) -> None:
    with pytest.raises(RulesError, match="there is no peek to be late for"):
        BlackjackRules(dealer_peek=False, surrender=surrender)
    assert BlackjackRules(dealer_peek=False, surrender=Surrender.EARLY).surrender is Surrender.EARLY
    # Simple rules have no surrender, whatever the option says.
    assert BlackjackRules(dealer_peek=False, surrender=surrender, simple=True).simple


def test_rules_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        SOLO_RULES.decks = 1  # type: ignore[misc]


def test_rules_survive_json() -> None:
    for rules in (SOLO_RULES, TABLE_RULES, TERMINAL_RULES, BlackjackRules(decks=9, blackjack_pays=Fraction(6, 5))):
        assert BlackjackRules.from_json(rules.to_json()) == rules


def test_infinite_decks_are_written_9_and_read_as_9_or_0() -> None:
    infinite = BlackjackRules.from_json({"decks": 0}, base=SOLO_RULES)
    assert (infinite.decks, infinite.is_infinite, infinite.to_json()["decks"]) == (INFINITE_DECKS, True, 9)


def test_a_missing_option_is_an_error_without_a_base() -> None:
    data = SOLO_RULES.to_json()
    del data["decks"], data["simple"]
    with pytest.raises(RulesError, match=r"^options missing: decks, simple$"):
        BlackjackRules.from_json(data)


def test_fingerprints_differ_by_rules_and_are_stable() -> None:
    variants = {SOLO_RULES.fingerprint()}
    for field in fields(BlackjackRules):
        data = SOLO_RULES.to_json()
        value = data[field.name]
        other = {"double": "9-11", "surrender": "off", "insurance": "off", "blackjack_pays": "6:5"}.get(field.name)
        if other is None:
            other = not value if isinstance(value, bool) else 3
        data[field.name] = other
        if field.name == "dealer_peek":
            data["surrender"] = "early"
        variants.add(BlackjackRules.from_json(data).fingerprint())
    assert len(variants) == 1 + len(fields(BlackjackRules))
    assert SOLO_RULES.fingerprint() == BlackjackRules().fingerprint()
    assert TERMINAL_RULES.fingerprint() == "e9b3c1c80e40a2c891f5d9f7fdfd600586f6277f54ebc34554aa0bf5db18ab52"


def test_rules_from_a_command_line() -> None:
    rules = rules_from_text(["decks=infinite, double=9-11", "dealer_hits_soft_17=YES", "split_ace=0"], base=SOLO_RULES)
    assert rules == BlackjackRules(
        decks=INFINITE_DECKS, double=DoubleOn.NINE_TO_ELEVEN, dealer_hits_soft_17=True, split_ace=0
    )
    assert rules_from_text([], base=TABLE_RULES) == TABLE_RULES


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("decks", "'decks' is no option: name=value is expected"),
        ("decks=six", "decks is 'six'; a whole number is expected"),
        ("simple=maybe", "simple is 'maybe'; true and false are possible"),
        ("cheat=on", f"no such option: cheat; {OPTIONS}"),
        ("blackjack_pays=2:1", "blackjack_pays is '2:1'; 3:2 and 6:5 are possible"),
    ],
)
def test_an_invalid_option_is_refused_with_what_is_expected(text: str, sentence: str) -> None:
    with pytest.raises(RulesError) as refusal:
        rules_from_text([text], base=SOLO_RULES)
    assert str(refusal.value) == sentence
