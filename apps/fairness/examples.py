"""The worked example of the algorithm (docs/fairness.md), for documents and pages."""

from typing import Final

from apps.fairness.round_seeds import Seeds

EXAMPLE: Final = Seeds("0123456789abcdef" * 4, "punto", 0)
EXAMPLE_COMMITMENT: Final = EXAMPLE.commitment
EXAMPLE_SEEDS: Final = {
    "clientSeed": EXAMPLE.client_seed,
    "serverSeed": EXAMPLE.server_seed,
    "nonce": EXAMPLE.nonce,
}
"""The members of a verification request."""
