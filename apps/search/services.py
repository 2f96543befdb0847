"""Saved filters: keep, find and remove them."""

from typing import Final

from django.contrib import admin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict

from apps.accounts.models import User
from apps.core.errors import BadRequest, Conflict
from apps.search.models import SavedFilter

_NAME_CHARACTERS: Final = 60


@transaction.atomic
def saved_filter_make(*, owner: User, listing: str, name: str, query: str, is_shared: bool) -> SavedFilter:
    """Keep the filters of a list under a name; the same name again replaces them.

    Raises BadRequest (no name, no filters, too long), Conflict (too many).
    """
    name = name.strip()
    if not name or len(name) > _NAME_CHARACTERS or "\0" in name:
        raise BadRequest(f"name: 1 to {_NAME_CHARACTERS} characters", field="name")
    asked = QueryDict(query, mutable=True)
    asked.pop("p", None)
    kept = asked.urlencode()
    if not kept or len(kept) > SavedFilter.MAX_QUERY_CHARS:
        raise BadRequest("query: the list has no filters, or too many", field="query")
    own = SavedFilter.objects.filter(owner=owner)
    if own.count() >= SavedFilter.MAX_PER_OWNER and not own.filter(listing=listing, name=name).exists():
        raise Conflict(f"you have {SavedFilter.MAX_PER_OWNER} saved filters, the most that are possible: remove one")
    saved, _ = SavedFilter.objects.update_or_create(
        owner=owner, listing=listing, name=name, defaults={"query": kept, "is_shared": is_shared}
    )
    return saved


def saved_filter_remove(*, owner: User, saved_id: int) -> str | None:
    """Remove one of the log-in's own filters; return the name of its list, or None if there is no such filter."""
    saved = SavedFilter.objects.filter(owner=owner, pk=saved_id).first()
    if saved is None:
        return None
    saved.delete()
    return saved.listing


def saved_filters(*, user: User, listing: str) -> "QuerySet[SavedFilter]":
    """Return the filters of a list that the log-in has saved, and those shared by its role in its scope."""
    shared = Q(is_shared=True, owner__role=user.role, owner__partner_id=user.partner_id)
    return SavedFilter.objects.filter(Q(owner=user) | shared, listing=listing).select_related("owner")


def may_list(request: HttpRequest, listing: str) -> bool:
    """Return whether the viewer may see the list of that name."""
    for model, model_admin in admin.site._registry.items():
        if f"{model._meta.app_label}_{model._meta.model_name}" == listing:
            return bool(model_admin.has_view_permission(request))
    return False
