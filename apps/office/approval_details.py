"""What an approver reads of acts on players, money, log-ins, rounds, alarms, switches and thresholds.

Those of a game's odds and rules are with the game.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from apps.accounts.models import Player, User
from apps.approvals.details import ActDetails, about_rows, approval_details
from apps.audit.models import AuditEntry
from apps.core.actor_names import shown_actor
from apps.core.money import amount_text, grouped
from apps.core.office_html import link_html, time_html
from apps.core.subjects import subject_of
from apps.events.thresholds import ThresholdMeasure, threshold_value
from apps.evidence.consequences import switches_of
from apps.evidence.models import EvidenceAlarm
from apps.evidence.services import alarm_text
from apps.office.threshold_changes import measure_named
from apps.rounds.models import Round
from apps.rounds.registry import game_title
from apps.rounds.void_details import round_void_details
from apps.switches.models import Switch
from apps.switches.selectors import switch_named, switches_named
from apps.tables.models import TableRound
from apps.tables.void_details import table_round_void_details
from apps.wallet.models import Wallet

OFFERED_AGAIN: Final = "begins again, unless another alarm stops it too"
_Asked = Mapping[str, Any]
_Facts = list[tuple[str, object]]

_WALLETS: Final = Wallet.objects.select_related("player__partner", "currency")
_PLAYERS: Final = Player.objects.select_related("partner")
_ROUNDS: Final = Round.objects.select_related("player__partner", "currency", "void")
_TABLE_ROUNDS: Final = TableRound.objects.select_related("table__partner")
_LOG_INS: Final = User.objects.select_related("partner", "player__partner")
_ALARMS: Final = EvidenceAlarm.objects.select_related("close")


def _wallet(wallet: Wallet) -> _Facts:
    link = link_html("wallet_wallet", wallet.pk, f"{wallet.currency_id} of {wallet.player}")
    return [*_player(wallet.player), ("wallet", link)]


def _player(player: Player) -> _Facts:
    return [("partner", player.partner), ("player", link_html("accounts_player", player.pk, player.reference))]


def _round(played: Round) -> _Facts:
    return [*_player(played.player), ("game", game_title(played.game))]


def _table_round(played: TableRound) -> _Facts:
    return [
        ("partner", played.table.partner),
        ("table", link_html("tables_gametable", played.table_id, played.table)),
        ("round", link_html("tables_tableround", played.pk, f"number {played.number}")),
    ]


def _log_in(user: User) -> _Facts:
    facts: _Facts = [
        ("log-in", link_html("accounts_user", user.pk, user.get_username())),
        ("email", user.email or "-"),
        ("role", user.get_role_display()),
    ]
    return facts + (_player(user.player) if hasattr(user, "player") else [])


def _alarm(alarm: EvidenceAlarm) -> _Facts:
    return [
        ("alarm", link_html("evidence_evidencealarm", alarm.pk, alarm)),
        ("game", game_title(alarm.game)),
        ("raised (UTC)", time_html(alarm.ctime)),
    ]


def _new_operator(asked: _Asked) -> _Facts:
    return [("username", asked["username"]), ("email", asked["email"])]


def _measure(asked: _Asked) -> ThresholdMeasure:
    return measure_named(f"{asked['kind']} {asked['measure']}")


def _threshold(asked: _Asked) -> _Facts:
    measure = _measure(asked)
    return [
        ("event", str(measure.kind.label)),
        ("measure", measure.name),
        ("currency", asked["currency"] or "all that have none of their own"),
    ]


def _switches_about(asked: Sequence[_Asked]) -> list[_Facts]:
    """Return what is switched on again, and why it was switched off."""
    found = Switch.objects.filter(scope__in={each["scope"] for each in asked}, key__in={each["key"] for each in asked})
    names = switches_named(found)
    lines = {(each.scope, each.key): _switch(each, names[each.pk]) for each in found}
    return [lines.get((each["scope"], each["key"]), []) for each in asked]


def _switch(switch: Switch, name: str) -> _Facts:
    why: _Facts = [("why it was switched off", switch.reason)] if switch.is_off else []
    return [("what", link_html("switches_switch", switch.pk, name)), *why]


@approval_details("wallet.adjust", "Adjust a wallet", about_rows("wallet", _WALLETS, _wallet))
def adjustment_details(asked: _Asked) -> ActDetails:
    """Return whose wallet is adjusted, and its balance before and after."""
    wallet = _WALLETS.get(pk=asked["wallet"])
    change = Decimal(asked["change"])
    sign = "+" if change > 0 else ""
    return ActDetails(
        [*_wallet(wallet), ("change", f"{sign}{amount_text(change, wallet.currency)}")],
        [],
        [
            (
                "balance",
                amount_text(wallet.balance, wallet.currency),
                amount_text(wallet.balance + change, wallet.currency),
            )
        ],
    )


@approval_details("wallet.unblock", "Unblock a wallet", about_rows("wallet", _WALLETS, _wallet))
def wallet_unblock_details(asked: _Asked) -> ActDetails:
    """Return whose wallet is unblocked, and who has blocked it and why."""
    wallet = _WALLETS.get(pk=asked["wallet"])
    return ActDetails(
        [*_wallet(wallet), *_last_act(subject_of(wallet), "wallet.status", "blocked")],
        [("status", wallet.status, "active")],
    )


@approval_details("player.unblock", "Unblock a player", about_rows("player", _PLAYERS, _player))
def player_unblock_details(asked: _Asked) -> ActDetails:
    """Return who is unblocked, and who has blocked the player and why."""
    player = _PLAYERS.get(pk=asked["player"])
    return ActDetails(
        [*_player(player), *_last_act(subject_of(player), "player.status", "blocked")],
        [("status", player.status, "active")],
    )


@approval_details("round.void", "Void a round", about_rows("round", _ROUNDS, _round))
def void_details(asked: _Asked) -> ActDetails:
    """Return whose round is voided, and what that moves."""
    stake, payout = Decimal(asked["stake"]), Decimal(asked["payout"])
    return round_void_details(_ROUNDS.get(pk=asked["round"]), stake=stake, payout=payout)


@approval_details("table.round.void", "Void a table's round", about_rows("table_round", _TABLE_ROUNDS, _table_round))
def table_void_details(asked: _Asked) -> ActDetails:
    """Return the seats of the round that is voided, and what that moves."""
    return table_round_void_details(_TABLE_ROUNDS.get(pk=asked["table_round"]))


@approval_details("operator.create", "Make an operator", lambda asked: list(map(_new_operator, asked)))
def operator_details(asked: _Asked) -> ActDetails:
    """Return the log-in that is made."""
    return ActDetails(
        _new_operator(asked),
        [("role", "none: there is no such log-in", "operator, who may do everything")],
    )


@approval_details("user.open", "Open a log-in again", about_rows("user", _LOG_INS, _log_in))
def log_in_open_details(asked: _Asked) -> ActDetails:
    """Return the log-in that is opened again, and who has closed it and why."""
    user = _LOG_INS.get(pk=asked["user"])
    acts = _last_act(f"log-in {user.get_username()}", "user.active", "closed")
    return ActDetails([*_log_in(user), *acts], [("log-in", "open" if user.is_active else "closed", "open")])


@approval_details("staff.reset", "Reset a log-in", about_rows("user", _LOG_INS, _log_in))
def log_in_reset_details(asked: _Asked) -> ActDetails:
    """Return the log-in that is reset, and what it loses."""
    user = _LOG_INS.get(pk=asked["user"])
    return ActDetails(
        _log_in(user),
        [
            ("password", "set" if user.has_usable_password() else "none", 'none, until "Forgot your password"'),
            ("sessions", "as they are", "ended"),
            ("second factor", "as it is", "removed" if asked["with_factor"] else "as it is"),
        ],
    )


@approval_details("rtp_alarm.close", "Close an RTP alarm", about_rows("alarm", _ALARMS, _alarm))
def alarm_close_details(asked: _Asked) -> ActDetails:
    """Return what the alarm has found."""
    alarm = _ALARMS.get(pk=asked["alarm"])
    return ActDetails(
        [
            *_alarm(alarm),
            ("what was found", alarm_text(alarm)),
        ],
        [
            ("alarm", "closed" if hasattr(alarm, "close") else "open", "closed"),
            *((name, "refuses rounds", OFFERED_AGAIN) for name in switches_named(switches_of(alarm)).values()),
        ],
    )


@approval_details("switch.on", "Switch on again", _switches_about)
def switch_details(asked: _Asked) -> ActDetails:
    """Return what is switched on, and who has switched it off and why."""
    switch = Switch.objects.get(scope=asked["scope"], key=asked["key"])
    facts = _switch(switch, switch_named(switch))
    if switch.is_off:
        facts += [
            ("switched off by", shown_actor(switch.by)),
            ("switched off (UTC)", time_html(switch.mtime)),
        ]
    return ActDetails(facts, [("state", "off" if switch.is_off else "on", "on")])


@approval_details("threshold.set", "Raise a threshold", lambda asked: list(map(_threshold, asked)))
def threshold_details(asked: _Asked) -> ActDetails:
    """Return the threshold that is raised."""
    measure = _measure(asked)
    return ActDetails(
        _threshold(asked),
        [
            (
                "threshold",
                grouped(threshold_value(measure, currency=asked["currency"])),
                grouped(Decimal(asked["value"])),
            )
        ],
    )


def _last_act(subject: str, action: str, word: str) -> _Facts:
    """Return who did the last act of this kind, when and why."""
    entry = AuditEntry.objects.filter(subject=subject, action=action).order_by("-id").first()
    if entry is None:
        return []
    return [
        (f"{word} by", shown_actor(entry.actor)),
        (f"{word} (UTC)", time_html(entry.ctime)),
        (f"why it was {word}", entry.reason or "-"),
    ]
