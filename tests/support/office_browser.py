"""A browser of the back office: a form is sent with the hidden fields that its page has."""

import re
from html import unescape
from typing import Any
from uuid import uuid4

from django.test import Client

_HIDDEN = re.compile(r'<input type="hidden" name="(form_token|form_version)" value="([^"]*)">')


class OfficeBrowser(Client):
    """Django's test client, which also sends a form's token and version as a browser would."""

    def post(self, path: str, data: Any = None, *args: Any, **kwargs: Any) -> Any:
        return super().post(path, self._earlier() | self.hidden(path) | (data or {}), *args, **kwargs)

    def _earlier(self) -> dict[str, str]:
        """Return what a form has that was opened while its act could still be done: its page may have no form now."""
        return {"form_token": uuid4().hex}

    def post_bare(self, path: str, data: Any = None, **kwargs: Any) -> Any:
        """Send fields to a page that refuses its form or has none, and do not open it first."""
        return super().post(path, data or {}, **kwargs)

    def hidden(self, path: str) -> dict[str, str]:
        """Open the page of a form and return its hidden fields; none if there is no form."""
        page = self.get(path)
        if page.status_code != 200 or page.streaming:
            return {}
        return {name: unescape(value) for name, value in _HIDDEN.findall(page.content.decode())}
