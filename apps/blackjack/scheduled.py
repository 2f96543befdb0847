"""Blackjack's limits, rules and odds, saved at once or at a chosen time."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from apps.accounts.actors import Actor, actor_of_user
from apps.accounts.models import User
from apps.blackjack.configuration import BlackjackLimits, blackjack_limits_set, blackjack_terms_save
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.side_bets import SideBet, SideBetOutcome
from apps.blackjack.labels import LIMIT_LABELS, SIDE_BET_LABELS, SIDE_BET_OUTCOMES
from apps.blackjack.models import BlackjackConfig
from apps.core.money import plain
from apps.core.office_html import in_words
from apps.scheduled_changes.models import ScheduledChange
from apps.scheduled_changes.services import change_kind, change_schedule

LIMITS: Final = "blackjack.limits"
RULES: Final = "blackjack.rules"


def blackjack_limits_save(
    *,
    user: User,
    config: BlackjackConfig,
    limits: BlackjackLimits,
    active: bool,
    apply_at: datetime | None,
    version: int,
) -> BlackjackConfig | ScheduledChange:
    """Save limits, or schedule them for `apply_at`.

    A scheduled change has `active` only if it differs now: new limits alone do not reopen an offer that is stopped
    meanwhile. Raises what `blackjack_limits_set` and `change_schedule` raise.
    """
    if apply_at is None:
        return blackjack_limits_set(
            partner=config.partner,
            currency=config.currency,
            limits=limits,
            actor=actor_of_user(user),
            active=active,
            version=version,
        )
    told = {name: plain(value) if isinstance(value, Decimal) else value for name, value in asdict(limits).items()}
    switched = {} if active == config.active else {"active": active}
    payload = {"config": config.pk, **switched, **told}
    return change_schedule(user=user, kind=LIMITS, config=config, payload=payload, apply_at=apply_at, version=version)


def blackjack_rules_save(
    *,
    user: User,
    config: BlackjackConfig,
    rules: BlackjackRules,
    odds: Mapping[str, Mapping[str, Decimal]],
    apply_at: datetime | None,
    version: int,
) -> BlackjackConfig | ScheduledChange:
    """Save rules with the odds of `perfect_pairs` and `poker`, or schedule them for `apply_at`. Returns the
    configuration as it is then, or the scheduled change.

    Raises what `blackjack_terms_save` and `change_schedule` raise.
    """
    if apply_at is None:
        terms = blackjack_terms_save(
            config=config,
            rules=rules,
            perfect_pairs_odds=odds["perfect_pairs"],
            poker_odds=odds["poker"],
            actor=actor_of_user(user),
            version=version,
        )
        return terms.config
    told = {f"{bet}_odds": {name: plain(to_one) for name, to_one in of_bet.items()} for bet, of_bet in odds.items()}
    payload = {"config": config.pk, "rules": rules.to_json(), **told}
    return change_schedule(user=user, kind=RULES, config=config, payload=payload, apply_at=apply_at, version=version)


def _limits_in_words(payload: Mapping[str, Any]) -> Mapping[str, object]:
    amounts = {label: payload[name] for name, label in LIMIT_LABELS.items()}
    offered = {"Blackjack is offered": payload["active"]} if "active" in payload else {}
    return {**offered, "Free play": payload["free_play"], **amounts}


def _rules_in_words(payload: Mapping[str, Any]) -> Mapping[str, object]:
    odds = {
        SIDE_BET_LABELS[bet]: {
            SIDE_BET_OUTCOMES[SideBetOutcome(name)]: f"{to_one} to 1" for name, to_one in payload[member].items()
        }
        for bet, member in ((SideBet.PERFECT_PAIRS, "perfect_pairs_odds"), (SideBet.POKER, "poker_odds"))
    }
    return {in_words(name): value for name, value in payload["rules"].items()} | odds


@change_kind(LIMITS, _limits_in_words)
def _limits_change(payload: Mapping[str, Any], *, actor: Actor, version: int | None) -> None:
    config = _config_of(payload)
    amounts = {name: Decimal(value) for name, value in payload.items() if isinstance(value, str)}
    blackjack_limits_set(
        partner=config.partner,
        currency=config.currency,
        limits=BlackjackLimits(**amounts, free_play=payload["free_play"]),
        actor=actor,
        active=payload.get("active"),
        version=version,
    )


@change_kind(RULES, _rules_in_words)
def _rules_change(payload: Mapping[str, Any], *, actor: Actor, version: int | None) -> None:
    blackjack_terms_save(
        config=_config_of(payload),
        rules=BlackjackRules.from_json(payload["rules"]),
        perfect_pairs_odds=payload["perfect_pairs_odds"],
        poker_odds=payload["poker_odds"],
        actor=actor,
        version=version,
    )


def _config_of(payload: Mapping[str, Any]) -> BlackjackConfig:
    return BlackjackConfig.objects.select_related("partner", "currency").get(pk=payload["config"])
