"""Two processes serve tables while one of them is killed every few seconds: no round is lost, no card is changed.

The short run is one of `make test`; with `make soak` it is five tables, thirty players and two minutes, and the test
prints how late deadlines were.
"""

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.tables.models import TableRound
from casino.settings.waits import WAIT_S
from tests.support.empty_database import EmptyingLink
from tests.support.frame_search import FrameSearch
from tests.support.long_form import IS_LONG
from tests.support.scripted_players import ScriptedPlayer, money_check, play_during, scripted_make
from tests.support.server import Server
from tests.support.table_deadlines import deadlines_of
from tests.support.tables import Message

pytestmark = pytest.mark.xdist_group("waits")

KILLS = 24 if IS_LONG else 2
KILL_EVERY_S = 5 if IS_LONG else 2
PLAYERS_A_TABLE = 6 if IS_LONG else 3
PACE = {"window_s": 2, "turn_s": 5, "pause_s": 0} if IS_LONG else {"window_s": 1, "turn_s": 5, "pause_s": 1}
TABLES: tuple[dict[str, Any], ...] = (
    {"game_type": "blackjack", "currency": "FUN"},
    {"game_type": "blackjack", "rules": {"speed": True}},
    {"game_type": "baccarat", "currency": "EUR"},
    {"game_type": "dragon_tiger", "currency": "FUN"},
    {"game_type": "blackjack", "currency": "FUN", "rules": {"dealerPeek": False}},
)[: 5 if IS_LONG else 3]


@dataclass(frozen=True)
class KilledRun:
    """The players of the run, the servers' logs of it, and the search over the frames."""

    scripted: list[ScriptedPlayer]
    logged: str
    search: FrameSearch


@pytest.fixture(scope="module")
def killed_run(
    shared_server: Server, other_server: Server, django_db_blocker: DjangoDbBlocker, emptying_link: EmptyingLink
) -> Iterator[KilledRun]:
    """Play while the processes are killed in turn."""
    servers = [shared_server, other_server]
    before = [len(server.log_text) for server in servers]

    async def kill_in_turn() -> None:
        async with asyncio.timeout(WAIT_S):
            while not all(one.reconnections for one in scripted):  # noqa: ASYNC110 - they connect meanwhile
                await asyncio.sleep(0.05)
        for turn in range(KILLS):
            await asyncio.sleep(KILL_EVERY_S)
            await asyncio.to_thread(servers[turn % 2].kill)

    with django_db_blocker.unblock():
        try:
            scripted = scripted_make([wish | PACE for wish in TABLES], PLAYERS_A_TABLE, servers)
            asyncio.run(play_during(scripted, kill_in_turn))
            logged = "".join(server.log_text[place:] for server, place in zip(servers, before, strict=True))
            yield KilledRun(scripted, logged, FrameSearch.of_database())
        finally:
            emptying_link.database_empty()


def test_no_round_is_lost_and_every_client_plays_on(killed_run: KilledRun) -> None:
    assert all(one.reconnections > 1 for one in killed_run.scripted)
    assert set(Round.objects.values_list("how_ended", flat=True)) <= {"played", "withdrawn"}
    money_check(killed_run.scripted)
    assert [(finding.where, finding.what) for finding in proof_run().findings] == []
    failures = ("Traceback", "deadline_failed", "tables_message_failed")
    assert [line for line in killed_run.logged.splitlines() if any(failure in line for failure in failures)] == []


def test_all_hear_one_result_of_a_round_and_it_was_committed_to(killed_run: KilledRun) -> None:
    heard: dict[str, list[Message]] = defaultdict(list)
    for one in killed_run.scripted:
        for round_id, result in one.results.items():
            heard[round_id].append(result)
    ended = {str(played.pk): played for played in TableRound.objects.exclude(ending="")}
    for round_id, results in heard.items():
        assert all(result == results[0] for result in results)
        seed = results[0]["fairnessProof"]["serverSeed"]
        assert seed == ended[round_id].seed
        assert hashlib.sha256(seed.encode()).hexdigest() == ended[round_id].seed_hash


def test_no_frame_shows_a_face_down_card_an_unrevealed_seed_or_anything_of_another_player(
    killed_run: KilledRun,
) -> None:
    assert killed_run.search.findings(killed_run.scripted) == []
    looked_at = killed_run.search.looked_at
    assert min(looked_at[kind] for kind in ("cards", "seeds", "balances", "hidden stakes", "messages to one seat")) > 0


@pytest.mark.parametrize("leak", ["hole card", "seed", "balance", "token", "request", "stake"])
def test_the_search_finds_planted_secrets(killed_run: KilledRun, leak: str) -> None:
    search = replace(killed_run.search, audiences=dict(killed_run.search.audiences))
    one, asked, played = first_request(killed_run)
    other = next(other for other in killed_run.scripted if other is not one)
    told = asked["payload"]
    match leak:
        case "hole card":
            hole = played.detail["public"]["dealer"]["cards"][1]
            # Open cards of other decks may have its face, so one more is shown than lie open.
            open_count = search.rounds[str(played.pk)].open_cards[hole["suit"], hole["rank"]]
            shown_count = json.dumps(told, sort_keys=True).count(json.dumps(hole, sort_keys=True))
            told["dealer"]["cards"] += [hole] * (open_count + 1 - shown_count)
        case "seed":
            told["seats"][0]["note"] = played.seed
        case "balance":
            told["seats"][0]["note"] = other.funds - 17
        case "token":
            told["seats"][0]["note"] = f"see {other.token}"
        case "request":
            search.audiences[asked["messageId"]] = [(other.session.pk, [])]
        case "stake":
            one = next(one for one in killed_run.scripted if one.table.currency_id is None)
            updates = (json.loads(frame) for frame in one.frames if '"game_state_update"' in frame[:120])
            asked = next(update for update in updates if update["payload"]["phase"] == "betting")
            asked["payload"] = {"playerId": "x", "amount": 10, "resultingState": asked["payload"]}
    tampered = replace(one, frames=[json.dumps(asked)])
    assert len(search.findings([tampered, other])) == 1


def test_every_deadline_is_fired_once(killed_run: KilledRun, capsys: pytest.CaptureFixture[str]) -> None:
    deadlines = deadlines_of(killed_run.scripted)
    assert deadlines.faults == []
    assert deadlines.windows_ms
    assert deadlines.turns_ms
    if IS_LONG:
        with capsys.disabled():
            print(f"\n{KILLS} kills: {deadlines.line()}")


def first_request(killed_run: KilledRun) -> tuple[ScriptedPlayer, Message, TableRound]:
    """Return a player who was asked for a move while the dealer had a face-down card, the request, and its round."""
    for one in killed_run.scripted:
        for frame in one.frames:
            asked = json.loads(frame)
            if asked["type"] == "game_action_request":
                return one, asked, TableRound.objects.get(pk=asked["payload"]["roundId"])
    raise AssertionError("nobody was asked for a move")
