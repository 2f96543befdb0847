"""Only files named tokens.css define colours."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["static", "templates", "apps/*/static", "apps/*/templates"]
ENDINGS = {".css", ".html", ".js", ".svg", ".txt"}
VENDOR = ROOT / "static" / "vendor"
"""Files of others, kept as they were published."""
IMAGES = ["portal/img/icon.svg"]
"""The icon is a picture of its own, which cannot use a page's colours."""

HEX = r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})(?![\w-])"
FUNCTION = r"\b(?:rgb|rgba|hsl|hsla|hwb|lab|lch|oklab|oklch|color)\("
NAME = (
    r"(?<![\w-])(?:aqua|black|blue|brown|cyan|fuchsia|gold|gray|green|grey|ivory|lime|magenta|maroon|navy|olive|orange|"
)
NAME += r"pink|purple|red|silver|tan|teal|white|yellow)(?![\w-])"
DECLARATIONS = re.compile(r"\{([^{}]*)\}")
COMMENT = re.compile(r"/\*.*?\*/|\{#.*?#\}", re.DOTALL)
PAINT = re.compile(r"\b(?:fill|stroke|color|stop-color)=\"(?!none|currentColor|var\(|\$\{)[^\"]+\"")
IN_QUOTES = re.compile(rf"[\"'`>]\s*(?:{HEX}|{FUNCTION})")
THEME = re.compile(r'<meta name="theme-color"(?: media="[^"]+")? content="([^"]+)">')


def files() -> list[Path]:
    found = [path for folder in FOLDERS for top in ROOT.glob(folder) for path in top.rglob("*")]
    ours = [path for path in found if VENDOR not in path.parents]
    return [path for path in ours if path.suffix in ENDINGS and not str(path).endswith(tuple(IMAGES))]


def colours(path: Path, text: str) -> list[str]:
    """Return the colours that a file defines."""
    text = COMMENT.sub("", text)
    if path.suffix == ".css":
        bodies = " ".join(DECLARATIONS.findall(text))
        return re.findall(f"{HEX}|{FUNCTION}|{NAME}", re.sub(r"[\w-]+\s*:", "", bodies))
    return [*PAINT.findall(text), *(found.group() for found in IN_QUOTES.finditer(THEME.sub("", text)))]


def test_only_the_tokens_define_colours() -> None:
    found = files()
    assert {path.suffix for path in found} >= {".css", ".html", ".js", ".svg"}
    assert len([path for path in found if path.name == "tokens.css"]) >= 6
    named = {
        str(path.relative_to(ROOT)): colours(path, path.read_text()) for path in found if path.name != "tokens.css"
    }
    assert {name: colour for name, colour in named.items() if colour} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one.css", ".spot { border: 1px solid #fff; }"),
        ("one.css", "@media print { .spot { color: rgb(0 0 0 / 0.5); } }"),
        ("one.css", ".spot:hover { background: linear-gradient(white, transparent); }"),
        ("one.js", 'const RED = "#b3131f";'),
        ("one.js", 'return `<path fill="#fff" d="M0 0"/>`;'),
        ("one.svg", '<circle fill="red"/>'),
        ("one.html", '<meta name="other" content="#0b100e">'),
    ],
)
def test_a_colour_elsewhere_is_found(name: str, text: str) -> None:
    assert colours(Path(name), text)


def test_every_colour_and_size_that_is_used_has_a_value() -> None:
    texts = [COMMENT.sub("", path.read_text()) for path in files()]
    defined = {name for text in texts for name in re.findall(r"(--[\w-]+)\s*:", text)}
    used = {name for text in texts for name in re.findall(r"var\((--[\w-]+)\s*\)", text)}
    of_the_office_theme = {name for name in used if name.startswith("--color-")}
    assert used - defined - of_the_office_theme == set()
    of_themselves = [name for text in texts for name in re.findall(r"(--[\w-]+)\s*:\s*var\(\1\)", text)]
    assert of_themselves == []  # such a property would have no value
    assert len(used) > 50


def test_the_theme_colours_are_those_of_the_tokens() -> None:
    light, dark = THEME.findall((ROOT / "templates/portal/base.html").read_text())
    for colour, name in ((dark, "tokens.css"), (light, "light/tokens.css")):
        token = re.search(r"--theme: ([^;]+);", (ROOT / "static/portal/css" / name).read_text())
        assert token is not None
        assert colour == token.group(1)


@pytest.mark.parametrize("name", ["light", "contrast", "light-contrast"])
def test_a_theme_gives_other_values_to_tokens_that_there_are(name: str) -> None:
    folder = ROOT / "static/portal/css"
    defined = {
        file: set(re.findall(r"(--[\w-]+):", (folder / file).read_text()))
        for file in ("tokens.css", f"{name}/tokens.css")
    }
    assert defined[f"{name}/tokens.css"] - defined["tokens.css"] == set()
    assert defined[f"{name}/tokens.css"]
