"""`python3 -m casino.local manage <command>`: Django's commands on the servers of `run`, which may be up or not."""

import subprocess
import sys
from pathlib import Path

from casino.local.servers import Servers, addresses, is_serving, servers

OWNERS_COMMANDS = {"migrate", "flush", "sqlflush", "dbshell", "showmigrations", "makemigrations"}


def manage(checkout: Path, arguments: list[str]) -> int:
    """Run one command; starts the servers for it where `run` does not hold them. Returns its exit code."""
    if is_serving(checkout, "run"):
        return django(checkout, addresses(checkout, "run"), *arguments)
    with servers(checkout, "run", durable=True) as held:
        return django(checkout, held, *arguments)


def django(checkout: Path, held: Servers, *arguments: str, **variables: str) -> int:
    """Run `manage.py` in the embedded default's settings, as the owner where tables are made or changed.

    `variables` are added to its environment.
    """
    environment = {"DJANGO_SETTINGS_MODULE": "casino.settings.dev"} | held.environment() | variables
    if arguments and arguments[0] in OWNERS_COMMANDS:
        environment["PUNTO_AS_OWNER"] = "1"
    command = [sys.executable, str(checkout / "manage.py"), *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, check=False).returncode
