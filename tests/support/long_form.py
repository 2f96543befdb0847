"""The short and the long form of a test: `make test` runs the short ones, `make soak` the long ones.

A test whose short form would leave nothing is marked `soak`, and only `make soak` collects it (tests/conftest.py).
"""

import os
from typing import Final

IS_LONG: Final = os.environ.get("PUNTO_LONG") == "1"
