"""Limits and odds of a one-deal game, saved at once or at a chosen time."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from apps.accounts.actors import Actor, actor_of_user
from apps.accounts.models import User
from apps.core.errors import BadRequest, Conflict
from apps.core.money import plain
from apps.one_deal.configuration import OddsChange, config_set, odds_set
from apps.one_deal.models import ConfigStatus, OneDealConfig
from apps.one_deal.odds_html import decks_text
from apps.one_deal.one_deal_game import OneDealGame
from apps.scheduled_changes.forms import APPLY_AT
from apps.scheduled_changes.models import ScheduledChange
from apps.scheduled_changes.services import change_kind, change_schedule


def kinds_register(game: OneDealGame) -> None:
    """Register the game's kinds of changes."""
    change_kind(f"{game.name}.limits", _limits_in_words)(partial(_limits_change, game))
    change_kind(f"{game.name}.odds", partial(_odds_in_words, game))(partial(_odds_change, game))


def limits_save(
    game: OneDealGame, *, user: User, config: OneDealConfig, limits: Mapping[str, Any], version: int
) -> OneDealConfig | ScheduledChange:
    """Save limits, or schedule them for `apply_at` if there is one.

    `limits` are `bet_min`, `bet_max`, `decks` and `apply_at`. Raises Conflict if the offer has ended, and what
    `config_set` and `change_schedule` raise.
    """
    if config.status != ConfigStatus.ACTIVE:
        raise Conflict("this offer has ended: make new limits in its currency")
    amounts = {"bet_min": limits["bet_min"], "bet_max": limits["bet_max"]}
    if limits[APPLY_AT] is None:
        return config_set(
            game,
            partner=config.partner,
            actor=actor_of_user(user),
            currency_code=config.currency_id,
            decks=limits["decks"],
            version=version,
            **amounts,
        )
    told = {name: plain(amount) for name, amount in amounts.items()}
    return change_schedule(
        user=user,
        kind=f"{game.name}.limits",
        config=config,
        payload={"config": config.pk, **told, "decks": limits["decks"]},
        apply_at=limits[APPLY_AT],
        version=version,
    )


def odds_save(
    game: OneDealGame,
    *,
    user: User,
    config: OneDealConfig,
    changes: Sequence[OddsChange],
    apply_at: datetime | None,
    version: int,
) -> OneDealConfig | ScheduledChange:
    """Save odds of a configuration, or schedule them for `apply_at`; bets without a change stay as they are.

    Returns the configuration as it is then, or the scheduled change.

    Raises BadRequest (no changes to schedule), and what `odds_set` and `change_schedule` raise.
    """
    if not changes and apply_at is not None:
        raise BadRequest("apply_at: no odds are changed, so there is nothing to schedule", field="apply_at")
    if apply_at is None:
        actor, versions = actor_of_user(user), {config.pk: version}
        saved = odds_set(game, partner=config.partner, actor=actor, changes=changes, versions=versions)
        return saved[0].limits
    told = {
        status: {change.game_type.wire_name: plain(change.odds) for change in changes if change.status == status}
        for status in (ConfigStatus.ACTIVE, ConfigStatus.INACTIVE)
    }
    return change_schedule(
        user=user,
        kind=f"{game.name}.odds",
        config=config,
        payload={"config": config.pk, "odds": told[ConfigStatus.ACTIVE], "off": told[ConfigStatus.INACTIVE]},
        apply_at=apply_at,
        version=version,
    )


def _limits_change(game: OneDealGame, payload: Mapping[str, Any], *, actor: Actor, version: int | None) -> None:
    config = _config_of(game, payload)
    config_set(
        game,
        partner=config.partner,
        actor=actor,
        currency_code=config.currency_id,
        bet_min=Decimal(payload["bet_min"]),
        bet_max=Decimal(payload["bet_max"]),
        decks=payload["decks"],
        version=version,
    )


def _odds_change(game: OneDealGame, payload: Mapping[str, Any], *, actor: Actor, version: int | None) -> None:
    config = _config_of(game, payload)
    kinds = {kind.wire_name: kind for kind in game.bets}
    changes = [
        OddsChange(config.pk, kinds[name], Decimal(odds), status)
        for member, status in (("odds", ConfigStatus.ACTIVE), ("off", ConfigStatus.INACTIVE))
        for name, odds in payload[member].items()
    ]
    versions = None if version is None else {config.pk: version}
    odds_set(game, partner=config.partner, actor=actor, changes=changes, versions=versions)


def _limits_in_words(payload: Mapping[str, Any]) -> Mapping[str, object]:
    amounts = {"lowest stake": payload["bet_min"], "highest stake": payload["bet_max"]}
    return amounts | {"decks": decks_text(payload["decks"])}


def _odds_in_words(game: OneDealGame, payload: Mapping[str, Any]) -> Mapping[str, object]:
    labels = {kind.wire_name: label for kind, label in game.bet_labels.items()}
    offered = {labels[name]: f"{to_one} to 1" for name, to_one in payload["odds"].items()}
    return offered | {labels[name]: "off" for name in payload["off"]}


def _config_of(game: OneDealGame, payload: Mapping[str, Any]) -> OneDealConfig:
    found: OneDealConfig = game.config_model._default_manager.select_related("partner").get(pk=payload["config"])
    return found
