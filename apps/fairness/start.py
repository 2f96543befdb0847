"""The check of PUNTO_SEED_KEY at the start of a process: of casino/serve and casino/celery.py."""

import structlog
from django.db import Error, connections

from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.seed_encryption import SeedNotDecrypted, seed_decrypt

log = structlog.get_logger(__name__)


def seed_key_start_check(kind: str) -> None:
    """Raise SystemExit if PUNTO_SEED_KEY does not decrypt the database's seeds.

    A process with another key could not deal, and would encrypt new seeds that the right key does not decrypt. The
    first player's active pair stands for all. Without the database there is nothing to compare: the process starts.
    """
    try:
        pair = SeedPair.objects.filter(status=SeedStatus.ACTIVE).order_by("player_id").first()
    except Error as error:
        log.warning("seed_key_not_checked", process=kind, error=type(error).__name__)
        return
    finally:
        connections.close_all()
    if pair is None:
        return
    try:
        seed_decrypt(bytes(pair.sealed_seed), commitment=pair.commitment)
    except SeedNotDecrypted as error:
        log.error("seed_key_differs", process=kind)  # noqa: TRY400
        raise SystemExit(
            "PUNTO_SEED_KEY is not the key that this database's seeds are encrypted with. Set that key, or lead"
            " DATABASE_URL to the database that belongs to this one."
        ) from error
