"""The SQL of a game's store, made from a template for its migrations."""

from pathlib import Path
from typing import Final

from django.db import migrations

FOLDER: Final = Path(__file__).parent / "sql"


def store_sql(version: int, *, game: str, game_id: str, sides: tuple[str, str]) -> migrations.RunSQL:
    """Return the migration operation that creates that version of the store's functions with the game's name.

    `sql/store_v<version>.sql` is the template; `_reverse` undoes it. Released migrations use it, so it is never edited.
    """
    first, second = sides
    names = {"{game}": game, "{game_id}": game_id, "{first}": first, "{second}": second}
    forward, reverse = ((FOLDER / f"store_v{version}{ending}.sql").read_text() for ending in ("", "_reverse"))
    for mark, name in names.items():
        forward, reverse = forward.replace(mark, name), reverse.replace(mark, name)
    return migrations.RunSQL(forward, reverse)
