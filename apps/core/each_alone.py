"""Acts of scheduled work on many things, of which one that fails does not keep the others from theirs."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing")


def each_alone(
    things: Iterable[Thing], act: Callable[[Thing], object], *, what: str, at_most: int | None = None
) -> int:
    """Call `act` for each thing, and return the number of calls with a true result; with `at_most` end after so many.

    A call that raises counts as none, so that things which always fail never block those behind them. Raises
    ExceptionGroup at the end; each error has a note with `what` and the thing.
    """
    done, errors = 0, []
    for thing in things:
        if done == at_most:
            break
        try:
            done += bool(act(thing))
        except Exception as error:  # noqa: BLE001 - it is raised once the others had their turn
            error.add_note(f"{what} {thing}")
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{what}: some failed", errors)
    return done
