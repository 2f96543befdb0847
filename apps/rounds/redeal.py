"""Actions of a round as whoever verifies it lists them, whatever the game."""

from collections.abc import Collection
from typing import Any, Final

from apps.core.errors import BadParams

MAX_ACTIONS: Final = 100


def action_read(number: int, item: Any, names: Collection[str]) -> tuple[str, dict[str, Any]]:
    """Return an action's name, one of `names`, and its data. Raises BadParams for what is no action.

    It comes as a name, as an object with `action` and `data`, or as the log has it, where `action` is an object with
    the name under `move` and amounts in smallest units. `number` is its place in the list.
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
