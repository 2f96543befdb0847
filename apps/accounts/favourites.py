"""A player's favourites: the tiles that the lobby shows first."""

from typing import Final

from django.db import transaction

from apps.accounts.models import Player, PlayerFavourite
from apps.core.errors import Refused

MAX_FAVOURITES: Final = 100


@transaction.atomic
def favourite_set(*, player: Player, tile: str, is_on: bool) -> None:
    """Keep the tile as a favourite, or forget it. Raises Refused above `MAX_FAVOURITES`."""
    kept = PlayerFavourite.objects.filter(player=player)
    if not is_on:
        kept.filter(tile=tile).delete()
        return
    if kept.exclude(tile=tile).count() >= MAX_FAVOURITES:
        raise Refused(f"a player has at most {MAX_FAVOURITES} favourites")
    PlayerFavourite.objects.bulk_create([PlayerFavourite(player=player, tile=tile)], ignore_conflicts=True)


def favourites_of(player: Player) -> list[str]:
    """Return the names of the player's favourite tiles, the oldest favourite first."""
    return list(PlayerFavourite.objects.filter(player=player).values_list("tile", flat=True))
