"""What a proof says: how much was looked at, and what does not hold."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that does not hold. `where` names the row, `what` says in a sentence what is wrong with it."""

    where: str
    what: str


class Check(NamedTuple):
    """How many things were looked at, and what was found."""

    checked: int
    findings: list[Finding]
