"""The project itself as an application: it loads Celery, so that tasks sent by any process find the broker."""

from django.apps import AppConfig


class CasinoConfig(AppConfig):
    name = "casino"

    def ready(self) -> None:
        from casino import celery  # Celery wants the registry of apps filled

        # Else only a worker knows the tasks: a page that sends one by its name would find none.
        celery.app.autodiscover_tasks(force=True)
