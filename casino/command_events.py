"""Records commands of `manage.py` that may change something as significant events."""

import getpass
import os
import socket
from pathlib import Path
from typing import Final

QUIET: Final = frozenset({
    "audit", "audit_ledger", "build", "check", "collectstatic", "compilemessages", "demo",
    "diffsettings", "findstatic", "help", "house_edge", "makemessages", "makemigrations", "migrate", "runserver",
    "showmigrations", "spectacular", "sqlflush", "sqlmigrate", "table_bots", "test", "verify_round", "version",
})  # fmt: skip
"""Commands that change nothing, or that belong to every start, whose changes are recorded separately."""
_APPS: Final = Path(__file__).resolve().parents[1] / "apps"
_WORDS_KEPT: Final = 3


def intervention_record(arguments: list[str]) -> None:
    """Record the command before it runs; without the database it fails by itself. Only the first words of its arguments
    are kept, and no value of an option, which may be a secret.
    """
    if not arguments or arguments[0] in QUIET or arguments[0].startswith("-"):
        return
    if (_APPS / arguments[0] / "game.py").is_file():
        return  # a game in the terminal, which has no database
    import django  # noqa: PLC0415 - the terminal game starts without it

    django.setup()
    from django.conf import settings  # noqa: PLC0415 - Django is set up only now
    from django.db import Error, transaction  # noqa: PLC0415

    from apps.events.models import EventKind  # noqa: PLC0415
    from apps.events.services import event_record  # noqa: PLC0415

    words = [word for word in arguments if not word.startswith("-")]
    options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    try:
        with transaction.atomic():
            event_record(
                kind=EventKind.INTERVENTION,
                component="command",
                actor=_who(),
                subject=f"command {arguments[0]}"[:160],
                reason="a command was typed",
                after={"words": words[:_WORDS_KEPT], "options": options, "settings": settings.SETTINGS_MODULE},
            )
    except Error:
        return  # no database, or none with this table yet


def _who() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's user needs no name
        name = str(os.getuid())
    return f"{name} on {socket.gethostname()}"[:160]
