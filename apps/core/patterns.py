"""Regular expressions of texts, for documents and checks."""

from typing import Final

AMOUNT: Final = "^-?[0-9]{1,20}(\\.[0-9]{1,20})?$"
"""Callers must also check the length."""
CURRENCY: Final = "^[0-9A-Za-z]{1,8}$"
SEED: Final = "^[0-9a-f]{64}$"
"""A server seed, and its commitment."""
MAX_CLIENT_SEED_CHARS: Final = 64
CLIENT_SEED: Final = f"^[!-{{}}~]{{1,{MAX_CLIENT_SEED_CHARS}}}$"
"""A player's: without |, which separates the seeds of a table's players."""
CLIENT_SEED_RULE: Final = f"1 to {MAX_CLIENT_SEED_CHARS} characters of ASCII, without spaces and |"
ROUND_CLIENT_SEED: Final = "^[!-~]{0,1023}$"
"""A round's: at a table the seeds of all players, which may have given none."""
REFERENCE: Final = "^[!-~]{1,64}$"
IDEMPOTENCY_KEY: Final = "^[!-~]{1,128}$"
CARD: Final = "^[HDCS]([1-9]|10|J|Q|K)$"
CODE: Final = "^[A-Z]+(_[A-Z]+)*$"
"""The code of a refusal."""
DAY: Final = "^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
