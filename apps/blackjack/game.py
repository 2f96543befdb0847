"""What the rest of the product knows of blackjack: its `GameSpec`.

Rules, side bets and their standard odds are in engine/.
"""

from typing import Final

from celery.schedules import crontab
from drf_spectacular.utils import OpenApiExample

from apps.blackjack.advice import round_advice, table_advice, table_review
from apps.blackjack.apps import GAME_ID
from apps.blackjack.asyncapi import blackjack_asyncapi
from apps.blackjack.demo import blackjack_demo_offer
from apps.blackjack.explain import BlackjackExplanation
from apps.blackjack.labels import BET_LABELS, PAGE_TEXTS, SIDE_BET_OUTCOMES
from apps.blackjack.luck_of_records import LUCK
from apps.blackjack.messages import WireAction
from apps.blackjack.offer import blackjack_house_edges, blackjack_offer, blackjack_unplayable, blackjack_waiting
from apps.blackjack.page import blackjack_table, live_rules
from apps.blackjack.paytables import paytables_add_missing
from apps.blackjack.redeal import LOGGED_ACTIONS, blackjack_redeal, blackjack_rules_from_text
from apps.blackjack.settled_bets import DEALT_CARDS_SQL, SETTLED_BETS_SQL
from apps.blackjack.table_edges import blackjack_table_edges, blackjack_table_edges_compute
from apps.blackjack.table_pay import TABLE_PAY
from apps.blackjack.words import WORDS
from apps.fairness.examples import EXAMPLE_COMMITMENT, EXAMPLE_SEEDS
from apps.rounds.game_spec import (
    DealingText,
    GameDocuments,
    GamePage,
    GameSpec,
    LobbyTile,
    MenuEntry,
    MenuGroup,
    TableEdges,
    Verification,
)

_OPEN_ROUND: Final = OpenApiExample(
    "open",
    {
        "roundId": "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901",
        "gameId": GAME_ID,
        "clientSeed": EXAMPLE_SEEDS["clientSeed"],
        "nonce": EXAMPLE_SEEDS["nonce"],
        "isVerifiable": False,
        "serverSeedHashed": EXAMPLE_COMMITMENT,
        "roundOutcome": {
            "roundEnded": False,
            "howEnded": None,
            "currency": "FUN",
            "stake": "10",
            "payout": "0",
            "state": {
                "action": "Bet",
                "nextActions": ["Hit", "Stand", "Double", "Surrender"],
                "handIndex": 0,
                "handOwner": "Player",
                "betAmount": "10",
                "dealerHand": {"cards": [{"value": 9, "suit": 1, "index": 8}]},
                "playerHands": [
                    {
                        "cards": [{"value": 6, "suit": 0, "index": 5}, {"value": 4, "suit": 2, "index": 3}],
                        "betAmount": "10",
                        "nextActions": ["Hit", "Stand", "Double", "Surrender"],
                    }
                ],
                "acceptedInsurance": False,
                "insuranceAmount": "0",
                "insurance": None,
            },
            "bets": [{"bet": "hand", "hand": 0, "stake": "10", "odds": "1", "payout": "0", "result": None}],
            "actions": [
                {
                    "number": 1,
                    "by": "player",
                    "action": "Bet",
                    "data": {"betAmount": "10"},
                    "stake": "10",
                    "payout": "0",
                    "time": "2026-01-01T12:00:00Z",
                }
            ],
        },
    },
    response_only=True,
    status_codes=["200"],
)

GAME: Final = GameSpec(
    id=GAME_ID,
    slug="blackjack",
    title="Blackjack",
    tile=LobbyTile(
        cards=("S1", "HJ"),
        pitch="Beat the dealer without going over 21.",
        welcome=(
            "Double, split, insurance and surrender, Perfect Pairs and 21+3. An open round waits for you if your"
            " connection is lost."
        ),
    ),
    page=GamePage(
        template="blackjack/table.html",
        table=blackjack_table,
        socket_path="/v1/ws",
        words=WORDS,
        rules_template="blackjack/rules.html",
        live_rules=live_rules,
        texts=PAGE_TEXTS,
    ),
    bet_labels=BET_LABELS,
    dealing=DealingText(
        order=(
            "Blackjack deals you, dealer, you, dealer (face down, if the rules deal a hole card), then card by"
            " card as you decide. Without a hole card, the dealer's second card comes when the dealer plays."
        ),
        example="In blackjack you have the three and the ten, and the dealer shows the seven.",
        places_help=(
            "One entry for each card: 1, 2, ... for your hand with that number at that moment, D for the dealer, H"
            " for the hole card. 1/ stands for no card: hand 1 is split."
        ),
        places_example="1 D 1 H 1/ 1 2",
    ),
    explanation=BlackjackExplanation,
    verification=Verification(
        redeal=blackjack_redeal,
        rules_from_text=blackjack_rules_from_text,
        rules_help='options over the solo game\'s, such as {"decks": 6}',
        actions_help='"Hit", or {"action": "Peek", "data": {...}}: as the round\'s details list them',
        logged_actions=LOGGED_ACTIONS,
        examples=(OpenApiExample("Blackjack", EXAMPLE_SEEDS | {"actions": ["Stand", "Hit"]}, request_only=True),),
    ),
    offer=blackjack_offer,
    house_edges=blackjack_house_edges,
    advice=round_advice,
    table_advice=table_advice,
    table_review=table_review,
    table_edges=TableEdges(known=blackjack_table_edges, compute=blackjack_table_edges_compute),
    paytables_add_missing=paytables_add_missing,
    settled_bets_sql=SETTLED_BETS_SQL,
    dealt_cards_sql=DEALT_CARDS_SQL,
    luck=LUCK,
    table_pay=TABLE_PAY,
    result_labels={outcome.value: label for outcome, label in SIDE_BET_OUTCOMES.items()},
    menu=(
        MenuEntry(MenuGroup.OFFER, "blackjack.BlackjackConfig", "tune"),
        MenuEntry(MenuGroup.OFFER, "blackjack.BlackjackTerms", "rule"),
    ),
    waiting=blackjack_waiting,
    unplayable=blackjack_unplayable,
    demo_offer=blackjack_demo_offer,
    documents=GameDocuments(
        bets=("hand", "perfectPairs", "poker", "insurance"),
        actions=tuple(action.value for action in WireAction),
        asyncapi=blackjack_asyncapi,
        round_examples=(_OPEN_ROUND,),
    ),
    schedule={
        "play out idle rounds": {
            "task": "apps.blackjack.tasks.idle_rounds_complete",
            "schedule": crontab(minute="*/5"),
            "options": {"expires": 5 * 60},
        },
        "compute unknown edges": {
            "task": "apps.blackjack.tasks.terms_decide_all",
            "schedule": crontab(minute="*/10"),
            "options": {"expires": 10 * 60},
        },
    },
    endpoints={},
)
