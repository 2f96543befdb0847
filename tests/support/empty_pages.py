"""Pages without their content, for tests that check an answer's status alone, and refusals without their frame."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.http import HttpRequest, HttpResponseNotFound
from django.template.response import SimpleTemplateResponse
from django.utils.html import format_html
from django.views import defaults


@contextmanager
def pages_empty() -> Iterator[None]:
    """Answer without the content of templates. Django renders them after the view, which has set the status."""

    def render(answer: SimpleTemplateResponse) -> SimpleTemplateResponse:
        answer.content = b""
        return answer

    def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseNotFound:
        return HttpResponseNotFound()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimpleTemplateResponse, "render", render)
        patch.setattr(defaults, "page_not_found", page_not_found)
        yield


@contextmanager
def refusals_bare() -> Iterator[None]:
    """Answer the office's refusals with their sentence alone. Its menus take most of the time of such a page, and are
    those of every other page."""
    whole = SimpleTemplateResponse.render

    def render(answer: SimpleTemplateResponse) -> SimpleTemplateResponse:
        if answer.template_name != "office/refusal.html":
            return whole(answer)
        assert answer.context_data is not None
        answer.content = format_html('<p role="alert">{}</p>', answer.context_data["message"])
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimpleTemplateResponse, "render", render)
        yield
