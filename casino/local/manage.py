"""`python3 -m casino.local manage <command>`: Django's commands on the servers of `run`, which are started if
necessary."""

import subprocess
import sys
from pathlib import Path

from casino.local.servers import Servers, addresses, is_serving, servers

OWNERS_COMMANDS = {"migrate", "flush", "sqlflush", "dbshell", "showmigrations", "makemigrations"}


def manage(checkout: Path, arguments: list[str]) -> int:
    """Run one command; starts the servers unless `run` serves them. Returns the exit code."""
    if is_serving(checkout, "run"):
        return django(checkout, addresses(checkout, "run"), *arguments)
    with servers(checkout, "run", durable=True) as held:
        return django(checkout, held, *arguments)


def django(checkout: Path, held: Servers, *arguments: str, **variables: str) -> int:
    """Run `manage.py` with the development settings, as the owner if the command changes tables.

    `variables` are added to its environment.
    """
    environment = {"DJANGO_SETTINGS_MODULE": "casino.settings.dev"} | held.environment() | variables
    if arguments and arguments[0] in OWNERS_COMMANDS:
        environment["PUNTO_AS_OWNER"] = "1"
    command = [sys.executable, str(checkout / "manage.py"), *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, check=False).returncode
