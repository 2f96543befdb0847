"""The URLs of the public RTPs."""

from django.urls import path

from apps.evidence import views

urlpatterns = [
    path("fairness/rtp/", views.rtp, name="rtp"),
    path("fairness/rtp.json", views.rtp_json, name="rtp-json"),
]
