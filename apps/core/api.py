"""The HTTP API: JSON with exact numbers, and errors in a format that depends on the URL.

| URL | format (docs/protocol.md, "Errors") |
| --- | --- |
| `/v1/games`, `/v1/player` | `{"type": "Error", "message", "code"}` |
| other `/v1` | RFC 9457 problem details |
| `/api` | `{"code", "message"}` |
| pages | a short text |
"""

import re
import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import IO, Any, Final, TypeVar

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from redis.exceptions import RedisError
from rest_framework import exceptions
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import json
from apps.core.database_errors import domain_error_of
from apps.core.errors import (
    AuthenticationFailed,
    BadParams,
    BadRequest,
    CsrfFailed,
    DomainError,
    MalformedBody,
    MethodNotAllowed,
    NotFound,
    Refused,
    TryLater,
    Unavailable,
    shortened,
)

logger = structlog.get_logger(__name__)

MAX_BODY_BYTES: Final = 1_048_576

_WIRE_PATH: Final = re.compile(r"/v1/(games|player)(/|$)")
_PROBLEM_PATH: Final = re.compile(r"/v1(/|$)")
_API_PATH: Final = re.compile(r"/api/.")

JSON_TYPE: Final = "application/json"
PROBLEM_TYPE: Final = "application/problem+json"

_ERROR: Final = "punto_error"

_WRONG_KIND: Final = re.compile(r'.*Expected a (dictionary|list of items)\b.* got (?:type )?"?(\w+)"?\.')
"""DRF's refusals of a value that is no object or no list. They name types of Python, which a client does not know."""
_Answer = TypeVar("_Answer", bound=HttpResponseBase)


class ExactJSONParser(JSONParser):
    """Reads numbers as `Decimal`, and at most MAX_BODY_BYTES. Raises MalformedBody."""

    def parse(self, stream: IO[Any], *_: Any, **__: Any) -> Any:
        body = stream.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            raise body_too_long()
        return json.decode(body)


class ExactJSONRenderer(JSONRenderer):
    """Writes `Decimal` as a number in its shortest plain form, times as ISO 8601 in UTC."""

    charset = None

    def render(self, data: Any, *_: Any, **__: Any) -> bytes:
        return b"" if data is None else json.encode(data)


class JSONOnly(DefaultContentNegotiation):
    """Reads and writes JSON, whatever the client's `Accept` and `Content-Type` are.

    A view with several renderers (the OpenAPI document) is negotiated as DRF does.
    """

    def select_parser(self, request: Request, parsers: Any) -> BaseParser:
        del request
        parser: BaseParser = parsers[0]
        return parser

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        if len(renderers) == 1:
            return renderers[0], renderers[0].media_type
        chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        return chosen


def bearer_of(authorization: str) -> str | None:
    """Return the credential of the header `Authorization: Bearer <credential>`, or None."""
    scheme, _, credential = authorization.partition(" ")
    return credential.strip() or None if scheme.lower() == "bearer" else None


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's handler: return the answer for a refusal, or None for our own error, which is then raised again."""
    refusal = refusal_of(error)
    if refusal is None:
        return None
    path = context["request"].path
    if isinstance(refusal, BadRequest) and not isinstance(refusal, MalformedBody) and _WIRE_PATH.match(path):
        refusal = BadParams(refusal.message, field=refusal.field)
    body, content_type = error_body(refusal, path)
    answer = Response(body, status=refusal.http_status, headers=error_headers(refusal), content_type=content_type)
    return _with_error(answer, refusal)


def body_too_long() -> MalformedBody:
    """Return the refusal of a body that is too long."""
    return MalformedBody(f"the body is longer than {MAX_BODY_BYTES} bytes")


def error_response(error: DomainError, path: str) -> HttpResponse:
    """Return the answer of a view outside DRF, in the form of `path`."""
    body, content_type = error_body(error, path)
    answer = HttpResponse(
        json.encode(body), status=error.http_status, headers=error_headers(error), content_type=content_type
    )
    return _with_error(answer, error)


def refusal_response(request: HttpRequest, refusal: DomainError) -> HttpResponse:
    """Return the answer to a page or an API call, in the form of its URL."""
    body, content_type = refusal_body(refusal, request.path)
    headers = error_headers(refusal)
    answer = HttpResponse(body, status=refusal.http_status, headers=headers, content_type=content_type)
    return _with_error(answer, refusal)


def error_answered(answer: HttpResponseBase) -> DomainError | None:
    """Return the error that the answer tells, or None."""
    return getattr(answer, _ERROR, None)


def _with_error(answer: _Answer, error: DomainError) -> _Answer:
    setattr(answer, _ERROR, error)
    return answer


def refusal_body(refusal: DomainError, path: str) -> tuple[bytes, str]:
    """Return the body of a refusal and its content type: that of `error_body`, or a short text for a page."""
    if is_api_path(path):
        members, content_type = error_body(refusal, path)
        return json.encode(members), content_type
    return f"{HTTPStatus(refusal.http_status).phrase}: {refusal.message}\n".encode(), "text/plain; charset=utf-8"


def error_body(error: DomainError, path: str) -> tuple[dict[str, object], str]:
    """Return the members of an error's answer and its content type, depending on the path."""
    if _WIRE_PATH.match(path):
        return {"type": "Error", "message": error.message, "code": error.code}, JSON_TYPE
    if not _PROBLEM_PATH.match(path):
        return {"code": error.code, "message": error.message}, JSON_TYPE
    problem: dict[str, object] = {
        "type": f"urn:punto:error:{error.code.lower().replace('_', '-')}",
        "title": error.code.replace("_", " ").capitalize(),
        "status": error.http_status,
        "detail": error.message,
        "code": error.code,
    }
    if error.field is not None:
        problem["field"] = error.field
    return problem, PROBLEM_TYPE


def error_headers(error: DomainError) -> dict[str, str]:
    """Return the headers of a refusal's answer."""
    if isinstance(error, TryLater):
        return {"Retry-After": str(error.retry_after_s)}
    if isinstance(error, AuthenticationFailed):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, MethodNotAllowed) and error.allowed:
        return {"Allow": error.allowed}
    return {}


def is_api_path(path: str) -> bool:
    """Return whether the path is for programs, not for a person's browser."""
    return bool(_PROBLEM_PATH.match(path) or _API_PATH.match(path))


def refusal_of(error: BaseException | None) -> DomainError | None:
    """Return the refusal for a library's exception, or None if it is our own error."""
    match error:
        case DomainError():
            return error
        case exceptions.ValidationError():
            return _validation_error(error.detail)
        case exceptions.ParseError() | exceptions.UnsupportedMediaType() | RequestDataTooBig():
            return MalformedBody("the body is not valid JSON")
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return AuthenticationFailed("no valid session or key came with the request")
        case exceptions.PermissionDenied() | PermissionDenied():
            return Refused("this is not allowed")
        case exceptions.NotFound() | Http404():
            return NotFound("there is nothing here by that name")
        case exceptions.MethodNotAllowed():
            return MethodNotAllowed("this address does not take that method")
        case DatabaseError():
            return domain_error_of(error)
        case RedisError():
            return Unavailable("Redis does not answer; try again in a moment")
        case _:
            return None


class RefusalMiddleware:
    """Answers the exceptions of plain views as DRF's handler does: refusals, and an unreachable database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError | DatabaseError):
            return None  # Django's own: 404, a permission, an internal error.
        refusal = refusal_of(error)
        return None if refusal is None else refusal_response(request, refusal)


@csrf_exempt  # A POST to an unknown address gets 404, not a CSRF error.
def unknown_address(request: HttpRequest) -> HttpResponse:
    """Answer 404 in the form of the path if no other pattern under `/v1` and `/api` matched."""
    return error_response(NotFound("there is nothing at this address"), request.path)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's `handler404`."""
    if is_api_path(request.path):
        return unknown_address(request)
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's `handler400`: a host name that is not ours, or an impossible form."""
    if is_api_path(request.path):
        return error_response(BadRequest("the request cannot be read"), request.path)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 503 if the database or Redis is unreachable, else a 500 without internal details."""
    refusal = refusal_of(sys.exc_info()[1])
    if isinstance(refusal, TryLater):
        return refusal_response(request, refusal)
    if is_api_path(request.path):
        return error_response(InternalError("something went wrong on our side; it is in our log"), request.path)
    return defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Django's `CSRF_FAILURE_VIEW`. A page links the page of the form, if the browser names one of this site."""
    if is_api_path(request.path):
        return error_response(CsrfFailed("the CSRF token is missing or wrong: reload the page"), request.path)
    page = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
    return render(request, "403_csrf.html", {"page": page if is_ours else ""}, status=HTTPStatus.FORBIDDEN)


class InternalError(DomainError):
    """An internal error. It is never raised; it is the form of the answer to an unexpected exception."""

    code = "INTERNAL_ERROR"
    http_status = 500


def _validation_error(detail: Any) -> BadRequest:
    """Return the first error of a serializer, with the field's path: `bets.0.bet_amount`."""
    names: list[str] = []
    while not isinstance(detail, str):
        if isinstance(detail, Mapping):
            name, detail = next(iter(detail.items()))
        else:
            position, detail = next((i, part) for i, part in enumerate(detail) if part)
            name = "" if isinstance(detail, str) else str(position)
        if str(name) not in ("", "non_field_errors"):  # An index in a list is 0 or more.
            names.append(str(name))
    field = ".".join(names) or None
    detail = shortened(_in_terms_of_json(str(detail)))
    return BadRequest(f"{field}: {detail}" if field else detail, field=field)


def _in_terms_of_json(detail: str) -> str:
    """Return DRF's text with the names of JSON's types."""
    if found := _WRONG_KIND.fullmatch(detail):
        expected = "an object" if found[1] == "dictionary" else "a list"
        return f"{expected} is expected, not {json.type_name_of_python(found[2])}"
    return "the body is null" if detail == "No data provided" else detail
