"""The lobby of the tables over HTTP: tokens, games, rooms, seats, records (docs/tables.md, "The lobby")."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from msgspec import UNSET
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.actors import actor_of_key
from apps.accounts.models import Player
from apps.core import json
from apps.core.api_view import APIView
from apps.core.client_address import request_address
from apps.core.errors import BadRequest
from apps.core.rate_limits import Quota, QuotaExceeded, quota_take
from apps.core.struct_reading import struct_read
from apps.core.threads import in_loop
from apps.partners.authentication import MayConfigure, PartnerKeyAuthentication
from apps.partners.models import ApiKey
from apps.rounds.models import GameSession
from apps.tables.authentication import PlayerAuthentication, TableTokenAuthentication
from apps.tables.lobby_messages import (
    JoinInput,
    RoomInput,
    SeatedRoom,
    TableGameList,
    TableRoom,
    TableRoomList,
    TableRoundRecord,
    TableToken,
    TableTokenInput,
)
from apps.tables.models import TableSession
from apps.tables.openapi import (
    GAME_TYPE_PARAMETER,
    ROOM_PARAMETER,
    ROUND_PARAMETER,
    error_responses,
    wire_schema,
)
from apps.tables.registry import table_game_of, table_games
from apps.tables.selectors import partner_room_get, room_get, room_list, room_row, round_record
from apps.tables.services import seat_take, table_leave, table_watch
from apps.tables.sessions import table_session_begin
from apps.tables.specification import game_summary, specification_text
from apps.tables.table_creation import RoomOptions, partner_table_create, player_table_create

Read = TypeVar("Read", bound=msgspec.Struct)
MARKDOWN: Final = "text/markdown; charset=utf-8"


class TableView(APIView):
    """A call whose answer, a refusal included, carries the headers of its rate limit."""

    limit_kind: ClassVar[str] = "tables"

    authentication_classes: Sequence[type[BaseAuthentication]] = (TableTokenAuthentication,)

    @property
    def session(self) -> TableSession:
        """The session whose token came with the request."""
        session: TableSession = self.request.auth  # type: ignore[assignment]
        return session

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Count the request after authentication, because the limit belongs to the session."""
        super().initial(request, *args, **kwargs)
        if isinstance(request.auth, TableSession):
            self.limit(request.auth.pk, most=settings.PUNTO_TABLE_REQUESTS_PER_10_S, window_s=10)

    def limit(self, who: object, *, most: int | None, window_s: int) -> None:
        """Count the request. Raises QuotaExceeded."""
        try:
            self.quota: Quota | None = quota_take(kind=self.limit_kind, who=who, most=most, window_s=window_s)
        except QuotaExceeded as error:
            self.quota = error.quota
            raise

    def read(self, kind: type[Read]) -> Read:
        """Return the body; a missing body is read as an empty object. Raises BadRequest that names the field."""
        return struct_read(self.request.data, kind)

    def finalize_response(self, *args: Any, **kwargs: Any) -> Any:
        """Add the headers of the rate limit."""
        response = super().finalize_response(*args, **kwargs)
        quota = getattr(self, "quota", None)
        if quota is not None:
            for name, value in quota.headers().items():
                response[name] = value
        return response


class TokenView(TableView):
    """POST opens a session at the tables."""

    limit_kind = "table-tokens"
    authentication_classes = (PlayerAuthentication,)

    @extend_schema(
        operation_id="table_token_create",
        tags=["tables"],
        request={"application/json": wire_schema(TableTokenInput)},
        responses={200: OpenApiResponse(wire_schema(TableToken)), **error_responses(400, 401, 403)},
    )
    def post(self, request: Request) -> Response:
        """For the logged-in player, or with a partner's game session as the bearer token."""
        caller: Player | GameSession = request.auth  # type: ignore[assignment]
        player_id = caller.pk if isinstance(caller, Player) else caller.player_id
        self.limit(player_id, most=settings.PUNTO_TABLE_TOKENS_PER_MINUTE, window_s=60)
        wished = self.read(TableTokenInput).currency
        session, token = table_session_begin(
            caller=caller,
            currency_code=None if wished is UNSET else wished,
            address=request_address(request._request),
        )
        expires_at = int(session.expires_at.timestamp() * 1000)
        return Response({"token": token, "sessionId": str(session.session_id), "expiresAt": expires_at})


class GamesView(TableView):
    """GET lists the games that have tables."""

    @extend_schema(
        operation_id="table_games_list",
        tags=["tables"],
        responses={200: OpenApiResponse(wire_schema(TableGameList)), **error_responses(401)},
    )
    def get(self, _request: Request) -> Response:
        """All games; `permissions.allowedGames` has those that the session may play."""
        return Response({"games": [game_summary(game) for game in table_games().values()]})


class SpecificationView(TableView):
    """GET reads a game's specification."""

    @extend_schema(
        operation_id="table_game_spec",
        tags=["tables"],
        parameters=[GAME_TYPE_PARAMETER],
        responses={
            (200, "text/markdown"): {"type": "string", "pattern": "^---\\ngameType: "},
            **error_responses(401, 404),
        },
    )
    def get(self, _request: Request, game_type: str) -> HttpResponse:
        """Markdown with YAML front matter; its schemas are JSON Schema 2020-12."""
        return HttpResponse(specification_text(table_game_of(game_type)), content_type=MARKDOWN)


class LobbyView(TableView):
    """GET lists the tables."""

    @extend_schema(
        operation_id="table_lobby",
        tags=["tables"],
        responses={200: OpenApiResponse(wire_schema(TableRoomList)), **error_responses(401)},
    )
    def get(self, _request: Request) -> Response:
        """Tables of the player's partner, in the session's currency or for points, that the session may play at."""
        return Response({"rooms": room_list(self.session)})


class RoomsView(TableView):
    """POST makes a table."""

    authentication_classes = (TableTokenAuthentication, PartnerKeyAuthentication)

    @extend_schema(
        operation_id="table_room_create",
        tags=["tables"],
        request={"application/json": wire_schema(RoomInput)},
        responses={201: OpenApiResponse(wire_schema(TableRoom)), **error_responses(400, 401, 403, 404)},
    )
    def post(self, request: Request) -> Response:
        """A player's own table keeps score in points. A partner makes any, with a key of the scope `configure`."""
        if isinstance(request.auth, ApiKey):
            return self._partner_post(request.auth)
        session = self.session
        table = player_table_create(player=session.player, options=_room_options(self.read(RoomInput)))
        return Response(room_row(room_get(session, table.pk)), status=201)

    def _partner_post(self, key: ApiKey) -> Response:
        MayConfigure().has_permission(self.request, self)
        table = partner_table_create(
            partner=key.partner, actor=actor_of_key(key).name, options=_room_options(self.read(RoomInput))
        )
        return Response(room_row(partner_room_get(key.partner_id, table.pk)), status=201)


class RoomView(TableView):
    """GET reads a table."""

    @extend_schema(
        operation_id="table_room",
        tags=["tables"],
        parameters=[ROOM_PARAMETER],
        responses={200: OpenApiResponse(wire_schema(TableRoom)), **error_responses(401, 403, 404)},
    )
    def get(self, _request: Request, room_id: UUID) -> Response:
        """The table's row of the lobby. Everybody who knows the id of a private table can read it."""
        return Response(room_row(room_get(self.session, room_id)))


class JoinView(TableView):
    """POST takes a seat."""

    @extend_schema(
        operation_id="table_room_join",
        tags=["tables"],
        parameters=[ROOM_PARAMETER],
        request={"application/json": wire_schema(JoinInput)},
        responses={200: OpenApiResponse(wire_schema(SeatedRoom)), **error_responses(400, 401, 403, 404, 409)},
    )
    def post(self, _request: Request, room_id: UUID) -> Response:
        """The table's state follows over the socket at once. A seated player calls it to give a new `clientSeed`."""
        session = self.session
        wish = self.read(JoinInput)
        seat = None if wish.seat is UNSET else wish.seat
        contribution = "" if wish.client_seed is UNSET else wish.client_seed
        room_get(session, room_id)
        taken = in_loop(seat_take(session_id=session.pk, table_id=str(room_id), seat=seat, contribution=contribution))
        return Response(room_row(room_get(session, room_id)) | {"seat": taken})


class LeaveView(TableView):
    """POST leaves the seat, or stops watching."""

    @extend_schema(
        operation_id="table_room_leave",
        tags=["tables"],
        parameters=[ROOM_PARAMETER],
        request=None,
        responses={200: OpenApiResponse(wire_schema(TableRoom)), **error_responses(401, 403, 404)},
    )
    def post(self, _request: Request, room_id: UUID) -> Response:
        """A stake stays: default actions play its round to the end. No message of the table follows."""
        session = self.session
        room_get(session, room_id)
        in_loop(table_leave(session_id=session.pk, table_id=str(room_id)))
        return Response(room_row(room_get(session, room_id)))


class WatchView(TableView):
    """POST watches a table without a seat."""

    @extend_schema(
        operation_id="table_room_watch",
        tags=["tables"],
        parameters=[ROOM_PARAMETER],
        request=None,
        responses={200: OpenApiResponse(wire_schema(TableRoom)), **error_responses(401, 403, 404)},
    )
    def post(self, _request: Request, room_id: UUID) -> Response:
        """The table's state follows over the socket at once."""
        session = self.session
        room_get(session, room_id)
        in_loop(table_watch(session_id=session.pk, table_id=str(room_id)))
        return Response(room_row(room_get(session, room_id)))


class RoundView(TableView):
    """GET reads the record of a round."""

    @extend_schema(
        operation_id="table_round",
        tags=["tables"],
        parameters=[ROOM_PARAMETER, ROUND_PARAMETER],
        responses={200: OpenApiResponse(wire_schema(TableRoundRecord)), **error_responses(401, 403, 404)},
    )
    def get(self, _request: Request, room_id: UUID, round_id: UUID) -> Response:
        """Everything that is needed to deal the round again, for everybody who may see the table."""
        return Response(round_record(room_get(self.session, room_id), round_id))


def _room_options(body: RoomInput) -> RoomOptions:
    if body.points == (body.currency is not UNSET):
        raise BadRequest("currency: either a currency or points: true", field="currency")
    taken: Callable[[Any], Any] = lambda value: None if value is UNSET else value  # noqa: E731
    return RoomOptions(
        game_type=body.game_type,
        currency_code=taken(body.currency),
        name=taken(body.name) or "",
        seats=taken(body.seats),
        rules=taken(body.rules) or {},
        limits=msgspec.to_builtins(taken(body.limits) or {}, builtin_types=json.NUMBER_TYPES),
        odds=taken(body.odds) or {},
        window_s=taken(body.window_seconds),
        turn_s=taken(body.turn_seconds),
        pause_s=taken(body.pause_seconds),
        cut_card=taken(body.cut_card),
        is_private=body.private,
    )
