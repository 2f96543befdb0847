"""The documentation agrees with the code: links, commands, settings, dependencies."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import get_commands

from apps.rounds.registry import games
from casino import celery, env
from tests.docs.pages import PAGES, ROOT, anchors, first_column, links, page, section

MAX_IMAGE_BYTES = 300_000


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for link in links(path.read_text()):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text()), link


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_that_is_named_exists(path: Path) -> None:
    named = set(re.findall(r"(?:manage\.py|casino\.local manage) ([a-z][a-z_]+)", path.read_text()))
    assert named <= set(get_commands())


def test_every_page_is_in_the_index_or_has_a_game_s_name() -> None:
    index = {link.partition("#")[0] for link in links(page("docs/index.md"))}
    names = tuple(game.slug.replace("_", "-") for game in games())
    of_games = {path.name for path in PAGES if path.name.startswith(names)}
    assert {path.name for path in PAGES} - {"README.md", "index.md"} - of_games <= index


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_file_that_is_named_by_its_path_exists(path: Path) -> None:
    folders = "apps|casino|docker|static|templates|tests"
    named = set(re.findall(rf"`((?:{folders})/[\w./-]+\.\w+)`", path.read_text()))
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_file_and_heading_that_the_code_cites_exists() -> None:
    files = [path for folder in ("apps", "casino", "static") for path in (ROOT / folder).rglob("*")]
    code = {
        path.relative_to(ROOT): path.read_text()
        for path in files
        if path.suffix in {".py", ".js", ".css"} and "migrations" not in path.parts
    }
    of_a_file = r"(?<![\w./<>{}-])((?:apps|casino|docs|static|tests)/[\w./-]+\.(?:py|sql|md|js|css|html))\b"
    cited = {(name, path) for name, text in code.items() for path in re.findall(of_a_file, text)}
    headings = {
        (name, path, heading)
        for name, text in code.items()
        for path, heading in re.findall(r"(docs/[\w-]+\.md), \"([^\"]+)\"", re.sub(r"\s*\n[\s#*]*", " ", text))
    }
    assert len(cited) > 120
    assert {(name, path) for name, path in cited if not (ROOT / path).exists()} == set()
    assert len(headings) > 20
    pattern = r"(?m)^#+ {}$"
    missing = {each for each in headings if not re.search(pattern.format(re.escape(each[2])), page(each[1]))}
    assert missing == set()


def test_every_name_of_code_in_the_index_is_in_the_file_before_it() -> None:
    named = {
        (path, name)
        for path, names in re.findall(r"`((?:apps|casino)/[\w./-]+\.\w+)` \(([^)]*`[^)]*)\)", page("docs/index.md"))
        for name in re.findall(r"`(\w+)`", names)
    }
    assert len(named) > 50
    assert {(path, name) for path, name in named if name not in (ROOT / path).read_text()} == set()


@pytest.mark.parametrize(
    ("heading", "game"),
    [("A one-deal game", "baccarat"), ("A further bet", "baccarat"), ("A further side bet of blackjack", "blackjack")],
)
def test_every_file_of_a_game_in_the_page_about_new_games_exists(heading: str, game: str) -> None:
    cells = "".join(first_column(section(page("docs/new-game.md"), heading))).replace("<game>", game)
    named = set(re.findall(r"`([\w/.]+)`", cells))
    app = ROOT / "apps" / game
    folders = (ROOT, app, app / "templates" / game)
    assert len(named) > 8
    assert {
        name
        for name in named
        if not any((folder / f"{name}{end}").exists() for folder in folders for end in ("", ".py"))
    } == set()


def test_every_script_in_the_page_about_scripts_exists() -> None:
    named = set(re.findall(r"`(?:[\w/]+/)?([\w-]+\.js)`", page("docs/scripts.md")))
    of_pages = {path.name for folder in ("apps", "static", "tests/js") for path in (ROOT / folder).rglob("*.js")}
    assert len(named) > 80
    assert named <= of_pages | {path.name for path in ROOT.glob("*.js")}


def test_every_scheduled_task_is_in_the_page_about_operations() -> None:
    _, *times = first_column(section(page("docs/operations.md"), "Scheduled work"))
    assert len(times) == len(celery.app.conf.beat_schedule), "a row for each task, and no other"


def test_every_path_that_nginx_sends_to_sockets_is_in_the_page_about_operations() -> None:
    """A proxy of one's own needs the same rules."""
    rules = re.findall(r"location (?:~ )?(\S+) \{\s+proxy_pass http://(\w+);", page("docker/nginx.conf"))
    paths = {path for path, upstream in rules if upstream != "web"}
    assert len(paths) == 3
    text = section(page("docs/operations.md"), "Running it")
    documented = {path.strip("^$").replace("[a-z_]+", "<game>") for path in paths}
    assert {path for path in documented if f"`{path}`" not in text} == set()


def test_every_target_of_make_exists() -> None:
    named = set(re.findall(r"^ +make (\w+)", page("README.md"), re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", page("Makefile"), re.MULTILINE))
    assert {"run", "test"} <= named <= targets


def test_every_setting_of_the_environment_is_explained() -> None:
    assert env.__doc__
    read = set(re.findall(r"`([A-Z_]+)`", "".join(re.findall(r"^\| (`.+?`) \|", env.__doc__, re.MULTILINE))))
    explained = [cell.strip("`") for cell in first_column(section(page("docs/operations.md"), "Settings"))]
    assert "PUNTO_SEED_KEY" in read
    assert sorted(explained) == sorted(read)


@pytest.mark.parametrize(("heading", "extra"), [("What runs", None), ("What tests", "test")])
def test_every_dependency_is_explained(heading: str, extra: str | None) -> None:
    project = tomllib.loads(page("pyproject.toml"))["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    names = [re.split(r"[<>=]", requirement)[0] for requirement in wanted]
    assert first_column(section(page("docs/dependencies.md"), heading)) == names


def test_every_npm_package_is_explained_and_locked_without_a_registry() -> None:
    wanted = json.loads(page("package.json"))["devDependencies"]
    assert first_column(section(page("docs/dependencies.md"), "What tests, from npm")) == sorted(wanted)
    lock = json.loads(page("package-lock.json"))
    assert lock["packages"][""]["devDependencies"] == wanted
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert name == "" or package["integrity"].startswith("sha512-"), name


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").iterdir()}
    assert sizes
    assert {name for name, size in sizes.items() if size > MAX_IMAGE_BYTES} == set()


def test_code_cites_pages_that_exist_and_nothing_outside_the_project() -> None:
    files = [path for folder in ("apps", "casino", "tests") for path in (ROOT / folder).rglob("*.py")]
    cited = {(path, page) for path in files for page in re.findall(r"\b(?:docs|spec)/[\w./-]+\.md", path.read_text())}
    assert len(cited) > 20
    missing = {(str(path.relative_to(ROOT)), page) for path, page in cited if not (ROOT / page).is_file()}
    assert missing == set()
