"""What is laid on a deal, what is wrong with it, and what is answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final
from uuid import UUID

from apps.baccarat.bracket import Opening
from apps.baccarat.engine import BetResult, Deal, GameType, public_outcome
from apps.core import json
from apps.core.errors import (
    AuthenticationFailed,
    DuplicateGameType,
    InsufficientFunds,
    InvalidBetAmount,
    InvalidCurrency,
    InvalidGameType,
    PlayerBlocked,
    TooManyBets,
    shortened,
)
from apps.core.money import is_multiple, plain, quantum_of
from apps.fairness.sealing import unseal
from apps.fairness.services import Draw

MAX_BETS: Final = 10


@dataclass(frozen=True, slots=True)
class Bet:
    """One bet as it was asked for. `game_type` may be any number, `stake` any amount in units of the currency."""

    game_type: int | Decimal
    stake: Decimal


@dataclass(frozen=True, slots=True)
class Slip:
    """The bets on one deal. Without `currency` they are in the session's, or else in the player's default one."""

    bets: tuple[Bet, ...]
    is_list: bool
    """Whether the bets came as a list: the answer then is one too, be there only one bet."""
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The name a client gives a bet, so that it happens once, and the hash of the body it came with."""

    key: str
    body_hash: bytes


@dataclass(frozen=True, slots=True)
class Terms:
    """What a deal is settled by."""

    odds: dict[GameType, Fraction]
    text: bytes
    """As the round keeps them: the number of decks, and X to 1 as text by the bet's name."""


def currency_check(slip: Slip) -> str | None:
    """Return the currency that was asked for, if any. Raises InvalidCurrency for a text that is no code at all."""
    code = slip.currency
    if code is not None and not (code.isascii() and code.isalnum()):
        raise InvalidCurrency(f"currency: there is no currency {code[:20]!r}")
    return code


def opening_check(opening: Opening | None) -> Opening:
    """Return the opening of a bettor who may bet. Raises AuthenticationFailed, PlayerBlocked, InvalidCurrency."""
    if opening is None:
        raise AuthenticationFailed("no valid player session came with the request")
    match opening.refusal:
        case "player":
            raise PlayerBlocked("this account is blocked; ask the operator")
        case "partner":
            raise PlayerBlocked("the casino of this account is closed; ask the operator")
        case "wallet":
            raise InvalidCurrency(f"currency: you have no wallet in {shortened(opening.currency)}")
    return opening


def stakes_check(opening: Opening, slip: Slip) -> dict[GameType, Decimal]:
    """Return the stakes by bet, in the order they were laid. Raises the Refused that says what is wrong."""
    if not 1 <= len(slip.bets) <= MAX_BETS:
        raise TooManyBets(f"bets: one to {MAX_BETS} on a deal, not {len(slip.bets)}")
    stakes: dict[GameType, Decimal] = {}
    for bet in slip.bets:
        game_type = _game_type_check(opening, bet)
        if game_type in stakes:
            raise DuplicateGameType(f"game_type: {game_type.wire_name} is laid twice on this deal")
        _stake_check(opening, bet.stake)
        stakes[game_type] = bet.stake
    if sum(stakes.values()) > opening.balance:
        raise InsufficientFunds(
            f"the wallet holds {plain(opening.balance)} {opening.currency},"
            f" the bets come to {plain(sum(stakes.values(), Decimal(0)))}"
        )
    return stakes


def _game_type_check(opening: Opening, bet: Bet) -> GameType:
    try:
        game_type = GameType(bet.game_type)  # type: ignore[arg-type]  # 1.0 is 1
    except ValueError:
        raise InvalidGameType(f"game_type: there is no such bet; {min(GameType)} to {max(GameType)} exist") from None
    if opening.config_id is None:
        raise InvalidGameType(f"game_type: baccarat is not offered in {opening.currency}")
    if game_type not in (opening.game_types or ()):
        raise InvalidGameType(f"game_type: {game_type.wire_name} is not offered here")
    return game_type


def _stake_check(opening: Opening, stake: Decimal) -> None:
    if not stake > 0 or not is_multiple(stake, quantum_of(opening.decimals)):
        raise InvalidBetAmount(f"bet_amount: a positive amount with at most {opening.decimals} decimals")
    if not opening.bet_min <= stake <= opening.bet_max:
        raise InvalidBetAmount(
            f"bet_amount: {plain(stake)} is outside the limits, {plain(opening.bet_min)} to {plain(opening.bet_max)}"
        )


def terms_of(opening: Opening) -> Terms:
    """Return the decks and odds in force, as the settlement takes them and as the round keeps them."""
    return _terms_of(opening.decks, tuple(opening.game_types or ()), tuple(opening.odds or ()))


@lru_cache(maxsize=256)
def _terms_of(decks: int, game_types: tuple[int, ...], odds: tuple[Decimal, ...]) -> Terms:
    by_type = {GameType(number): x for number, x in zip(game_types, odds, strict=True)}
    text = json.encode({"decks": decks, "odds": {kind.wire_name: plain(x) for kind, x in by_type.items()}})
    return Terms({kind: Fraction(x) for kind, x in by_type.items()}, text)


def draw_of(opening: Opening) -> Draw:
    """Return what the round is dealt from; the server seed is opened here and nowhere else on the way."""
    return Draw(
        seed_pair_id=opening.seed_pair_id,
        commitment=opening.commitment,
        server_seed=unseal(opening.sealed_seed, commitment=opening.commitment),
        client_seed=opening.client_seed,
        nonce=opening.nonce,
    )


def cards_of(outcome: Deal) -> tuple[list[str], list[str]]:
    """Return the codes of the player's and of the banker's cards."""
    return [card.code for card in outcome.player], [card.code for card in outcome.banker]


def detail_of(outcome: Deal) -> bytes:
    """Return the public outcome as the round keeps it, in JSON."""
    return json.encode(public_outcome(outcome))


def answer_of(opening: Opening, slip: Slip, round_id: UUID, outcome: Deal, results: Sequence[BetResult]) -> bytes:
    """Return what the bet RPC answers; docs/baccarat.md has its form."""
    player, banker = cards_of(outcome)
    head: dict[str, object] = {"player": player, "banker": banker}
    if slip.is_list:
        head["bets"] = [_bet_answer(result) | {"result_type": int(result.result_type)} for result in results]
    else:
        head |= _bet_answer(results[0])
    head["round_id"] = str(round_id)
    if not slip.is_list:
        head["result_type"] = int(results[0].result_type)
    balance = opening.balance + sum([result.payout - result.stake for result in results])
    return json.encode(
        head
        | {
            "balance": balance,
            "server_seed_hash": opening.commitment,
            "client_seed": opening.client_seed,
            "nonce": opening.nonce,
        }
    )


def _bet_answer(result: BetResult) -> dict[str, object]:
    return {
        "reward_amount": result.payout,
        "game_type": int(result.game_type),
        "bet_amount": result.stake,
    }
