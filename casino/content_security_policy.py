"""The content security policy of each path; the policy itself is a setting (casino/settings/base.py)."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

ADMIN = "/admin/"


class PathCSPMiddleware(CSPMiddleware):
    """Allows scripts and styles only from our own files, and frames only of responses that name their pages' origins
    as `frame_ancestors`.

    The admin's theme evaluates expressions in attributes, so `/admin/` allows `'unsafe-eval'` as well. Nothing is
    inline: the theme's inline styles are served as a file (`OfficeSite.colors`).
    """

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith(ADMIN):
            parts.update = {"script-src": ["'unsafe-eval'"], **(parts.update or {})}
        if ancestors := getattr(response, "frame_ancestors", None):
            parts.replace = {"frame-ancestors": list(ancestors), **(parts.replace or {})}
        return parts
