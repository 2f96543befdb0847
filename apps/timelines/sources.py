"""The tables that timelines are made of. Each source reads by an index, and no more rows than a page needs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.urls import reverse

from apps.audit.models import AuditEntry, RowChange
from apps.core.actor_names import shown_actor
from apps.core.money import amount_text, plain
from apps.core.office_html import act_in_words, in_words
from apps.core.row_history import history_entries
from apps.core.staff_scope import PARTNER_STAFF, Viewer, sees_all_partners
from apps.core.subjects import named_values, subject_of, subjects_in_words, value_text
from apps.events.models import SignificantEvent
from apps.rounds.models import GameSession, Round, RoundAction
from apps.rounds.registry import game_title
from apps.timelines.entries import Entry, Source
from apps.wallet.models import Wallet, WalletTransaction


def movements_of_wallet(wallet: Wallet) -> Source:
    """Return the source of a wallet's movements."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = WalletTransaction.objects.filter(wallet=wallet, ctime__lte=until).order_by("-ctime", "-number")[:limit]
        return (_movement(row, wallet) for row in rows)

    return read


def movements_of_round(played: Round) -> Source:
    """Return the source of a round's movements."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = WalletTransaction.objects.filter(round_id=played.pk, ctime__lte=until)
        rows = rows.select_related("wallet__currency").order_by("-ctime", "-id")[:limit]
        return (_movement(row, row.wallet) for row in rows)

    return read


def rounds_of_player(player_id: int) -> Source:
    """Return the source of a player's rounds, each at its beginning."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = Round.objects.filter(player_id=player_id, started_at__lte=until)
        rows = rows.select_related("currency", "void").order_by("-started_at")[:limit]
        return (_round(row) for row in rows)

    return read


def sessions_of_player(player_id: int) -> Source:
    """Return the source of a player's sessions, each at its beginning."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = GameSession.objects.filter(player_id=player_id, ctime__lte=until).order_by("-ctime", "-id")[:limit]
        return (
            Entry(row.ctime, "session", f"session {row.pk} began: {_game(row.game)}", url=_page(row)) for row in rows
        )

    return read


def decisions_of_round(played: Round) -> Source:
    """Return the source of a round's beginning, decisions and end."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = RoundAction.objects.filter(round_id=played.pk, ctime__lte=until).order_by("-ctime", "-number")[:limit]
        for row in rows:
            yield Entry(row.ctime, "decision", f"decision {row.number}: {_action(row.action)}", by=row.acted_by)
        if played.started_at <= until:
            yield _round(played)
        if played.ended_at is not None and played.ended_at <= until:
            yield Entry(played.ended_at, "round", f"ended: {played.get_how_ended_display()}")

    return read


def acts_on(subjects: Sequence[str], viewer: Viewer) -> Source:
    """Return the source of acts whose subject is one of these texts."""
    return _acts(Q(subject__in=subjects), viewer)


def acts_of_partner(partner_id: int, viewer: Viewer) -> Source:
    """Return the source of all acts that concern a partner."""
    return _acts(Q(partner_id=partner_id), viewer)


def acts_by(user_id: int, viewer: Viewer) -> Source:
    """Return the source of a log-in's acts."""
    return _acts(Q(actor_user_id=user_id), viewer)


def events_about(subjects: Sequence[str], viewer: Viewer, *, round_id: UUID | None = None) -> Source:
    """Return the source of the significant events about one of these subjects, or about a round."""
    condition = Q(subject__in=subjects)
    if round_id is not None:
        condition |= Q(round_id=round_id)
    return _events(condition, viewer)


def events_of_partner(partner_id: int, viewer: Viewer) -> Source:
    """Return the source of all significant events of a partner."""
    return _events(Q(partner_id=partner_id), viewer)


def changes_of(rows: Sequence[Model]) -> Source:
    """Return the source of the kept versions of rows, each with what it changed."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        names = subjects_in_words(subject_of(row) for row in rows)
        for row in rows:
            table, key = row._meta.db_table, str(row.pk)
            versions = RowChange.objects.filter(table_name=table, row_key=key)
            kept = list(versions.filter(ctime__lte=until).order_by("-ctime", "-number")[:limit])
            formers = versions.filter(number__in=[version.number - 1 for version in kept])
            content = dict(formers.values_list("number", "content"))
            for version in kept:
                if text := _difference(version, content.get(version.number - 1)):
                    yield Entry(version.ctime, "change", f"{names[subject_of(row)]}: {text}")

    return read


def history_of(row: Any) -> Source:
    """Return the source of the saved versions of limits, odds or rules."""

    def read(until: datetime, limit: int) -> Iterator[Entry]:
        for entry in history_entries(row, until=until, most=limit):
            said = ", ".join(f"{name}: {_shown(before)} to {_shown(after)}" for name, before, after in entry.changes)
            text = f"{entry.kind}: {said}" if said else entry.kind
            yield Entry(entry.time, "version", text, by=entry.who)

    return read


def _acts(condition: Q, viewer: Viewer) -> Source:
    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows: QuerySet[AuditEntry] = AuditEntry.objects.filter(condition, ctime__lte=until)
        if not sees_all_partners(viewer):
            rows = rows.filter(partner_id=viewer.partner_id)
        acts = list(rows.order_by("-ctime", "-id")[:limit])
        subjects = subjects_in_words(row.subject for row in acts)
        return (_act(row, subjects[row.subject], viewer) for row in acts)

    return read


def _events(condition: Q, viewer: Viewer) -> Source:
    def read(until: datetime, limit: int) -> Iterator[Entry]:
        rows = SignificantEvent.objects.filter(condition, ctime__lte=until)
        if not sees_all_partners(viewer):
            rows = rows.filter(partner_id=viewer.partner_id)
        events = list(rows.order_by("-ctime", "-id")[:limit])
        subjects = subjects_in_words(row.subject for row in events)
        return (_event(row, subjects[row.subject], viewer) for row in events)

    return read


def _event(row: SignificantEvent, subject: str, viewer: Viewer) -> Entry:
    amount = "" if row.amount is None else f", {plain(row.amount)} {row.currency}".rstrip()
    return Entry(
        row.ctime,
        "event",
        f"{row.get_kind_display()}: {subject}{amount}",
        by=shown_actor(row.actor),
        reason=row.reason if sees_all_partners(viewer) else "",
        url=_page(row),
    )


def _act(row: AuditEntry, subject: str, viewer: Viewer) -> Entry:
    may_open = viewer.role != PARTNER_STAFF
    return Entry(
        row.ctime,
        "act",
        f"{act_in_words(row.action)}, {subject}{_before_after(row.data)}",
        by=shown_actor(row.actor),
        reason=row.reason,
        url=reverse("admin:audit_auditentry_change", args=[row.pk]) if may_open else "",
    )


def _before_after(data: Mapping[str, Any]) -> str:
    before, after = named_values(data.get("before")), named_values(data.get("after"))
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    said = [f"{in_words(name)} {_shown(before.get(name))} to {_shown(after.get(name))}" for name in names]
    return f": {', '.join(said)}" if said else ""


def _difference(version: RowChange, former: Mapping[str, Any] | None) -> str:
    if version.op != RowChange.Op.CHANGED or former is None:
        return "" if version.op == RowChange.Op.CHANGED else str(version.get_op_display())
    content: Mapping[str, Any] = version.content
    names = [name for name in {**former, **content} if former.get(name) != content.get(name)]
    return ", ".join(_change(name, former.get(name), content.get(name)) for name in names)


def _change(name: str, before: object, after: object) -> str:
    if str(after).startswith("sha256:"):
        return f"{in_words(name)} changed"
    return f"{in_words(name)} {_shown(before)} to {_shown(after)}"


def _movement(row: WalletTransaction, wallet: Wallet) -> Entry:
    sign = "+" if row.change > 0 else ""
    change, balance = amount_text(row.change, wallet.currency), amount_text(row.balance_after, wallet.currency)
    return Entry(
        row.ctime,
        "movement",
        f"{row.get_kind_display()} {sign}{change}, then {balance}",
        reason=row.reason,
        url=_page(row),
    )


def _round(row: Round) -> Entry:
    end = "voided" if hasattr(row, "void") else row.get_how_ended_display()
    stake, payout = amount_text(row.stake, row.currency), amount_text(row.payout, row.currency)
    return Entry(
        row.started_at,
        "round",
        f"{game_title(row.game)} {_short(row.pk)}: staked {stake}, paid {payout}, {end}",
        url=_page(row),
    )


def _game(game: str) -> str:
    return game_title(game) if game else "all tables"


def _action(action: Any) -> str:
    named = action.get("action") or action.get("type") if isinstance(action, dict) else action
    return in_words(str(named)) if named else "recorded"


def _short(pk: UUID) -> str:
    return str(pk)[:8]


def _shown(value: object) -> str:
    text = value_text(value) or "none"
    return f"({text})" if isinstance(value, (Mapping, list)) else text


def _page(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
