"""The project itself as an application: it loads Celery, so that tasks sent by any process find the broker."""

from django.apps import AppConfig


class CasinoConfig(AppConfig):
    name = "casino"

    def ready(self) -> None:
        from casino import celery  # noqa: F401 - Celery wants the registry of apps filled
