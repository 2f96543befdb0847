"""Reading baccarat: who bets, what is offered, what a partner has configured."""

from typing import Final

from django.db.models import Prefetch, QuerySet

from apps.baccarat.apps import GAME_ID
from apps.baccarat.bracket import Bettor
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.core.errors import AuthenticationFailed, NotFound
from apps.core.statement import Asking, Statement, ask, integer
from apps.partners.models import Partner

_PLAYER_OF_SESSION: Final = Statement(
    "baccarat_player_of_session",
    "SELECT player_id FROM game_session WHERE token_hash = $1 AND game = $2",
    integer,
)
_PLAYER_OF_USER: Final = Statement("baccarat_player_of_user", "SELECT id FROM player WHERE user_id = $1", integer)
_MANY_BETTORS: Final = 100_000
_players: Final[dict[Bettor, int]] = {}


def bettor_player_id(bettor: Bettor) -> Asking[int]:
    """Return the id of the player that a session or a log-in belongs to. Raises AuthenticationFailed.

    That never changes, so it is remembered; whether the session still holds is asked with every bet (`bet_open`).
    """
    known = _players.get(bettor)
    if known is not None:
        return known
    if bettor.user_id is not None:
        row = yield from ask(_PLAYER_OF_USER, bettor.user_id)
    else:
        row = yield from ask(_PLAYER_OF_SESSION, bettor.token_hash, GAME_ID)
    if row is None:
        raise AuthenticationFailed("no valid player session came with the request")
    if len(_players) >= _MANY_BETTORS:
        _players.clear()
    player_id = _players[bettor] = int(row[0])
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
