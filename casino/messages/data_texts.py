"""The texts that pages show from data of the code: games, bets, results, kinds of movements.

They are written in modules without Django, or as the labels of columns, so no call marks them. Templates translate them
with `{% translate variable %}`.
"""

from collections.abc import Iterator
from typing import Any, get_args

import django

django.setup()  # The models can be imported from here on.

from apps.rounds.models import RoundEnd  # noqa: E402
from apps.rounds.registry import games  # noqa: E402
from apps.rounds.table_game import TableGame  # noqa: E402
from apps.tables.explain import HIDDEN_UNTIL  # noqa: E402
from apps.tables.registry import table_games  # noqa: E402
from apps.wallet.models import Kind  # noqa: E402


def data_texts() -> Iterator[str]:
    """Return each text."""
    for game in games():
        yield from (game.title, game.tile.pitch, game.tile.welcome)
        yield from (game.dealing.order, game.dealing.example, game.dealing.places_help)
        yield from game.page.texts
    for table_game in table_games().values():
        yield from table_game.bet_labels.values()
        yield from table_game.result_labels.values()
        yield from (name.replace("_", " ") for name in action_names(table_game))
    yield from Kind.labels
    yield from RoundEnd.labels
    yield from ("endless", HIDDEN_UNTIL, "the player changes the seed")


def action_names(game: TableGame[Any]) -> Iterator[str]:
    """Return the names of a game's actions at tables, on the wire."""
    for kind in get_args(game.messages.action):
        yield kind.__struct_config__.tag
