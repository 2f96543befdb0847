"""Each act of the audit trail is a significant event of some kind, or none. This table lists the decision for every
act."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.events.acts import event_of_act
from apps.events.models import EventKind
from apps.rounds.registry import games

ROOT = Path(__file__).parents[2]
ACTION = re.compile(r"[a-z_]+(\.[a-z_]+)+")

NONE = None
TABLE = {
    "api_key.create": EventKind.POLICY_CHANGED,
    "api_key.restrict": EventKind.POLICY_CHANGED,
    "api_key.revoke": EventKind.POLICY_CHANGED,
    # A request for approval or its refusal changes nothing. The approved act is an event, with both persons.
    "approval.ask": NONE,
    "approval.{status}": NONE,
    "blackjack.limits": EventKind.GAME_CHANGED,
    "blackjack.terms": EventKind.GAME_CHANGED,
    "blackjack.terms.confirm": EventKind.GAME_CHANGED,
    "blackjack.terms.withdraw": EventKind.GAME_CHANGED,
    # A scheduled change is an event when it is carried out. It is then an act of the game.
    "change.carry_out": NONE,
    "change.refuse": NONE,
    "change.schedule": NONE,
    "change.withdraw": NONE,
    "config.set": EventKind.GAME_CHANGED,
    "config.withdraw": EventKind.GAME_CHANGED,
    "data.lost": EventKind.DATA_LOST,
    "ledger.reconcile": NONE,  # its findings are events (apps/office/nightly_proof.py)
    "list.export": NONE,
    "odds.confirm": EventKind.GAME_CHANGED,
    "odds.set": EventKind.GAME_CHANGED,
    "odds.withdraw": EventKind.GAME_CHANGED,
    "partner.active": EventKind.POLICY_CHANGED,
    "partner.create": EventKind.POLICY_CHANGED,
    "partner.currency": EventKind.POLICY_CHANGED,
    "partner.frame_origins": EventKind.POLICY_CHANGED,
    "partner.zone": EventKind.POLICY_CHANGED,
    "partner.zone_withdraw": EventKind.POLICY_CHANGED,
    "paytable.on_alarm": EventKind.POLICY_CHANGED,
    "player.note": NONE,
    "player.status": EventKind.ACCOUNT_CHANGED,
    "report.export": NONE,
    "round.auto_complete": NONE,  # the rules play the round, and the report of interrupted games has it
    "round.bundle": NONE,
    "round.void": EventKind.OVERRIDE,
    "rtp.publish": EventKind.POLICY_CHANGED,
    "rtp_alarm.close": EventKind.UNUSUAL,
    "rtp_alarm.raise": NONE,  # the watch records it as event 17 with its figures
    "seeds.renew": NONE,  # a command, and each typed command is event 16
    "seeds.renew_begin": NONE,
    "staff.create": EventKind.POLICY_CHANGED,
    "staff.reset": EventKind.POLICY_CHANGED,
    "staff.sessions.end": EventKind.POLICY_CHANGED,
    "staff.unlock": EventKind.POLICY_CHANGED,
    "statistics.corrected": EventKind.DATA_CHANGED,
    "switch.off": EventKind.GAME_CHANGED,
    "switch.on": EventKind.GAME_CHANGED,
    "table.close": EventKind.GAME_CHANGED,
    "table.configure": EventKind.GAME_CHANGED,
    "table.create": EventKind.GAME_CHANGED,
    "table.open": EventKind.GAME_CHANGED,
    "table.round.void": EventKind.OVERRIDE,
    "threshold.set": EventKind.POLICY_CHANGED,
    "user.active": EventKind.POLICY_CHANGED,
    "wallet.adjust": EventKind.ACCOUNT_CHANGED,
    "wallet.status": EventKind.ACCOUNT_CHANGED,
}
OF_EACH_GAME = ("config.set", "config.withdraw", "odds.confirm", "odds.set", "odds.withdraw")
"""Acts of each game. Their names begin with the game's (`{game.name}_{action}`)."""


def actions_of(path: Path) -> Iterator[str]:
    """Yield the texts of a module that have the form of an action, except names of tasks and of acts that need
    approval.

    A path of a module begins with `apps.`.
    """
    tree = ast.parse(path.read_text())
    others: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            others |= {id(each.value) for each in node.keywords if each.arg in ("act", "kind")}
            if ast.unparse(node.func) == "approval_act":
                others |= {id(each) for each in node.args}
        elif isinstance(node, ast.JoinedStr):
            others |= {id(each) for each in node.values}
            text = ast.unparse(node)[2:-1]
            if re.fullmatch(r"[a-z_]+\.\{status\}", text):
                yield text
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others
        if is_text and ACTION.fullmatch(node.value) and not node.value.startswith("apps."):
            yield node.value


def test_the_table_has_every_act_of_the_code() -> None:
    records = re.compile(r"audit_record|change_record")
    paths = [path for path in (ROOT / "apps").rglob("*.py") if records.search(path.read_text())]
    assert len(paths) > 20
    found = {action for path in paths if path.parent.name != "audit" for action in actions_of(path)}
    assert found == set(TABLE)


@pytest.mark.parametrize(("action", "kind"), TABLE.items())
def test_an_act_is_the_event_that_the_table_says(action: str, kind: EventKind | None) -> None:
    names = [f"{game.slug.replace('-', '_')}_{action}" for game in games()] if action in OF_EACH_GAME else [action]
    for name in (each.replace("{status}", "approved") for each in names):
        event = event_of_act(
            actor="anna", action=name, subject="x", partner_id=None, data={"before": {}, "after": {"a": 1}}, reason=""
        )
        assert (event and event.kind) == kind, name
