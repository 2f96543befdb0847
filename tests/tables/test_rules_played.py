"""Optional rules of tables, played over a real socket: requests, messages and payouts."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from apps.blackjack.engine.state import RoundState
from apps.blackjack.engine.value import hand_value, is_two_card_21
from apps.cards.card import Card
from apps.cards.shoe import Shoe
from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.tables.models import GameTable, TableAction
from apps.wallet.models import Wallet
from tests.support.dealt_tables import table_dealing
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import Message, Seated, own_seat, players_make, seated, session_make, sit
from tests.support.waiting import and_close

ACE, TEN = 1, 10
BET = 10
PACE = {"window_s": 30, "turn_s": 20, "pause_s": 5}
Wanted = Callable[[RoundState, Shoe], bool]
Play = Callable[[GameTable, list[Seated]], Awaitable[None]]


def played(server: Server, wanted: Wanted, stakes: Sequence[int | Decimal], play: Play, **wish: Any) -> None:
    """Seat a player for each stake at a table with a wanted deal, let them stake and play, and audit the records."""
    partner, players = players_make(len(stakes))
    units = 1 if wish.get("currency") is None else 100
    table = table_dealing(partner, wanted, [{"main": int(stake * units)} for stake in stakes], **(PACE | wish))
    sessions = [session_make(player) for player in players]
    for session, _ in sessions:
        sit(session, table)

    async def run() -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(seated(server, token)) for _, token in sessions]
            for client, stake in zip(clients, stakes, strict=True):
                await client.until("betting_window_open")
                assert (await client.act(table, "place_bet", amount=float(stake)))["type"] == "ack"
            for client in clients:
                assert (await client.act(table, "ready"))["type"] == "ack"
            await play(table, clients)

    asyncio.run(run())
    assert not proof_run().findings


def shows(value: int, *, natural: bool = False) -> Wanted:
    """Accept deals with a dealer's upcard of that value, with or without a dealer's natural, and without a seat's
    natural."""

    def is_so(state: RoundState, shoe: Shoe) -> bool:
        dealer = (state.dealer[0], shoe[state.hole_index])
        hands = [seat.hands[0].cards for seat in state.seats]
        is_natural = is_two_card_21(dealer)
        return dealer[0].value == value and is_natural is natural and not any(is_two_card_21(hand) for hand in hands)

    return is_so


async def asked(client: Seated) -> list[str]:
    """Return the offers of the next request."""
    request = await client.until("game_action_request")
    return [offer["type"] for offer in request["payload"]["availableActions"]]


async def result_of(client: Seated) -> Message:
    """Return the client's entry of the result."""
    payload = (await client.until("round_result"))["payload"]
    return next(result for result in payload["results"] if result["playerId"] == client.player_id)


async def stand_out(table: GameTable, client: Seated) -> Message:
    """Answer each request with `stand`; return the client's entry of the result."""
    while True:
        message = await client.until(lambda heard: heard["type"] in ("game_action_request", "round_result"))
        if message["type"] == "round_result":
            return next(row for row in message["payload"]["results"] if row["playerId"] == client.player_id)
        assert (await client.act(table, "stand"))["type"] == "ack"


@pytest.mark.parametrize("natural", [True, False], ids=["natural", "no natural"])
def test_without_peek_no_card_lies_face_down_and_insurance_waits_for_the_dealers_end(
    committed: None, shared_server: Server, natural: bool
) -> None:
    async def play(table: GameTable, clients: list[Seated]) -> None:
        (client,) = clients
        assert "insurance" in await asked(client)
        assert client.heard[-1]["payload"]["dealer"]["faceDown"] == 0
        assert (await client.act(table, "insurance"))["type"] == "ack"
        turn = await client.until("game_action_request")
        assert own_seat(client, turn["payload"])["insurance"]["status"] == "pending"
        assert len(turn["payload"]["dealer"]["cards"]) == 1
        assert (await client.act(table, "stand"))["type"] == "ack"
        result = await result_of(client)
        assert result["insurance"]["status"] == ("won" if natural else "lost")
        assert result["insurance"]["payout"] == (15 if natural else 0)
        assert result["stakes"] == 15

    # The dealer's second card is the next card of the shoe after the seat has stood.
    wanted = shows(ACE, natural=natural)
    played(shared_server, wanted, [BET], play, currency="FUN", rules={"dealerPeek": False})


def test_early_surrender_is_asked_of_all_and_returns_half_even_against_a_natural(
    committed: None, shared_server: Server
) -> None:
    async def play(table: GameTable, clients: list[Seated]) -> None:
        first, second = clients
        assert await asked(first) == await asked(second) == ["stand", "surrender"]
        assert (await second.act(table, "surrender"))["type"] == "ack"
        assert not [told for told in first.all("player_action_broadcast") if told["payload"]["action"] == "surrender"]
        assert (await first.act(table, "stand"))["type"] == "ack"
        lost, surrendered = await result_of(first), await result_of(second)
        assert (lost["payout"], surrendered["payout"]) == (0, 5)

    rules = {"surrender": "early"}
    played(shared_server, shows(TEN, natural=True), [BET, BET], play, currency="FUN", rules=rules)


def test_a_simple_table_offers_hit_and_stand_alone_and_asks_nothing_against_an_ace(
    committed: None, shared_server: Server
) -> None:
    async def play(table: GameTable, clients: list[Seated]) -> None:
        (client,) = clients
        window = client.all("betting_window_open")[0]["payload"]["availableActions"][0]
        assert window.keys() == {"type", "minAmount", "maxAmount"}
        assert await asked(client) == ["hit", "stand"]
        for refused in ("double_down", "split", "surrender", "insurance"):
            assert (await client.act(table, refused))["code"] == "INVALID_ACTION"
        assert (await client.act(table, "stand"))["type"] == "ack"
        await result_of(client)

    played(shared_server, shows(ACE), [BET], play, currency="FUN", rules={"simple": True})


def test_a_seat_without_a_choice_is_not_asked_about_an_ace_and_no_answer_of_it_is_broadcast(
    committed: None, shared_server: Server
) -> None:
    """Half of the second seat's stake is below the smallest unit, so it has no insurance."""

    async def play(table: GameTable, clients: list[Seated]) -> None:
        first, second = clients
        request = await first.until("game_action_request")
        assert [turn["seat"] for turn in request["payload"]["turns"]] == [1]
        assert (await second.act(table, "stand"))["code"] == "NOT_YOUR_TURN"
        assert (await first.act(table, "stand"))["type"] == "ack"
        await asyncio.gather(stand_out(table, first), stand_out(table, second))
        told = [each["payload"] for each in second.all("player_action_broadcast")]
        # The question to the first seat, then one turn of each seat.
        assert [each["seat"] for each in told if each["action"] == "stand"] == [1, 1, 2]

    limits = {"main": {"minAmount": "0.01", "maxAmount": 100}}
    stakes = [BET, Decimal("0.01")]
    played(shared_server, plays_on(shows(ACE)), stakes, play, currency="FUN", limits=limits)
    stood = TableAction.objects.filter(action__name="stand").order_by("number")
    assert list(stood.values_list("seat", flat=True)) == [1, 1, 2]


def plays_on(wanted: Wanted) -> Wanted:
    """Accept these deals if every seat also has a decision left after the question."""
    return lambda state, shoe: wanted(state, shoe) and all(hand_value(seat.hands[0].cards) < 21 for seat in state.seats)


def test_in_speed_mode_all_are_asked_at_once_and_their_answers_are_told_in_seat_order(
    committed: None, shared_server: Server
) -> None:
    async def play(table: GameTable, clients: list[Seated]) -> None:
        requests = [await client.until("game_action_request") for client in clients]
        turns = requests[0]["payload"]["turns"]
        assert [turn["seat"] for turn in turns] == [1, 2, 3]
        assert len({turn["deadline"] for turn in turns}) == 1
        for client in reversed(clients):
            assert (await client.act(table, "stand"))["type"] == "ack"
        await result_of(clients[0])
        stood = [told["payload"] for told in clients[0].all("player_action_broadcast")]
        assert [told["seat"] for told in stood if told["action"] == "stand"] == [1, 2, 3]

    played(shared_server, plays_on(shows(TEN)), [BET] * 3, play, currency="FUN", rules={"speed": True})


OUTCOMES: dict[str, tuple[Callable[[int, int], bool], int]] = {
    "won": (lambda own, dealer: own > dealer, 0),
    "lost": (lambda own, dealer: own < dealer, 20),
    "push": (lambda own, dealer: own == dealer, 10),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_inverted_table_negates_every_change_of_the_score(
    committed: None, shared_server: Server, outcome: str
) -> None:
    compares, payout = OUTCOMES[outcome]

    def wanted(state: RoundState, shoe: Shoe) -> bool:
        """Both stand on their first two cards."""
        dealer: tuple[Card, ...] = (state.dealer[0], shoe[state.hole_index])
        own = state.seats[0].hands[0].cards
        values = hand_value(own), hand_value(dealer)
        has_ace = ACE in [card.value for card in dealer]  # she would draw to a soft 17
        return not has_ace and min(values) >= 17 and max(values) < 21 and compares(*values)

    async def play(table: GameTable, clients: list[Seated]) -> None:
        (client,) = clients
        result = await stand_out(table, client)
        assert (result["stakes"], result["payout"], result["net"]) == (10, payout, payout - 10)
        assert result["hands"][0]["payout"] == payout
        state = await client.until("game_state_update")
        assert own_seat(client, state["payload"])["points"] == payout - 10

    played(shared_server, wanted, [BET], play, rules={"inverted": True})


def test_a_natural_at_an_inverted_table_costs_one_and_a_half_stakes(committed: None, shared_server: Server) -> None:
    def wanted(state: RoundState, shoe: Shoe) -> bool:
        dealer = (state.dealer[0], shoe[state.hole_index])
        own = state.seats[0].hands[0].cards
        return state.dealer[0].value != ACE and is_two_card_21(own) and not is_two_card_21(dealer)

    async def play(table: GameTable, clients: list[Seated]) -> None:
        result = await result_of(clients[0])
        assert (result["stakes"], result["payout"], result["net"]) == (10, -5, -15)
        assert not clients[0].all("game_action_request")

    played(shared_server, wanted, [BET], play, rules={"inverted": True})


def test_the_action_of_another_seat_is_refused_and_its_turn_stays_open(committed: None, shared_server: Server) -> None:
    async def play(table: GameTable, clients: list[Seated]) -> None:
        first, second = clients
        request = await first.until("game_action_request")
        claims = {"seat": 1, "playerId": first.player_id, "handIndex": 0}
        assert (await second.act(table, "stand", **claims))["code"] == "NOT_YOUR_TURN"
        sent = await second.send(
            "submit_action", gameType="blackjack", tableId=str(table.pk), payload={"action": "hit"},
            relatedMessageId=request["messageId"], **claims,
        )  # fmt: skip
        assert (await second.answer_to(sent))["code"] == "NOT_YOUR_TURN"
        # An answered request is closed: the same answer with a new id is out of turn.
        answer = await first.act(table, "stand")
        assert answer["type"] == "ack"
        assert (await first.act(table, "stand"))["code"] == "NOT_YOUR_TURN"
        await first.send("balance_query", message_id=answer["relatedMessageId"])
        await first.until(lambda heard: heard.get("code") == "DUPLICATE_MESSAGE")
        assert (await second.until("game_action_request"))["payload"]["turns"][0]["seat"] == 2
        assert (await second.act(table, "stand"))["type"] == "ack"
        await result_of(second)

    played(shared_server, plays_on(shows(TEN)), [BET, BET], play, currency="FUN")
    assert [row.stake for row in Round.objects.all()] == [BET, BET]
    assert TableAction.objects.filter(action__name="stand").count() == 2


def test_a_turn_whose_own_default_action_races_its_deadline_is_ended_once(
    committed: None, shared_server: Server
) -> None:
    """Every answer around the deadline is a documented one, and one action is logged."""

    async def play(table: GameTable, clients: list[Seated]) -> None:
        (client,) = clients
        await client.until("game_action_request")
        await asyncio.to_thread(and_close(lambda: deadlines_set(table, timedelta(seconds=1))))
        answers = []
        while not client.all("round_result"):
            answers.append(await client.act(table, "insurance"))
            if len(answers) > 1 and answers[-1].get("code") != "INVALID_ACTION":
                answers.append(await client.act(table, "stand"))
        codes = {answer.get("code", "ack") for answer in answers}
        assert codes <= {"ack", "INVALID_ACTION", "TIMEOUT", "ROUND_COMPLETE", "NOT_YOUR_TURN"}
        assert await wallet_total(client) >= 0

    played(shared_server, plays_on(shows(TEN)), [BET], play, currency="FUN")
    assert TableAction.objects.filter(action__name="stand").count() == 1
    row = Round.objects.get()
    assert Wallet.objects.get().balance == 1000 + row.payout - row.stake


async def wallet_total(client: Seated) -> Decimal:
    """Return the total of `balance_response`."""
    await client.send("balance_query")
    total: Decimal = (await client.until("balance_response"))["total"]
    return total
