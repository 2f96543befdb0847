"""Seed chains and shoes over many rounds of a table, played over real sockets."""

import asyncio
import hashlib
from collections import Counter
from datetime import timedelta
from typing import Any

from apps.office.proof import proof_run
from apps.tables.models import GameTable, TableRound, TableSession
from tests.support.server import Server
from tests.support.table_play import deadlines_set
from tests.support.tables import CONTRIBUTION, Message, Seated, players_make, seated, session_make, sit, table_make
from tests.support.waiting import and_close
from tests.tables.client import SUITS

FULL_DECK = [1] * 52
BET: dict[str, Any] = {"betType": "player", "amount": 1}


async def round_play(client: Seated, table: GameTable, **bet: Any) -> Message:
    """Stake and be ready; return the round's result."""
    await client.until("betting_window_open")
    assert (await client.act(table, "place_bet", **bet or BET))["type"] == "ack"
    assert (await client.act(table, "ready"))["type"] == "ack"
    return (await client.until("round_result"))["payload"]


def cards_of(result: Message) -> list[int]:
    """Return the cards of a result of baccarat by their numbers."""
    cards = [card for side in ("player", "banker") for card in result[side]["cards"]]
    return [SUITS.index(card["suit"]) * 13 + card["rank"] - 1 for card in cards]


def rounds_play(server: Server, rounds: int, **wish: Any) -> tuple[list[Message], list[Message]]:
    """Play rounds of baccarat alone; return the commitments and the results."""
    partner, (player,) = players_make(1)
    table = table_make(partner, game_type="baccarat", **({"window_s": 30, "pause_s": 0} | wish))
    session, token = session_make(player)
    sit(session, table)

    async def play() -> tuple[list[Message], list[Message]]:
        async with seated(server, token) as client:
            results = [await round_play(client, table) for _ in range(rounds)]
            await client.until("seed_commitment")
            # A player who comes while a window is open gets its commitment too.
            told = {message["nonce"]: message for message in client.all("seed_commitment")}
            return [told[number] for number in range(1, rounds + 2)], results

    played = asyncio.run(play())
    assert not proof_run().findings
    return played


def test_a_shoe_lasts_until_the_cut_card_and_is_then_laid_out_anew(committed: None, shared_server: Server) -> None:
    # Six rounds take 24 to 36 cards, and the cut card comes once within them.
    commitments, results = rounds_play(shared_server, 6, currency="FUN", rules={"decks": 1}, cut_card=30)
    left = FULL_DECK
    for commitment, result in zip(commitments, results, strict=False):
        assert commitment["shoe"] == left
        assert result["fairnessProof"]["shoe"] == left
        dealt = Counter(cards_of(result))
        left = [count - dealt[number] for number, count in enumerate(left)]
        if sum(left) <= 30:
            left = FULL_DECK
    assert commitments[-1]["shoe"] == left
    assert [commitment["shoe"] for commitment in commitments].count(FULL_DECK) == 2


def test_a_shoe_that_is_empty_in_mid_deal_is_filled_with_all_cards_but_those_on_the_table(
    committed: None, shared_server: Server
) -> None:
    commitments, results = rounds_play(shared_server, 14, rules={"decks": 1}, cut_card=0)
    refilled = 0
    for before, result, after in zip(commitments, results, commitments[1:], strict=False):
        dealt = Counter(cards_of(result))
        assert max(dealt.values()) == 1
        left = [count - dealt[number] for number, count in enumerate(before["shoe"])]
        if len(cards_of(result)) > sum(before["shoe"]):
            refilled += 1
            left = [count - dealt[number] for number, count in enumerate(FULL_DECK)]
        elif not any(left):
            left = FULL_DECK
        assert after["shoe"] == left
    assert refilled or any(sum(commitment["shoe"]) == 52 for commitment in commitments[1:])


def test_an_infinite_deck_has_no_shoe_and_deals_from_whole_decks(committed: None, shared_server: Server) -> None:
    commitments, results = rounds_play(shared_server, 3, rules={"decks": None})
    for commitment, result in zip(commitments, results, strict=False):
        proof = result["fairnessProof"]
        assert commitment["shoe"] is None
        assert proof["shoe"] is None
        # The first card is the first 32 bits of the stream, scaled to 52 (docs/fairness.md).
        message = f"{proof['clientSeed']}:{proof['nonce']}:0".encode()
        drawn = int.from_bytes(hmac_of(proof["serverSeed"], message)[:4], "big")
        assert drawn * 52 >> 32 in cards_of(result)


def hmac_of(seed: str, message: bytes) -> bytes:
    """Return HMAC-SHA-256, written here so that the test does not use the server's own."""
    key = seed.encode().ljust(64, b"\x00")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def test_a_used_up_chain_is_followed_by_one_that_is_announced_first_and_asks_for_new_contributions(
    committed: None, shared_server: Server, settings: Any
) -> None:
    settings.PUNTO_TABLE_CHAIN = 3
    partner, players = players_make(2, currency="EUR")
    table = table_make(partner, game_type="baccarat", currency="EUR", window_s=60, pause_s=30)
    commitment = table.chains.get().commitment
    sessions = [session_make(player, currency="EUR") for player in players]
    for session, _ in sessions:
        sit(session, table, contribution=CONTRIBUTION)

    async def play() -> None:
        async with seated(shared_server, sessions[0][1]) as anna, seated(shared_server, sessions[1][1]) as ben:
            await both_play(table, anna)  # the window had opened before the second player came
            for _ in range(2):
                await pause_end(table)
                await both_play(table, anna, ben)
            told = await anna.until(lambda heard: heard["type"] == "game_state_update" and is_new(heard))
            assert told["payload"]["chainFirstRound"] == 4
            await asyncio.to_thread(contribute, sessions[0][0], table)
            await pause_end(table)
            window = await anna.until("betting_window_open")
            assert window["payload"]["contributions"] == [{"seat": 1, "clientSeed": "f" * 32}]
            fourth = anna.all("seed_commitment")[-1]
            assert (fourth["nonce"], fourth["seedHash"]) == (4, told["payload"]["chainCommitment"])
            refusal = await ben.act(table, "place_bet", **BET)
            assert refusal["code"] == "BETTING_WINDOW_CLOSED"
            assert (await anna.act(table, "place_bet", **BET))["type"] == "ack"
            assert (await anna.act(table, "ready"))["type"] == "ack"
            assert (await anna.until("round_result"))["payload"]["fairnessProof"]["clientSeed"] == "f" * 32

    def is_new(heard: Message) -> bool:
        return bool(heard["payload"]["chainCommitment"] != commitment)

    asyncio.run(play())
    rounds = list(TableRound.objects.filter(number__lte=4).order_by("number"))
    assert [played.seed_hash for played in rounds[:3]] == [commitment, rounds[0].seed, rounds[1].seed]
    assert hashlib.sha256(rounds[2].seed.encode()).hexdigest() == rounds[1].seed
    assert rounds[3].chain_id != rounds[2].chain_id
    assert not proof_run().findings


async def pause_end(table: GameTable) -> None:
    """Have the pause end now."""
    await asyncio.to_thread(and_close(lambda: deadlines_set(table, timedelta())))


async def both_play(table: GameTable, *clients: Seated) -> None:
    """Let all clients stake, send `ready`, and receive the result."""
    for client in clients:
        await client.until("betting_window_open")
    for client in clients:
        assert (await client.act(table, "place_bet", **BET))["type"] == "ack"
    for client in clients:
        assert (await client.act(table, "ready"))["type"] == "ack"
    for client in clients:
        await client.until("round_result")


def contribute(session: TableSession, table: GameTable) -> None:
    sit(session, table, contribution="f" * 32)
