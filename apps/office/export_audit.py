"""Writes exports of lists into the audit."""

from django.db import transaction
from django.http import HttpRequest

from apps.accounts.selectors import log_in_of
from apps.audit.services import audit_record
from apps.core.exports import ListExport


@transaction.atomic
def export_record(request: HttpRequest, export: ListExport) -> None:
    """Record the user, list, filters and form of an export. The rows of a stream are not counted."""
    user = log_in_of(request)
    rows = {} if export.rows is None else {"rows": export.rows}
    audit_record(
        actor=user.get_username(),
        actor_user_id=user.pk,
        action="list.export",
        subject=f"list of {export.name}",
        partner_id=user.partner_id,
        data={"form": export.form, "filters": dict(export.query), **rows},
    )
