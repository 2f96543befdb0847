"""The project itself as a Django application: it loads Celery, so that every process can send tasks."""

from django.apps import AppConfig
from django.conf import settings


class CasinoConfig(AppConfig):
    name = "casino"

    def ready(self) -> None:
        from apps.rounds.registry import games  # at this point the models are loaded
        from casino import celery  # Celery needs the filled registry of apps

        # Otherwise only a worker knows the tasks, and a page could not send one by name.
        celery.app.autodiscover_tasks(force=True)
        of_games = {title: entry for game in games() for title, entry in game.schedule.items()}
        celery.app.conf.beat_schedule = settings.CELERY_BEAT_SCHEDULE | of_games
