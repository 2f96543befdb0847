"""The secrets of development and tests, which are public.

Production refuses those of `KNOWN_SECRETS` and names the variable: prod.py, by `secret` of casino/env.py.
"""

KNOWN_SECRET_KEY = "development-only-django-secret-key-known-to-all"  # noqa: S105
KNOWN_SEED_KEY = "development-only-seed-encryption-key-known-to-all"
KNOWN_SEAL_KEY = "development-only-ledger-seal-key-known-to-all"
KNOWN_SIGN_KEY = "64657665" * 8
KNOWN_DEMO_PASSWORD = "punto-demo-2026"  # noqa: S105

KNOWN_SECRETS = frozenset({KNOWN_SECRET_KEY, KNOWN_SEED_KEY, KNOWN_SEAL_KEY, KNOWN_SIGN_KEY})
