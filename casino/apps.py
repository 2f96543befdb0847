"""The project itself as an application: it loads Celery, so that tasks sent by any process find the broker."""

from django.apps import AppConfig
from django.conf import settings


class CasinoConfig(AppConfig):
    name = "casino"

    def ready(self) -> None:
        from apps.rounds.registry import games  # models are loaded by now
        from casino import celery  # Celery wants the registry of apps filled

        # Else only a worker knows the tasks: a page that sends one by its name would find none.
        celery.app.autodiscover_tasks(force=True)
        of_games = {title: entry for game in games() for title, entry in game.schedule.items()}
        celery.app.conf.beat_schedule = settings.CELERY_BEAT_SCHEDULE | of_games
