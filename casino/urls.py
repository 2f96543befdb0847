"""All URLs. An app's `urls` has whole paths, so that they can be searched for."""

from importlib.util import find_spec

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from apps.core.api import unknown_address
from apps.core.api_view import API_METHODS
from casino import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("api/schema/", SpectacularAPIView.as_view(http_method_names=list(API_METHODS)), name="schema"),
    path(
        "api/", SpectacularSwaggerSplitView.as_view(url_name="schema", http_method_names=list(API_METHODS)), name="api"
    ),
    *(path("", include(f"{app}.urls")) for app in settings.OUR_APPS if find_spec(f"{app}.urls")),
    path("accounts/", include("allauth.urls")),  # after the portal's, which replace some of its pages
    path("admin/", admin.site.urls),
    path("api", csrf_exempt(RedirectView.as_view(pattern_name="api", permanent=True))),
    re_path(r"^(?:v1(?:/|$)|api/)", unknown_address),
]
handler400 = "apps.core.api.bad_request"
handler404 = "apps.core.api.not_found"
handler500 = "apps.core.api.server_error"
