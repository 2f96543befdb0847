"""A round's bundle as a download of the back office, and the public keys that its seals are checked with."""

from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from apps.accounts.selectors import log_in_of
from apps.audit.services import audit_record
from apps.bundles.contents import MAX_SENT_MOVEMENTS
from apps.bundles.services import bundle_name, bundle_zip
from apps.core.admin import viewer_of
from apps.core.staff_scope import in_scope
from apps.rounds.models import Round
from apps.wallet.signing import public_keys

ZIP_TYPE = "application/zip"


def round_bundle(request: HttpRequest, round_id: UUID) -> HttpResponse:
    """The bundle of a round within the viewer's scope. Each one is an audit entry."""
    if not in_scope(Round.objects.filter(pk=round_id), viewer=viewer_of(request), partner_path="partner_id").exists():
        raise Http404
    response = bundle_response(round_id)
    user = log_in_of(request)
    with transaction.atomic():
        audit_record(
            actor=user.get_username(),
            actor_user_id=user.pk,
            action="round.bundle",
            subject=f"round {round_id}",
            partner_id=user.partner_id,
        )
    return response


def bundle_response(round_id: UUID) -> HttpResponse:
    """Return the bundle as a file to be saved. Raises Conflict."""
    response = HttpResponse(bundle_zip(round_id=round_id, max_movements=MAX_SENT_MOVEMENTS), content_type=ZIP_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{bundle_name(round_id)}"'
    response["Cache-Control"] = "no-store"
    return response


def sign_keys(_request: HttpRequest) -> HttpResponse:
    """The public keys of the seals, the one that signs now first."""
    keys = [{"key_id": key_id, "algorithm": "Ed25519", "public_key": text} for key_id, text in public_keys().items()]
    return JsonResponse({"keys": keys})
