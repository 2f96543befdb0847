"""A round's bundle: its check needs no server, it holds no secret too early, and a change of any byte is found."""

import io
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Player, Role
from apps.baccarat import bundle_rules as baccarat_rules
from apps.blackjack import bundle_rules as blackjack_rules
from apps.blackjack.engine.side_bets import STANDARD_ODDS as SIDE_ODDS
from apps.blackjack.models import BlackjackConfig
from apps.bundles.contents import MAX_SENT_MOVEMENTS, bundle_contents
from apps.bundles.services import bundle_files, bundle_zip
from apps.cards.shoe import INFINITE_DECKS
from apps.core.errors import Conflict
from apps.dragon_tiger import bundle_rules as dragon_tiger_rules
from apps.partners.models import Scope
from apps.partners.services import api_key_create
from apps.rounds.models import Round
from apps.rounds.services import seeds_rotate
from apps.rounds.table_game import PLACE_BET, WINDOW_ACTIONS
from apps.tables.registry import table_games
from apps.wallet.models import WalletTransaction
from apps.wallet.seals import daily_seal_take
from apps.wallet.signing import public_keys
from casino.settings.waits import WAIT_S
from tests.support.bundle_cases import CASES, baccarat_cases, blackjack_cases, dragon_tiger_cases
from tests.support.bundle_page import BundlePage, texts_of
from tests.support.chromium import kept_chromium
from tests.support.copied_movements import movements_copy
from tests.support.factories import partner_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.played import act, baccarat_session, blackjack_session, played_out
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

FORGED = ("round.json", "cards.json", "movements.json", "seal.json")
FILES = {"round.json", "cards.json", "movements.json", "seal.json", "verify.html", "verify.py", "manifest.json"}


def sealed() -> None:
    """Take yesterday's seal, which covers everything that has been committed until now."""
    daily_seal_take(day=datetime.now(UTC).date() - timedelta(days=1))


def unpacked(round_id: Any, folder: Path) -> Path:
    with ZipFile(io.BytesIO(bundle_zip(round_id=round_id))) as archive:
        archive.extractall(folder)
    return folder


def verified(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run the bundle's program as its reader would, without the project; return its exit code and text."""
    done = subprocess.run(
        [sys.executable, "-I", str(folder / "verify.py"), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


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


def digested(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a page with a manifest that fits them."""
    of_files = {name: text for name, text in texts.items() if name != "manifest.json"}
    manifest = {name: sha256(text.encode()).hexdigest() for name, text in of_files.items()}
    return of_files | {"manifest.json": json.dumps(manifest, indent=1) + "\n"}


def paid_more(files: Mapping[str, Any], verifier: Any) -> dict[str, Any]:
    """Return the files with a payout that is one unit higher in the bet, the round and the movements, so that all sums
    agree. No day's seal covers the round.
    """
    forged = json.loads(json.dumps(files))
    played, movements = forged["round.json"], forged["movements.json"]
    unit = Decimal(played["quantum"])
    for row in (played["bets"][0], played):
        row["payout"] = str(Decimal(row["payout"]) + unit)
    chain, own = movements["chain"], [row for row in movements["chain"] if row["round_id"] == played["id"]]
    paying = next((row for row in own if row["kind"] == "reward"), None)
    if paying is None:
        paying = own[-1] | {"kind": "reward", "change": "0"}
        chain.insert(chain.index(own[-1]) + 1, paying)
    paying["change"] = str(Decimal(paying["change"]) + unit)
    previous = movements["previous_hash"]
    for number, row in enumerate(chain, start=chain[0]["number"]):
        row["number"] = number
        previous = row["hash"] = verifier.movement_hash(previous, row)
    return forged | {"seal.json": None}


def test_the_bundle_s_page_proves_a_round_in_a_browser_without_a_network(tmp_path: Path, verifier: Any) -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    seeds_rotate(player=player, client_seed="another")
    rounds = [revealed_round(lambda: baccarat_session(bets=2)), Round.objects.get(player=player), table_seat()]
    sealed()
    (key,) = public_keys().values()
    browser = kept_chromium.open()
    for number, played in enumerate(rounds):
        (tmp_path / str(number)).mkdir()
        path = unpacked(played.pk, tmp_path / str(number)) / "verify.html"
        with BundlePage(browser, path) as page:
            text = page.check(key=key)
            assert [line.partition(":")[0] for line in text.splitlines()] == [
                "round", "cards", "payout", "movements", "seal",
            ], text  # fmt: skip
            assert "your key" in text
            assert "to what was paid, by cards and pay table" in text
            texts = texts_of(path.read_text())
            files = {name: json.loads(text) for name, text in texts.items()}
            forged = {name: json.dumps(content) for name, content in paid_more(files, verifier).items()}
            assert "and the record has" in page.check(digested(forged))
            page.check(texts)
            if played is rounds[0]:
                _page_refuses_forgeries(page, texts)
            if played is rounds[2]:
                other = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
                assert page.check(key=other) == "WRONG: the seal is of another key"
            cases = list(CASES[played.game](300))
            assert page.settled(cases) == [[str(paid) for paid in case.paid] for case in cases]


def _page_refuses_forgeries(page: BundlePage, texts: Mapping[str, str]) -> None:
    chance = random.Random(18)
    for name, whole in texts.items():
        place = chance.randrange(len(whole))
        altered = whole[:place] + chr(ord(whole[place]) ^ 1) + whole[place + 1 :]
        assert page.check(dict(texts) | {name: altered}).startswith("WRONG"), (name, place)
    for place, value in FORGERIES.items():
        name, _, rest = place.partition("/")
        forged = changed(json.loads(texts[name]), rest, value)
        assert page.check(digested(dict(texts) | {name: json.dumps(forged)})).startswith("WRONG"), place
    assert page.check(digested(texts)).startswith("round")


def table_seat() -> Round:
    """Return the round of a seat at a blackjack table with a second seat, which has split or hit."""
    partner, players = players_make(2)
    table = PlayedTable(table_make(partner, game_type="blackjack", currency="FUN", window_s=30), players)
    played = table.round_play(action="hit")
    return Round.objects.get(table_round=played.pk, seat=1)


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


@pytest.mark.parametrize("game_type", [*table_games()])
def test_of_other_seats_a_bundle_has_number_contribution_actions_and_cards_alone(game_type: str) -> None:
    """The other seat's stake is an amount that occurs nowhere else."""
    partner, players = players_make(2)
    table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30), players)
    table.next_window()
    table.stake(0, 10)
    assert table.act(1, PLACE_BET, **table.bet(10) | {"amount": Decimal("37.71")}) is None
    table.window_end()
    shared = table.play_out("double_down")
    own, other = (Round.objects.select_related("player__at_tables").get(table_round=shared.pk, seat=n) for n in (1, 2))
    assert other.stake % Decimal("37.71") == 0
    files = bundle_files(round_id=own.pk)
    played, cards = json.loads(files["round.json"]), json.loads(files["cards.json"])
    assert played["table"]["contributions"] == [
        {"seat": row["seat"], "contribution": row["clientSeed"]} for row in shared.contributions
    ]
    decisions = shared.actions.exclude(action__name__in=WINDOW_ACTIONS).order_by("number")
    assert played["table"]["decisions"] == [{"seat": row.seat, "action": row.action["name"]} for row in decisions]
    assert played["table"].keys() == {"contributions", "decisions"}
    seats = {place.partition(":")[0] for place in cards["places"]} - {"D", "H"}
    assert seats == ({"1", "2"} if game_type == "blackjack" else set())
    text = b"".join(content for name, content in files.items() if name.endswith((".json", ".html"))).decode()
    names = (other.player.reference, other.player.at_tables.display_name, str(other.pk), "37.71", "75.42")
    assert [name for name in names if name in text] == []
    # In cents, the digits of the stake may occur by chance within a hash or an id.
    assert re.findall(r"(?<![0-9a-f-])(?:3771|7542)(?![0-9a-f-])", text) == []


def test_rounds_of_blackjack_and_at_tables_are_proven_too(tmp_path: Path, verifier: Any) -> None:
    player, token = blackjack_session()
    played_out(token, "Stand")
    seeds_rotate(player=player, client_seed="another")
    partner, players = players_make(2)
    for game_type in table_games():
        table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30), players)
        table.stake(0, 20)
        assert table.act(0, "clear_bets") is None  # the stake comes back before the deal
        table.round_play()
    sealed()
    of_tables = Round.objects.filter(table_round__isnull=False, how_ended="played").order_by("game", "seat")
    assert of_tables.count() == 2 * len(table_games())
    for number, played in enumerate((Round.objects.get(player=player), *of_tables)):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, text = verified(unpacked(played.pk, folder))
        assert (code, "NOT CHECKED" in text) == (0, False), text
        assert re.search(r"payout: (1 bet settles|\d+ bets settle) to what was paid, by cards and pay table", text), (
            text
        )
        forged = paid_more({name: json.loads((folder / name).read_bytes()) for name in FORGED}, verifier)
        for name, content in forged.items():
            (folder / name).write_text(json.dumps(content))
        (folder / "manifest.json").write_text("{}\n")
        with pytest.raises(verifier.Wrong, match="and the record has"):
            verifier.bundle_check(folder)


def test_a_round_of_infinite_decks_is_proven_too(tmp_path: Path) -> None:
    """A number of decks would make both verifiers lay out a shoe, and call a true round wrong. `make test` opens every
    other bundle in a browser."""
    player, _ = baccarat_session(decks=INFINITE_DECKS)
    seeds_rotate(player=player, client_seed="another")
    partner, players = players_make(2)
    for game_type in table_games():
        rules = {"decks": None}
        table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", rules=rules), players)
        table.round_play()
    played = Round.objects.filter(how_ended="played").order_by("game", "seat")
    assert played.count() == 1 + 2 * len(table_games())
    for number, pk in enumerate(played.values_list("pk", flat=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, text = verified(unpacked(pk, folder))
        assert (code, re.findall(r"cards: all \d+ cards follow from the seeds", text) != []) == (0, True), text
        if IS_LONG or number % 2 == 0:
            with BundlePage(kept_chromium.open(), folder / "verify.html") as page:
                assert page.text().splitlines()[1:] == text.splitlines()


def test_a_round_of_free_play_is_proven_without_a_movement(tmp_path: Path, verifier: Any) -> None:
    player, token = blackjack_session(values=(10, 7, 9, 10))
    BlackjackConfig.objects.update(bet_min=0, free_play=True)
    act(token, "Bet")
    act(token, "Stand")
    act(token, "Hit")
    seeds_rotate(player=player, client_seed="another")
    played = Round.objects.get(player=player)
    assert (played.stake, played.how_ended) == (0, "played")
    folder = unpacked(played.pk, tmp_path)
    code, text = verified(folder)
    assert (code, "NOT CHECKED" in text) == (0, False), text
    assert "movements: none, for the round has no stake" in text
    with BundlePage(kept_chromium.open(), folder / "verify.html") as page:
        assert page.text().splitlines()[1:] == text.splitlines()
    # A bundle of a round with a stake cannot leave its movements out.
    paid = json.loads((folder / "round.json").read_bytes()) | {"stake": "10", "is_voided": True}
    with pytest.raises(verifier.Wrong, match="has a stake, and no movement"):
        verifier.movements_check(paid, json.loads((folder / "movements.json").read_bytes()))


def test_blackjack_s_rules_of_the_bundle_are_those_of_the_engine() -> None:
    """Rounds of the engine with every kind of decision, settled again from cards, hands and decisions alone."""
    seen = set[str]()
    for number, case in enumerate(blackjack_cases(1500)):
        settled = blackjack_rules.settle(case.played, case.cards, case.played["terms"], Decimal(1))
        assert settled == case.paid, (number, case)
        seen |= {bet["result"] for bet in case.played["bets"]}
    assert {"Blackjack", "Win", "Push", "Lose", "Bust", "Surrender", "insurance_won", "insurance_lost"} <= seen
    assert {name.value for name in SIDE_ODDS} - {"suitedTrips", "straightFlush"} <= seen
    assert blackjack_rules.settle({"bets": [], "decisions": []}, {"dealt": [], "places": []}, {}, Decimal(1)) is None


def test_cards_that_are_said_to_be_another_seat_s_are_refused() -> None:
    """The order of the deal fixes each seat's first cards, so a bundle cannot give a seat its neighbour's hand."""
    case = next(case for case in blackjack_cases(50) if case.played["seat"] and "1:1" in case.cards["places"])
    places = case.cards["places"]
    for other in (places[::-1], [place.replace("1:", "0:") for place in places[:1]] + places[1:], places[1:]):
        with pytest.raises(ValueError, match=r"in turn|invalid literal"):
            blackjack_rules.settle(case.played, case.cards | {"places": other}, case.played["terms"], Decimal(1))


def test_a_round_that_is_open_has_no_bundle() -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    with pytest.raises(Conflict):
        bundle_zip(round_id=Round.objects.get(player=player, how_ended="").pk)


def test_a_bundle_of_too_many_movements_is_not_sent_and_says_who_can_write_it(superuser: psycopg.Connection) -> None:
    played = revealed_round()
    numbers = WalletTransaction.objects.filter(round_id=played.pk).values_list("number", flat=True)
    wallet_id = played.player.wallets.get().pk
    movements_copy(superuser, wallet_id=wallet_id, count=MAX_SENT_MOVEMENTS + 1 - len(numbers))
    sealed()
    _, text = api_key_create(partner=played.partner, name="a", scopes=[Scope.READ], actor="test")
    answer = Client().get(f"/v1/rounds/{played.pk}/bundle", headers={"authorization": f"Bearer {text}"})
    assert answer.status_code == 409
    assert answer.json()["detail"] == (
        "the wallet has 20001 movements from this round to the seal that covers it, and a bundle of at most 20000 is"
        " sent: the operator can write it with manage.py round_bundle"
    )
    assert len(bundle_contents(round_id=played.pk)["movements.json"]["chain"]) == MAX_SENT_MOVEMENTS + 1


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
    "cards.json/round_id": "00000000-0000-0000-0000-000000000000",
    "cards.json/seeds/commitment": "f" * 64,
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
    "movements.json/round_id": "00000000-0000-0000-0000-000000000000",
    "seal.json/day": "2020-01-01",
    "seal.json/root": "00" * 32,
    "seal.json/signature": "00" * 64,
    "seal.json/head/head": "00" * 32,
    "seal.json/head/row_count": 0,
    "seal.json/key_id": "00" * 8,
    "seal.json/wallets": "{}",
}


def test_a_forged_value_is_refused_also_with_a_new_manifest(tmp_path: Path, verifier: Any) -> None:
    played = revealed_round()
    sealed()
    packed = bundle_files(round_id=played.pk)
    files = {name: json.loads(packed[name]) for name in FILES if name.endswith(".json")}
    (tmp_path / "rules.py").write_bytes(packed["rules.py"])

    def bundle_check(changed_files: dict[str, Any]) -> None:
        for each, content in (files | changed_files).items():
            (tmp_path / each).write_text(json.dumps(content))
        (tmp_path / "manifest.json").write_text("{}\n")
        verifier.bundle_check(tmp_path)

    bundle_check({})
    for place, value in FORGERIES.items():
        name, _, rest = place.partition("/")
        with pytest.raises((verifier.Wrong, ValueError, KeyError)):
            bundle_check({name: changed(files[name], rest, value)})


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
        # The same signature in other bytes: its scalar is not below the group's order.
        scalar = int.from_bytes(signature[32:], "little") + verifier.ORDER
        assert not verifier.signature_holds(public, message, signature[:32] + scalar.to_bytes(32, "little"))


def test_the_rules_of_the_bundle_are_those_of_the_engines() -> None:
    for rules, cases in ((baccarat_rules, baccarat_cases(3000)), (dragon_tiger_rules, dragon_tiger_cases(3000))):
        for number, (played, cards, paid) in enumerate(cases):
            settled = [
                rules.payout(cards["dealt"], bet["bet"], Decimal(bet["stake"]), played["terms"], Decimal("0.01"))
                for bet in played["bets"]
            ]
            assert [int(100 * each) for each in settled] == paid, (number, cards)


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
