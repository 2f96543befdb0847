"""The current data that the player's blackjack page starts with; amounts as plain text."""

from collections.abc import Mapping
from typing import Any, Final

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.labels import SIDE_BET_OUTCOMES
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.selectors import shown_round
from apps.core.money import grouped, plain
from apps.rounds.game_spec import TableVisit

INFINITE_WORDS: Final = "an endless shoe"


def blackjack_table(visit: TableVisit) -> dict[str, Any]:
    """Return limits, rules and the round.

    `isOpen` is false if the partner does not offer blackjack in this currency. `round` is the open round, or for a
    while the last one.
    """
    config = BlackjackConfig.objects.filter(
        partner=visit.player.partner_id, currency=visit.currency_code, active=True
    ).first()
    terms = config.terms.filter(status=TermsStatus.ACTIVE).first() if config else None
    table = {
        "isOpen": terms is not None,
        "round": shown_round(
            player_id=visit.player.pk, currency_code=visit.currency_code, ended_since=visit.results_since
        ),
    }
    return table | _terms_data(config, terms) if config and terms else table


def rule_lines(rules: BlackjackRules) -> list[str]:
    """Return the rule set as sentences for the player."""
    pays = "3 to 2" if rules.blackjack_pays.denominator == 2 else "6 to 5"
    lines = [
        f"The cards come from {_decks_words(rules)}, fresh each round.",
        f"Blackjack pays {pays}.",
        "The dealer hits soft 17." if rules.dealer_hits_soft_17 else "The dealer stands on all 17s.",
    ]
    if not rules.dealer_peek:
        lines.append("The dealer takes the second card after you have played; blackjack then takes doubled stakes too.")
    if rules.simple:
        return [*lines, "Only Hit and Stand are played."]
    lines.append(_DOUBLE_WORDS[rules.double] + ("." if rules.double_after_split else ", not after a split."))
    lines.append(_split_words(rules))
    lines.append(_SURRENDER_WORDS[rules.surrender])
    lines.append(_INSURANCE_WORDS[rules.insurance])
    return lines


def _terms_data(config: BlackjackConfig, terms: BlackjackTerms) -> dict[str, Any]:
    rules = BlackjackRules.from_json(terms.rules)
    lines = rule_lines(rules)
    return {
        "betMin": plain(config.bet_min),
        "betMax": plain(config.bet_max),
        "limits": f"{grouped(config.bet_min)} to {grouped(config.bet_max)}",
        "perfectPairsMin": plain(config.perfect_pairs_min),
        "perfectPairsLimits": f"{grouped(config.perfect_pairs_min)} to {grouped(config.perfect_pairs_max)}",
        "pokerMin": plain(config.poker_min),
        "pokerLimits": f"{grouped(config.poker_min)} to {grouped(config.poker_max)}",
        "perfectPairsMax": "0" if rules.simple else plain(config.perfect_pairs_max),
        "pokerMax": "0" if rules.simple else plain(config.poker_max),
        "rules": terms.rules,
        "rulesText": " ".join(lines[1:3]),
        "ruleLines": [*lines, *_side_limits(config)],
        "blackjackPays": "3 to 2" if rules.blackjack_pays.denominator == 2 else "6 to 5",
        "perfectPairsRows": _odds_rows(terms.perfect_pairs_odds),
        "pokerRows": _odds_rows(terms.poker_odds),
    }


def _odds_rows(odds: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a side bet's table, the highest odds first."""
    order = list(SideBetOutcome)
    names = sorted(odds, key=lambda name: order.index(SideBetOutcome(name)))
    return [{"label": SIDE_BET_OUTCOMES[SideBetOutcome(name)], "odds": str(odds[name])} for name in names]


def _side_limits(config: BlackjackConfig) -> list[str]:
    pairs = (
        ("Perfect Pairs", config.perfect_pairs_min, config.perfect_pairs_max),
        ("21+3", config.poker_min, config.poker_max),
    )
    return [f"{name}: {grouped(low)} to {grouped(high)} a round." for name, low, high in pairs if high]


def _decks_words(rules: BlackjackRules) -> str:
    if rules.is_infinite:
        return INFINITE_WORDS
    return "one deck" if rules.decks == 1 else f"{rules.decks} decks"


def _split_words(rules: BlackjackRules) -> str:
    if not rules.split_non_ace and not rules.split_ace:
        return "Pairs are not split."
    aces = "" if rules.hit_split_ace else " A split ace gets one card."
    return f"Pairs split into up to {rules.split_non_ace + 1} hands, aces into up to {rules.split_ace + 1}.{aces}"


_DOUBLE_WORDS: Final = {
    DoubleOn.ANY: "Double on any two cards",
    DoubleOn.NINE_TO_ELEVEN: "Double on 9, 10 and 11",
    DoubleOn.TEN_ELEVEN: "Double on 10 and 11",
}
_SURRENDER_WORDS: Final = {
    Surrender.OFF: "No surrender.",
    Surrender.LATE: "Surrender returns half of the bet, after the dealer has looked for blackjack.",
    Surrender.EARLY_NOT_ACE: "Surrender returns half of the bet, against a ten before the dealer looks for blackjack.",
    Surrender.EARLY: "Surrender returns half of the bet, before the dealer looks for blackjack.",
}
_INSURANCE_WORDS: Final = {
    Insurance.OFF: "No insurance.",
    Insurance.EXACT_HALF: "Against an ace you may insure for half of your bet; insurance pays 2 to 1.",
    Insurance.UP_TO_HALF: "Against an ace you may insure for up to half of your bet; insurance pays 2 to 1.",
}
