"""Names that people give to things which other people see in lists, such as a table's."""

import re
import unicodedata
from typing import Final

from apps.core.errors import BadRequest

_DIRECTION: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the text around them: the words after such a name would be read backwards."""
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Unicode calls them letters or symbols, and they show nothing."""


def shown_name_read(name: str) -> str:
    """Return the name without spaces around it. Raises BadRequest: no character of it can be seen, so that nobody could
    choose it in a list, or it changes the direction of the text around it."""
    if _DIRECTION.search(name):
        raise BadRequest("name: it has characters that change the direction of the text around it", field="name")
    if not any(unicodedata.category(each)[0] in "LNPS" and each not in _BLANK_LETTERS for each in name):
        raise BadRequest("name: none of its characters can be seen", field="name")
    return name.strip()
