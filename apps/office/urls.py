"""The URLs of pages that cover all games."""

from apps.office.partner_api.urls import urlpatterns as partner_api
from apps.office.round_api.urls import urlpatterns as round_api
from apps.office.verification.urls import urlpatterns as verification

urlpatterns = [*partner_api, *round_api, *verification]
