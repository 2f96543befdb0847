"""`python -m casino.healthcheck PORT`: whether the server of this container is ready. Exit code 0 if it is."""

import sys
from urllib.error import URLError
from urllib.request import Request, urlopen

from casino import env

TIMEOUT_S = 5


def is_ready(port: int) -> bool:
    """Request `/readyz` with an allowed host name, like the proxy in front of the server."""
    headers = {"Host": env.names("PUNTO_ALLOWED_HOSTS", ["localhost"])[0], "X-Forwarded-Proto": "https"}
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}/readyz", headers=headers), timeout=TIMEOUT_S) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(0 if is_ready(int(sys.argv[1])) else 1)
