"""The base class of tables of games of one deal. Pure.

All seats bet in one window, with any number of bets each; then one deal settles all bets. A game's `table.py` holds a
subclass with its bets, its deal and its summary of a result.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.cards.card import Card
from apps.cards.notation import parse_card
from apps.cards.shoe import Shoe
from apps.core.money import MAX_AMOUNT
from apps.one_deal.engine import RESULT_NAMES, BetKind, BetResult
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.table_bets import action_parse, bet_edge, decks_read, odds_number, odds_text, points_most, stake_check
from apps.rounds.table_game import (
    NO_BET,
    PLACE_BET,
    WINDOW_ACTIONS,
    ActionRefusalCode,
    BetEdge,
    BetLimits,
    Bets,
    GameModel,
    Json,
    SeatAction,
    SeatFunds,
    SeatResult,
    TableGame,
    TableMessages,
    TableRefusal,
    TableTerms,
    TermsError,
)
from apps.rounds.table_message_types import Amount, TableCard, card_payload
from apps.rounds.table_payloads import (
    Action,
    BroadcastPayload,
    ClearBets,
    ClearBetsOffer,
    NoBet,
    NoBetOffer,
    OfferedAction,
    Payload,
    Ready,
    ReadyOffer,
    ResultPayload,
    SeatOutcomePayload,
    SeatPayload,
    StatePayload,
    WindowPayload,
)

DECKS: Final = 8
CUT_CARD: Final = 14
"""The default cut card, as in a real shoe of such games, if counting cards helps no bet on offer."""


class OneDealRound(msgspec.Struct, frozen=True):
    """A round: it is over as soon as it is dealt."""

    stakes: tuple[Bets, ...]
    """By position."""
    cards: tuple[Card, ...]
    """In dealing order."""


class BetHand(Payload):
    """One bet of a seat, settled."""

    bet_type: str
    stake: Amount
    payout: Amount
    result: Literal["UserWin", "UserLost", "Draw"]


class OneDealOutcome(SeatOutcomePayload):
    """A seat's result of a round."""

    hands: list[BetHand]
    """One for each type of bet."""


class OneDealTable(TableGame[OneDealRound]):
    """A game of one deal at tables."""

    result_labels = {"UserWin": "Won", "UserLost": "Lost", "Draw": "Push"}
    model = GameModel.PHASE_BASED
    default_timeout_action = NO_BET
    window_ms = 15_000
    turn_ms = 20_000
    pause_ms = 5_000

    bets: ClassVar[type[BetKind]]
    first_bets: ClassVar[Sequence[BetKind]]
    """The bets on offer by default."""
    counted_bets: ClassVar[Sequence[BetKind]]
    """The bets that counting cards helps. If one of them is on offer, the default cut card is at half of the shoe."""
    standard_odds: ClassVar[Mapping[Any, Fraction]]
    sides: ClassVar[tuple[str, ...]]

    @abstractmethod
    def deal(self, shoe: Shoe) -> Any:
        """Deal a round from the front of `shoe`."""

    @abstractmethod
    def settle(self, dealt: Any, bet: Any, stake: Decimal, odds: Fraction) -> BetResult:
        """Settle a bet; its stake is a whole number of smallest units."""

    @abstractmethod
    def edge(self, bet: Any, odds: Fraction, decks: int) -> Fraction:
        """Return the house edge on a stake of 1."""

    @abstractmethod
    def paytable_rows(self, bet: Any, odds: Fraction, decks: int) -> Sequence[PaytableRow]:
        """Return the results of the bet with their probabilities and payouts."""

    @abstractmethod
    def outcome_view(self, dealt: Any) -> Json:
        """Return the sides with their cards and the winner, in the form of the public state and the result."""

    def bet_of(self, bet_type: str) -> BetKind:
        """Return the bet of that name on the wire."""
        return self.bets[bet_type.upper()]

    def dealt(self, state: OneDealRound) -> Any:
        """Return the game's own deal."""
        return self.deal(state.cards)

    # Terms

    def rules_read(self, rules: Mapping[str, Any], *, is_points: bool) -> Json:
        if unknown := sorted(set(rules) - {"decks"}):
            raise TermsError("rules", f"there is no option {unknown[0][:20]!r}; there is decks")
        return {"decks": decks_read(rules.get("decks", DECKS))}

    def limits_default(self, rules: Mapping[str, Any], *, is_points: bool, decimals: int) -> dict[str, BetLimits]:
        limits = BetLimits(1, int(MAX_AMOUNT)) if is_points else BetLimits(10**decimals, 1000 * 10**decimals)
        return {bet.name.lower(): limits for bet in self.first_bets}

    def odds_read(self, odds: Mapping[str, Any]) -> dict[str, str]:
        if unknown := [bet for bet in odds if bet not in self.bet_labels]:
            known = ", ".join(self.bet_labels)
            raise TermsError("odds", f"{unknown[0][:20]!r} is no bet of this game; there is {known}")
        standard = {bet.name.lower(): str(to_one) for bet, to_one in self.standard_odds.items()}
        return standard | {bet: odds_text(f"odds.{bet}", to_one) for bet, to_one in odds.items()}

    def cut_card_default_and_least(self, terms: TableTerms) -> tuple[int, int]:
        if any(bet.name.lower() in terms.limits for bet in self.counted_bets):
            return 26 * terms.decks, 0 if terms.is_points else 13 * terms.decks
        return CUT_CARD, 0

    def house_edges(self, terms: TableTerms) -> Sequence[BetEdge]:
        return [
            bet_edge(
                name,
                label,
                self.edge(self.bet_of(name), Fraction(terms.odds[name]), terms.decks),
                self.paytable_rows(self.bet_of(name), Fraction(terms.odds[name]), terms.decks),
            )
            for name, label in self.bet_labels.items()
            if name in terms.limits
        ]

    def stake_span(self, terms: TableTerms, points: int = 0) -> BetLimits:
        least = min((limits.least for limits in terms.limits.values()), default=1)
        most = max((limits.most for limits in terms.limits.values()), default=1)
        return BetLimits(least, min(most, points_most(points)) if terms.is_points else most)

    # Betting

    def action_read(self, terms: TableTerms, payload: Mapping[str, Any]) -> SeatAction:
        parsed = action_parse(payload, self.messages.action)
        name = type(parsed).__struct_config__.tag
        if name != PLACE_BET:
            return SeatAction(str(name))
        return SeatAction(PLACE_BET, terms.units(parsed.amount, "amount"), parsed.bet_type)

    def window_actions(self, terms: TableTerms, funds: SeatFunds) -> Sequence[Json]:
        offers = []
        for bet in self.bet_labels:
            if bet in terms.limits:
                limits = self._limits(terms, bet, funds)
                offers.append(
                    {
                        "betType": bet,
                        "minAmount": terms.amount(limits.least),
                        "maxAmount": terms.amount(limits.most),
                        "odds": odds_number(terms.odds[bet]),
                    }
                )
        return [
            {"type": PLACE_BET, "betTypes": offers},
            *({"type": name} for name in WINDOW_ACTIONS if name != PLACE_BET),
        ]

    def highest_payout(self, terms: TableTerms, bets: Bets) -> int:
        return sum(ceil(stake * (Fraction(terms.odds[name]) + 1)) for name, stake in bets.items())

    def bets_after(self, terms: TableTerms, bets: Bets, action: SeatAction, funds: SeatFunds) -> Bets:
        bet = action.bet_type
        if bet not in terms.limits:
            raise TableRefusal(ActionRefusalCode.INVALID_ACTION, f"betType {bet} is not on offer at this table")
        assert action.amount is not None
        if action.amount <= 0:
            raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, "amount: a stake is above 0")
        together = {**bets, bet: bets.get(bet, 0) + action.amount}
        stake_check(terms, bet, together[bet], self._limits(terms, bet, funds))
        if terms.is_points and sum(together.values()) > (most := points_most(funds.points)):
            raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"amount: all bets together may come to {most} points")
        return together

    # The round

    def round_start(self, terms: TableTerms, stakes: Sequence[Bets], shoe: Shoe) -> OneDealRound:
        counted = _CountedShoe(shoe)
        self.deal(counted)
        return OneDealRound(tuple(stakes), tuple(shoe[index] for index in range(counted.drawn)))

    def is_over(self, state: OneDealRound) -> bool:
        return True

    def drawn(self, state: OneDealRound) -> int:
        return len(state.cards)

    def public_view(self, terms: TableTerms, state: OneDealRound) -> Json:
        return self.outcome_view(self.dealt(state))

    def seat_view(self, terms: TableTerms, state: OneDealRound, position: int) -> Json:
        return {}

    def results(self, terms: TableTerms, state: OneDealRound) -> Sequence[SeatResult]:
        dealt = self.dealt(state)
        found = []
        for stakes in state.stakes:
            # In the game's order, because a stored state does not keep the order of the bets.
            bets = {name: stakes[name] for name in self.bet_labels if name in stakes}
            settled = [self._settled(terms, dealt, name, stake) for name, stake in bets.items()]
            found.append(
                SeatResult(
                    staked=sum(bets.values()),
                    paid=sum(int(result.payout) for result in settled),
                    hands=[
                        {
                            "betType": name,
                            "stake": terms.amount(stake),
                            "payout": terms.amount(int(result.payout)),
                            "result": RESULT_NAMES[result.result_type],
                        }
                        for (name, stake), result in zip(bets.items(), settled, strict=True)
                    ],
                )
            )
        return found

    def state_to_json(self, state: OneDealRound) -> Json:
        return {"stakes": [dict(bets) for bets in state.stakes], "cards": [card.code for card in state.cards]}

    def state_from_json(self, terms: TableTerms, data: Json) -> OneDealRound:
        return OneDealRound(tuple(data["stakes"]), tuple(parse_card(code) for code in data["cards"]))

    def _settled(self, terms: TableTerms, dealt: Any, name: str, stake: int) -> BetResult:
        return self.settle(dealt, self.bet_of(name), Decimal(stake), Fraction(terms.odds[name]))

    def _limits(self, terms: TableTerms, bet: str, funds: SeatFunds) -> BetLimits:
        limits = terms.limits[bet]
        if not terms.is_points:
            return limits
        return BetLimits(limits.least, min(limits.most, points_most(funds.points)))


class _CountedShoe:
    """A shoe that counts the cards taken from it."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
        self.drawn = 0

    def __getitem__(self, index: int) -> Card:
        self.drawn = max(self.drawn, index + 1)
        return self._shoe[index]


def cards_view(cards: Sequence[Card]) -> list[Json]:
    """Return cards for the wire."""
    return [card_payload(card) for card in cards]


def one_deal_messages(
    prefix: str,
    bets: Mapping[str, str],
    side: type[msgspec.Struct],
    sides: Sequence[str],
    winners: Sequence[str],
    result: type[msgspec.Struct],
    history: Sequence[tuple[str, Any]] = (),
) -> TableMessages:
    """Return the types of a game's messages: `side` is the type of a side, `result` of an entry of `previousResults`.

    `history` are further fields of the public state. `prefix` begins the names of the schemas.
    """
    place_bet, offers = _betting_messages(prefix, bets)
    cards: list[tuple[str, Any]] = [*((name, side) for name in sides), ("winner", Literal[tuple(winners)])]
    state = msgspec.defstruct(
        f"{prefix}State",
        [
            ("seats", list[SeatPayload]),
            ("results", list[OneDealOutcome]),
            ("previous_results", list[result] | UnsetType, UNSET),  # type: ignore[valid-type]
            *((name, kind | UnsetType, UNSET) for name, kind in [*history, *cards]),
        ],
        bases=(StatePayload,),
        kw_only=True,
    )
    return TableMessages(
        action=place_bet | ClearBets | Ready | NoBet,
        window=msgspec.defstruct(
            f"{prefix}Window",
            [("available_actions", list[offers]), ("previous_results", list[result])],  # type: ignore[valid-type]
            bases=(WindowPayload,),
            kw_only=True,
        ),
        request=None,
        broadcast=msgspec.defstruct(
            f"{prefix}Broadcast", [("resulting_state", state)], bases=(BroadcastPayload,), kw_only=True
        ),
        state=state,
        result=msgspec.defstruct(
            f"{prefix}Result", [("results", list[OneDealOutcome]), *cards], bases=(ResultPayload,), kw_only=True
        ),
    )


def _betting_messages(prefix: str, bets: Mapping[str, str]) -> tuple[type[msgspec.Struct], Any]:
    """Return the types of `place_bet` and of the offers of a window."""
    bet_type: Any = Annotated[Literal[tuple(bets)], Meta(title=f"{prefix}BetType")]
    place_bet = msgspec.defstruct(
        f"{prefix}PlaceBet",
        [("bet_type", bet_type), ("amount", Amount)],
        bases=(Action,),
        tag=PLACE_BET,
        namespace={"__doc__": "Add to the stake on a bet; the limits bind the sum."},
        kw_only=True,
    )
    limits = msgspec.defstruct(
        f"{prefix}BetOffer",
        [("bet_type", bet_type), ("min_amount", Amount), ("max_amount", Amount), ("odds", Amount)],
        bases=(Payload,),
        namespace={"__doc__": "A bet on offer, with its limits and its odds, X to 1."},
        kw_only=True,
    )
    place_bet_offer = msgspec.defstruct(
        f"{prefix}PlaceBetOffer",
        [("bet_types", list[limits])],  # type: ignore[valid-type]
        bases=(OfferedAction,),
        tag=PLACE_BET,
        namespace={"__doc__": "The bets that may be placed."},
        kw_only=True,
    )
    return place_bet, place_bet_offer | ClearBetsOffer | ReadyOffer | NoBetOffer


class Side(Payload):
    """A side's cards, in the order they were dealt to it."""

    cards: list[TableCard]
