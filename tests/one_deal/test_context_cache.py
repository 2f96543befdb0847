"""A process keeps the context of a player's bet for the next one. What has changed meanwhile applies to that bet."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import transaction

from apps.baccarat.engine import GameType, Winner
from apps.baccarat.models import BaccaratConfig
from apps.baccarat.one_deal_game import BACCARAT
from apps.core.postgres_pool import pool
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import client_seed_propose
from apps.one_deal import context_cache
from apps.one_deal.context_cache import ContextKey, context_keep, kept_contexts
from apps.one_deal.store import BetContext, bet_context_load
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import token_hash
from apps.rounds.models import Round
from apps.rounds.services import seeds_rotate
from apps.wallet.models import Kind
from apps.wallet.services import wallet_move
from tests.support.baccarat import Seat, odds_set, offer_make, refusal, seat_make, seeds_choose
from tests.support.loop import run

TEN_ON_PLAYER = {"game_type": 1, "bet_amount": 10}
SWITCH_OFF = """
    INSERT INTO switch (scope, key, is_off, reason, by, authorised_by)
    VALUES ('game', 'og-baccarat', true, 'a test', 'olga', '')
"""


def kept_seat(balance: str = "1000") -> Seat:
    """Return a seat with one won bet of ten, whose context is kept. Its next two rounds are won too."""
    seat = seat_make(balance)
    seeds_choose(seat.player, lambda deal: deal.winner is Winner.PLAYER, rounds=3)
    assert seat.bet(TEN_ON_PLAYER).body["reward_amount"] == 20
    return seat


def money_move(seat: Seat, change: int) -> None:
    with transaction.atomic():
        wallet_move(
            wallet_id=seat.player.wallets.get().pk,
            kind=Kind.ADJUSTMENT,
            change=Decimal(change),
            source_key=f"test:{change}",
            reason="as the test needs it",
        )


def odds_halve(seat: Seat) -> None:
    odds_set(BaccaratConfig.objects.get(partner=seat.player.partner), GameType.PLAYER, "0.5")


def seeds_of_another(seat: Seat) -> None:
    seeds_choose(seat.player, lambda deal: deal.winner is Winner.BANKER)


def sql(statement: str) -> Callable[[Seat, psycopg.Connection], object]:
    """Return a change by this statement about `player`, `partner` or `session`."""

    def change(seat: Seat, superuser: psycopg.Connection) -> None:
        ids = {"player": seat.player.pk, "partner": seat.player.partner_id, "session": seat.session.pk}
        assert superuser.execute(statement.encode(), ids).rowcount == 1

    return change


@pytest.mark.usefixtures("committed")
def test_the_next_bets_load_nothing(superuser: psycopg.Connection) -> None:
    seat = kept_seat()
    superuser.execute("ALTER FUNCTION baccarat_bet_contexts_load(json) RENAME TO contexts_load_away")
    try:
        answers = [seat.bet(TEN_ON_PLAYER) for _ in range(2)]
    finally:
        superuser.execute("ALTER FUNCTION contexts_load_away(json) RENAME TO baccarat_bet_contexts_load")
    assert [answer.body["nonce"] for answer in answers] == [1, 2]
    assert answers[-1].body["balance"] == seat.balance == 1030


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (sql("UPDATE player SET status = 'blocked' WHERE id = %(player)s"), 403, "PLAYER_BLOCKED"),
        (sql("UPDATE wallet SET status = 'blocked' WHERE player_id = %(player)s"), 403, "PLAYER_BLOCKED"),
        (sql("UPDATE partner SET active = false WHERE id = %(partner)s"), 403, "PLAYER_BLOCKED"),
        (sql("UPDATE game_session SET ended_at = now() WHERE id = %(session)s"), 401, "AUTHENTICATION_FAILED"),
        (sql("UPDATE game_session SET expires_at = now() WHERE id = %(session)s"), 401, "AUTHENTICATION_FAILED"),
        (lambda seat, _: offer_make(seat.player.partner, bet_max="9"), 403, "INVALID_BET_AMOUNT"),
        (lambda seat, _: money_move(seat, -1001), 403, "INSUFFICIENT_FUNDS"),
        (sql(SWITCH_OFF), 403, "GAME_DISABLED"),
    ],
    ids=["player", "wallet", "partner", "ended", "expired", "limits", "balance", "switch"],
)
def test_what_forbids_a_bet_meanwhile_refuses_the_next_one(
    superuser: psycopg.Connection, change: Callable[[Seat, psycopg.Connection], object], status: int, code: str
) -> None:
    seat = kept_seat()
    change(seat, superuser)
    refusal(seat.bet(TEN_ON_PLAYER), status, code)
    assert Round.objects.count() == 1


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda seat: money_move(seat, 500), {"nonce": 1, "reward_amount": 20, "balance": 1520}),
        (odds_halve, {"nonce": 1, "reward_amount": 15, "balance": 1015}),
        (
            lambda seat: (seeds_rotate(player=seat.player, client_seed="new"), seeds_of_another(seat)),
            {"nonce": 0, "reward_amount": 0, "balance": 1000},
        ),
    ],
    ids=["balance", "odds", "seeds"],
)
def test_a_bet_is_dealt_and_paid_by_what_has_changed_meanwhile(
    change: Callable[[Seat], object], expected: dict[str, Any]
) -> None:
    seat = kept_seat()
    change(seat)
    answer = seat.bet(TEN_ON_PLAYER).body
    assert {name: answer[name] for name in expected} == expected
    assert seat.balance == expected["balance"]


@pytest.mark.usefixtures("committed")
def test_a_client_seed_that_was_proposed_meanwhile_deals_the_first_bet() -> None:
    seat = seat_make()
    bettor = Bettor(token_hash=token_hash(seat.token))

    async def load() -> BetContext:
        context = await bet_context_load(BACCARAT, pool(), bettor, currency=None, idempotency_key=None)
        assert context is not None
        return context

    context_keep(ContextKey(BACCARAT.name, bettor, None), run(load()))
    client_seed_propose(player=seat.player, client_seed="mine")
    assert seat.bet(TEN_ON_PLAYER).body["client_seed"] == "mine"


@pytest.mark.usefixtures("committed")
def test_a_bet_has_the_decimals_that_its_currency_has_now(superuser: psycopg.Connection) -> None:
    seat = kept_seat()
    superuser.execute("UPDATE currency SET decimals = 0 WHERE code = 'FUN'")
    try:
        answer = seat.bet({"game_type": 1, "bet_amount": Decimal("10.5")})
    finally:
        superuser.execute("UPDATE currency SET decimals = 2 WHERE code = 'FUN'")
    refusal(answer, 403, "INVALID_BET_AMOUNT")
    assert Round.objects.count() == 1


@pytest.mark.usefixtures("committed")
def test_a_bet_that_the_kept_balance_does_not_cover_is_placed_after_a_deposit() -> None:
    seat = seat_make("10")
    seeds_choose(seat.player, lambda deal: deal.winner is Winner.BANKER)
    assert seat.bet(TEN_ON_PLAYER).body["balance"] == 0
    refusal(seat.bet(TEN_ON_PLAYER), 403, "INSUFFICIENT_FUNDS")
    money_move(seat, 10)
    assert seat.bet(TEN_ON_PLAYER).body["nonce"] == 1


@pytest.mark.usefixtures("committed")
def test_a_key_has_one_answer_whatever_is_kept() -> None:
    seat = kept_seat()
    first = seat.bet(TEN_ON_PLAYER, key="k1")
    assert seat.bet(TEN_ON_PLAYER, key="k1").bytes == first.bytes
    refusal(seat.bet({"game_type": 1, "bet_amount": 11}, key="k1"), 409, "IDEMPOTENCY_KEY_REUSED")
    assert Round.objects.count() == 2
    assert seat.bet(TEN_ON_PLAYER).body["nonce"] == 2


@pytest.mark.usefixtures("committed")
def test_a_game_session_that_was_opened_meanwhile_bets_on_from_the_same_state() -> None:
    seat = kept_seat()
    other = Seat(seat.player)
    nonces = [one.bet(TEN_ON_PLAYER).body["nonce"] for one in (other, seat, other, seat)]
    assert nonces == [1, 2, 3, 4]
    assert SeedPair.objects.get(player=seat.player, status=SeedStatus.ACTIVE).next_nonce == 5


def test_the_oldest_context_is_dropped_for_a_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_cache, "MAX_CONTEXTS", 2)
    kept_contexts.clear()
    keys = [ContextKey("some_game", Bettor(user_id=number), None) for number in range(3)]
    contexts = [context_numbered(number) for number in range(3)]
    for key, context in zip(keys, contexts, strict=True):
        context_keep(key, context)
    assert kept_contexts == dict(zip(keys[1:], contexts[1:], strict=True))
    kept_contexts.clear()


def context_numbered(player_id: int) -> BetContext:
    values = dict.fromkeys(BetContext.__struct_fields__) | {"player_id": player_id, "nonce": 0}
    return BetContext(**values)  # type: ignore[arg-type]  # a context that nobody bets with
