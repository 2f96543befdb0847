"""Tests in a browser notice faults of every page, and each test gets a window like a new one."""

import ast
import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from tests.e2e.window import Window
from tests.support.server import Server

ELSEWHERE = "http://elsewhere.example"
REQUESTS = {
    "fetch": "url => { fetch(url).catch(() => null); }",
    "image": "url => { new Image().src = url; }",
    "styles": """url => {
      document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: url }));
    }""",
    "beacon": "url => navigator.sendBeacon(url, 'told')",
    "frame": "url => document.body.append(Object.assign(document.createElement('iframe'), {src: url}))",
}
WORKER = "() => { new Worker(URL.createObjectURL(new Blob(['']))); }"
LEFT: Final = """async () => ({
  stored: [localStorage.length, sessionStorage.length],
  name: window.name,
  size: [innerWidth, innerHeight],
  looks: ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(prefers-reduced-motion: reduce)"]
    .map((query) => matchMedia(query).matches),
  clipboard: (await navigator.permissions.query({ name: "clipboard-read" })).state,
})"""
NOT_TAKEN_BACK: Final = re.compile(r"route_web_socket|clock\.install|add_init_script|expose_\w+\(|page\.on\(")
LEAVE = "url => { location.href = url; }"


def test_a_request_that_leaves_the_site_is_noticed(window: Window) -> None:
    """The request comes from an empty page, since the content policy of the site's pages would refuse it before it is
    made."""
    page = window.go("about:blank")
    assert window.problems == []
    window.expected = ["left the site: ", "a worker, ", "net::ERR_", "CORS policy"]
    for site in (ELSEWHERE, window.server.url.replace("127.0.0.1", "localhost")):
        for name, request in REQUESTS.items():
            page.evaluate(request, f"{site}/{name}")
            window.await_true(lambda: f"left the site: {site}/{name}" in window.problems)  # noqa: B023 -- run at once
    page.evaluate(WORKER)
    window.await_true(lambda: any("a worker, " in problem for problem in window.problems))
    before = len(window.problems)
    page.evaluate(LEAVE, f"{ELSEWHERE}/")
    window.await_true(lambda: any("left the site" in problem for problem in window.problems[before:]))


def test_a_window_goes_to_the_next_test_without_what_this_one_left(browser: Browser, shared_server: Server) -> None:
    with Window.open(browser, shared_server, width=700, height=500) as window:
        first = window.page
        window.tab().go("/healthz")
        window.context.add_cookies([{"name": "left", "value": "1", "url": shared_server.url}])
        window.context.grant_permissions(["clipboard-read"])
        page = window.go("/healthz")
        page.evaluate("() => { localStorage.left = sessionStorage.left = window.name = 'left'; }")
        page.set_viewport_size({"width": 300, "height": 300})
        page.emulate_media(color_scheme="dark", contrast="more", reduced_motion="no-preference")
        page.route("**/*", lambda route: route.abort())
        window.context.set_offline(True)
    with Window.open(browser, shared_server, width=700, height=500) as window:
        assert window.page is first
        assert window.context.pages == [first]
        assert window.context.cookies() == []
        assert window.go("/healthz").evaluate(LEFT) == {
            "stored": [0, 0], "name": "", "size": [700, 500], "looks": [False, False, True], "clipboard": "prompt",
        }  # fmt: skip


def test_a_test_says_that_its_window_cannot_be_set_back() -> None:
    """Playwright cannot undo a routed socket, a listener, a script or a clock. A test that opens its own context closes
    it."""
    silent, said = [], 0
    for path in sorted(Path(__file__).parents[1].glob("*/test_*.py")):
        for node in ast.parse(path.read_text()).body:
            text = ast.unparse(node)
            if (
                "new_context(" not in text
                and NOT_TAKEN_BACK.search(text)
                and isinstance(node, (ast.FunctionDef, ast.ClassDef))
            ):
                said += "is_kept = False" in text
                silent += [] if "is_kept = False" in text else [f"{path.name} {node.name}"]
    assert said > 5
    assert silent == []
