"""Parses the actions of a round in a request for verification, for any game."""

from collections.abc import Collection
from typing import Any, Final

from apps.core.errors import BadParams

MAX_ACTIONS: Final = 100


def action_read(number: int, item: Any, names: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return an action's name, one of `names`, and its data. Raises BadParams if it is not an action.

    It is a name, an object with `action` and `data`, or an entry of the log, whose `action` is an object with the name
    under `move` and amounts in smallest units. `number` is its place in the list.
    """
    name: object = item
    data: object = {}
    if isinstance(item, dict):
        name, data = item.get("action"), item.get("data")
        data = {} if data is None else data
        if isinstance(name, dict):
            name, data = name.get("move"), name
    if not isinstance(name, str) or name not in names or not isinstance(data, dict):
        raise BadParams(f"actions.{number}: a name, or an object with action and data", field=f"actions.{number}")
    return name, data
