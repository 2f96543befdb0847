"""Counts with their nouns, for pages and commands of staff: "1 round", "2,000 rounds"."""


def counted(number: int, one: str, more: str = "") -> str:
    """Return the number with `one` after it if it is 1, else with `more`, by default `one` and an s."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
