"""A socket keeps the context of its next action. What has changed meanwhile applies to that action."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import count
from typing import Any

import psycopg
import pytest
from django.db import transaction

from apps.accounts.models import Player, Role
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.state import Pace
from apps.blackjack.messages import EventType, Inbound, MessageError, WireAction
from apps.blackjack.models import BlackjackConfig
from apps.blackjack.services import SeatedSession, round_action_take
from apps.cards.card import Card
from apps.core import json
from apps.core.errors import AuthenticationFailed, DomainError, GameDisabled, PlayerBlocked, SessionTakenOver
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_end, game_session_hold, game_session_open
from apps.rounds.models import GameSession, Round
from apps.rounds.services import round_void, seeds_rotate
from apps.wallet.models import Kind
from apps.wallet.services import wallet_move
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import blackjack_offer, seeds_choose
from tests.support.factories import staff_make, wallet_make
from tests.support.loop import run

pytestmark = pytest.mark.usefixtures("committed")

LOADS = ("blackjack_bet_contexts_load", "blackjack_move_contexts_load")
_event_ids = count(1)


def asks_twice(cards: Sequence[Card]) -> bool:
    """Whether the player can hit and then still stand, and is asked for no insurance."""
    first, up, second = [card.value for card in cards]
    return 1 not in (first, second) and first + second < 10 and 2 <= up <= 9


class Seat:
    """A player on one socket. The first round asks for two moves."""

    def __init__(self, player: Player | None = None, currency: str = "FUN") -> None:
        if player is None:
            player = offered_player()
            seeds_choose(player, asks_twice, cards=3)
        self.player = player
        self.session = game_session_open(player=player, game=BLACKJACK, currency_code=currency)[0]
        game_session_hold(session_id=self.session.pk, connection="socket")
        self.seated = SeatedSession(self.session.pk, "socket", Pace.TABLE)

    def act(self, action: WireAction, *, event_id: str = "", bet: int = 10) -> dict[str, Any]:
        """Take one action and return the data of its update."""
        data = {"betAmount": bet} if action is WireAction.BET else {}
        message = Inbound(EventType.ROUND_ACTION, event_id or f"kept-{next(_event_ids)}", BLACKJACK, action, data)
        update = json.decode(run(round_action_take(seated=self.seated, message=message)))
        assert isinstance(update, dict)
        shown: dict[str, Any] = update["data"]
        return shown

    def money_move(self, change: int) -> None:
        wallet = self.player.wallets.get(currency=self.session.currency)
        with transaction.atomic():
            wallet_move(
                wallet_id=wallet.pk,
                kind=Kind.ADJUSTMENT,
                change=Decimal(change),
                source_key=f"test:{wallet.pk}:{change}",
                reason="as the test needs it",
            )


@contextmanager
def nothing_loaded(superuser: psycopg.Connection) -> Iterator[None]:
    """Within the block no context can be loaded."""
    for name in LOADS:
        superuser.execute(f"ALTER FUNCTION {name}(json) RENAME TO {name}_away".encode())
    try:
        yield
    finally:
        for name in LOADS:
            superuser.execute(f"ALTER FUNCTION {name}_away(json) RENAME TO {name}".encode())


def test_moves_and_the_next_bet_load_nothing(superuser: psycopg.Connection) -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    with nothing_loaded(superuser):
        assert "Stand" in seat.act(WireAction.HIT)["nextActions"]
        assert seat.act(WireAction.STAND)["roundEnded"] is True
        seat.act(WireAction.BET)
    assert list(Round.objects.order_by("nonce").values_list("nonce", flat=True)) == [0, 1]


def test_the_first_action_on_a_socket_loads_the_open_round() -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    other = Seat(seat.player)
    assert "Stand" in other.act(WireAction.HIT)["nextActions"]


def blocked(seat: Seat) -> None:
    Player.objects.filter(pk=seat.player.pk).update(status="blocked")


def taken_over(seat: Seat) -> None:
    game_session_hold(session_id=seat.session.pk, connection="another")


def ended(seat: Seat) -> None:
    game_session_end(session=GameSession.objects.get(pk=seat.session.pk))


def voided(seat: Seat) -> None:
    round_void(operator=staff_make(Role.OPERATOR), round=Round.objects.get(), reason="a test")


def begun_in_another_currency(seat: Seat) -> None:
    wallet_make(player=seat.player, balance=Decimal(100), currency="EUR")
    blackjack_offer(seat.player.partner, currency="EUR")
    other = Seat(seat.player, "EUR")
    while other.act(WireAction.BET).get("roundEnded"):  # a blackjack ends its round at once
        pass


@pytest.mark.parametrize(
    ("change", "error", "code"),
    [
        (taken_over, SessionTakenOver, "AUTHENTICATION_FAILED"),
        (ended, AuthenticationFailed, "AUTHENTICATION_FAILED"),
        (voided, MessageError, "GAME_ROUND_NOT_FOUND"),
    ],
)
def test_what_forbids_a_move_meanwhile_refuses_it(
    change: Callable[[Seat], None], error: type[DomainError], code: str
) -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    change(seat)
    with pytest.raises(error) as refusal:
        seat.act(WireAction.HIT)
    assert getattr(refusal.value, "wire_code", refusal.value.code) == code


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (blocked, PlayerBlocked),
        (lambda seat: seat.player.wallets.update(status="blocked"), PlayerBlocked),
        (lambda seat: Partner.objects.filter(pk=seat.player.partner_id).update(active=False), PlayerBlocked),
        (taken_over, SessionTakenOver),
        (ended, AuthenticationFailed),
        (begun_in_another_currency, MessageError),
        (lambda seat: BlackjackConfig.objects.update(active=False), MessageError),
    ],
    ids=["blocked", "wallet blocked", "partner closed", "taken over", "ended", "another round", "not offered"],
)
def test_what_forbids_a_bet_meanwhile_refuses_it(change: Callable[[Seat], None], error: type[DomainError]) -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    seat.act(WireAction.STAND)
    change(seat)
    before = Round.objects.count()
    with pytest.raises(error):
        seat.act(WireAction.BET)
    assert Round.objects.count() == before


def test_a_switch_stops_the_next_bet_and_no_move(superuser: psycopg.Connection) -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    superuser.execute(
        "INSERT INTO switch (scope, key, is_off, reason, by, authorised_by)"
        " VALUES ('game', 'og-blackjack', true, 'a test', 'olga', '')"
    )
    assert seat.act(WireAction.STAND)["roundEnded"] is True
    with pytest.raises(GameDisabled):
        seat.act(WireAction.BET)


def test_money_that_came_meanwhile_is_in_the_next_answer_and_can_be_bet() -> None:
    seat = Seat()
    seat.act(WireAction.BET, bet=100)
    assert seat.player.wallets.get().balance == 0
    seat.money_move(50)
    after = seat.act(WireAction.STAND)
    balance = seat.player.wallets.get().balance
    assert Decimal(after["balance"]) == balance >= 50
    seat.money_move(1)
    seat.act(WireAction.BET, bet=int(balance) + 1)
    assert Round.objects.get(nonce=1).balance_before == balance + 1


def test_a_bet_is_dealt_from_the_seeds_that_the_player_set_meanwhile() -> None:
    seat = Seat()
    seat.act(WireAction.BET)
    seat.act(WireAction.STAND)
    seeds_rotate(player=seat.player, client_seed="new")
    seat.act(WireAction.BET)
    last = Round.objects.get(nonce=0, seed_pair__client_seed="new")
    assert last.seed_pair.status == "active"


def test_a_repeated_event_id_gets_its_stored_answer_whatever_is_kept() -> None:
    seat = Seat()
    first = seat.act(WireAction.BET, event_id="one")
    hit = seat.act(WireAction.HIT, event_id="two")
    assert seat.act(WireAction.BET, event_id="one") == first
    assert seat.act(WireAction.HIT, event_id="two") == hit
    assert seat.act(WireAction.STAND)["roundEnded"] is True
    assert Round.objects.count() == 1
