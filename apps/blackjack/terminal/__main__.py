"""`python -m apps.blackjack.terminal`: the game without Django's start-up time."""

import sys

from apps.blackjack.terminal.main import main

if __name__ == "__main__":
    arguments = sys.argv[1:]
    # `manage.py blackjack` runs this module with its own arguments.
    sys.exit(main(arguments[1:] if arguments[:1] == ["blackjack"] else arguments))
