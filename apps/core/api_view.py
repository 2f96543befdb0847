"""The base class of every view of the API. DRF's own class imports apps/core/api.py, so it is not there."""

from typing import Final

from django.views import View
from rest_framework import views

API_METHODS: Final = tuple(name for name in View.http_method_names if name != "options")
"""The header `Allow` lists what a view has of these. OPTIONS is none of them: the API answers it with 405."""


class APIView(views.APIView):
    """A view of the API."""

    http_method_names = list(API_METHODS)
