"""Reads `page_answers.txt`, the table of the answers of each page and act of the back office to each role."""

from pathlib import Path
from typing import Final

from tests.office.queries import ROLES

TABLE: Final = Path(__file__).with_name("page_answers.txt")
HEAD: Final = ("method", "page", *ROLES, "player", "signed_out", "idle", "no_factor")


def answers_read() -> dict[tuple[str, str], list[str]]:
    """Return the answers by method and page, in the order of HEAD."""
    lines = [line.split() for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    assert tuple(lines[0]) == HEAD
    return {(line[0], line[1]): line[2:] for line in lines[1:]}


def answer_of(method: str, page: str, who: str) -> int:
    """Return the status that a role gets."""
    return int(answers_read()[method, page][ROLES.index(who)])
