"""The size of what production sends before a static file."""

from typing import Final

MAX_STATIC_HEAD_BYTES: Final = 300
"""The status line and the headers of a static file through nginx; tests/docker measures them."""

NGINX_BYTES: Final = len("Connection: keep-alive\r\n")
"""What nginx adds to the headers of the web workers. It replaces Server and Date."""
