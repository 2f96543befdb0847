"""The scope of staff: who may enter the back office, and which partners' rows a viewer sees.

Every layer uses this module, so it is in the lowest one. What a role may do: apps/core/admin.py.
"""

from typing import Final, Protocol, TypeVar

from django.db.models import Model, QuerySet

PARTNER_STAFF: Final = "partner_staff"
AUDITOR: Final = "auditor"
OPERATOR: Final = "operator"
OFFICE_ROLES: Final = frozenset({PARTNER_STAFF, AUDITOR, OPERATOR})
"""The values of `apps.accounts.models.Role` that may enter; players may not."""

_M = TypeVar("_M", bound=Model)


class Viewer(Protocol):
    """The attributes of a log-in (`apps.accounts.models.User`) that decide the scope."""

    role: str
    partner_id: int | None
    is_active: bool


def may_enter(viewer: object) -> bool:
    """Return whether this log-in, which may be anonymous, may enter the back office.

    The role decides; staff of a closed partner may not enter.
    """
    role = getattr(viewer, "role", None)
    if role not in OFFICE_ROLES or not getattr(viewer, "is_active", False):
        return False
    return role != PARTNER_STAFF or bool(getattr(getattr(viewer, "partner", None), "active", False))


def sees_all_partners(viewer: Viewer) -> bool:
    """Return whether this viewer sees all partners: operators, and auditors without a partner."""
    return viewer.role == OPERATOR or (viewer.role == AUDITOR and viewer.partner_id is None)


def in_scope(rows: "QuerySet[_M]", *, viewer: Viewer, partner_path: str) -> "QuerySet[_M]":
    """Return the rows within the viewer's scope; `partner_path` leads from a row to its partner's id."""
    if not may_enter(viewer):
        return rows.none()
    if sees_all_partners(viewer):
        return rows
    if viewer.partner_id is None:
        return rows.none()
    return rows.filter(**{partner_path: viewer.partner_id})
