"""Blackjack at tables: one to seven seats, turn by turn or all at once. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import msgspec

from apps.blackjack.engine.actions import Action, Move, action_cost, insurance_range, legal_actions
from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import CardDealt, DealerCardShown, Event, HandSplit
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import (
    MAX_SPLITS,
    TABLE_RULES,
    BlackjackRules,
    DoubleOn,
    Insurance,
    RulesError,
    Surrender,
)
from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes, highest_payout
from apps.blackjack.engine.side_bets import (
    PERFECT_PAIRS_WINS,
    POKER_WINS,
    STANDARD_ODDS,
    SideBetOdds,
    SideBetOutcome,
)
from apps.blackjack.engine.state import (
    HandState,
    Pace,
    Phase,
    RoundState,
    SeatState,
    hand_to_act,
    open_hand_index,
    seats_to_act,
)
from apps.blackjack.engine.value import hand_value
from apps.blackjack.labels import BET_LABELS, SIDE_BET_LABELS, TABLE_RESULTS
from apps.blackjack.mathematics.edge import edge_known
from apps.blackjack.mathematics.side_bets import perfect_pairs_edge, perfect_pairs_lines, poker_edge, poker_lines
from apps.blackjack.table_payloads import MESSAGES
from apps.blackjack.table_texts import TEXTS
from apps.cards.notation import format_cards, parse_cards
from apps.cards.shoe import INFINITE_DECKS, Shoe
from apps.core.money import MAX_AMOUNT
from apps.rounds.table_bets import action_parse, bet_edge, decks_read, odds_text, points_most, stake_check
from apps.rounds.table_game import (
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
    TableRefusal,
    TableTerms,
    TermsError,
)
from apps.rounds.table_message_types import card_payload

MAIN: Final = "main"
SIDE_BETS: Final = ("perfectPairs", "poker")
STAND: Final = "stand"
INSURANCE: Final = "insurance"

_MOVES: Final = {
    "hit": Move.HIT,
    STAND: Move.STAND,
    "double_down": Move.DOUBLE,
    "split": Move.SPLIT,
    "surrender": Move.SURRENDER,
}
_ANSWERS: Final = {STAND: Move.DECLINE, INSURANCE: Move.INSURE, "surrender": Move.SURRENDER}
"""The engine's moves for the same names during the question about insurance and early surrender."""


class BlackjackTable(TableGame[RoundState]):
    """The blackjack engine at a table."""

    game_type = "blackjack"
    game_id = "og-blackjack"
    title = "Blackjack"
    texts = TEXTS
    model = GameModel.TURN_BASED
    seats_max = 7
    default_timeout_action = STAND
    window_ms = 30_000
    window_max_ms = 30_000
    turn_ms = 20_000
    pause_ms = 5_000
    bet_labels = {MAIN: BET_LABELS["hand"], **{bet.value: label for bet, label in SIDE_BET_LABELS.items()}}
    bet_places = ("perfectPairs", MAIN, "poker")
    result_labels = TABLE_RESULTS
    rule_choices = {
        **TableGame.rule_choices,
        "double": tuple(choice.value for choice in DoubleOn),
        "surrender": tuple(choice.value for choice in Surrender),
        "insurance": tuple(choice.value for choice in Insurance),
        "splitNonAce": tuple(range(MAX_SPLITS + 1)),
        "splitAce": tuple(range(MAX_SPLITS + 1)),
        "blackjackPays": ("3:2", "6:5"),
    }
    points_rules = frozenset({"inverted"})
    messages = MESSAGES

    # Terms

    def rules_read(self, rules: Mapping[str, Any], *, is_points: bool) -> Json:
        known = (*_OPTIONS, "speed")
        if unknown := sorted(set(rules) - set(known)):
            raise TermsError("rules", f"there is no option {unknown[0][:20]!r}; there is {', '.join(known)}")
        speed = rules.get("speed", False)
        if type(speed) is not bool:
            raise TermsError("rules.speed", "true and false are possible")
        given = {_OPTIONS[name]: value for name, value in rules.items() if name in _OPTIONS}
        given["decks"] = decks_read(rules.get("decks", 1 if is_points else TABLE_RULES.decks)) or INFINITE_DECKS
        if given.get("dealer_peek") is False:
            # Without a peek there is no late surrender, which is the default.
            given.setdefault("surrender", "off")
        try:
            read = BlackjackRules.from_json(given, base=TABLE_RULES)
        except RulesError as error:
            raise TermsError("rules", str(error)) from error
        if read.inverted and not is_points:
            raise TermsError("rules.inverted", "points tables alone may be inverted")
        plain = read.to_json()
        options: Json = {name: plain[option] for name, option in _OPTIONS.items()}
        return options | {"decks": None if read.is_infinite else read.decks, "speed": speed}

    def limits_default(self, rules: Mapping[str, Any], *, is_points: bool, decimals: int) -> dict[str, BetLimits]:
        if is_points:
            return {MAIN: BetLimits(_step(rules), int(MAX_AMOUNT))}
        unit = int(10**decimals)
        limits = {MAIN: BetLimits(unit, 1000 * unit)}
        if not rules["simple"]:
            limits |= dict.fromkeys(SIDE_BETS, BetLimits(unit, 100 * unit))
        return limits

    def odds_read(self, odds: Mapping[str, Any]) -> dict[str, str]:
        standard = {outcome.value: str(to_one) for outcome, to_one in STANDARD_ODDS.items()}
        if unknown := [outcome for outcome in odds if outcome not in standard]:
            known = ", ".join(standard)
            raise TermsError("odds", f"{unknown[0][:20]!r} is no outcome of a side bet; there is {known}")
        return standard | {outcome: odds_text(f"odds.{outcome}", to_one) for outcome, to_one in odds.items()}

    def cut_card_default_and_least(self, terms: TableTerms) -> tuple[int, int]:
        if terms.is_points:
            return 0, 0
        return 26 * terms.decks, 13 * terms.decks

    def terms_check(self, terms: TableTerms) -> None:
        if MAIN not in terms.limits:
            raise TermsError(f"limits.{MAIN}", "the main bet is always on offer")
        if terms.rules["simple"] or terms.is_points:
            for bet in SIDE_BETS:
                if bet in terms.limits:
                    raise TermsError(f"limits.{bet}", "points tables and simple rules have no side bets")
        if terms.is_points and terms.limits[MAIN].least % _step(terms.rules):
            raise TermsError(f"limits.{MAIN}.minAmount", f"stakes are multiples of {_step(terms.rules)}")

    def house_edges(self, terms: TableTerms) -> Sequence[BetEdge]:
        rules = rules_of(terms)
        known = edge_known(rules)
        edges = [bet_edge(MAIN, self.bet_labels[MAIN], Fraction(known.house_edge) if known else None)]
        side_bets = (
            ("perfectPairs", PERFECT_PAIRS_WINS, perfect_pairs_edge, perfect_pairs_lines),
            ("poker", POKER_WINS, poker_edge, poker_lines),
        )
        for bet, wins, edge, lines in side_bets:
            if bet in terms.limits:
                odds = {outcome.value: Fraction(terms.odds[outcome.value]) for outcome in wins}
                edges.append(bet_edge(bet, self.bet_labels[bet], edge(odds, rules.decks), lines(odds, rules.decks)))
        return edges

    def stake_span(self, terms: TableTerms, points: int = 0) -> BetLimits:
        limits = terms.limits[MAIN]
        if not terms.is_points:
            return limits
        most = min(points_most(points), limits.most)
        return BetLimits(limits.least, most - most % _step(terms.rules))

    # Betting

    def action_read(self, terms: TableTerms, payload: Mapping[str, Any]) -> SeatAction:
        parsed = action_parse(payload, self.messages.action)
        name = str(type(parsed).__struct_config__.tag)
        if name == INSURANCE:
            return SeatAction(name, None if parsed.amount is None else terms.units(parsed.amount, "amount"))
        if name != PLACE_BET:
            return SeatAction(name)
        sides = {"perfectPairs": parsed.perfect_pairs, "poker": parsed.poker}
        extra = {bet: terms.units(amount, bet) for bet, amount in sides.items() if amount}
        return SeatAction(name, terms.units(parsed.amount, "amount"), extra=extra)

    def window_actions(self, terms: TableTerms, funds: SeatFunds) -> Sequence[Json]:
        span = self.stake_span(terms, funds.points)
        place_bet: Json = {"type": PLACE_BET, **_span(terms, span)}
        if terms.is_points:
            place_bet["step"] = _step(terms.rules)
        place_bet |= {bet: _span(terms, terms.limits[bet]) for bet in SIDE_BETS if bet in terms.limits}
        return [place_bet, *({"type": name} for name in WINDOW_ACTIONS if name != PLACE_BET)]

    def bets_after(self, terms: TableTerms, bets: Bets, action: SeatAction, funds: SeatFunds) -> Bets:
        assert action.amount is not None
        stake_check(terms, MAIN, action.amount, self.stake_span(terms, funds.points))
        if terms.is_points and action.amount % (step := _step(terms.rules)):
            raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"amount: a multiple of {step} is expected")
        for bet, stake in action.extra.items():
            if bet not in terms.limits:
                raise TableRefusal(ActionRefusalCode.INVALID_ACTION, f"{bet} is not on offer at this table")
            stake_check(terms, bet, stake, terms.limits[bet], bet)
        return {MAIN: action.amount, **action.extra}

    def highest_payout(self, terms: TableTerms, bets: Bets) -> int:
        return highest_payout(_stakes_of(bets), _odds_of(tuple(terms.odds.items())))

    # The round

    def round_start(self, terms: TableTerms, stakes: Sequence[Bets], shoe: Shoe) -> RoundState:
        return self._started(terms, stakes, shoe)[0]

    def _started(self, terms: TableTerms, stakes: Sequence[Bets], shoe: Shoe) -> tuple[RoundState, list[Event]]:
        setup = RoundSetup(
            rules_of(terms),
            tuple(_stakes_of(bets) for bets in stakes),
            Pace.SPEED if terms.rules["speed"] else Pace.TABLE,
            _odds_of(tuple(terms.odds.items())),
        )
        state, events = round_start(setup, shoe)
        told = list(events)
        # A question with a single possible answer is not asked.
        while state.phase is Phase.QUESTION:
            alone = [seat for seat in seats_to_act(state) if legal_actions(state, None, seat) == (Move.DECLINE,)]
            if not alone:
                break
            state, events = apply_action(state, Action(Move.DECLINE, alone[0]), shoe)
            told += events
        return state, told

    def waits_for(self, state: RoundState) -> Sequence[int]:
        return seats_to_act(state)

    def is_collected(self, state: RoundState) -> bool:
        return state.phase is Phase.QUESTION or state.pace is Pace.SPEED

    def request_view(self, terms: TableTerms, state: RoundState, position: int, funds: SeatFunds) -> Json:
        names = _names(state)
        offers = []
        for move in legal_actions(state, funds.balance, position):
            offer: Json = {"type": names[move]}
            if move is Move.INSURE:
                stakes = insurance_range(state, funds.balance, position)
                offer |= _span(terms, BetLimits(stakes[0], stakes[-1]))
            elif move in (Move.DOUBLE, Move.SPLIT):
                cost = action_cost(state, Action(move, position))
                offer |= _span(terms, BetLimits(cost, cost))
            offers.append(offer)
        return {"handIndex": open_hand_index(state.seats[position]) or 0, "availableActions": offers}

    def action_full(self, terms: TableTerms, state: RoundState, position: int, action: SeatAction) -> SeatAction:
        move = _moves(state).get(action.name)
        if move is Move.INSURE and action.amount is None:
            stakes = insurance_range(state, None, position)
            return msgspec.structs.replace(action, amount=stakes[-1]) if stakes else action
        if move in (Move.DOUBLE, Move.SPLIT) and move in legal_actions(state, None, position):
            return msgspec.structs.replace(action, amount=action_cost(state, Action(move, position)))
        return action

    def action_cost(self, terms: TableTerms, state: RoundState, position: int, action: SeatAction) -> int:
        move = _moves(state).get(action.name)
        if move is None or move not in legal_actions(state, None, position):
            raise TableRefusal(ActionRefusalCode.INVALID_ACTION, f"{action.name} is not on offer now")
        if move is Move.INSURE:
            stakes = insurance_range(state, None, position)
            if action.amount not in stakes:
                least, most = terms.amount(stakes[0]), terms.amount(stakes[-1])
                raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"amount: insurance is {least} to {most}")
        return action_cost(state, _engine_action(move, position, action))

    def action_apply(
        self, terms: TableTerms, state: RoundState, position: int, action: SeatAction, shoe: Shoe
    ) -> RoundState:
        state, _ = apply_action(state, _engine_action(move_of(state, action), position, action), shoe)
        return state

    def card_places(
        self, terms: TableTerms, stakes: Mapping[int, Bets], decisions: Sequence[tuple[int, SeatAction]], shoe: Shoe
    ) -> Sequence[str]:
        """Return `<seat>:<hand>` for a card of a hand, `D` for the dealer's, `H` for the hole card.

        `<seat>:<hand>/` between cards splits that hand.
        """
        seats = list(stakes)
        state, told = self._started(terms, list(stakes.values()), shoe)
        for seat, given in decisions:
            position = seats.index(seat)
            action = self.action_full(terms, state, position, given)
            state, events = apply_action(state, _engine_action(move_of(state, action), position, action), shoe)
            told += events
        return card_places(told, seats, hole_index=state.hole_index if state.rules.dealer_peek else None)

    def practice_action(self, request: Json, seat: Json) -> Json:
        offers = {offer["type"] for offer in request["availableActions"]}
        hand = seat["hands"][request["handIndex"]]
        dealer = request["dealer"]["value"]
        if "hit" not in offers:
            return {"action": STAND}
        if "double_down" in offers and hand["value"] in (10, 11) and dealer < 10:
            return {"action": "double_down"}
        draws_to = 17 if dealer >= 7 else 12
        return {"action": "hit" if hand["value"] < draws_to else STAND}

    def default_action(self, state: RoundState, position: int) -> SeatAction:
        return _STAND

    def is_over(self, state: RoundState) -> bool:
        return state.phase is Phase.SETTLED

    def drawn(self, state: RoundState) -> int:
        return state.drawn

    def public_view(self, terms: TableTerms, state: RoundState) -> Json:
        return {
            "dealer": {
                "cards": [card_payload(card) for card in state.dealer],
                "value": hand_value(state.dealer),
                "faceDown": 1 if state.has_hidden_hole else 0,
            }
        }

    def seat_view(self, terms: TableTerms, state: RoundState, position: int) -> Json:
        seat = state.seats[position]
        return {
            "hands": [_hand_view(terms, hand) for hand in seat.hands],
            "handIndex": hand_to_act(state, position),
            **_extra_view(terms, seat),
        }

    def results(self, terms: TableTerms, state: RoundState) -> Sequence[SeatResult]:
        found = []
        for seat in state.seats:
            account = seat_account(seat)
            found.append(
                SeatResult(
                    staked=account.staked,
                    paid=_inverted(terms, account.staked, account.paid),
                    hands=[_hand_view(terms, hand) for hand in seat.hands],
                    extra=_extra_view(terms, seat),
                )
            )
        return found

    # History

    def summary(self, state: RoundState) -> str:
        """The dealer's cards, separated by spaces."""
        return format_cards(state.dealer)

    def summary_view(self, summary: str) -> Json:
        cards = parse_cards(summary)
        return {"dealer": {"cards": [card_payload(card) for card in cards], "value": hand_value(cards), "faceDown": 0}}

    # Storage

    def state_to_json(self, state: RoundState) -> Json:
        data = to_json(state)
        del data["rules"]
        return data

    def state_from_json(self, terms: TableTerms, data: Json) -> RoundState:
        return from_json(RoundState, {**data, "rules": rules_of(terms)})


def card_places(events: Iterable[Event], seats: Sequence[int], *, hole_index: int | None) -> list[str]:
    """Return whose each card of a finished round is (`BlackjackTable.card_places`), from what happened."""
    places = []
    shown = 0
    for event in events:
        match event:
            case CardDealt():
                places.append(f"{seats[event.seat]}:{event.hand + 1}")
            case HandSplit():
                places.append(f"{seats[event.seat]}:{event.hand + 1}/")
            case DealerCardShown():
                shown += 1
                if shown != 2 or hole_index is None:
                    places.append("D")
            case _:
                pass
    if hole_index is not None:
        # It was dealt with the first deal, and shown later or never.
        places.insert(hole_index, "H")
    return places


def rules_of(terms: TableTerms) -> BlackjackRules:
    """Return the table's rules as the engine's rules."""
    return _rules_read(tuple(terms.rules.items()))


@lru_cache(maxsize=256)
def _rules_read(options: tuple[tuple[str, Any], ...]) -> BlackjackRules:
    data = {_OPTIONS[name]: value for name, value in options if name in _OPTIONS}
    return BlackjackRules.from_json(data | {"decks": data["decks"] or INFINITE_DECKS})


def _stakes_of(bets: Bets) -> SeatStakes:
    return SeatStakes(bets[MAIN], bets.get("perfectPairs", 0), bets.get("poker", 0))


@lru_cache(maxsize=256)
def _odds_of(odds: tuple[tuple[str, str], ...]) -> SideBetOdds:
    return {SideBetOutcome(name): Fraction(to_one) for name, to_one in odds}


def _step(rules: Mapping[str, Any]) -> int:
    """Return the step of stakes at a points table, chosen so that a natural pays whole points."""
    return 10 if rules["blackjackPays"] == "6:5" else 2


def move_of(state: RoundState, action: SeatAction) -> Move:
    """Return the engine's move of a decision that the state allows."""
    return _moves(state)[action.name]


def _moves(state: RoundState) -> Mapping[str, Move]:
    return _ANSWERS if state.phase is Phase.QUESTION else _MOVES


def _names(state: RoundState) -> Mapping[Move, str]:
    return {move: name for name, move in _moves(state).items()}


def _engine_action(move: Move, position: int, action: SeatAction) -> Action:
    if move is Move.INSURE:
        assert action.amount is not None
        return Action(move, position, action.amount)
    return Action(move, position)


def _span(terms: TableTerms, limits: BetLimits) -> Json:
    return {"minAmount": terms.amount(limits.least), "maxAmount": terms.amount(limits.most)}


def _inverted(terms: TableTerms, staked: int, paid: int) -> int:
    """Return the payout of an inverted table: the stake plus the negated change."""
    return 2 * staked - paid if terms.rules["inverted"] else paid


def _hand_view(terms: TableTerms, hand: HandState) -> Json:
    view: Json = {
        "cards": [card_payload(card) for card in hand.cards],
        "value": hand_value(hand.cards),
        "stake": terms.amount(hand.stake),
        "status": hand.status.value,
        "split": hand.is_split,
    }
    if hand.status.is_final:
        view["payout"] = terms.amount(_inverted(terms, hand.stake, hand.payout))
    return view


def _extra_view(terms: TableTerms, seat: SeatState) -> Json:
    view: Json = {}
    if seat.insurance is not None and seat.insurance.stake:
        insured = seat.insurance
        payout = _inverted(terms, insured.stake, insured.payout)
        view["insurance"] = {
            "stake": terms.amount(insured.stake),
            "status": insured.status.value.removeprefix("insurance_"),
            "payout": terms.amount(payout),
        }
    if seat.side_bets:
        view["sideBets"] = [
            {
                "bet": result.bet.value,
                "stake": terms.amount(result.stake),
                "outcome": result.outcome.value,
                "payout": terms.amount(result.payout),
            }
            for result in seat.side_bets
        ]
    return view


def _camel(option: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), option)


_OPTIONS: Final = {_camel(field.name): field.name for field in fields(BlackjackRules)}
"""The engine's options by their names on the wire."""
_STAND: Final = SeatAction(STAND)

TABLE: Final = BlackjackTable()
