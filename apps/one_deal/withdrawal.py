"""The use cases that take back what was saved: pending odds, and the offer of a one-deal game in a currency."""

from django.db import transaction

from apps.accounts.actors import actor_of_user
from apps.accounts.models import User
from apps.core.errors import BadRequest, Conflict
from apps.one_deal.models import ConfigStatus, OneDealConfig, OneDealOdds
from apps.one_deal.offered_terms import config_paytable_set
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.services import change_record, limits_for_audit, odds_for_audit, odds_pending, row_save
from apps.scheduled_changes.services import changes_withdraw


@transaction.atomic
def odds_withdraw(game: OneDealGame, *, user: User, row: OneDealOdds, reason: str) -> OneDealOdds:
    """Turn pending odds off: their partner withdraws them, or an operator rejects them. `reason` is kept with the row.

    Locks the configuration. Raises BadRequest (no reason), Conflict if the row is no longer pending.
    """
    if not reason.strip():
        raise BadRequest("reason: say why", field="reason")
    actor = actor_of_user(user)
    config = game.config_model._default_manager.select_for_update(no_key=True).get(pk=row.limits.pk)
    pending = odds_pending(game, row)
    before = odds_for_audit(config)
    pending.status, pending.reason = ConfigStatus.INACTIVE, reason.strip()
    row_save(pending, actor)
    config.version += 1
    row_save(config, actor)
    data = {"before": before, "after": odds_for_audit(config)}
    change_record(game, actor, "odds.withdraw", config, data, reason=pending.reason)
    return pending


@transaction.atomic
def config_withdraw(game: OneDealGame, *, user: User, config: OneDealConfig, reason: str) -> OneDealConfig:
    """End the offer of the game in the currency of these limits, whose odds, pending ones too, and scheduled changes
    end with it. It applies from the next bet. New limits in the currency begin a new offer.

    Locks the configuration. Raises BadRequest (no reason), Conflict if it has ended already.
    """
    if not reason.strip():
        raise BadRequest("reason: say why", field="reason")
    actor = actor_of_user(user)
    held = game.config_model._default_manager.select_for_update(no_key=True).get(pk=config.pk)
    if held.status != ConfigStatus.ACTIVE:
        raise Conflict("this offer has ended already")
    before = {"status": held.get_status_display(), **limits_for_audit(held), **odds_for_audit(held)}
    for row in held.odds_rows.exclude(status=ConfigStatus.INACTIVE):
        row.status, row.reason = ConfigStatus.INACTIVE, reason.strip()
        row_save(row, actor)
    held.status = ConfigStatus.INACTIVE
    held.version += 1
    held.paytable = config_paytable_set(game, held, actor.name)
    row_save(held, actor)
    changes_withdraw(user=user, config=held, reason=reason)
    after = {"status": held.get_status_display()}
    change_record(game, actor, "config.withdraw", held, {"before": before, "after": after}, reason=reason.strip())
    return held
