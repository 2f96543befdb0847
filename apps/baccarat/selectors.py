"""Reading baccarat: what a partner has configured."""

from django.db.models import Prefetch, QuerySet

from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.core.errors import NotFound
from apps.partners.models import Partner


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
