"""The result of a proof: the number of checked rows, and the findings."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One finding. `where` names the row, `what` is a sentence about the fault."""

    where: str
    what: str


class Check(NamedTuple):
    """The number of checked rows, and the findings."""

    checked: int
    findings: list[Finding]
