"""Reads the documentation: its fences, headings, links, and the shell commands of its examples."""

import json
import re
import shlex
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from casino.settings.waits import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TICKS = re.compile(r"^```.*?^```$|^    .*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def page(name: str) -> str:
    return (ROOT / name).read_text()


def fences(text: str) -> list[tuple[str, str]]:
    """Return each fenced block with its language, in order."""
    return _FENCE.findall(text)


def section(text: str, heading: str) -> str:
    """Return the text below a heading, up to the next heading of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found.group(1)


def first_column(text: str) -> list[str]:
    """Return the first cells of a text's tables, without the rows of headings."""
    cells = re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)
    return [cell for cell in cells if cell not in {"---", "name", "package"}]


def links(text: str) -> list[str]:
    """Return the links to files of the project."""
    found = _LINK.findall(_TICKS.sub("", text))
    return [link for link in found if "://" not in link]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(_FENCE, "", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def requests(block: str) -> Iterator[list[str]]:
    """Return the words of each `curl` command in a shell block."""
    words = shlex.split(block.replace("\\\n", " "))
    starts = [number for number, word in enumerate(words) if word == "curl"]
    assert starts[0] == 0, block
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        yield words[start + 1 : end]


def request_send(words: list[str], variables: Mapping[str, str]) -> Any:
    """Send the request of this `curl` command, and return the answer's JSON. Raises HTTPError for a refusal."""
    words = [Template(word).substitute(variables) for word in words]
    address, headers, body = "", {}, None
    while words:
        match words.pop(0):
            case "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            case "--json":
                body = words.pop(0).encode()
                headers |= {"Content-Type": "application/json", "Accept": "application/json"}
            case word:
                assert not word.startswith("-"), f"{word} is not an option that the examples may use"
                assert not address
                address = word
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=WAIT_S) as answer:
        return json.load(answer)


def shape(value: object) -> object:
    """Return the types within a JSON value. Two answers to one request have the same shape."""
    match value:
        case dict():
            return {name: shape(member) for name, member in value.items()}
        case list():
            return [shape(value[0])] if value else []
        case int() | float() if not isinstance(value, bool):
            return "a number"
        case _:
            return type(value).__name__
