"""What the tests in a browser notice of every page: a request that leaves the site, however it is made."""

from tests.e2e.window import Window

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
LEAVE = "url => { location.href = url; }"


def test_a_request_that_leaves_the_site_is_noticed(window: Window) -> None:
    """From an empty page: the content policy of the site's pages would refuse each request before it is made."""
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
