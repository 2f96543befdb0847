"""Worker and beat: Celery's programs replace this process.

Beat sends the scheduled tasks, and a worker runs them: those of `CELERY_BEAT_SCHEDULE` in casino/settings/base.py and
those of each game (`schedule` in its `game.py`).
"""

import argparse
import os
import sys


def serve(options: argparse.Namespace) -> None:
    """Replace this process by the worker or beat."""
    celery = [sys.executable, "-m", "celery", "--app", "casino.celery", "--quiet", options.kind]
    celery += ["--loglevel", options.log_level]
    if options.kind == "worker":
        celery += ["--concurrency", str(options.concurrency)]
    else:
        celery += ["--schedule", options.schedule, "--pidfile", ""]
    sys.stdout.flush()
    os.execv(sys.executable, celery)  # noqa: S606
