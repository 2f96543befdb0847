"""The short and the long form of a test: `make test` runs the short ones, `make soak` the long ones."""

import os
from typing import Final

IS_LONG: Final = os.environ.get("PUNTO_LONG") == "1"
