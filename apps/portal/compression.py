"""Compression of players' pages: most of a page is the sentences of its scripts, which gzip reduces to a quarter.

The length of a page gives no secret away: the CSRF token is masked anew in each page, the token of the page's socket
carries its second, and Django's class adds up to 100 random bytes. The page of a table in a frame has the token of a
session, so it is not compressed. Neither are the APIs and the back office.
"""

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from apps.portal.languages import IN_ENGLISH, WITHOUT_COOKIES

AS_IT_IS: Final = (*IN_ENGLISH, WITHOUT_COOKIES)


class PageCompressionMiddleware(GZipMiddleware):
    """Compresses the HTML pages of players by gzip for browsers that accept it."""

    async_capable = False

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = not response.streaming and response.get("Content-Type", "").startswith("text/html")
        if not is_page or request.path_info.startswith(AS_IT_IS):
            return response
        return super().process_response(request, response)
