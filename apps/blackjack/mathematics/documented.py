"""The rule sets whose figures are shipped: the product's own defaults, and twelve common ones. Pure."""

from typing import Final

from apps.blackjack.engine.rules import SOLO_RULES, TABLE_RULES, TERMINAL_RULES, BlackjackRules, rules_from_text

DEFAULTS: Final = {"solo game": SOLO_RULES, "tables": TABLE_RULES, "terminal game": TERMINAL_RULES}
"""The product's defaults by name."""

_USUAL: Final = "surrender=off split_non_ace=3 hit_split_ace=false"
"""The unstated conventions of the published tables: four hands, one card on a split ace, no surrender."""

COMMON: Final = {
    "6 decks, S17, DAS": f"decks=6 {_USUAL}",
    "6 decks, H17, DAS, late surrender": "decks=6 dealer_hits_soft_17=true split_non_ace=3 hit_split_ace=false",
    "1 deck, H17, no DAS": f"decks=1 dealer_hits_soft_17=true double_after_split=false {_USUAL}",
    "6 decks, S17, no DAS, split to two hands": "decks=6 double_after_split=false surrender=off hit_split_ace=false",
    "infinite deck, S17, DAS": f"decks=infinite {_USUAL}",
    "2 decks, H17, DAS": f"decks=2 dealer_hits_soft_17=true {_USUAL}",
    "6 decks, H17, DAS, blackjack pays 6:5": f"decks=6 dealer_hits_soft_17=true blackjack_pays=6:5 {_USUAL}",
    "1 deck, H17, no DAS, blackjack pays 6:5": (
        f"decks=1 dealer_hits_soft_17=true double_after_split=false blackjack_pays=6:5 {_USUAL}"
    ),
    "8 decks, S17, DAS, no hole card": f"decks=8 dealer_peek=false {_USUAL}",
    "6 decks, S17, DAS, early surrender except against an ace": (
        "decks=6 surrender=early-not-ace split_non_ace=3 hit_split_ace=false"
    ),
    "8 decks, H17, DAS, double on 10 and 11 alone": f"decks=8 dealer_hits_soft_17=true double=10-11 {_USUAL}",
    "6 decks, S17, hit and stand alone": "decks=6 simple=true",
}
"""Common rule sets by name, as options over the solo game's defaults."""


def documented_rules() -> dict[str, BlackjackRules]:
    """Return the twelve common rule sets by name."""
    return {name: rules_from_text(text.split(), base=SOLO_RULES) for name, text in COMMON.items()}


def shipped_rules() -> list[BlackjackRules]:
    """Return every rule set of `figures.json`."""
    return [*DEFAULTS.values(), *documented_rules().values()]
