"""Takes nonces of a player's seed pair, as play does in PostgreSQL."""

from django.db import transaction

from apps.fairness.services import Draw, draw_again, seed_pair_lock


@transaction.atomic
def nonce_take(*, player_id: int) -> Draw:
    """Take the next nonce of the player's active pair, and return the seeds of its round."""
    pair = seed_pair_lock(player_id=player_id)
    draw = draw_again(pair, pair.next_nonce)
    pair.next_nonce += 1
    pair.save(update_fields=["next_nonce"])
    return draw
