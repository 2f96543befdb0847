#!/usr/bin/env python3
"""Django's commands. `python3 -m casino.local manage <command>` runs them on the embedded servers."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.dev")
    execute_from_command_line(sys.argv)
