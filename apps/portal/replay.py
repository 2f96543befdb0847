"""A round as a player reads it afterwards: its hands, its bets, its steps, its proof."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from apps.baccarat.engine import GameType, ResultType, score
from apps.baccarat.models import BaccaratGameRecord
from apps.blackjack.engine.codec import from_json
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import HandState, InsuranceStatus, RoundState
from apps.blackjack.engine.value import hand_value
from apps.blackjack.play import state_read
from apps.cards.notation import parse_cards
from apps.cards.shoe import INFINITE_DECKS
from apps.core.money import plain, quantum_of
from apps.portal.labels import BET_LABELS, HAND_RESULTS, SIDE_BET_LABELS, SIDE_BET_OUTCOMES
from apps.rounds.games import BACCARAT
from apps.rounds.models import Round

BACCARAT_ORDER: Final = (("player", 0), ("banker", 0), ("player", 1), ("banker", 1), ("player", 2), ("banker", 2))


@dataclass(frozen=True, slots=True)
class HandView:
    """A row of cards. A code is empty where a card lies face down."""

    label: str
    cards: Sequence[str]
    total: str = ""


@dataclass(frozen=True, slots=True)
class BetView:
    """One stake and what became of it, in units of the currency; `tone` is win, loss or push."""

    label: str
    pays: str
    stake: Decimal
    payout: Decimal
    result: str
    tone: str


@dataclass(frozen=True, slots=True)
class Step:
    """What happened next, and the table after it."""

    text: str
    hands: Sequence[HandView]


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round's cards in the order they left the shoe.

    `places` says where blackjack's were laid, for the page that deals again: `1` the player's hand of that number at
    that moment, `D` the dealer's, `H` the dealer's hole card; `1/` stands between cards and splits that hand.
    """

    cards: Sequence[str]
    places: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """What a round was dealt from. `server_seed` is empty until it is revealed."""

    commitment: str
    client_seed: str
    nonce: int
    decks: int
    server_seed: str
    verify_url: str

    @property
    def decks_text(self) -> str:
        return "endless" if self.decks == INFINITE_DECKS else str(self.decks)


def hands_of(played: Round) -> list[HandView]:
    """Return the cards as they lay at the end, or lie now."""
    if played.game == BACCARAT:
        record = _baccarat_record(played)
        if record is None:
            return []
        sides = (("Player", record.player_cards), ("Banker", record.banker_cards))
        return [HandView(label, cards, _baccarat_total(cards)) for label, cards in sides]
    state = _blackjack_state(played)
    if state is None:
        return []
    hidden = [""] if state.has_hidden_hole else []
    dealer = HandView("Dealer", [*(card.code for card in state.dealer), *hidden], str(hand_value(state.dealer)))
    hands = state.seats[0].hands
    return [dealer, *(_hand_view(hand, index, len(hands)) for index, hand in enumerate(hands))]


def bets_of(played: Round) -> list[BetView]:
    """Return every stake of the round with its end."""
    if played.game == BACCARAT:
        return [_baccarat_bet(record) for record in played.baccarat_records.all()]
    state = _blackjack_state(played)
    return list(_blackjack_bets(state, quantum_of(played.currency.decimals))) if state else []


def steps_of(played: Round) -> list[dict[str, object]]:
    """Return the round card by card, ready for JSON."""
    if played.game == BACCARAT:
        record = _baccarat_record(played)
        steps = list(_baccarat_steps(record)) if record else []
    else:
        state = _blackjack_state(played)
        has_hole = bool(state and state.rules.dealer_peek)
        steps = list(_blackjack_steps(_blackjack_events(played), played.currency.decimals, has_hole=has_hole))
    return [asdict(step) for step in steps]


def proof_of(played: Round) -> Proof:
    """Return what anybody needs to deal the round again, the server seed once it is revealed."""
    pair = played.seed_pair
    decks = int(played.terms.get("decks") or played.terms.get("rules", {}).get("decks") or 0)
    dealt = dealt_of(played)
    return Proof(
        commitment=pair.commitment,
        client_seed=pair.client_seed,
        nonce=played.nonce,
        decks=decks,
        server_seed=pair.server_seed,
        verify_url=verify_url(
            game=played.game,
            decks=str(decks),
            server_seed=pair.server_seed,
            commitment=pair.commitment,
            client_seed=pair.client_seed,
            nonce=str(played.nonce),
            cards=" ".join(dealt.cards),
            places=" ".join(dealt.places),
        ),
    )


def dealt_of(played: Round) -> Dealt:
    """Return the round's cards and their places; a hole card that was never turned is `?`."""
    if played.game == BACCARAT:
        record = _baccarat_record(played)
        if record is None:
            return Dealt([])
        sides = {"player": record.player_cards, "banker": record.banker_cards}
        return Dealt([sides[side][index] for side, index in BACCARAT_ORDER if index < len(sides[side])])
    state = _blackjack_state(played)
    if state is None:
        return Dealt([])
    return blackjack_dealt(_blackjack_events(played), hole_index=state.hole_index if state.rules.dealer_peek else None)


def blackjack_dealt(events: Sequence[dict[str, Any]], *, hole_index: int | None) -> Dealt:
    """Return the cards of a round's events; `hole_index` is the hole card's place in the shoe, if there is one."""
    cards: list[str] = []
    places: list[str] = []
    dealer: list[str] = []
    for event in events:
        match event["type"]:
            case "CardDealt":
                cards.append(event["card"])
                places.append(str(event["hand"] + 1))
            case "HandSplit":
                places.append(f"{event['hand'] + 1}/")
            case "DealerCardShown":
                dealer.append(event["card"])
                if len(dealer) != 2 or hole_index is None:
                    cards.append(event["card"])
                    places.append("D")
    if hole_index is not None and dealer:
        # It left the shoe with the first deal, before any split, and was shown later or never.
        cards.insert(hole_index, dealer[1] if len(dealer) > 1 else "?")
        places.insert(hole_index, "H")
    return Dealt(cards, places)


def verify_url(**fields: str) -> str:
    """Return the address of the page that deals a round again.

    Its fields are behind the #, which a browser keeps to itself; empty ones are left out.
    """
    return f"{reverse('verify')}#{urlencode({name: value for name, value in fields.items() if value})}"


def example_url() -> str:
    """Return the address that deals the worked example of "How to check us"."""
    return verify_url(
        game=BACCARAT,
        decks="8",
        server_seed="0123456789abcdef" * 4,
        commitment="a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
        client_seed="punto",
        nonce="0",
    )


def _baccarat_record(played: Round) -> BaccaratGameRecord | None:
    return next(iter(played.baccarat_records.all()), None)


def _blackjack_state(played: Round) -> RoundState | None:
    row = getattr(played, "blackjack", None)
    return state_read(row.state, from_json(RoundSetup, played.terms)) if row else None


def _blackjack_events(played: Round) -> list[dict[str, Any]]:
    return [event for action in played.actions.order_by("number") for event in action.events]


def _baccarat_total(codes: Sequence[str]) -> str:
    return str(score(parse_cards(" ".join(codes))))


def _blackjack_total(codes: Sequence[str]) -> str:
    return str(hand_value(parse_cards(" ".join(codes)))) if codes else ""


def _baccarat_bet(record: BaccaratGameRecord) -> BetView:
    result, tone = {
        ResultType.USER_WIN: ("Won", "win"),
        ResultType.USER_LOST: ("Lost", "loss"),
        ResultType.DRAW: ("Push", "push"),
    }[ResultType(record.result_type)]
    label = BET_LABELS[GameType(record.game_type)]
    return BetView(label, f"{plain(record.odds)} to 1", record.bet_amount, record.reward_amount, result, tone)


def _baccarat_steps(record: BaccaratGameRecord) -> Iterator[Step]:
    cards = {"player": record.player_cards, "banker": record.banker_cards}
    shown: dict[str, list[str]] = {"player": [], "banker": []}
    for side, index in BACCARAT_ORDER:
        if index < len(cards[side]):
            shown[side].append(cards[side][index])
            hands = [HandView(name.title(), list(codes), _baccarat_total(codes)) for name, codes in shown.items()]
            yield Step(f"Card {index + 1} to the {side}", hands)


def _hand_view(hand: HandState, index: int, count: int) -> HandView:
    label = "You" if count == 1 else f"Hand {index + 1}"
    return HandView(label, [card.code for card in hand.cards], str(hand_value(hand.cards)))


def _tone(stake: int, payout: int) -> str:
    if payout > stake:
        return "win"
    return "push" if payout == stake else "loss"


def _blackjack_bets(state: RoundState, quantum: Decimal) -> Iterator[BetView]:
    seat = state.seats[0]
    for index, hand in enumerate(seat.hands):
        label = "Main bet" if len(seat.hands) == 1 else f"Hand {index + 1}"
        tone = _tone(hand.stake, hand.payout) if hand.status.is_final else ""
        yield BetView(label, "", hand.stake * quantum, hand.payout * quantum, HAND_RESULTS[hand.status], tone)
    for side in seat.side_bets:
        outcome = SIDE_BET_OUTCOMES[side.outcome]
        label, tone = SIDE_BET_LABELS[side.bet], _tone(side.stake, side.payout)
        yield BetView(label, "", side.stake * quantum, side.payout * quantum, outcome, tone)
    if seat.insurance and seat.insurance.status is not InsuranceStatus.DECLINED:
        insurance = seat.insurance
        result = insurance.status.value.removeprefix("insurance_").title()
        tone = _tone(insurance.stake, insurance.payout)
        yield BetView("Insurance", "2 to 1", insurance.stake * quantum, insurance.payout * quantum, result, tone)


def _blackjack_steps(events: Sequence[dict[str, Any]], decimals: int, *, has_hole: bool) -> Iterator[Step]:
    hands: list[list[str]] = [[]]
    dealer: list[str] = []
    for event in events:
        match event["type"]:
            case "CardDealt":
                hands[event["hand"]].append(event["card"])
            case "DealerCardShown":
                dealer.append(event["card"])
            case "HandSplit":
                moved = hands[event["hand"]].pop()
                hands.insert(event["hand"] + 1, [moved])
        if text := _event_text(event, len(hands), decimals):
            hidden = [""] if has_hole and len(dealer) == 1 else []
            views = [HandView("Dealer", [*dealer, *hidden], _blackjack_total(dealer))] if dealer else []
            for index, codes in enumerate(hands):
                label = "You" if len(hands) == 1 else f"Hand {index + 1}"
                views.append(HandView(label, list(codes), _blackjack_total(codes)))
            yield Step(text, views)


def _event_text(event: dict[str, Any], hand_count: int, decimals: int) -> str:
    hand = "your hand" if hand_count == 1 else f"hand {event.get('hand', 0) + 1}"

    def money(units: int) -> str:
        return plain(units * quantum_of(decimals))

    match event["type"]:
        case "StakeTaken":
            return f"{money(event['amount'])} staked ({_STAKE_KINDS[event['kind']]})"
        case "CardDealt":
            return f"A card to {hand}"
        case "DealerCardShown":
            return "The dealer shows a card"
        case "SideBetSettled":
            result = event["result"]
            return f"Side bet settled: {money(result['payout'])} back"
        case "InsuranceDeclined":
            return "No insurance"
        case "DealerPeeked":
            return "The dealer peeks: " + ("blackjack" if event["is_natural"] else "no blackjack")
        case "InsuranceSettled":
            return f"Insurance settled: {money(event['payout'])} back"
        case "HandSplit":
            return "The hand is split"
        case "HandStood":
            return f"No more cards for {hand}"
        case "HandSettled":
            return f"{hand.capitalize()}: {event['status']}, {money(event['payout'])} back"
        case _:
            return ""


_STAKE_KINDS: Final = {
    "main": "main bet",
    "perfectPairs": "Perfect Pairs",
    "poker": "21+3",
    "insurance": "insurance",
    "double": "double",
    "split": "split",
}
