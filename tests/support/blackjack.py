"""A blackjack player at a real socket, and client seeds that deal the cards a test needs."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any

from jsonschema import Draft202012Validator
from websockets.sync.client import ClientConnection, connect

from apps.accounts.models import Player
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from apps.blackjack.engine.value import hand_value, is_soft
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.paytables import config_paytable_set
from apps.cards.card import Card
from apps.cards.shoe import Shoe
from apps.fairness.engine import fair_shoe
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import server_seed_open
from apps.partners.models import Partner
from apps.rounds.documents import asyncapi_document
from apps.rounds.game_sessions import game_session_open
from casino.settings.waits import WAIT_S
from tests.support.server import Server

PERFECT_PAIRS = {"perfectPair": "25", "colouredPair": "12", "mixedPair": "6"}
POKER = {"suitedTrips": "100", "straightFlush": "40", "threeOfAKind": "30", "straight": "10", "flush": "5"}


def blackjack_offer(
    partner: Partner, *, rules: BlackjackRules = SOLO_RULES, currency: str = "FUN", bet_min: Decimal = Decimal(1)
) -> BlackjackConfig:
    """Let the partner offer blackjack: bets up to 1000, side bets up to 100."""
    config = BlackjackConfig.objects.create(
        partner=partner,
        currency_id=currency,
        bet_min=bet_min,
        bet_max=1000,
        perfect_pairs_min=1,
        perfect_pairs_max=100,
        poker_min=1,
        poker_max=100,
    )
    BlackjackTerms.objects.create(
        config=config,
        status=TermsStatus.ACTIVE,
        rules=rules.to_json(),
        perfect_pairs_odds=PERFECT_PAIRS,
        poker_odds=POKER,
        fingerprint=rules.fingerprint(),
        house_edge="0.005",
        perfect_pairs_edge="0.04",
        poker_edge="0.03",
    )
    config.paytable = config_paytable_set(config, "test")
    config.save_without_historical_record()
    return config


def rules_set(config: BlackjackConfig, rules: BlackjackRules) -> None:
    """Give the active terms of an offer other rules, with the pay table of these."""
    terms = config.terms.get(status=TermsStatus.ACTIVE)
    terms.rules, terms.fingerprint = rules.to_json(), rules.fingerprint()
    terms.save()
    config.paytable = config_paytable_set(config, "test")
    config.save_without_historical_record()


def seeds_choose(
    player: Player, wanted: Callable[[Sequence[Card]], bool], *, cards: int, decks: int = 8, rounds: int = 1
) -> SeedPair:
    """Give the player's unused active pair a client seed that deals the wanted first `cards` cards.

    The same holds for each of the first `rounds` rounds.
    """
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE, next_nonce=0)
    server_seed = server_seed_open(pair)
    for client_seed in map("wanted-{}".format, count()):
        shoes = (fair_shoe(server_seed, client_seed, nonce, decks=decks) for nonce in range(rounds))
        if all(wanted(FirstCards(shoe, cards)) for shoe in shoes):
            pair.client_seed = client_seed
            pair.save(update_fields=["client_seed"])
            return pair
    raise AssertionError("unreachable: count() has no end")


class FirstCards(Sequence[Card]):
    """The first cards of a shoe. Each is drawn when it is looked at: most shoes are refused for their first card."""

    def __init__(self, shoe: Shoe, cards: int) -> None:
        self._shoe = shoe
        self._cards = cards

    def __len__(self) -> int:
        return self._cards

    def __getitem__(self, index: Any) -> Any:
        if index >= self._cards:
            raise IndexError(index)
        return self._shoe[index]


def values_are(*values: int | None) -> Callable[[Sequence[Card]], bool]:
    """Return a condition for `seeds_choose`: these card values in dealing order (player, up, player, hole); None is any
    value."""
    return lambda cards: all(value is None or card.value == value for value, card in zip(values, cards, strict=True))


def hard_eleven(cards: Sequence[Card]) -> bool:
    """Whether the player has eleven without an ace, so that no hit ends the round, and the dealer has to draw. Any such
    deal is found forty times sooner than certain cards."""
    first, up, second, hole = (cards[place].value for place in range(4))
    return first + second == 11 and 1 not in (first, second) and 2 <= up <= 6 and hole == 10


def dealer_draws_many(drawn: int, cards: Sequence[Card] | Shoe) -> bool:
    """Whether the dealer draws that many cards against one player, who stands on two."""
    first, up, second = [cards[place].value for place in range(3)]
    if not 2 <= up <= 9 or first == second or not 17 <= first + second <= 20:
        return False
    dealer = [cards[1], cards[3]]
    for place in range(4, 4 + drawn):
        if hand_value(dealer) >= 17:
            return False
        dealer.append(cards[place])
    return hand_value(dealer) > 17 or (hand_value(dealer) == 17 and not is_soft(dealer))


def documented_check(message: dict[str, Any]) -> None:
    """Check the message against the AsyncAPI document."""
    name = {
        "Authenticate": "Authenticated",
        "RoundState": "RoundStateMessage",
        "Error": "ErrorMessage",
        "Warning": "ErrorMessage",
    }.get(message["eventType"], message["eventType"])
    _validator(name).validate(message)


@cache
def _validator(name: str) -> Draft202012Validator:
    components = asyncapi_document()["components"]
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components})


class SocketPlayer:
    """A client that sends an event and waits for its answer."""

    def __init__(self, link: ClientConnection, token: str) -> None:
        self.link = link
        self.token = token
        self.frames: list[str] = []
        self._ids = count(1)

    def receive(self) -> dict[str, Any]:
        text = self.link.recv(timeout=WAIT_S)
        assert isinstance(text, str)
        self.frames.append(text)
        message: dict[str, Any] = json.loads(text)
        documented_check(message)
        return message

    def send(self, event_type: str, *, event_id: str = "", **members: Any) -> dict[str, Any]:
        """Send one event and return its answer."""
        event = {"eventType": event_type, "eventId": event_id or f"{self.token[:8]}-{next(self._ids)}"}
        if event_type != "Authenticate":
            event["gameId"] = BLACKJACK
        self.link.send(json.dumps(event | members))
        return self.receive()

    def authenticate(self) -> dict[str, Any]:
        return self.send("Authenticate")

    def act(self, action: str, data: dict[str, Any] | None = None, *, event_id: str = "") -> dict[str, Any]:
        return self.send("RoundAction", event_id=event_id, action=action, data=data or {})

    def play_out(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Stand, decline and let the dealer draw until the round is over; return the last answer."""
        while not answer["data"].get("roundEnded"):
            names = answer["data"]["nextActions"]
            if "Peek" in names:
                answer = self.act("Peek", {"acceptedInsurance": False})
            else:
                answer = self.act("Stand" if "Stand" in names else "Hit")
        return answer


def session_token(player: Player, currency: str = "FUN") -> str:
    """Open a blackjack session and return its token."""
    return game_session_open(player=player, game=BLACKJACK, currency_code=currency)[1]


@contextmanager
def socket_player(server: Server, token: str, *, authenticate: bool = True) -> Iterator[SocketPlayer]:
    """Connect with a session's token."""
    with connect(
        f"{server.socket_url}?game_session_id={token}", max_size=2**24, open_timeout=WAIT_S, close_timeout=5
    ) as link:
        player = SocketPlayer(link, token)
        if authenticate:
            answer = player.authenticate()
            assert answer.get("authenticated") is True, answer
        yield player
