"""Compression of players' pages: most of a page is the sentences of its scripts, which gzip reduces to a quarter.

The length of a page gives no secret away: the CSRF token is masked anew in each page, the token of the page's socket
carries its second, the session's token in the page of a framed table is made for that one answer, and Django's class
adds up to 100 random bytes. The APIs and the back office are not compressed.
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from apps.portal.languages import IN_ENGLISH


class PageCompressionMiddleware(GZipMiddleware):
    """Compresses the HTML pages of players by gzip for browsers that accept it."""

    async_capable = False

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = not response.streaming and response.get("Content-Type", "").startswith("text/html")
        if not is_page or request.path_info.startswith(IN_ENGLISH):
            return response
        return super().process_response(request, response)
