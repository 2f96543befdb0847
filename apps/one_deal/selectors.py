"""Reads a partner's configuration of a one-deal game."""

from typing import Any

from django.db.models import Prefetch, QuerySet

from apps.core.errors import NotFound
from apps.one_deal.models import ConfigStatus, OneDealConfig, OneDealOdds
from apps.one_deal.one_deal_game import OneDealGame
from apps.partners.models import Partner


def config_list(game: OneDealGame, *, partner: Partner) -> QuerySet[OneDealConfig]:
    """Return the partner's own limits, inactive ones included; `offered` are the odds that are active or pending."""
    offered = _odds(game).exclude(status=ConfigStatus.INACTIVE).select_related(game.config_field)
    configs: QuerySet[Any] = game.config_model._default_manager.filter(partner=partner)
    return configs.prefetch_related(
        Prefetch("odds_rows", offered.order_by("game_type", "-status"), to_attr="offered")
    ).order_by("currency_id", "-status", "id")


def config_get(game: OneDealGame, *, partner: Partner, config_id: int) -> OneDealConfig:
    """Return one of the partner's own limits, as `config_list` does. Raises NotFound."""
    config = config_list(game, partner=partner).filter(pk=config_id).first()
    if config is None:
        raise NotFound("there are no such limits")
    return config


def odds_list(game: OneDealGame, *, partner: Partner) -> QuerySet[OneDealOdds]:
    """Return the partner's own odds, pending and inactive ones included, with their limits."""
    config = game.config_field
    return (
        _odds(game)
        .filter(**{f"{config}__partner": partner})
        .select_related(config)
        .order_by(f"{config}_id", "game_type", "-status", "id")
    )


def _odds(game: OneDealGame) -> QuerySet[Any]:
    return game.odds_model._default_manager.all()
