"""The content security policy, path by path."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

ADMIN = "/admin/"
API_PAGE = "/api/"


class PathCSPMiddleware(CSPMiddleware):
    """Scripts come from our own files and nowhere else; two places need a little more.

    The admin theme evaluates the expressions in its attributes, so `/admin/` allows `'unsafe-eval'`; it and the
    page of the API carry their colours in style elements and attributes.
    """

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith(ADMIN):
            parts.update = {"script-src": ["'unsafe-eval'"], "style-src": ["'unsafe-inline'"], **(parts.update or {})}
        elif request.path_info == API_PAGE:
            parts.update = {"style-src": ["'unsafe-inline'"], **(parts.update or {})}
        return parts
