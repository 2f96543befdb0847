"""Pages without their content, for tests that check an answer's status alone."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.http import HttpRequest, HttpResponseNotFound
from django.template.response import SimpleTemplateResponse
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
