"""The migration of the default currency: an old partner gets the currency of its first configuration."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from apps.baccarat.models import BaccaratConfig
from apps.blackjack.models import BlackjackConfig
from apps.core.sql import sql_file
from apps.partners.models import Partner
from casino.settings.base import BASE_DIR
from tests.support.factories import partner_make

pytestmark = pytest.mark.django_db

LIMITS = {"bet_min": Decimal(1), "bet_max": Decimal(9)}
SIDE_BETS = dict.fromkeys(("perfect_pairs_min", "perfect_pairs_max", "poker_min", "poker_max"), Decimal(0))


def test_the_migration_takes_the_currency_of_the_earliest_configuration_of_either_game() -> None:
    now = timezone.now()
    dealing, carding, empty, chosen = (partner_make() for _ in range(4))
    Partner.objects.filter(pk=chosen.pk).update(default_currency="FUN")
    for partner, days in ((dealing, 3), (carding, 1), (chosen, 3)):
        BaccaratConfig.objects.create(partner=partner, currency_id="EUR", ctime=now - timedelta(days=days), **LIMITS)
        BlackjackConfig.objects.create(
            partner=partner, currency_id="JPY", ctime=now - timedelta(days=2), **LIMITS, **SIDE_BETS
        )
    step = sql_file(str(BASE_DIR / "apps/blackjack/migrations/0003_default_currency.py"), "0003_default_currency")
    with connection.cursor() as cursor:
        cursor.execute(step.sql)
    found = dict(Partner.objects.values_list("pk", "default_currency"))
    assert [found[partner.pk] for partner in (dealing, carding, empty, chosen)] == ["EUR", "JPY", None, "FUN"]
