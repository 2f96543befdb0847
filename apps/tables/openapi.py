"""The lobby's part of the OpenAPI document, generated from the types of its requests and answers."""

from typing import Any, Final

import msgspec
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from apps.core.message_schemas import Schema, schemas_of
from apps.core.openapi import ERROR, REF, component
from apps.tables.lobby_messages import Asked, GameType

_MEANINGS: Final = {
    400: "The body cannot be read, or a table cannot have these options.",
    401: "No token, or an invalid one.",
    403: "Not allowed: `code` is the reason.",
    404: "No such game, table or round, or it is of another partner or currency.",
    409: "The table is full.",
    429: "Too many requests: see `Retry-After` and `RateLimit`.",
    503: "The database does not answer: see `Retry-After`.",
}


def wire_schema(kind: type[msgspec.Struct]) -> Schema:
    """Return the reference to the schema of a body, and register the schema and its parts for the document."""
    [schema], parts = schemas_of([kind], ref=REF, is_sent=not issubclass(kind, Asked))
    for name, part in parts.items():
        component(name, part)
    return schema


def error_responses(*statuses: int) -> dict[int, OpenApiResponse]:
    """Return the documented refusals of a call; 429 and 503 are always included."""
    return {status: OpenApiResponse(ERROR, _MEANINGS[status]) for status in (*statuses, 429, 503)}


def _path_parameter(name: str, schema: Schema, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.PATH, description=description)


_UUID: Final[dict[str, Any]] = {"type": "string", "format": "uuid"}
GAME_TYPE_PARAMETER: Final = _path_parameter(
    "game_type", schemas_of([GameType], ref=REF)[0][0], "A `gameType` of GET /api/games."
)
ROOM_PARAMETER: Final = _path_parameter("room_id", _UUID, "A room's id, which is its table's.")
ROUND_PARAMETER: Final = _path_parameter("round_id", _UUID, "The `roundId` of the table's messages.")
