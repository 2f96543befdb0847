"""The current data that the player's blackjack page starts with; amounts as plain text."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.side_bets import PERFECT_PAIRS_WINS, POKER_WINS, SideBetOutcome
from apps.blackjack.labels import SIDE_BET_OUTCOMES
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.selectors import shown_round
from apps.blackjack.table import rules_of
from apps.core.money import plain
from apps.core.number_texts import limits_text
from apps.rounds.game_spec import TableVisit
from apps.rounds.table_bets import odds_number
from apps.rounds.table_game import TableTerms


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


def live_rules(terms: TableTerms) -> dict[str, Any]:
    """Return the data from which the rules of a live table are written. Its shoe lasts over many rounds."""
    rows = {
        bet: _odds_rows({name: str(odds_number(terms.odds[name])) for name in wins if name in terms.odds})
        for bet, wins in _WINS.items()
        if bet in terms.limits
    }
    return {
        "ruleLines": rule_lines(rules_of(terms))[1:],
        "perfectPairsRows": rows.get("perfectPairs", []),
        "pokerRows": rows.get("poker", []),
    }


def rule_lines(rules: BlackjackRules) -> list[str]:
    """Return the rule set as sentences for the player."""
    lines = [
        _decks_words(rules),
        gettext("Blackjack pays {odds}.").format(odds=_blackjack_odds(rules)),
        gettext("The dealer hits soft 17.") if rules.dealer_hits_soft_17 else gettext("The dealer stands on all 17s."),
    ]
    if not rules.dealer_peek:
        lines.append(
            gettext("The dealer takes the second card after you have played; blackjack then takes doubled stakes too.")
        )
    if rules.simple:
        return [*lines, gettext("Only Hit and Stand are played.")]
    lines.append(str((_DOUBLE_WORDS if rules.double_after_split else _DOUBLE_UNSPLIT_WORDS)[rules.double]))
    lines.append(_split_words(rules))
    return [*lines, str(_SURRENDER_WORDS[rules.surrender]), str(_INSURANCE_WORDS[rules.insurance])]


def _terms_data(config: BlackjackConfig, terms: BlackjackTerms) -> dict[str, Any]:
    rules = BlackjackRules.from_json(terms.rules)
    lines = rule_lines(rules)
    return {
        "betMin": plain(config.bet_min),
        "betMax": plain(config.bet_max),
        "limits": limits_text(config.bet_min, config.bet_max),
        "perfectPairsMin": plain(config.perfect_pairs_min),
        "perfectPairsLimits": limits_text(config.perfect_pairs_min, config.perfect_pairs_max),
        "pokerMin": plain(config.poker_min),
        "pokerLimits": limits_text(config.poker_min, config.poker_max),
        "perfectPairsMax": "0" if rules.simple else plain(config.perfect_pairs_max),
        "pokerMax": "0" if rules.simple else plain(config.poker_max),
        "rules": terms.rules,
        "rulesText": " ".join(lines[1:3]),
        "ruleLines": [*lines, *_side_limits(config)],
        "blackjackPays": _blackjack_odds(rules),
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
    text = gettext("{bet}: {limits} a round.")
    return [text.format(bet=name, limits=limits_text(low, high)) for name, low, high in pairs if high]


def _decks_words(rules: BlackjackRules) -> str:
    if rules.is_infinite:
        return gettext("The cards come from an endless shoe, fresh each round.")
    text = ngettext(
        "The cards come from one deck, fresh each round.",
        "The cards come from {decks} decks, fresh each round.",
        rules.decks,
    )
    return text.format(decks=rules.decks)


def _blackjack_odds(rules: BlackjackRules) -> str:
    pays = rules.blackjack_pays
    high, low = (3, 2) if pays.denominator == 2 else (6, 5)
    return gettext("{high} to {low}").format(high=high, low=low)


def _split_words(rules: BlackjackRules) -> str:
    if not rules.split_non_ace and not rules.split_ace:
        return gettext("Pairs are not split.")
    text = gettext("Pairs split into up to {hands} hands, aces into up to {aces}.").format(
        hands=rules.split_non_ace + 1, aces=rules.split_ace + 1
    )
    one_card = gettext("A split ace gets one card.")
    return text if rules.hit_split_ace else f"{text} {one_card}"


_WINS: Final = {
    "perfectPairs": [outcome.value for outcome in PERFECT_PAIRS_WINS],
    "poker": [outcome.value for outcome in POKER_WINS],
}
_DOUBLE_WORDS: Final[Mapping[DoubleOn, Promise]] = {
    DoubleOn.ANY: _("Double on any two cards."),
    DoubleOn.NINE_TO_ELEVEN: _("Double on 9, 10 and 11."),
    DoubleOn.TEN_ELEVEN: _("Double on 10 and 11."),
}
_DOUBLE_UNSPLIT_WORDS: Final[Mapping[DoubleOn, Promise]] = {
    DoubleOn.ANY: _("Double on any two cards, not after a split."),
    DoubleOn.NINE_TO_ELEVEN: _("Double on 9, 10 and 11, not after a split."),
    DoubleOn.TEN_ELEVEN: _("Double on 10 and 11, not after a split."),
}
_SURRENDER_WORDS: Final[Mapping[Surrender, Promise]] = {
    Surrender.OFF: _("No surrender."),
    Surrender.LATE: _("Surrender returns half of the bet, after the dealer has looked for blackjack."),
    Surrender.EARLY_NOT_ACE: _(
        "Surrender returns half of the bet; against a ten already before the dealer looks for blackjack, against an ace"
        " only afterwards."
    ),
    Surrender.EARLY: _("Surrender returns half of the bet, before the dealer looks for blackjack."),
}
_INSURANCE_WORDS: Final[Mapping[Insurance, Promise]] = {
    Insurance.OFF: _("No insurance."),
    Insurance.EXACT_HALF: _("Against an ace you may insure for half of your bet; insurance pays 2 to 1."),
    Insurance.UP_TO_HALF: _("Against an ace you may insure for up to half of your bet; insurance pays 2 to 1."),
}
