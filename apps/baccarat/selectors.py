"""Reading baccarat: who bets, what is offered, what a partner has configured."""

from functools import lru_cache

from django.db.models import Prefetch, QuerySet

from apps.accounts.models import Player
from apps.baccarat.bracket import Bettor
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.core.errors import AuthenticationFailed, NotFound
from apps.partners.models import Partner
from apps.rounds.games import BACCARAT
from apps.rounds.models import GameSession


@lru_cache(maxsize=100_000)
def bettor_player_id(bettor: Bettor) -> int:
    """Return the id of the player that a session or a log-in belongs to. Raises AuthenticationFailed.

    That never changes, so it is remembered; whether the session still holds is asked with every bet (`bet_open`).
    """
    if bettor.user_id is not None:
        player_id = Player.objects.filter(user_id=bettor.user_id).values_list("pk", flat=True).first()
    else:
        sessions = GameSession.objects.filter(token_hash=bettor.token_hash, game=BACCARAT)
        player_id = sessions.values_list("player_id", flat=True).first()
    if player_id is None:
        raise AuthenticationFailed("no valid player session came with the request")
    return player_id


def config_list(*, partner: Partner) -> QuerySet[BaccaratConfig]:
    """Return the partner's own limits, inactive ones included; `offered` are the odds that are active or pending."""
    offered = BaccaratOddsConfig.objects.exclude(status=ConfigStatus.INACTIVE).select_related("baccarat_config")
    return (
        BaccaratConfig.objects.filter(partner=partner)
        .prefetch_related(Prefetch("odds_rows", offered.order_by("game_type", "-status"), to_attr="offered"))
        .order_by("currency_id", "-status", "id")
    )


def config_get(*, partner: Partner, config_id: int) -> BaccaratConfig:
    """Return one of the partner's own limits, as `config_list` does. Raises NotFound."""
    config = config_list(partner=partner).filter(pk=config_id).first()
    if config is None:
        raise NotFound("there are no such limits")
    return config


def odds_list(*, partner: Partner) -> QuerySet[BaccaratOddsConfig]:
    """Return the partner's own odds, pending and inactive ones included, with their limits."""
    return (
        BaccaratOddsConfig.objects.filter(baccarat_config__partner=partner)
        .select_related("baccarat_config")
        .order_by("baccarat_config_id", "game_type", "-status", "id")
    )
