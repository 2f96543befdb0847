"""The names of blackjack's bets, hands and results on pages."""

from typing import Final

from apps.blackjack.engine.events import StakeKind
from apps.blackjack.engine.side_bets import SideBet, SideBetOutcome
from apps.blackjack.engine.state import HandStatus, InsuranceStatus

SIDE_BET_LABELS: Final = {SideBet.PERFECT_PAIRS: "Perfect Pairs", SideBet.POKER: "21+3"}
BET_LABELS: Final = {
    "hand": "Main bet",
    **{bet.value: label for bet, label in SIDE_BET_LABELS.items()},
    "insurance": "Insurance",
}
"""By the names on the wire."""
LIMIT_LABELS: Final = {
    "bet_min": "Lowest bet",
    "bet_max": "Highest bet",
    "perfect_pairs_min": "Lowest bet on perfect pairs",
    "perfect_pairs_max": "Highest bet on perfect pairs (0: off)",
    "poker_min": "Lowest bet on 21+3",
    "poker_max": "Highest bet on 21+3 (0: off)",
}
WORDS_OF_BETS: Final = {
    SideBet.POKER.value: SIDE_BET_LABELS[SideBet.POKER],
    "poker_odds": f"{SIDE_BET_LABELS[SideBet.POKER]} odds",
    **{name: label for name, label in LIMIT_LABELS.items() if not name.startswith("bet_")},
}
"""For names of the audit that say less than the labels."""
SIDE_BET_OUTCOMES: Final = {
    SideBetOutcome.PERFECT_PAIR: "Perfect pair",
    SideBetOutcome.COLOURED_PAIR: "Coloured pair",
    SideBetOutcome.MIXED_PAIR: "Mixed pair",
    SideBetOutcome.SUITED_TRIPS: "Suited trips",
    SideBetOutcome.STRAIGHT_FLUSH: "Straight flush",
    SideBetOutcome.THREE_OF_A_KIND: "Three of a kind",
    SideBetOutcome.STRAIGHT: "Straight",
    SideBetOutcome.FLUSH: "Flush",
    SideBetOutcome.LOST: "Lost",
}
HAND_RESULTS: Final = {
    HandStatus.OPEN: "Open",
    HandStatus.NATURAL: "Waits for the dealer",
    HandStatus.STOOD: "Waits for the dealer",
    HandStatus.BLACKJACK: "Blackjack",
    HandStatus.WIN: "Won",
    HandStatus.PUSH: "Push",
    HandStatus.LOSE: "Lost",
    HandStatus.BUST: "Bust",
    HandStatus.SURRENDER: "Surrendered",
}
INSURANCE_RESULTS: Final = {
    InsuranceStatus.PENDING: "Waits for the dealer",
    InsuranceStatus.WON: "Won",
    InsuranceStatus.LOST: "Lost",
}
"""Without the declined insurance, which is no bet."""
TABLE_RESULTS: Final = {
    **{outcome.value: label for outcome, label in SIDE_BET_OUTCOMES.items()},
    **{status.value: label for status, label in HAND_RESULTS.items()},
    **{status.value.removeprefix("insurance_"): label for status, label in INSURANCE_RESULTS.items()},
}
"""All of them, by their names on the wire at tables."""
STAKE_LABELS: Final = {
    StakeKind.MAIN: "main bet",
    StakeKind.PERFECT_PAIRS: "Perfect Pairs",
    StakeKind.POKER: "21+3",
    StakeKind.INSURANCE: "insurance",
    StakeKind.DOUBLE: "double",
    StakeKind.SPLIT: "split",
}

PAGE_TEXTS: Final = (
    "Dealer",
    "dealer",
    "Main bet",
    "Insurance",
    *SIDE_BET_OUTCOMES.values(),
    *HAND_RESULTS.values(),
    *STAKE_LABELS.values(),
)
"""The texts that pages show in the reader's language."""
