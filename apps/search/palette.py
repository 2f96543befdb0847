"""The back office's search for rows by an id, a reference, a number or a name, or by its first characters.

Each search is by an index, and goes through the list's own admin, so that it finds nothing outside the viewer's scope.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.urls import reverse
from unfold.dataclasses import SearchResult

from apps.core.admin import viewer_of
from apps.core.staff_scope import sees_all_partners
from apps.core.uuid_search import is_uuid, uuid_lookup
from apps.wallet.selectors import transfer_ids_named

MAX_ROWS_OF_A_KIND: Final = 5
_MIN_CHARS: Final = 2
_MAX_DIGITS: Final = 18

_Lookup = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Searched:
    """A table that is searched. `lookup` returns the filter for a term, or None if the term has another form."""

    label: str
    kind: str
    lookup: Callable[[str], _Lookup]
    icon: str
    page: str = ""
    """The name of the page that a result leads to; empty: the row's own."""
    of_partner: bool = False
    """Whether rows of several partners may have the same name, so that viewers of all partners read whose a row is."""
    named_by: str = ""
    """The text column that the lookup reads in lower case as `lowered`. It has an index over the lower case."""


def _beginning(column: str) -> Callable[[str], _Lookup]:
    return lambda term: {f"{column}__startswith": term} if len(term) >= _MIN_CHARS else None


_NAME_BEGINNING: Final = _beginning("lowered")


def _id_beginning(term: str) -> _Lookup:
    return uuid_lookup("id", term)


def _session_id(term: str) -> _Lookup:
    return {"session_id": term} if is_uuid(term) else None


def _number(term: str) -> _Lookup:
    is_number = term.isascii() and term.isdecimal() and len(term) <= _MAX_DIGITS
    return {"pk": int(term)} if is_number else None


def _transaction_id(term: str) -> _Lookup:
    return {"pk__in": transfer_ids_named(term)}


SEARCHED: Final = (
    Searched("rounds.Round", "round", _id_beginning, "casino"),
    Searched("tables.TableRound", "table round", _id_beginning, "style"),
    Searched(
        "accounts.Player",
        "player",
        _NAME_BEGINNING,
        "group",
        page="admin:player_file",
        of_partner=True,
        named_by="reference",
    ),
    Searched("wallet.WalletTransaction", "transaction", _number, "receipt_long"),
    Searched("wallet.WalletTransaction", "transfer", _transaction_id, "receipt_long"),
    Searched("events.SignificantEvent", "event", _number, "notification_important"),
    Searched("rounds.GameSession", "session", _number, "login"),
    Searched("tables.TableSession", "table session", _session_id, "groups"),
    Searched("partners.ApiKey", "API key", _beginning("prefix"), "key"),
    Searched("partners.Partner", "partner", _NAME_BEGINNING, "domain", named_by="slug"),
    Searched("accounts.User", "log-in", _NAME_BEGINNING, "badge", named_by="username"),
)
"""The tables in the order of the results."""


def palette_search(request: HttpRequest, term: str) -> list[SearchResult]:
    """Return the rows that a term names, for the theme's search; the theme sends the term in lower case.

    Of a kind with more rows than are shown, the last result is the list, searched for the same term.
    """
    text = term.strip()
    return [result for searched in SEARCHED for result in _found(request, searched, text)]


def _found(request: HttpRequest, searched: Searched, term: str) -> Iterator[SearchResult]:
    model: type[Model] = apps.get_model(searched.label)
    listing = admin.site.get_model_admin(model)
    lookup = searched.lookup(term) if "\0" not in term else None
    if lookup is None or not listing.has_view_permission(request):
        return
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_change"
    rows: QuerySet[Any] = listing.get_queryset(request)
    if searched.named_by:
        rows = rows.alias(lowered=Lower(searched.named_by))
    tells_partner = searched.of_partner and sees_all_partners(viewer_of(request))
    if tells_partner:
        rows = rows.select_related("partner")
    row: Any
    found = list(rows.filter(**lookup).order_by("pk")[: MAX_ROWS_OF_A_KIND + 1])
    for row in found[:MAX_ROWS_OF_A_KIND]:
        link = reverse(searched.page or name, args=[row.pk])
        title = f"{row}, {row.partner}" if tells_partner else str(row)
        yield SearchResult(title=title, description=searched.kind, link=link, icon=searched.icon)
    if len(found) > MAX_ROWS_OF_A_KIND:
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        title = f"All {model._meta.verbose_name_plural} with {term}"
        yield SearchResult(
            title=title, description="list", link=f"{address}?{urlencode({'q': term})}", icon=searched.icon
        )
