"""URLs whose views fail in each possible way."""

from typing import Any, NoReturn

from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest
from django.urls import path
from django.views.decorators.csrf import csrf_protect
from rest_framework import exceptions
from rest_framework.request import Request

from apps.core.api_view import APIView
from apps.core.errors import Busy, InsufficientFunds, NotFound

FAILURES: dict[str, Exception] = {
    "domain": InsufficientFunds("the wallet holds less than that", field="amount"),
    "busy": Busy("another action is in progress", retry_after_s=2),
    "not-found": NotFound("nothing has this name"),
    "django-404": Http404(),
    "permission": PermissionDenied(),
    "database": OperationalError("server closed the connection unexpectedly"),
    "bug": RuntimeError("an inner secret"),
    "validation": exceptions.ValidationError({"bets": [{}, {"amount": ["a number is expected"]}]}),
    "drf-401": exceptions.NotAuthenticated(),
    "drf-403": exceptions.PermissionDenied(),
}


def plain(request: HttpRequest, name: str) -> NoReturn:
    raise FAILURES[name]


class Drf(APIView):
    """The same failures through DRF."""

    def get(self, request: Request, name: str) -> NoReturn:
        raise FAILURES[name]


@csrf_protect
def form(request: HttpRequest) -> NoReturn:
    raise AssertionError("the form was accepted without its token")


urlpatterns: list[Any] = [
    path("api/game/plain/<str:name>", plain),
    path("v1/games/plain/<str:name>", plain),
    path("v1/plain/<str:name>", plain),
    path("page/<str:name>", plain),
    path("api/game/drf/<str:name>", Drf.as_view()),
    path("v1/games/drf/<str:name>", Drf.as_view()),
    path("v1/drf/<str:name>", Drf.as_view()),
    path("api/game/form", form),
    path("v1/player/form", form),
    path("form", form),
]
handler400 = "apps.core.api.bad_request"
handler404 = "apps.core.api.not_found"
handler500 = "apps.core.api.server_error"
