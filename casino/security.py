"""The content security policy, path by path."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

ADMIN = "/admin/"


class PathCSPMiddleware(CSPMiddleware):
    """Scripts and styles come from our own files and nowhere else; `/admin/` needs a little more.

    The admin's theme evaluates the expressions in its attributes, so there `'unsafe-eval'` is allowed, and it writes
    its colours into a style element of the page, so there styles may be inline. Scripts may not, anywhere.
    """

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith(ADMIN):
            parts.update = {"script-src": ["'unsafe-eval'"], "style-src": ["'unsafe-inline'"], **(parts.update or {})}
        return parts
