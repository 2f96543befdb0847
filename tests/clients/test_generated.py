"""Clients that generators make from the published documents (docs/clients.md) are type-checked and play rounds.

`make test` plays at a table of one game, and checks the types of TypeScript alone; `make soak` plays at two games, and
checks the types of Python too.
"""

import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from apps.accounts.models import Player
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.models import BaccaratGameRecord
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.wallet.models import Wallet
from casino.local.node import node_ensure
from casino.settings.waits import WAIT_S
from tests.docs.pages import fences, page, section
from tests.support.baccarat import offer_make
from tests.support.blackjack import blackjack_offer
from tests.support.factories import player_make
from tests.support.long_form import IS_LONG
from tests.support.server import Server
from tests.support.tables import table_make

ROOT = Path(__file__).resolve().parents[2]
STAKE = "123456789012.12345678"
"""More digits than a binary float holds."""
BLACKJACK_STAKE = "0.12345678"
AT_TABLES = [("blackjack", BLACKJACK), *([("baccarat", BACCARAT)] if IS_LONG else [])]
"""The games that are played at a table, and their ids."""

pytestmark = pytest.mark.xdist_group("clients")


class Workshop:
    """A folder in which the commands of docs/clients.md run."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        scripts = Path(sys.executable).parent
        self.environment = {
            "PATH": f"{scripts}:{ROOT / 'node_modules' / '.bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            "PUNTO": server.url,
            "SOCKET": server.socket_url,
            "CHECKOUT": str(ROOT),
            "STAKE": STAKE,
            "BLACKJACK_STAKE": BLACKJACK_STAKE,
        }

    def run(self, command: str, **environment: str) -> str:
        """Run a shell command and return its output; fail with the output if the command fails."""
        done = subprocess.run(
            ["sh", "-ec", command],
            cwd=self.folder, env=self.environment | environment, capture_output=True, text=True, timeout=3 * WAIT_S,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def run_section(self, heading: str, **environment: str) -> str:
        """Run the commands under a heading of the page; return the output of the last."""
        return [self.run(command, **environment) for command in commands_of(heading)][-1]

    def make(self, heading: str, made: str) -> None:
        """Run the commands under a heading except the last, which plays. Do nothing if `made` exists already."""
        if not (self.folder / made).exists():
            for command in commands_of(heading)[:-1]:
                self.run(command)


def commands_of(heading: str) -> list[str]:
    """Return the commands under a heading of the page."""
    blocks = [block for language, block in fences(section(page("docs/clients.md"), heading)) if language == "sh"]
    commands = [line for block in blocks for line in block.splitlines() if not re.fullmatch(r"[A-Z]+=\S+", line)]
    assert commands, heading
    return commands


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, shared_server: Server) -> Workshop:
    """The folder with both documents in it."""
    node_ensure(ROOT)
    made = Workshop(tmp_path_factory.mktemp("clients"), shared_server)
    (made.folder / "node_modules").symlink_to(ROOT / "node_modules")
    (made.folder / "package.json").write_text('{"type": "module"}')
    made.run_section("Amounts")
    return made


@pytest.fixture
def player(committed: None) -> Player:
    """A rich player whose partner offers both games in a currency of eight decimals."""
    player = player_make(balance=Decimal("500000000000"), currency="BTC")
    offer_make(player.partner, currency="BTC", bet_max="200000000000")
    blackjack_offer(player.partner, currency="BTC", bet_min=Decimal("0.00000001"))
    return player


def session(player: Player, game: str) -> str:
    return game_session_open(player=player, game=game, currency_code="BTC")[1]


def test_python_over_http_bets_exactly(workshop: Workshop, player: Player) -> None:
    workshop.make("Python, HTTP", "punto_client")
    printed = workshop.run(commands_of("Python, HTTP")[-1], BACCARAT_SESSION=session(player, BACCARAT))
    record = BaccaratGameRecord.objects.get(player=player)
    found = re.fullmatch(r"\w+ stake (\S+) won (\S+) balance (\S+)\n", printed)
    assert found, printed
    stake, won, balance = (Decimal(text) for text in found.groups())
    assert (stake, won) == (Decimal(STAKE), record.reward_amount - record.bet_amount)
    assert (record.bet_amount, balance) == (Decimal(STAKE), Wallet.objects.get(player=player).balance)
    text = "".join(module.read_text() for module in (workshop.folder / "punto_client" / "models").glob("*.py"))
    assert "Decimal" in text
    assert not re.search(r"\bfloat\b|VALUE_", text)


def test_python_over_the_socket_plays_a_round(workshop: Workshop, player: Player) -> None:
    workshop.make("Python, the socket", "punto_socket.py")
    printed = workshop.run(commands_of("Python, the socket")[-1], BLACKJACK_SESSION=session(player, BLACKJACK))
    found = re.fullmatch(r"points \d+ paid (\S+) balance (\S+)\n", printed)
    assert found, printed
    played = Round.objects.get(player=player)
    assert (played.how_ended, played.payout) == ("played", Decimal(found.group(1)))
    assert Wallet.objects.get(player=player).balance == Decimal(found.group(2))
    assert played.stake == Decimal(BLACKJACK_STAKE)
    assert played.seed_pair.client_seed_chosen


@pytest.mark.parametrize(("game_type", "game"), AT_TABLES)
def test_python_plays_at_a_table(workshop: Workshop, player: Player, game_type: str, game: str) -> None:
    """The program uses both generated clients: one for the lobby's calls, one for the types of messages."""
    workshop.make("Python, HTTP", "punto_client")
    workshop.make("Python, the socket", "punto_socket.py")
    table_play(workshop, player, game_type, game, heading="Python, the tables")


@pytest.mark.soak
def test_python_clients_pass_a_strict_type_check_with_their_programs(workshop: Workshop) -> None:
    workshop.make("Python, HTTP", "punto_client")
    workshop.make("Python, the socket", "punto_socket.py")
    workshop.run(strict(workshop, "punto_client", "punto_socket.py", "baccarat.py", "blackjack.py", "tables.py"))


@pytest.mark.parametrize(("game_type", "game"), AT_TABLES)
def test_typescript_plays_at_a_table(workshop: Workshop, player: Player, game_type: str, game: str) -> None:
    """`tsc --strict` compiles it with the types of both documents."""
    workshop.make("TypeScript", "punto-socket.ts")
    table_play(workshop, player, game_type, game, heading="TypeScript, the tables")


def table_play(workshop: Workshop, player: Player, game_type: str, game: str, *, heading: str) -> None:
    """Have a program of the page play three rounds, and compare its output with the ledger."""
    limits = {"main" if game_type == "blackjack" else "banker": {"minAmount": BLACKJACK_STAKE, "maxAmount": STAKE}}
    table_make(player.partner, game_type=game_type, currency="BTC", limits=limits, pause_s=0)
    before = Wallet.objects.get(player=player).balance
    printed = workshop.run_section(heading, TABLE_SESSION=session(player, game), TABLE_GAME=game_type)
    lines = [re.fullmatch(r"round \d+ stakes (\S+) payout \S+ net (\S+)", line) for line in printed.splitlines()]
    nets = [Decimal(line.group(2)) for line in lines if line]
    assert len(nets) == 3, printed
    assert [line.group(1) for line in lines if line] == [BLACKJACK_STAKE] * 3
    played = Round.objects.filter(player=player, table_round__isnull=False, how_ended="played")
    assert sum(each.payout - each.stake for each in played) == sum(nets)
    assert before + sum(nets) - Wallet.objects.get(player=player).balance in {Decimal(0), Decimal(BLACKJACK_STAKE)}


def test_typescript_bets_exactly(workshop: Workshop, player: Player) -> None:
    """`tsc --strict` compiles it with the page's tsconfig.json."""
    workshop.make("TypeScript", "punto-socket.ts")
    printed = workshop.run(commands_of("TypeScript")[-1], BACCARAT_SESSION=session(player, BACCARAT))
    record = BaccaratGameRecord.objects.get(player=player)
    found = re.fullmatch(r"(?:won|lost|push) stake (\S+) back (\S+) balance (\S+)\n", printed)
    assert found, printed
    assert [Decimal(text) for text in found.groups()] == [
        Decimal(STAKE), record.reward_amount, Wallet.objects.get(player=player).balance
    ]  # fmt: skip
    assert json.loads((workshop.folder / "tsconfig.json").read_text())["compilerOptions"]["strict"] is True


def strict(workshop: Workshop, *generated: str) -> str:
    """Return the command of a strict type check, except for one known error in the generator's code."""
    settings = workshop.folder / "mypy.ini"
    settings.write_text("[mypy]\nstrict = true\n[mypy-punto_client.client]\ndisable_error_code = arg-type\n")
    for name in generated:
        source = ROOT / "docs" / "examples" / "python" / name
        if source.exists():
            (workshop.folder / name).write_text(source.read_text())
    return f"mypy --config-file mypy.ini {' '.join(generated)}"
