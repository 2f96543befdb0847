"""The answers of every page and act of the back office to every role: `page_answers.txt` is their table. A page without
a line in the table fails the test, which prints the line to be added. Check that line before you add it: it is what the
code does, and not necessarily what it should do. `make test` requests every page and act as every role, except that it
requests each history as partner staff alone, as which each row's page is requested too, and the page that would delete
a row as an operator alone: nobody may. As all others it requests one page of each kind: one list, one export, one act,
and each page that belongs to no table. These pages it also renders, for operators, who may see all of them, and
refusals without their frame. `make soak` requests and renders every page as everybody.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.sessions.backends.cached_db import SessionStore
from django.test import Client, override_settings
from django.urls import URLResolver, reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.approvals.models import Approval
from apps.approvals.services import act_or_ask
from apps.build.models import BuildCheck
from apps.events.thresholds import WAGER
from apps.office.staff_sessions import SEEN
from apps.office.threshold_changes import event_threshold_set
from apps.reports.models import KeptReport
from apps.scheduled_changes.services import change_schedule
from apps.search.models import SavedFilter
from apps.staff_access.models import AccessKind, StaffAccess
from apps.switches.models import SwitchScope
from apps.switches.services import switch_set
from apps.wallet.house_accounts import house_snapshots_take
from apps.wallet.seals import yesterday_seal_take
from apps.wallet.services import wallet_adjust
from tests.office.conftest import Casino
from tests.office.page_answers import HEAD, TABLE, answers_read
from tests.office.queries import ROLES
from tests.support.empty_pages import pages_empty, refusals_bare
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG

BrowserOf = Callable[[str, Any], Client]
RowsOf = Callable[[Casino], dict[str, Any]]

pytestmark = pytest.mark.usefixtures("committed")

WIDTHS: Final = (6, 46, *(max(len(name), 6) for name in HEAD[2:]))
OPEN_TO_ALL: Final = {"login", "logout", "colors", "jsi18n"}
"""The log-in, the log-out, and files of the theme, which hold no data of a partner."""
WITHOUT_TOKEN: Final = {"reconcile", "filter_save", "filter_remove"}
"""Posts that are no single-use forms (apps/office/single_use.py says why). The walk sends posts without a token, and
every other act refuses them."""
POSTED: Final = {"reconcile", "player_note", "filter_save", "filter_remove"}
"""Acts that neither belong to a row nor create one."""
FEW_ROLES: Final = {} if IS_LONG else {"history": ["partner_staff"], "delete": ["operator"]}
"""The roles as which pages of these kinds are requested, after the first page of the kind."""
NOT_ASKED: Final = "not asked"
UNKNOWN: Final = 999_999_999
"""A key without a row, for tables in which the casino has no row."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and route of every page of the office."""
    waiting = list(admin.site.urls[0])
    while waiting:
        pattern = waiting.pop()
        if isinstance(pattern, URLResolver):
            waiting += pattern.url_patterns
        elif pattern.name:
            yield pattern.name, str(pattern.pattern)


def acts() -> set[str]:
    """Return the names of pages that are acts. Their forms are sent, too."""
    names = {
        f"{model._meta.app_label}_{model._meta.model_name}_{act}"
        for model, listing in admin.site._registry.items()
        for act in ("add", *(listing.actions_detail or []))
    }
    bulk = {name for name, _ in pages() if "_bulk_" in name}
    return names | bulk | POSTED


def kind_of(name: str) -> str:
    """Return the kind of a table's page, such as a list or an act, or the name of a page that belongs to no table."""
    tables = {f"{model._meta.app_label}_{model._meta.model_name}_" for model in admin.site._registry}
    return name.removeprefix(max((table for table in tables if name.startswith(table)), key=len, default=""))


def addresses(ours: Casino, rows: dict[str, Any]) -> dict[str, str]:
    """Return an address of each page, for a row of the partner if there is one."""
    found = {}
    for name, route in pages():
        model = max((each for each in rows if name.startswith(f"{each}_")), key=len, default="")
        values = {
            "object_id": rows.get(model, UNKNOWN),
            "round_id": rows["tables_tableround" if name == "table_replay" else "rounds_round"],
            "table_id": rows["tables_gametable"], "player_id": ours.player.pk, "partner_id": ours.partner.pk,
            "kind": "player", "key": str(ours.player.pk), "listing": "rounds_round", "saved_id": rows["saved_filter"],
            "kept_id": rows["kept_report"],
            "name": "summary", "form": "csv", "app_label": "rounds",
        }  # fmt: skip
        wanted = {key: values[key] for key in re.findall(r"<(?:\w+:)?(\w+)>", route)}
        found[name] = reverse(f"admin:{name}", kwargs=wanted)
    return found


def rows_everywhere(ours: Casino, rows: dict[str, Any]) -> dict[str, Any]:
    """Return the key of one row of each table that has rows, and of the partner's row if rows have partners."""
    colleague, operator = staff_make(Role.PARTNER_STAFF, partner=ours.partner), staff_make(Role.OPERATOR)
    switch_set(operator=operator, is_off=True, scope=SwitchScope.PLAYER, key=str(ours.player.pk), reason="a test")
    with override_settings(PUNTO_TWO_PERSONS=True):
        adjust = partial(
            wallet_adjust, operator=operator, wallet=ours.player.wallets.get(), change=Decimal(5000), reason="a test"
        )
        assert isinstance(act_or_ask(call=adjust, user=operator, factor_at=timezone.now()), Approval)
    threshold = {"measure": WAGER, "currency": "FUN", "value": Decimal(99), "reason": "a test"}
    event_threshold_set(operator=operator, **threshold)
    BuildCheck.objects.create(
        scope="all", by="test", version="1", manifest_hash="ab", is_signed=True, found=0, differences=[]
    )
    limits = {"config": ours.config.pk, "bet_min": "1", "bet_max": "50", "decks": 8}
    apply_at = timezone.now() + timedelta(days=1)
    change_schedule(user=colleague, kind="baccarat.limits", config=ours.config, payload=limits, apply_at=apply_at)
    house_snapshots_take()
    yesterday_seal_take()
    Client().force_login(colleague)
    saved = SavedFilter.objects.create(listing="rounds_round", name="a test", query="q=a", owner=colleague)
    kept = KeptReport.objects.create(
        name="players", day=date(2026, 1, 1), partner=ours.partner, head=[], row_count=0, body=b"a",
        sha256=sha256(b"a").hexdigest(),
    )  # fmt: skip
    found = rows | {"accounts_user": colleague.pk, "saved_filter": saved.pk, "kept_report": kept.pk}
    for model, listing in admin.site._registry.items():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        own = {} if listing.partner_path in (None, "") else {listing.partner_path: ours.partner.pk}
        row = model._default_manager.filter(**own).order_by("pk").first()
        if name not in found and row is not None:
            found[name] = row.pk
    return found


def answer_told(answer: Any) -> str:
    """Return an answer in one word: the address that it redirects to, or its status."""
    location = answer.get("Location", "")
    if location.startswith((reverse("account_login"), reverse("admin:login"))) or "HX-Refresh" in answer:
        return "log-in"
    return "factor" if location == reverse("mfa_activate_totp") else str(answer.status_code)


class Walk:
    """Requests each page as everybody."""

    def __init__(self, ours: Casino, browser_of: BrowserOf) -> None:
        self.browsers = {who: browser_of(who, ours.partner) for who in (*ROLES, "player")}
        self.files: set[str] = set()
        """The addresses whose answer is a file."""
        self.out = Client()
        self.without_factor = browser_of("operator", ours.partner)
        self.idle = browser_of("operator", ours.partner)
        session = self.idle.session
        self.idle_key, self.idle_data = str(session.session_key), {**session, SEEN: 0}

    def answers(self, method: str, address: str, *, is_whole: bool, kind: str) -> list[str]:
        """Return the answers to everybody, or to the roles alone, in the order of HEAD. A form is sent empty and
        without its token."""
        call, asked = method.lower(), ROLES if is_whole else FEW_ROLES.get(kind, ROLES)
        told = [self._role(call, address, who, is_whole=is_whole) if who in asked else NOT_ASKED for who in ROLES]
        if not is_whole:
            return told
        player = getattr(Client, call)(self.browsers["player"], address, follow=True)
        told += [str(player.status_code), answer_told(getattr(self.out, call)(address)), self._idle(call, address)]
        with override_settings(PUNTO_STAFF_FACTOR=True):
            told.append(answer_told(getattr(Client, call)(self.without_factor, address)))
        return told

    def _role(self, call: str, address: str, who: str, *, is_whole: bool) -> str:
        is_read = who == "operator" and (is_whole or call == "post")
        with nullcontext() if IS_LONG else refusals_bare() if is_read else pages_empty():
            answer = getattr(Client, call)(self.browsers[who], address)
        if call == "post" and who == "operator" and answer.status_code == HTTPStatus.OK:
            assert "the form has no token" in answer.content.decode(), address
        if answer.has_header("Content-Disposition"):
            self.files.add(address)
        return answer_told(answer)

    def _idle(self, call: str, address: str) -> str:
        """Return the answer to an operator whose session was idle for too long. The session ends, so each call begins a
        new one."""
        session = SessionStore(session_key=self.idle_key)
        session.update(self.idle_data)
        session.save()
        self.idle.cookies[settings.SESSION_COOKIE_NAME] = self.idle_key
        told = answer_told(getattr(Client, call)(self.idle, address))
        assert not SessionStore().exists(self.idle_key), "the session has ended"
        return told


def agree(told: list[str], answers: list[str]) -> bool:
    """Whether the answers are those of the table's line, as far as they were asked for."""
    return len(told) >= len(answers) and all(
        answer in (said, NOT_ASKED) for said, answer in zip(told, answers, strict=False)
    )


def line_text(page: tuple[str, str], answers: list[str]) -> str:
    return " ".join(f"{text:<{width}}" for text, width in zip((*page, *answers), WIDTHS, strict=True)).rstrip()


def test_every_page_and_act_answers_each_of_them_as_the_table_says(
    casino_new: Callable[[], Casino], browser_of: BrowserOf, rows_of: RowsOf
) -> None:
    ours = casino_new()
    walk, known, expected = Walk(ours, browser_of), acts(), answers_read()
    assert known >= WITHOUT_TOKEN
    given, kinds = {}, set()
    for name, address in sorted(addresses(ours, rows_everywhere(ours, rows_of(ours))).items()):
        if name not in OPEN_TO_ALL:
            for method in ("GET", "POST") if name in known else ("GET",):
                kind = method, kind_of(name)
                answers = walk.answers(method, address, is_whole=IS_LONG or kind not in kinds, kind=kind[1])
                if not agree(expected.get((method, name), []), answers) and len(answers) == len(ROLES):
                    answers = walk.answers(method, address, is_whole=True, kind=kind[1])
                given[method, name] = answers
                of_roles = answers[: len(ROLES)]
                if method == "POST" and "302" in of_roles and name not in WITHOUT_TOKEN:
                    assert given["GET", name][: len(ROLES)] == of_roles, f"{name} is no link, and has done its act"
                kinds.add(kind)
    assert len(kinds) > 100
    kept = set(StaffAccess.objects.filter(kind=AccessKind.EXPORT).values_list("page", flat=True))
    assert len(walk.files) > 15
    assert walk.files <= kept, walk.files - kept
    in_order = sorted(given.items(), key=lambda each: (each[0][1], each[0][0]))
    others = {page: answers for page, answers in in_order if not agree(expected.get(page, []), answers)}
    gone = sorted(expected.keys() - given.keys())
    report = [
        *(line_text(page, answers) for page, answers in others.items()),
        *(f"{page} is in {TABLE.name}, and there is no such page. Remove its line." for page in gone),
    ]
    how = f"these answers are not those of {TABLE.name}; if they are right, put their lines there:"
    assert not report, "\n".join([how, *report])
