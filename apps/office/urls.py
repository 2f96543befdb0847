"""The addresses of what spans games."""

from apps.office.partner_api.urls import urlpatterns as partner_api

urlpatterns = [*partner_api]
