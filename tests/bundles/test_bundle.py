"""A round's bundle: proven without the server, with no secret before it is due, and refused with any byte changed."""

import io
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser

from apps.accounts.models import Player, Role
from apps.baccarat import bundle_rules as baccarat_rules
from apps.baccarat.engine import STANDARD_ODDS, GameType, bet_settle, deal
from apps.blackjack import bundle_rules as blackjack_rules
from apps.blackjack.advice import NAMES
from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import SOLO_RULES, Surrender
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import STANDARD_ODDS as SIDE_ODDS
from apps.blackjack.engine.state import Phase
from apps.blackjack.explain import cards_dealt
from apps.bundles.services import VERIFIER, bundle_files, bundle_zip
from apps.cards.card import CARDS
from apps.core.errors import Conflict
from apps.dragon_tiger import bundle_rules as dragon_tiger_rules
from apps.dragon_tiger import engine as dragon_tiger
from apps.fairness.engine import fair_shoe
from apps.partners.models import Scope
from apps.partners.services import api_key_create
from apps.rounds.models import Round
from apps.rounds.services import seeds_rotate
from apps.tables.registry import table_games
from apps.wallet.seals import daily_seal_take
from apps.wallet.signing import public_keys
from tests.support.chromium import kept_chromium
from tests.support.factories import partner_make, staff_make
from tests.support.played import act, baccarat_session, blackjack_session, played_out
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

FILES = {"round.json", "cards.json", "movements.json", "seal.json", "verify.html", "verify.py", "manifest.json"}


def sealed() -> None:
    """Seal yesterday, by which what was played now is sealed too."""
    daily_seal_take(day=datetime.now(UTC).date() - timedelta(days=1))


def unpacked(round_id: Any, folder: Path) -> Path:
    with ZipFile(io.BytesIO(bundle_zip(round_id=round_id))) as archive:
        archive.extractall(folder)
    return folder


def verified(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run the bundle's program as its reader would, without anything of ours; return its exit code and text."""
    done = subprocess.run(
        [sys.executable, "-I", str(folder / "verify.py"), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture(scope="session")
def verifier() -> Any:
    """The program as a module, so that many bundles are checked by one process."""
    import importlib.util

    found = importlib.util.spec_from_file_location("bundle_verify", VERIFIER)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def revealed_round(session: Callable[[], tuple[Player, str]] = baccarat_session) -> Round:
    """Return a round of a player whose seed is revealed."""
    player, _ = session()
    seeds_rotate(player=player, client_seed="another")
    return Round.objects.filter(player=player).latest("started_at")


def test_a_round_is_proven_without_the_server(tmp_path: Path) -> None:
    played = revealed_round(lambda: baccarat_session(bets=3))
    sealed()
    folder = unpacked(played.pk, tmp_path)
    assert {path.name for path in folder.iterdir()} == FILES | {"rules.py"}
    (key,) = public_keys().values()
    code, text = verified(folder, "--key", key)
    assert code == 0, text
    lines = text.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["cards", "payout", "movements", "seal"]
    assert "NOT CHECKED" not in text
    assert "with your key" in text
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
    assert verified(folder, "--key", other)[0] == 1
    code, text = verified(folder, "--help")
    assert code == 0
    assert "--key HEX" in text
    assert "WRONG" not in text


def page_text(browser: Browser, path: Path, *, key: str = "") -> str:
    """Open the bundle's page from its file, without a network; return what it has found."""
    context = browser.new_context(offline=True)
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("#found[data-state=checked]", timeout=60_000)
        if key:
            page.eval_on_selector("#found", "list => delete list.dataset.state")
            page.fill("#key", key)
            page.dispatch_event("#key", "change")
            page.wait_for_selector("#found[data-state=checked]", timeout=60_000)
        return page.inner_text("#found")
    finally:
        context.close()


def test_the_bundle_s_page_proves_a_round_in_a_browser_without_a_network(tmp_path: Path) -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    seeds_rotate(player=player, client_seed="another")
    rounds = [revealed_round(lambda: baccarat_session(bets=2)), Round.objects.get(player=player)]
    sealed()
    (key,) = public_keys().values()
    browser = kept_chromium.open()
    for number, played in enumerate(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        page = unpacked(played.pk, folder) / "verify.html"
        text = page_text(browser, page, key=key)
        assert [line.partition(":")[0] for line in text.splitlines()] == [
            "round", "cards", "payout", "movements", "seal",
        ], text  # fmt: skip
        assert "your key" in text
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
    assert page_text(browser, page, key=other) == "WRONG: the seal is of another key"
    whole = page.read_text()
    found = re.search(r'id="files">(.*?)</script>', whole, re.DOTALL)
    assert found is not None
    contents = {name: json.loads(text) for name, text in json.loads(found[1]).items()}
    for place in (
        "round.json/bets/0/payout",
        "cards.json/dealt/0",
        "movements.json/chain/0/reason",
        "seal.json/signature",
    ):
        name, _, rest = place.partition("/")
        forged = contents | {name: changed(contents[name], rest, FORGERIES[place])}
        page.write_text(
            whole.replace(found[1], json.dumps({each: json.dumps(value) for each, value in forged.items()}))
        )
        assert page_text(browser, page).startswith("WRONG"), place


def test_no_seed_is_in_a_bundle_before_it_is_due_and_none_of_the_players_others(tmp_path: Path) -> None:
    player, _ = baccarat_session()
    played = Round.objects.get(player=player)
    files = bundle_files(round_id=played.pk)
    assert json.loads(files["cards.json"])["seeds"]["server_seed"] == ""
    code, text = verified(unpacked(played.pk, tmp_path))
    assert (code, text.count("NOT CHECKED")) == (0, 2)
    other, _ = baccarat_session()
    everything = b"".join(files.values()).decode()
    assert other.reference not in everything
    assert str(Round.objects.get(player=other).pk) not in everything


def test_rounds_of_blackjack_and_at_tables_are_proven_too(tmp_path: Path) -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    seeds_rotate(player=player, client_seed="another")
    partner, players = players_make(2)
    for game_type in table_games():
        PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30), players).round_play()
    sealed()
    of_tables = Round.objects.filter(table_round__isnull=False, how_ended="played").order_by("game", "seat")
    assert of_tables.count() == 2 * len(table_games())
    for number, played in enumerate((Round.objects.get(player=player), *of_tables)):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, text = verified(unpacked(played.pk, folder))
        assert (code, "NOT CHECKED" in text) == (0, False), text
        is_settled = "bets settle to what was paid, by cards and pay table" in text
        assert is_settled == (played.game != "og-blackjack" or played.table_round is None), text


def test_blackjack_s_rules_of_the_bundle_are_those_of_the_engine() -> None:
    """Rounds of the engine with every kind of decision, settled again from cards, hands and decisions alone."""
    chance, seen = random.Random(7), set[str]()
    for number in range(1500):
        rules = replace(
            SOLO_RULES,
            dealer_peek=number % 3 > 0,
            dealer_hits_soft_17=number % 2 > 0,
            surrender=Surrender.LATE if number % 3 else Surrender.OFF,
        )
        setup = RoundSetup(rules, (SeatStakes(7, 3, 5),))
        shoe = tuple(CARDS[place % 52] for place in chance.sample(range(52 * 8), 60))
        if number % 5 == 0:
            shoe = (shoe[0], shoe[1], CARDS[(shoe[0].rank + 13 * chance.randrange(4)) % 52], *shoe[3:])
        state, events = round_start(setup, shoe)
        events, moves = list(events), []
        while state.phase is not Phase.SETTLED:
            move = chance.choice(legal_actions(state, None, 0))
            insurance = insurance_range(state, None, 0)[-1] if move is Move.INSURE else 0
            state, more = apply_action(state, Action(move, 0, insurance), shoe)
            events += more
            moves.append(move)
        dealt = cards_dealt(events, hole_index=state.hole_index if rules.dealer_peek else None)
        (seat,) = state.seats
        rows = [("hand", index, hand.stake, hand.payout, hand.status.value) for index, hand in enumerate(seat.hands)]
        rows += [(side.bet.value, None, side.stake, side.payout, side.outcome.value) for side in seat.side_bets]
        if seat.insurance is not None and seat.insurance.stake:
            rows.append(("insurance", None, seat.insurance.stake, seat.insurance.payout, seat.insurance.status.value))
        played = {
            "bets": [
                {"bet": bet, "hand": hand, "stake": str(stake), "result": result}
                for bet, hand, stake, _, result in rows
            ],
            "decisions": [{"action": NAMES.get(move, "")} for move in moves],
        }
        terms = {"rules": rules.to_json(), "odds": {name.value: str(x) for name, x in SIDE_ODDS.items()}}
        cards = {"dealt": list(dealt.cards), "places": list(dealt.places)}
        assert blackjack_rules.settle(played, cards, terms, Decimal(1)) == [row[3] for row in rows], (
            number,
            dealt,
            rows,
        )
        seen |= {row[4] for row in rows}
    assert {"Blackjack", "Win", "Push", "Lose", "Bust", "Surrender", "insurance_won", "insurance_lost"} <= seen
    assert {name.value for name in SIDE_ODDS} - {"suitedTrips", "straightFlush"} <= seen
    assert blackjack_rules.settle({"bets": [], "decisions": []}, {"dealt": [], "places": []}, {}, Decimal(1)) is None


def test_a_round_that_is_open_has_no_bundle() -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    with pytest.raises(Conflict):
        bundle_zip(round_id=Round.objects.get(player=player, how_ended="").pk)


def test_any_byte_changed_in_any_file_is_refused(tmp_path: Path, verifier: Any) -> None:
    played = revealed_round()
    sealed()
    folder = unpacked(played.pk, tmp_path)
    verifier.bundle_check(folder)
    chance = random.Random(15)
    for name in sorted(FILES - {"verify.py"}):
        path = folder / name
        whole = path.read_bytes()
        for _ in range(60):
            place = chance.randrange(len(whole))
            other = bytes([whole[place] ^ chance.randrange(1, 128)])
            path.write_bytes(whole[:place] + other + whole[place + 1 :])
            with pytest.raises((verifier.Wrong, OSError, ValueError, KeyError, TypeError, AttributeError)):
                verifier.bundle_check(folder)
        path.write_bytes(whole)
    verifier.bundle_check(folder)


def changed(files: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """Return the files with one value changed; `place` is a path of names and numbers."""
    copy = json.loads(json.dumps(files))
    *way, last = [int(part) if part.isdigit() else part for part in place.split("/")]
    held: Any = copy
    for part in way:
        held = held[part]
    assert held[last] != value, place
    held[last] = value
    return copy


FORGERIES = {
    "cards.json/seeds/server_seed": "f" * 64,
    "cards.json/seeds/client_seed": "mine",
    "cards.json/seeds/nonce": 77,
    "cards.json/dealt/0": "H99",
    "round.json/stake": "1000",
    "round.json/payout": "1000",
    "round.json/bets/0/payout": "1000",
    "round.json/paytable/document": "{}",
    "movements.json/chain/0/change": "-1.00000000",
    "movements.json/chain/0/balance_after": "1.00000000",
    "movements.json/chain/0/ctime_us": 1,
    "movements.json/chain/0/reason": "a gift",
    "movements.json/previous_hash": "00" * 32,
    "movements.json/wallet_id": 0,
    "seal.json/day": "2020-01-01",
    "seal.json/root": "00" * 32,
    "seal.json/signature": "00" * 64,
    "seal.json/head/head": "00" * 32,
    "seal.json/wallets": "{}",
}


def test_a_forged_value_is_refused_also_with_a_new_manifest(tmp_path: Path, verifier: Any) -> None:
    played = revealed_round()
    sealed()
    packed = bundle_files(round_id=played.pk)
    files = {name: json.loads(packed[name]) for name in FILES if name.endswith(".json")}
    (tmp_path / "rules.py").write_bytes(packed["rules.py"])
    for place, value in FORGERIES.items():
        name, _, rest = place.partition("/")
        forged = files | {name: changed(files[name], rest, value)} | {"manifest.json": {}}
        for each, content in forged.items():
            (tmp_path / each).write_text(json.dumps(content))
        with pytest.raises((verifier.Wrong, ValueError, KeyError)):
            verifier.bundle_check(tmp_path)


def test_signatures_hold_as_the_library_says(verifier: Any) -> None:
    chance = random.Random(8032)
    for number in range(12):
        key = Ed25519PrivateKey.generate()
        public, message = key.public_key().public_bytes_raw(), chance.randbytes(number * 7)
        signature = key.sign(message)
        assert verifier.signature_holds(public, message, signature)
        for place in (0, 31, 32, 63):
            broken = bytearray(signature)
            broken[place] ^= 1
            assert not verifier.signature_holds(public, message, bytes(broken))
        assert not verifier.signature_holds(public, message + b"x", signature)


def test_the_rules_of_the_bundle_are_those_of_the_engines() -> None:
    for nonce in range(3000):
        shoe = fair_shoe("ab" * 32, "punto", nonce, decks=8)
        outcome = deal(shoe)
        cards = [card.code for card in (outcome.player[0], outcome.banker[0], outcome.player[1], outcome.banker[1])]
        cards += [card.code for card in (*outcome.player[2:], *outcome.banker[2:])]
        terms = {"odds": {kind.wire_name: f"{float(odds)}" for kind, odds in STANDARD_ODDS.items()}}
        for kind in GameType:
            settled = bet_settle(outcome, kind, Decimal(7), STANDARD_ODDS[kind], quantum=Decimal("0.01"))
            paid = baccarat_rules.payout(cards, kind.wire_name, Decimal(7), terms, Decimal("0.01"))
            assert paid == settled.payout, (nonce, kind)
        pair = dragon_tiger.deal(shoe)
        odds = dragon_tiger.STANDARD_ODDS
        terms = {"odds": {kind.wire_name: str(Fraction(x)) for kind, x in odds.items()}}
        for each in dragon_tiger.GameType:
            settled = dragon_tiger.bet_settle(pair, each, Decimal("7.01"), odds[each], quantum=Decimal("0.01"))
            paid = dragon_tiger_rules.payout(
                [pair.dragon.code, pair.tiger.code], each.wire_name, Decimal("7.01"), terms, Decimal("0.01")
            )
            assert paid == settled.payout, (nonce, each)


def test_page_command_and_api_give_the_same_file_to_those_who_may_have_it(tmp_path: Path) -> None:
    played = revealed_round()
    whole = bundle_zip(round_id=played.pk)
    page = reverse("admin:round_bundle", args=[played.pk])
    for user, status in (
        (staff_make(Role.PARTNER_STAFF, partner=played.partner), 200),
        (staff_make(Role.AUDITOR), 200),
        (staff_make(Role.PARTNER_STAFF), 404),
    ):
        browser = Client()
        browser.force_login(user)
        answer = browser.get(page)
        assert answer.status_code == status
        assert status == 404 or answer.content == whole
    call_command("round_bundle", str(played.pk), to=tmp_path / "a.zip", stdout=io.StringIO())
    assert (tmp_path / "a.zip").read_bytes() == whole
    for partner, status in ((played.partner, 200), (partner_make(), 404)):
        _, text = api_key_create(partner=partner, name="a", scopes=[Scope.READ], actor="test")
        answer = Client().get(f"/v1/rounds/{played.pk}/bundle", headers={"authorization": f"Bearer {text}"})
        assert answer.status_code == status
        assert status == 404 or answer.content == whole
    keys = Client().get("/.well-known/punto-keys.json").json()["keys"]
    assert {each["key_id"]: each["public_key"] for each in keys} == public_keys()
