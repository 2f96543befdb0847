"""What the player's pages follow, and what the two tables are laid with, as it holds now. Reads only."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.selectors import shown_round
from apps.core.money import grouped, plain
from apps.portal.access import Seat, changes_token
from apps.portal.labels import BET_HELP, BET_LABELS, BET_PLACES, SIDE_BET_OUTCOMES
from apps.portal.refill import refill_offer
from apps.portal.selectors import baccarat_last, baccarat_road, wallet_of

INFINITE_WORDS: Final = "an endless shoe"
RESULT_SHOWN_S: Final = 600
"""How long after its end a round's result is laid out again for a page that is loaded."""


def player_state(seat: Seat) -> dict[str, Any]:
    """Return what every page of the player's follows: the balance, and the refill that is on offer."""
    wallet = wallet_of(seat)
    return {
        "currency": wallet.currency_id,
        "decimals": wallet.currency.decimals,
        "balance": plain(wallet.balance),
        "refill": refill_offer(wallet),
        "changesToken": changes_token(seat.player),
    }


def baccarat_table(seat: Seat) -> dict[str, Any]:
    """Return what the baccarat page needs to lay the table, and its state; amounts as plain text.

    `isOpen` is false while the partner offers no baccarat in this currency; `last` is the last deal, for a while.
    """
    config = BaccaratConfig.objects.filter(
        partner=seat.player.partner_id, currency=seat.currency_code, status=ConfigStatus.ACTIVE
    ).first()
    odds: Sequence[BaccaratOddsConfig] = list(config.odds_rows.filter(status=ConfigStatus.ACTIVE)) if config else []
    return player_state(seat) | {
        "token": seat.token,
        "isOpen": bool(odds),
        "decks": config.decks if config else 0,
        "betMin": plain(config.bet_min) if config else "0",
        "betMax": plain(config.bet_max) if config else "0",
        "limits": f"{grouped(config.bet_min)} to {grouped(config.bet_max)}" if config else "",
        "bets": [
            {
                "gameType": row.game_type,
                "label": BET_LABELS[GameType(row.game_type)],
                "help": BET_HELP[GameType(row.game_type)],
                "odds": plain(row.odds),
            }
            for row in sorted(odds, key=lambda row: BET_PLACES.index(row.game_type))
        ],
        "road": baccarat_road(seat.player),
        "last": baccarat_last(seat.player, seat.currency_code, ended_since=_shown_since()),
    }


def blackjack_table(seat: Seat) -> dict[str, Any]:
    """Return what the blackjack page needs to lay the table, and its state; amounts as plain text.

    `isOpen` is false while the partner offers no blackjack in this currency; `round` is the open round, else the
    last one, for a while.
    """
    config = BlackjackConfig.objects.filter(
        partner=seat.player.partner_id, currency=seat.currency_code, active=True
    ).first()
    terms = config.terms.filter(status=TermsStatus.ACTIVE).first() if config else None
    table = player_state(seat) | {
        "token": seat.token,
        "isOpen": terms is not None,
        "round": shown_round(player_id=seat.player.pk, currency_code=seat.currency_code, ended_since=_shown_since()),
    }
    return table | _blackjack_terms(config, terms) if config and terms else table


def _shown_since() -> datetime:
    return timezone.now() - timedelta(seconds=RESULT_SHOWN_S)


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


def _blackjack_terms(config: BlackjackConfig, terms: BlackjackTerms) -> dict[str, Any]:
    rules = BlackjackRules.from_json(terms.rules)
    lines = rule_lines(rules)
    return {
        "betMin": plain(config.bet_min),
        "betMax": plain(config.bet_max),
        "limits": f"{grouped(config.bet_min)} to {grouped(config.bet_max)}",
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
    """Return the rows of a side bet's table, the best paid first."""
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
    Surrender.LATE: "Surrender gives half of the bet back, once the dealer is known to have no blackjack.",
    Surrender.EARLY_NOT_ACE: "Surrender gives half of the bet back, under a ten before the dealer looks for blackjack.",
    Surrender.EARLY: "Surrender gives half of the bet back, before the dealer looks for blackjack.",
}
_INSURANCE_WORDS: Final = {
    Insurance.OFF: "No insurance.",
    Insurance.EXACT_HALF: "Under an ace you may insure for half of your bet; insurance pays 2 to 1.",
    Insurance.UP_TO_HALF: "Under an ace you may insure for up to half of your bet; insurance pays 2 to 1.",
}
