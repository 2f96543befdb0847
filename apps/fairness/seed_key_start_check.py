"""The check of PUNTO_SEED_KEY at the start: of casino/serve, casino/celery.py and the commands that make seeds
(`manage.py table_bots`, `seeds_renew`, `demo`)."""

from typing import Final

import structlog
from django.db import Error, connections

from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.seed_encryption import SeedNotDecrypted, seed_decrypt

FIRST_PAIRS: Final = 10
"""How many pairs are tried: one altered row must not keep every process from starting."""

log = structlog.get_logger(__name__)


def seed_key_start_check(kind: str) -> None:
    """Check the key at the start of a process, and close the connection: the process may fork. Raises SystemExit."""
    try:
        seed_key_check(kind)
    finally:
        connections.close_all()


def seed_key_check(kind: str) -> None:
    """Raise SystemExit if PUNTO_SEED_KEY does not decrypt the database's seeds.

    A process with another key could not deal, and would encrypt new seeds that the right key does not decrypt. One of
    the first players' active pairs has to be decrypted. Without the database there is nothing to compare: the process
    starts.
    """
    try:
        pairs = list(SeedPair.objects.filter(status=SeedStatus.ACTIVE).order_by("player_id")[:FIRST_PAIRS])
    except Error as error:
        log.warning("seed_key_not_checked", process=kind, error=type(error).__name__)
        return
    if pairs and not any(_is_decrypted(pair) for pair in pairs):
        log.error("seed_key_differs", process=kind)
        raise SystemExit(
            "PUNTO_SEED_KEY is not the key that this database's seeds are encrypted with. Set that key, or"
            " point DATABASE_URL at the database that belongs to this one."
        )


def _is_decrypted(pair: SeedPair) -> bool:
    try:
        seed_decrypt(bytes(pair.sealed_seed), commitment=pair.commitment)
    except SeedNotDecrypted:
        return False
    return True
