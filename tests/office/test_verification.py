"""Verification of rounds: the API, the command and the documented program all give the same cards."""

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, Surrender
from apps.core import json
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import server_seed_open
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from casino.settings.waits import WAIT_S
from tests.support.factories import player_make, wallet_make
from tests.support.long_form import IS_LONG
from tests.support.partners import Answer
from tests.support.played import act, baccarat_session, blackjack_session, played_out, revealed_body

ROOT = Path(__file__).parents[2]
SEED = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
KNOWN = {"clientSeed": "punto", "serverSeed": SEED, "nonce": 0}
COMMITMENT = "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e"
NO_HOLE_CARD = BlackjackRules(dealer_peek=False, surrender=Surrender.OFF)


@pytest.fixture(autouse=True)
def unlimited(settings: Any) -> None:
    """Switch the rate limit off; one test checks it."""
    settings.PUNTO_VERIFICATIONS_PER_S = None


def verify(game: str, body: object, token: str = "") -> Answer:
    path = f"/v1/games/{game}/verify" + (f"/{token}" if token else "")
    data = body if isinstance(body, bytes) else json.encode(body)
    return Answer(Client().post(path, data, content_type="application/json"))


def command(*arguments: str) -> Any:
    written = StringIO()
    call_command("verify_round", *arguments, "--json", stdout=written)
    return json.decode(written.getvalue())


# Known answers


@pytest.mark.usefixtures("committed")
def test_the_documented_vector_by_http_and_by_command() -> None:
    answer = verify("og-baccarat", KNOWN)
    assert answer.status == 200
    assert answer.body["serverSeedHashed"] == COMMITMENT
    assert answer.body["cards"] == ["H3", "D7", "S10", "D9", "D7", "S8"]
    outcome = answer.body["roundOutcome"]
    assert (outcome["player"], outcome["banker"]) == (["H3", "S10", "D7"], ["D7", "D9", "S8"])
    assert (outcome["player_score"], outcome["banker_score"], outcome["winner"]) == (0, 4, "banker")
    assert outcome["results"]["BaccaratGameBetOnBanker"] == "UserWin"
    assert outcome["results"]["BaccaratGameBetOnPlayer"] == "UserLost"
    told = command("--server-seed", SEED, "--client-seed", "punto", "--nonce", "0")
    assert (told["cards"], told["outcome"], told["server_seed_hash"]) == (answer.body["cards"], outcome, COMMITMENT)


@pytest.mark.usefixtures("committed")
def test_the_number_of_decks_is_a_rule() -> None:
    infinite = verify("og-baccarat", KNOWN | {"rules": {"decks": 9}}).body
    assert infinite["cards"][:4] == ["S1", "C3", "H7", "H10"]
    told = command("--server-seed", SEED, "--client-seed", "punto", "--nonce", "0", "--rules", "decks=infinite")
    assert told["cards"] == infinite["cards"]
    one_deck = verify("og-blackjack", KNOWN | {"nonce": 7, "rules": {"decks": 1}}).body
    assert one_deck["cards"] == ["HK", "S10", "H10", "C6"]


@pytest.mark.usefixtures("committed")
def test_blackjack_is_played_as_far_as_the_actions_say() -> None:
    body = verify("og-blackjack", KNOWN | {"actions": ["Stand", "Hit", "Hit"]}).body
    assert body["cards"] == ["H3", "D7", "S10", "D9", "D7"]
    outcome = body["roundOutcome"]
    assert (outcome["roundEnded"], outcome["payout"]) == (True, "2")
    assert outcome["playerHands"][0]["status"] == "Win"
    assert "balance" not in outcome
    told = command(
        *("--game", "og-blackjack", "--server-seed", SEED, "--client-seed", "punto", "--nonce", "0"),
        *("--actions", "Stand,Hit,Hit"),
    )
    assert (told["cards"], told["outcome"]) == (body["cards"], outcome)


def test_the_program_in_the_documents_deals_the_same_cards_as_printed() -> None:
    printed, _ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "fairness.md").read_text(), re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-I", "-c", printed], capture_output=True, text=True, check=True, timeout=WAIT_S
    )
    assert run.stdout == f"{COMMITMENT}\nH3 D7 S10 D9 D7 S8 H7 S1 CK H3\n"
    assert (ROOT / "templates" / "portal" / "check.txt").read_text().strip() == printed.strip()


# Recorded rounds


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("decks", [8, 1])
def test_a_baccarat_round_verifies_by_api_and_command(decks: int) -> None:
    player, token = baccarat_session(decks=decks)
    found = Round.objects.get(player=player)
    before = command(str(found.pk))
    assert (before["matches"], before["is_revealed"]) == (True, False)
    body = revealed_body(player)
    in_session = verify("og-baccarat", body, token)
    assert (in_session.status, in_session.body["roundId"], in_session.body["matchesRecord"]) == (
        200,
        str(found.pk),
        True,
    )
    assert in_session.body["rules"] == {"decks": decks}
    anybody = verify("og-baccarat", body | {"rules": {"decks": decks}})
    assert anybody.body == {
        name: value for name, value in in_session.body.items() if name not in {"roundId", "matchesRecord"}
    }
    record = found.baccarat_records.first()
    assert record is not None
    assert (anybody.body["roundOutcome"]["player"], anybody.body["roundOutcome"]["banker"]) == (
        record.player_cards,
        record.banker_cards,
    )
    assert command(str(found.pk))["cards"] == anybody.body["cards"] == before["cards"]


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("values", "actions", "rules"),
    [
        pytest.param((10, 6, 9, 10), ("Stand",), SOLO_RULES, id="stand"),
        pytest.param((8, 6, 8, 10), ("Split", "Stand", "Stand"), SOLO_RULES, id="split"),
        pytest.param((5, 6, 6, 10), ("Double",), SOLO_RULES, id="double"),
        pytest.param((10, 7, 6, 10), ("Surrender",), SOLO_RULES, id="surrender"),
        pytest.param((10, 6, 9, None), ("Stand",), NO_HOLE_CARD, id="no-hole-card"),
    ],
)
def test_a_blackjack_round_verifies_by_api_and_command(
    values: tuple[int | None, ...], actions: tuple[str, ...], rules: BlackjackRules
) -> None:
    player, token = blackjack_session(values=values, rules=rules)
    played_out(token, *actions)
    found = Round.objects.get(player=player)
    before = command(str(found.pk))
    assert before["matches"]
    body = revealed_body(player)
    in_session = verify("og-blackjack", body, token)
    assert (in_session.body["roundId"], in_session.body["matchesRecord"]) == (str(found.pk), True)
    assert in_session.body["roundOutcome"]["payout"] == found.detail["payout"]
    assert in_session.body["roundOutcome"]["playerHands"] == found.detail["playerHands"]
    # The actions are in the form of the round's details, which players see, and in the form of the action log.
    path = f"/v1/games/og-blackjack/rounds/{found.pk}"
    listed = Client().get(path, {"game_session_id": token}).json()["roundOutcome"]["actions"]
    logged = [{"number": row.number, "by": row.acted_by, "action": row.action} for row in found.actions.all()]
    for taken in (listed, logged):
        anybody = verify("og-blackjack", body | {"rules": rules.to_json(), "actions": taken})
        assert anybody.body["roundOutcome"] == in_session.body["roundOutcome"]
        assert anybody.body["cards"] == in_session.body["cards"] == before["cards"]


@pytest.mark.usefixtures("committed")
def test_insurance_is_verified() -> None:
    player, token = blackjack_session(values=(10, 1, 9, 10))
    act(token, "Bet", betAmount=10)
    act(token, "Peek", acceptedInsurance=True)
    body = revealed_body(player)
    wire = ["Bet", {"action": "Peek", "data": {"acceptedInsurance": True}}]
    wire[0] = {"action": "Bet", "data": {"betAmount": "10"}}
    outcome = verify("og-blackjack", body | {"actions": wire}).body["roundOutcome"]
    assert outcome["insurance"] == {"payout": "15", "status": "insurance_won"}
    assert verify("og-blackjack", body, token).body["roundOutcome"]["insurance"] == outcome["insurance"]


@pytest.mark.usefixtures("committed")
def test_actions_that_differ_from_the_record_do_not_match() -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    body = revealed_body(player) | {"actions": ["Hit"]}
    answer = verify("og-blackjack", body, token)
    assert answer.body["roundId"]
    assert answer.body["matchesRecord"] is False


@pytest.mark.usefixtures("committed")
def test_seeds_without_a_round_match_nothing() -> None:
    _, token = baccarat_session(bets=0)
    body = verify("og-baccarat", KNOWN, token).body
    assert (body["roundId"], body["matchesRecord"]) == (None, None)
    assert body["cards"] == ["H3", "D7", "S10", "D9", "D7", "S8"]


@pytest.mark.usefixtures("committed")
def test_another_player_s_round_is_404() -> None:
    player, _ = baccarat_session()
    body = revealed_body(player)
    other = player_make()
    token = game_session_open(player=other, game="og-baccarat", currency_code="FUN")[1]
    assert verify("og-baccarat", body, token).body["roundId"] is None


@pytest.mark.usefixtures("committed")
def test_an_open_round_is_not_verified() -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    found = Round.objects.get(player=player)
    with pytest.raises(CommandError, match="open"):
        call_command("verify_round", str(found.pk))


def test_an_altered_record_is_found(committed: None, superuser: psycopg.Connection) -> None:
    """An intruder with all privileges alters the payout, the cards and the seed; each is found."""
    player, _ = baccarat_session()
    found = Round.objects.get(player=player)
    assert command(str(found.pk))["matches"]
    superuser.execute("SET session_replication_role = replica")  # no triggers
    superuser.execute("UPDATE game_round SET payout = payout + 1 WHERE id = %s", [found.pk])
    faults = forged(found)
    assert "the round has" in faults
    assert "the balance after" in faults
    superuser.execute("UPDATE game_round SET payout = payout - 1 WHERE id = %s", [found.pk])
    superuser.execute("UPDATE baccarat_game_record SET player_cards[1] = 'H13'")
    assert "the cards are" in forged(found)


@pytest.mark.usefixtures("committed")
def test_the_command_names_the_seed_key_if_it_is_another(settings: Any) -> None:
    player, _ = baccarat_session()
    settings.PUNTO_SEED_KEY = "another key " * 4
    assert "PUNTO_SEED_KEY does not decrypt the seed" in forged(Round.objects.get(player=player))


def forged(found: Round) -> str:
    written = StringIO()
    with pytest.raises(CommandError, match="not as its seeds say"):
        call_command("verify_round", str(found.pk), stdout=written)
    return written.getvalue()


@pytest.mark.usefixtures("committed")
def test_the_command_does_not_show_an_unrevealed_seed() -> None:
    player, _ = baccarat_session()
    found = Round.objects.get(player=player)
    seed = server_seed_open(SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE))
    written = StringIO()
    call_command("verify_round", str(found.pk), stdout=written)
    call_command("verify_round", str(found.pk), "--json", stdout=written)
    assert "as recorded" in written.getvalue()
    assert seed not in written.getvalue()


# Invalid requests


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("game", "body", "status"),
    [
        ("og-baccarat", b"{", 400),
        ("og-baccarat", [], 422),
        ("og-baccarat", {}, 422),
        ("og-limbo", KNOWN, 404),
        ("og-baccarat", KNOWN | {"serverSeed": "short"}, 422),
        ("og-baccarat", KNOWN | {"serverSeed": SEED.upper()}, 422),
        ("og-baccarat", KNOWN | {"clientSeed": "a b"}, 422),
        ("og-baccarat", KNOWN | {"nonce": -1}, 422),
        ("og-baccarat", KNOWN | {"nonce": 2**63}, 422),
        ("og-baccarat", KNOWN | {"nonce": "x"}, 422),
        ("og-baccarat", KNOWN | {"nonce": True}, 422),
        ("og-baccarat", KNOWN | {"rules": {"decks": 0}}, 422),
        ("og-baccarat", KNOWN | {"rules": {"decks": "8"}}, 422),
        ("og-baccarat", KNOWN | {"rules": {"jokers": 2}}, 422),
        ("og-baccarat", KNOWN | {"rules": []}, 422),
        ("og-baccarat", KNOWN | {"currency": "XYZ"}, 422),
        ("og-blackjack", KNOWN | {"rules": {"decks": 12}}, 422),
        ("og-blackjack", KNOWN | {"rules": {"jokers": 2}}, 422),
        ("og-baccarat", KNOWN | {"actions": ["Jump"]}, 422),
        ("og-baccarat", KNOWN | {"actions": [7]}, 422),
        ("og-baccarat", KNOWN | {"nonce": "5"}, 422),
        ("og-blackjack", KNOWN | {"actions": "Hit"}, 422),
        ("og-blackjack", KNOWN | {"actions": ["Split"]}, 422),
        ("og-blackjack", KNOWN | {"actions": ["Jump"]}, 422),
        ("og-blackjack", KNOWN | {"actions": [7]}, 422),
        ("og-blackjack", KNOWN | {"actions": ["Stand", "Stand"]}, 422),
        ("og-blackjack", KNOWN | {"actions": ["Hit"] * 101}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": "Bet", "data": {"betAmount": "0.001"}}]}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": "Bet", "data": {"betAmount": -5}}]}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": "Bet", "data": {"betAmount": "1e9999999"}}]}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": {"move": "bet", "stakes": {"main": -5}}}]}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": {"move": "bet", "stakes": {"main": 10**30}}}]}, 422),
        ("og-blackjack", KNOWN | {"actions": [{"action": {"move": "insure", "insurance": "1"}}]}, 422),
    ],
)
def test_invalid_requests_are_refused(game: str, body: object, status: int) -> None:
    answer = verify(game, body)
    assert answer.status == status
    assert set(answer.body) == {"type", "message", "code"}


@pytest.mark.usefixtures("committed")
def test_any_valid_session_of_the_player_may_verify() -> None:
    assert verify("og-baccarat", KNOWN, "no-session").status == 401
    player, token = baccarat_session()
    found = Round.objects.get(player=player)
    body = revealed_body(player)
    wallet_make(player=player, currency="JPY")
    sessions = [
        game_session_open(player=player, game="og-blackjack", currency_code="FUN")[1],
        game_session_open(player=player, game="og-baccarat", currency_code="JPY")[1],
    ]
    for own in (token, *sessions):
        answer = verify("og-baccarat", body, own)
        assert (answer.status, answer.body["roundId"], answer.body["matchesRecord"]) == (200, str(found.pk), True)


@pytest.mark.usefixtures("committed")
def test_amounts_are_read_in_the_currency_of_the_record() -> None:
    """A session in a currency without decimals can verify a round with a stake of half a unit."""
    player, token = blackjack_session()
    act(token, "Bet", betAmount="1.5")
    data = act(token, "Stand")["data"]
    while not data.get("roundEnded"):
        data = act(token, "Hit")["data"]
    body = revealed_body(player)
    wallet_make(player=player, currency="JPY")
    elsewhere = game_session_open(player=player, game="og-baccarat", currency_code="JPY")[1]
    actions = [{"action": "Bet", "data": {"betAmount": "1.5"}}, "Stand"]
    found = verify("og-blackjack", body, elsewhere)
    assert found.body["matchesRecord"] is True
    answer = verify("og-blackjack", body | {"actions": actions}, elsewhere)
    assert (answer.status, answer.body["roundOutcome"]["betAmount"]) == (200, "1.5")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
_ACTIONS = st.sampled_from(["Bet", "Hit", "Stand", "Double", "Split", "Surrender", "Peek", "insure", "dealer_hit", "?"])
_STEPS = st.lists(
    _ACTIONS
    | st.fixed_dictionaries({"action": _ACTIONS, "data": st.dictionaries(
        st.sampled_from(["betAmount", "acceptedInsurance", "insuranceAmount", "stakes", "insurance"]), _VALUES)})
    | _VALUES,
    max_size=6,
)  # fmt: skip


@pytest.mark.usefixtures("committed")
@hypothesis_settings(
    max_examples=150 if IS_LONG else 50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(nonce=st.integers(0, 50) | _VALUES, steps=_STEPS | _VALUES, rules=st.just({}) | _VALUES)
def test_any_request_gets_a_documented_answer(nonce: Any, steps: Any, rules: Any) -> None:
    answer = verify("og-blackjack", KNOWN | {"nonce": nonce, "actions": steps, "rules": rules})
    assert answer.status in {200, 400, 422}


@pytest.mark.usefixtures("committed")
def test_verification_is_rate_limited(settings: Any) -> None:
    settings.PUNTO_VERIFICATIONS_PER_S = 1
    answers = (verify("og-baccarat", KNOWN) for _ in range(100))
    refused = next(answer for answer in answers if answer.status != 200)
    assert (refused.status, refused.body["code"]) == (429, "RATE_LIMITED")


@pytest.mark.usefixtures("committed")
def test_behind_a_proxy_each_visitor_has_a_limit_of_its_own(settings: Any, client: Client) -> None:
    settings.PUNTO_VERIFICATIONS_PER_S = 1
    settings.PUNTO_PROXIES = 1

    def status(forwarded_for: str) -> int:
        headers = {"X-Forwarded-For": forwarded_for}
        return client.post("/v1/games/og-baccarat/verify", KNOWN, "application/json", headers=headers).status_code

    busy = (status("203.0.113.7") for _ in range(100))
    assert 429 in busy
    # Entries before the proxy's own can be forged by the visitor.
    assert status("203.0.113.7, 203.0.113.8") == 200


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the id of a round"),
        (("00000000-0000-0000-0000-000000000000",), "there is no round"),
        (("--server-seed", "x", "--client-seed", "c", "--nonce", "0"), "serverSeed"),
        (("--server-seed", SEED, "--client-seed", "c", "--nonce", "0", "--rules", "decks=77"), "--rules"),
        (("--server-seed", SEED, "--client-seed", "c", "--nonce", "0", "--currency", "XYZ"), "currency"),
    ],
)
def test_the_command_explains_invalid_input(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("verify_round", *arguments)
