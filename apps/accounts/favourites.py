"""A player's favourites: the tiles that the lobby shows first."""

from collections.abc import Collection
from typing import Final

from django.db import transaction

from apps.accounts.models import Player, PlayerFavourite
from apps.core.errors import Refused

MAX_FAVOURITES: Final = 100


@transaction.atomic
def favourite_set(*, player: Player, tile: str, is_on: bool, shown: Collection[str]) -> None:
    """Keep the tile as a favourite, or forget it.

    Above `MAX_FAVOURITES` the oldest one makes room whose tile the lobby does not show, as that of a closed table: the
    player could not forget it. Raises Refused if there is none.
    """
    kept = PlayerFavourite.objects.filter(player=player)
    if not is_on:
        kept.filter(tile=tile).delete()
        return
    if kept.exclude(tile=tile).count() >= MAX_FAVOURITES:
        unseen = kept.exclude(tile__in=[tile, *shown]).order_by("pk").first()
        if unseen is None:
            raise Refused(f"a player has at most {MAX_FAVOURITES} favourites")
        unseen.delete()
    PlayerFavourite.objects.bulk_create([PlayerFavourite(player=player, tile=tile)], ignore_conflicts=True)


def favourites_of(player: Player) -> list[str]:
    """Return the names of the player's favourite tiles, the oldest favourite first."""
    return list(PlayerFavourite.objects.filter(player=player).values_list("tile", flat=True))
