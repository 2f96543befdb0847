"""A round's bundle for the partner's system."""

from typing import Final
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from apps.bundles.views import ZIP_TYPE, bundle_response
from apps.core.api_view import APIView
from apps.core.errors import NotFound
from apps.core.openapi import PROBLEM
from apps.partners.authentication import MayRead, PartnerKeyAuthentication
from apps.partners.models import ApiKey
from apps.rounds.models import Round

_REFUSALS: Final = {
    401: "No valid key.",
    403: "The key has no such scope.",
    404: "No such round of yours.",
    409: "The round was not played to its end, or has too many movements to its seal.",
    429: "Too many requests; see Retry-After.",
    503: "The database does not answer; see Retry-After.",
}


class RoundBundleView(APIView):
    """GET returns a ZIP file that proves a round without the server (docs/fairness.md)."""

    authentication_classes = [PartnerKeyAuthentication]
    permission_classes = [MayRead]

    @extend_schema(
        operation_id="round_bundle_read",
        tags=["partner"],
        responses={
            (200, ZIP_TYPE): bytes,
            **{
                (status, "application/problem+json"): OpenApiResponse(PROBLEM, said)
                for status, said in _REFUSALS.items()
            },
        },
    )
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        """The round was played to its end. Its server seed is in it once it is revealed."""
        key: ApiKey = request.auth  # type: ignore[assignment]
        if not Round.objects.filter(pk=round_id, partner_id=key.partner_id).exists():
            raise NotFound("there is no such round")
        return bundle_response(round_id)
