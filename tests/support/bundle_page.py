"""The page of a round's bundle in a browser."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Browser

from casino.settings.waits import WAIT_S
from tests.support.bundle_cases import Case


def texts_of(html: str) -> dict[str, str]:
    """Return the texts of the JSON files in a bundle's page."""
    found = re.search(r'id="files">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    texts: dict[str, str] = json.loads(found[1])
    return texts


class BundlePage:
    """A bundle's page, opened from its file without a network. A test can replace its texts."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.context = browser.new_context(offline=True)
        self.page = self.context.new_page()
        self.page.goto(path.as_uri())
        self._await()

    def __enter__(self) -> "BundlePage":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def text(self) -> str:
        """Return the result of the page's check."""
        return self.page.inner_text("#found")

    def texts(self) -> dict[str, str]:
        """Return the texts of the JSON files in it."""
        found: dict[str, str] = json.loads(self.page.inner_text("#files") or self.page.text_content("#files") or "")
        return found

    def check(self, texts: Mapping[str, str] | None = None, *, key: str = "") -> str:
        """Check again, with other texts or with a key of the reader's."""
        if texts is not None:
            self.page.eval_on_selector(
                "#files", "(element, text) => { element.textContent = text; }", json.dumps(texts)
            )
        self.page.eval_on_selector("#found", "list => delete list.dataset.state")
        self.page.fill("#key", key)
        self.page.dispatch_event("#key", "change")
        self._await()
        return self.text()

    def settled(self, cases: Sequence[Case]) -> list[list[str]]:
        """Return what each bet pays by the page's rules, in smallest units."""
        text = self.page.evaluate(
            "cases => JSON.stringify(JSON.parse(cases).map((case_) => settledBets(...case_).map(String)))",
            json.dumps([[case.played, case.cards] for case in cases]),
        )
        found: list[list[str]] = json.loads(text)
        return found

    def _await(self) -> None:
        self.page.wait_for_selector("#found[data-state=checked]", timeout=1000 * WAIT_S)
