"""The details of a round, for its player."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.api_view import APIView
from apps.core.client_address import request_address
from apps.office.round_api.selectors import round_detail
from apps.office.round_api.serializers import ROUND_EXAMPLES, RoundDetailOutput
from apps.rounds.api import GAME_PATH_PARAMETER, SESSION_QUERY_PARAMETER, query_required, wire_errors
from apps.rounds.game_sessions import game_session_use


class RoundDetailView(APIView):
    """One round of a session's player."""

    @extend_schema(
        operation_id="round_read",
        tags=["player"],
        parameters=[
            GAME_PATH_PARAMETER,
            OpenApiParameter("round_id", {"type": "string", "format": "uuid"}, OpenApiParameter.PATH),
            SESSION_QUERY_PARAMETER,
        ],
        auth=[],
        responses={
            200: RoundDetailOutput,
            **wire_errors(
                _401="No valid session.", _404="The player has no such round.", _422="A parameter is missing."
            ),
        },
        examples=ROUND_EXAMPLES,
    )
    def get(self, request: Request, game_id: str, round_id: UUID) -> Response:
        """Any of the player's rounds, from any session, with every bet and action and its amounts."""
        session = game_session_use(token=query_required(request, "game_session_id"), address=request_address(request))
        detail = round_detail(player_id=session.player_id, game=game_id, round_id=round_id)
        return Response(RoundDetailOutput(detail).data)
