#!/usr/bin/env python3
"""Django's commands. `python3 -m casino.local manage <command>` runs them on the embedded servers."""

import os
import runpy
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from casino.command_events import intervention_record

if __name__ == "__main__":
    game = "".join(sys.argv[1:2])
    if game.isidentifier() and (Path(__file__).parent / "apps" / game / "terminal").is_dir():
        # A terminal game needs no settings: Django's start alone would take longer than the game's own.
        runpy.run_module(f"apps.{game}.terminal", run_name="__main__", alter_sys=False)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.dev")
    intervention_record(sys.argv[1:])
    execute_from_command_line(sys.argv)
