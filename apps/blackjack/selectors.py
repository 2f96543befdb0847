"""Reads of blackjack for the socket and the pages: the open round, a balance, the configuration."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import asdict

from apps.blackjack.apps import GAME_ID
from apps.blackjack.engine.codec import from_json
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.messages import MessageError, OpenRound, RoundStateMessage
from apps.blackjack.models import BlackjackConfig, BlackjackRound, BlackjackTerms, TermsStatus
from apps.blackjack.store import balance_load, state_read
from apps.blackjack.wire import Funds, state_data
from apps.core.errors import AuthenticationFailed, InvalidCurrency, NotFound, SessionTakenOver
from apps.core.money import plain
from apps.core.postgres_pool import pool
from apps.rounds.models import Round, RoundEnd
from apps.wallet.models import Wallet


def open_round_state(*, player_id: int, event_id: str) -> RoundStateMessage:
    """Return the player's open round of any session. Raises MessageError if there is none."""
    game_round = (
        Round.objects.select_related("blackjack", "seed_pair", "currency")
        .filter(player_id=player_id, game=GAME_ID, how_ended=RoundEnd.OPEN, table_round__isnull=True)
        .first()
    )
    if game_round is None:
        raise MessageError("there is no open round", code="GAME_ROUND_NOT_FOUND")
    pair = game_round.seed_pair
    assert pair is not None  # a solo round's
    members = asdict(state_data(**_open_members(game_round)))
    members |= {"server_seed_hash": pair.commitment, "client_seed": pair.client_seed, "nonce": game_round.nonce}
    return RoundStateMessage(round_id=str(game_round.pk), event_id=event_id, data=OpenRound(**members))


def shown_round(*, player_id: int, currency_code: str, ended_since: datetime) -> dict[str, Any] | None:
    """Return the round that the player's table shows, in the form of a RoundState: the open round in any currency,
    which is named.

    Without an open round it is the last round if it was in `currency_code` and ended after `ended_since`; of a void one
    it is only the id, with `isVoid`. Else None.
    """
    rounds = Round.objects.filter(player_id=player_id, game=GAME_ID, table_round__isnull=True)
    opened = rounds.select_related("blackjack", "currency").filter(how_ended=RoundEnd.OPEN).first()
    if opened is not None:
        currency = {"currency": opened.currency_id, "decimals": opened.currency.decimals}
        return {"roundId": str(opened.pk), "data": open_round_outcome(opened), "roundEnded": False} | currency
    last = rounds.select_related("void").order_by("-started_at")[:1]
    for ended in last:
        if ended.currency_id != currency_code:
            return None
        if hasattr(ended, "void"):
            return {"roundId": str(ended.pk), "isVoid": True}
        if ended.ended_at and ended.ended_at >= ended_since and ended.detail:
            return {"roundId": str(ended.pk), "data": ended.detail, "roundEnded": True}
    return None


def open_round_outcome(game_round: Round) -> dict[str, Any]:
    """Return the visible state of an unfinished round in the form of `state_data`."""
    shown: dict[str, Any] = msgspec.to_builtins(state_data(**_open_members(game_round)))
    return shown


def _open_members(game_round: Round) -> dict[str, Any]:
    setup = from_json(RoundSetup, game_round.settlement_terms)
    wallet = Wallet.objects.get(player_id=game_round.player_id, currency_id=game_round.currency_id)
    last = game_round.actions.order_by("-number").values_list("action", flat=True)[0]
    return {
        "state": state_read(game_round.blackjack.state, setup),
        "last_action": last["wire"],
        "first_stake": setup.stakes[0].main,
        "funds": Funds(wallet.balance, game_round.currency.quantum),
    }


async def session_balance(*, session_id: int, socket: str, currency_code: str) -> str:
    """Return the balance of the session's player in plain notation.

    Raises AuthenticationFailed if the session has ended, SessionTakenOver if another socket has it, InvalidCurrency,
    Unavailable.
    """
    # The code is unchecked input, and PostgreSQL refuses a text with NUL.
    code = currency_code if currency_code.isascii() and currency_code.isalnum() else ""
    row = await balance_load(pool(), session_id=session_id, socket=socket, currency_code=code)
    is_live, is_taken_over, balance = row or (False, False, None)
    if not is_live:
        raise AuthenticationFailed("the game session is over")
    if is_taken_over:
        raise SessionTakenOver("taken over: the session is open on another connection")
    if balance is None:
        raise InvalidCurrency(f"you have no wallet in {currency_code[:8]!r}")
    return plain(balance)


def config_body(*, partner_id: int, currency_code: str) -> dict[str, Any]:
    """Return the body of GET /v1/games/configs and of UpdateConfig. Raises NotFound.

    Amounts are texts in plain notation, as in all messages of the socket.
    """
    config = BlackjackConfig.objects.filter(partner_id=partner_id, currency_id=currency_code).first()
    if config is None:
        raise NotFound(f"blackjack is not offered in {currency_code}")
    terms = BlackjackTerms.objects.filter(config=config, status=TermsStatus.ACTIVE).first()
    return {
        "id": config.pk,
        "gameId": GAME_ID,
        "active": config.active and terms is not None,
        "currency": config.currency_id,
        "maxBet": plain(config.bet_max),
        "minBet": plain(config.bet_min),
        "customProps": {
            "perfectPairsMaxBet": plain(config.perfect_pairs_max),
            "perfectPairsMinBet": plain(config.perfect_pairs_min),
            "pokerMaxBet": plain(config.poker_max),
            "pokerMinBet": plain(config.poker_min),
        },
        "rules": terms.rules if terms else None,
        "odds": {"perfectPairs": terms.perfect_pairs_odds, "poker": terms.poker_odds} if terms else None,
    }


def idle_round_ids(*, idle_before: datetime, limit: int) -> list[UUID]:
    """Return the open rounds without an action since then, the longest idle first."""
    idle = BlackjackRound.objects.filter(round__game=GAME_ID, round__how_ended=RoundEnd.OPEN, acted_at__lt=idle_before)
    return list(idle.order_by("acted_at").values_list("pk", flat=True)[:limit])
