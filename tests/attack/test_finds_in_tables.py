"""The suite finds faults in tables and misplaced secrets: each rule is broken, and each store gets a secret."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
import redis
from django.utils import timezone

from apps.accounts.models import Player
from apps.fairness.models import SeedPair
from apps.fairness.services import server_seed_open
from tests.attack.invariants import RULES, Invariants, broken_rules
from tests.attack.report import Part
from tests.attack.search import Search, frame_faults
from tests.conftest import superuser_url
from tests.support.played import baccarat_session, blackjack_session, played_out

pytestmark = pytest.mark.soak

OPEN = "UPDATE game_round SET how_ended = '', ended_at = NULL"
BROKEN = {
    "a wallet is not": "UPDATE wallet SET balance = balance + 1",
    "a movement does not follow": "UPDATE wallet_transaction SET balance_after = balance_after + 1 WHERE number = 1",
    "a movement's two legs": "INSERT INTO house_account (partner_id, currency_id)"
    " SELECT partner_id, 'EUR' FROM house_account LIMIT 1;"
    " UPDATE wallet_transaction SET house_account_id = (SELECT max(id) FROM house_account)",
    "the wallets and the house account": "UPDATE wallet_transaction SET change = change + 1",
    "a key moved money twice": "ALTER TABLE wallet_transaction DROP CONSTRAINT wallet_transaction_source_key;"
    " UPDATE wallet_transaction SET source_key = 'one'",
    "a key has two answers": "ALTER TABLE stored_answer DROP CONSTRAINT stored_answer_pkey;"
    " INSERT INTO stored_answer SELECT * FROM stored_answer",
    "a round's stake or payout": "UPDATE game_round SET stake = stake + 1",
    "a movement belongs to no round": "UPDATE wallet_transaction SET round_id = gen_random_uuid() WHERE kind = 'bet'",
    "a round is open without": f"{OPEN}, stake = 0 WHERE game = 'og-blackjack'",
    "a player has two open rounds": f"DROP INDEX game_round_one_open; {OPEN}",
    "a round is another partner's": "UPDATE game_round SET partner_id = (SELECT max(id) FROM partner)",
    "the nonces of a seed pair": "UPDATE game_round SET nonce = nonce + 5",
    "a player has not one seed pair": "DELETE FROM seed_pair WHERE status = 'next'",
    "a revealed seed is not": "UPDATE seed_pair SET server_seed = repeat('ab', 32) WHERE status = 'next'",
    "a seed was revealed while": "UPDATE seed_pair SET status = 'revealed', revealed_at = now() - interval '1 day'",
    "a wallet was refilled twice": "DROP INDEX wallet_refill_one_a_day; UPDATE wallet_transaction SET kind = 'refill'",
}
"""Statements that break each rule, by the beginning of the rule's description."""


@pytest.fixture
def player(deployment: Any) -> Player:
    """A baccarat player; another player has played blackjack."""
    played_out(blackjack_session()[1], "Stand")
    return baccarat_session(bets=2)[0]


@pytest.fixture
def intruder(player: Player) -> Iterator[psycopg.Connection]:
    """The superuser with every trigger off, in a transaction that is rolled back."""
    with psycopg.connect(superuser_url()) as link:
        link.execute("SET LOCAL session_replication_role = replica")
        yield link
        link.rollback()


@pytest.fixture
def seed(player: Player) -> str:
    """A server seed that is not revealed."""
    return server_seed_open(SeedPair.objects.get(player=player, status="active"))


def test_ordinary_rounds_break_no_rule(intruder: psycopg.Connection) -> None:
    assert broken_rules(intruder) == []


def test_every_rule_has_a_statement_that_breaks_it() -> None:
    assert [rule for rule in RULES if not rule.startswith(tuple(BROKEN))] == []
    assert len(BROKEN) == len(RULES)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_named(rule: str, intruder: psycopg.Connection) -> None:
    intruder.execute(BROKEN[rule])
    assert [fault for fault in broken_rules(intruder) if fault.startswith(rule)] != []


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE wallet_transaction SET reason = 'x' WHERE number = 1", "rows of wallet_transaction"),
        ("DELETE FROM round_action", "rows of round_action"),
        ("UPDATE game_round SET started_at = now()", "rows of game_round"),
        ("UPDATE stored_answer SET answer = '{}'", "rows of stored_answer"),
        ("UPDATE baccarat_game_record SET player_cards = '{H1,H2}'", "rows of baccarat_game_record"),
    ],
)
def test_a_changed_row_of_an_append_only_table_is_found(
    statement: str, named: str, deployment: Any, player: Player, part: Part
) -> None:
    invariants = Invariants(deployment)
    invariants.check(part)
    assert part.faults == []
    with deployment.database() as link:
        link.execute("SET session_replication_role = replica")
        link.execute(statement)
    invariants.check(part)
    assert [fault for fault in part.faults if named in fault] != []


def test_a_round_whose_cards_do_not_follow_from_its_seeds_is_found(deployment: Any, player: Player, part: Part) -> None:
    with deployment.database() as link:
        link.execute("SET session_replication_role = replica")
        link.execute("UPDATE baccarat_game_record SET player_cards = '{H1,H2}'")
    Invariants(deployment).check(part)
    assert [fault for fault in part.faults if fault.startswith("round ")] != []


def test_nothing_is_found_in_stores_without_secrets(clients: Any, player: Player, part: Part) -> None:
    Search(clients).stores_check(part)
    assert part.faults == []
    assert part.outcomes["column searched"] > 50


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE player SET reference = %s",
        "UPDATE player SET reference = upper(%s)",
        "UPDATE audit_entry SET data = jsonb_build_object('seen', 'seed=' || %s || '.')",
        "UPDATE wallet SET head = decode(%s, 'hex')",
        "UPDATE audit_entry SET reason = encode(decode(%s, 'hex'), 'base64')",
    ],
)
def test_a_seed_in_a_table_is_found(statement: str, clients: Any, seed: str, part: Part) -> None:
    with clients.deployment.database() as link:
        link.execute("SET session_replication_role = replica")
        assert link.execute(statement.replace("%s", f"'{seed}'")).rowcount
    Search(clients).stores_check(part)
    assert [fault for fault in part.faults if fault.startswith("server seed in ")] != []


def test_a_seed_in_a_log_of_a_program_or_server_is_found(clients: Any, seed: str, part: Part) -> None:
    folder = clients.deployment.postgres.data_dir.logs
    (folder / "web").write_text(f'{{"event": "dealt", "from": "{seed}"}}\n')
    (folder / "postgres.log").write_text(f"DETAIL: Key (seed)=({seed}) already exists.\n")
    Search(clients).stores_check(part)
    assert {"server seed in the log of web-1", "server seed in the log of postgres.log"} <= set(part.faults)


def test_a_seed_in_redis_is_found(clients: Any, seed: str, part: Part) -> None:
    with redis.Redis.from_url(clients.deployment.redis.url) as link:
        link.hset("attack-test", mapping={"seed": seed})
        try:
            Search(clients).stores_check(part)
        finally:
            link.delete("attack-test")
    assert part.faults == ["server seed in Redis, b'attack-test'"]


def test_the_hash_of_a_token_may_stand_in_its_own_column_alone(clients: Any, part: Part) -> None:
    token = baccarat_session()[1]
    clients.tokens[token] = {"riviera"}
    Search(clients).stores_check(part)
    assert part.faults == []
    with clients.deployment.database() as link:
        link.execute("SET session_replication_role = replica")
        link.execute("UPDATE account_user SET password = 'x'")
        link.execute("UPDATE player SET reference = (SELECT token_hash FROM game_session LIMIT 1)")
    Search(clients).stores_check(part)
    assert part.faults == ["token hash in player.reference"]


def test_a_secret_in_an_answer_to_the_wrong_client_is_found(clients: Any, seed: str, part: Part) -> None:
    token, reference = "0b8ca0cc-6b7c-4c4f-9a3f-0d2f8c3a5a11", "hs-0123456789abcdef"
    clients.tokens[token] = {"riviera"}
    clients.passwords.add("canary-0123456789abcdef01234567")
    clients.keys["riviera"] = "punto_" + "k" * 43
    told = [
        ("visitor", seed, "server seed"),
        ("visitor", f'{{"id": "{token}"}}', "id of a game session"),
        ("riviera", "canary-0123456789abcdef01234567", "password"),
        ("operator", f"Bearer {clients.keys['riviera']}", "API key"),
        ("auditor", "pbkdf2_sha256$1000000$abc$ZGVm=", "password hash"),
        ("riviera-staff", f"<td>{reference}</td>", "a player of another partner"),
    ]
    for who, said, _ in told:
        clients.recorder.add(who, b"GET /", said.encode())
    for who, said in (("riviera", token), ("operator", reference)):
        clients.recorder.add(who, b"GET /", said.encode())
    clients.recorder.add("visitor", f"GET /v1/player/seeds/{token}".encode(), f"no session {token}".encode())
    assert Search(clients).answers_check(part) == len(told) + 3
    assert [fault.partition(" was told")[0].partition(" (")[0] for fault in part.faults] == [kind for *_, kind in told]


def test_a_partner_may_be_shown_what_its_own_keys_asked_in_their_log_alone(clients: Any, part: Part) -> None:
    own, other = b"hs-0123456789abcdef", b"hs-fedcba9876543210"
    clients.recorder.add("riviera", b"GET /v1/rounds?player=" + own, b"no such player")
    Search(clients).answers_check(part)
    log = b"GET /admin/partners/apikeyrequest/"
    for asked, said in ((log, own), (log, other), (b"GET /admin/accounts/player/", own)):
        clients.recorder.add("riviera-staff", asked, said)
    clients.recorder.add("riviera-staff", log, b"rv-0123456789abcdef")
    Search(clients).answers_check(part)
    assert [fault.partition(" was told")[0] for fault in part.faults] == [
        f"a player of another partner ({other.decode()})",
        f"a player of another partner ({own.decode()})",
    ]


def test_a_seed_in_an_answer_before_its_reveal_is_found(clients: Any, player: Player, seed: str, part: Part) -> None:
    clients.recorder.add("visitor", b"GET /", f'"{seed}"'.encode())
    with clients.deployment.database() as link:
        link.execute("SET session_replication_role = replica")
        link.execute(
            "UPDATE seed_pair SET status = 'revealed', server_seed = %s, revealed_at = %s"
            " WHERE player_id = %s AND status = 'active'",
            [seed, timezone.now() + timedelta(seconds=5), player.pk],
        )
    Search(clients).answers_check(part)
    assert part.faults == ["server seed before it was revealed was told to visitor, who asked b'GET /'"]


def test_a_frame_with_the_hole_card_is_found() -> None:
    cards = [{"value": 8, "suit": 3, "index": 7}, {"value": 10, "suit": 2, "index": 11}]
    data = {"handOwner": "Player", "dealerHand": {"cards": cards[:1]}}
    assert list(frame_faults({"data": data})) == []
    assert list(frame_faults({"data": data | {"dealerHand": {"cards": cards}}})) != []
    assert list(frame_faults({"data": data | {"handOwner": "Dealer", "dealerHand": {"cards": cards}}})) == []
