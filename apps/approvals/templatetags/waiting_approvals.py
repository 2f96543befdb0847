"""The acts that wait for a second person, on the pages of what they are about."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.contrib import admin

from apps.approvals.details import act_title
from apps.approvals.models import Approval
from apps.approvals.selectors import approvals_about
from apps.core.actor_names import shown_actor
from apps.core.staff_scope import sees_all_partners

register = template.Library()


@register.inclusion_tag("office/waiting_approvals.html", takes_context=True)
def approvals_of_row(context: dict[str, Any], row: Any) -> dict[str, Any]:
    """Return the waiting acts on the page of a row, or on a form of it; without a row, those of the list."""
    if not row:
        return approvals_of_list(context)
    return _shown(context, approvals_about(subjects=_admin_of(type(row)).waiting_subjects(row)))


@register.inclusion_tag("office/waiting_approvals.html", takes_context=True)
def approvals_of_list(context: dict[str, Any]) -> dict[str, Any]:
    """Return the waiting acts that a whole list is about, such as a row that they would make, to those who may read
    them.
    """
    acts = _admin_of(context["opts"].model).waiting_acts
    shown = _shown(context, approvals_about(acts=acts) if acts else ())
    return {"waiting": [each for each in shown["waiting"] if each["may_open"]]}


def _admin_of(model: Any) -> Any:
    """Return the model's `OfficeAdmin`. Its module cannot be imported here, because importing it loads all tags."""
    return admin.site.get_model_admin(model)


def _shown(context: dict[str, Any], waiting: Iterable[Approval]) -> dict[str, Any]:
    request = context["request"]
    viewer = request.user
    is_reader, sees_all = _admin_of(Approval).has_view_permission(request), sees_all_partners(viewer)
    return {
        "waiting": [
            {
                "pk": approval.pk,
                "act": act_title(approval.act),
                "by": shown_actor(approval.asked_by),
                "is_own": approval.asked_by_id == request.user.pk,
                "expires_at": approval.expires_at,
                "reason": approval.reason,
                "may_open": is_reader and (sees_all or approval.partner_id == viewer.partner_id),
            }
            for approval in waiting
        ]
    }
