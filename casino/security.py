"""The content security policy, path by path."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

ADMIN = "/admin/"


class PathCSPMiddleware(CSPMiddleware):
    """Scripts and styles come from our own files and nowhere else.

    The admin's theme evaluates the expressions in its attributes, so `/admin/` allows `'unsafe-eval'` as well.
    Nothing is inline anywhere: what the theme would put into the page is a file too (`OfficeSite.colors`).
    """

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith(ADMIN):
            parts.update = {"script-src": ["'unsafe-eval'"], **(parts.update or {})}
        return parts
