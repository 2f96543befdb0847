"""Use cases of limits and odds of a partner's one-deal game: saved, confirmed by an operator, and withdrawn.

bet_limits.py checks a bet against the limits. Odds that favour the player: odds_guard.py. Changes at a chosen time:
scheduled.py.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from django.db import transaction

from apps.accounts.actors import Actor, actor_of_user, operator_require
from apps.accounts.models import User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_require
from apps.audit.services import audit_record
from apps.cards.shoe import INFINITE_DECKS
from apps.core.errors import BadRequest, Conflict, ForeignConfig
from apps.core.models import Currency
from apps.core.money import is_multiple, plain, quantum_of
from apps.core.reasons import reason_require
from apps.core.row_history import version_check
from apps.one_deal.engine import BetKind
from apps.one_deal.models import ConfigStatus, OneDealConfig, OneDealOdds
from apps.one_deal.odds_guard import no_edge_reason, pending_reason
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.paytables import config_paytable_set
from apps.partners.models import Partner
from apps.partners.services import partner_currency_code, partner_currency_settle
from apps.scheduled_changes.services import changes_withdraw

STANDARD_DECKS: Final = 8
MAX_CHANGES: Final = 100
ODDS_DECIMALS: Final = 4
ODDS_BELOW: Final = 10**6


@dataclass(frozen=True, slots=True)
class OddsChange:
    """New odds for one bet, X to 1; INACTIVE turns the bet off."""

    config_id: int
    game_type: BetKind
    odds: Decimal
    status: ConfigStatus = ConfigStatus.ACTIVE
    version: int | None = None
    """The version of the configuration that the row's sender has read, if any."""


@transaction.atomic
def config_set(
    game: OneDealGame,
    *,
    partner: Partner,
    actor: Actor,
    bet_min: Decimal,
    bet_max: Decimal,
    currency_code: str | None = None,
    decks: int | None = None,
    version: int | None = None,
) -> OneDealConfig:
    """Save the partner's limits of a bet; they apply from the next bet. Creates the configuration if there is none.

    Without `currency_code` it is in the partner's default currency. `decks` is 1 to 8, or 9 for an infinite deck; a
    change turns off every bet that would then favour the player. Limits that hold already are no change: nothing is
    written, and the version stays. `version` is the one that the caller has read, if any. Locks the partner, so that
    only one configuration is created. Raises BadRequest with the field at fault, OutdatedVersion.
    """
    partner = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)
    currency = _currency_find(partner_currency_code(partner) if currency_code is None else currency_code)
    _limits_check(currency, bet_min, bet_max, decks)
    configs = game.config_model._default_manager.select_for_update(no_key=True)
    config = configs.filter(partner=partner, currency=currency, status=ConfigStatus.ACTIVE).first()
    is_new = config is None
    if config is None:
        config = game.config_model(partner=partner, currency=currency, decks=STANDARD_DECKS)
        before: dict[str, object] = {}
    else:
        version_check(config, version, rows=config.odds_rows.all())
        before = _limits_for_audit(config)
    decks_before = config.decks
    config.bet_min, config.bet_max = bet_min, bet_max
    config.decks = decks_before if decks is None else decks
    if before == _limits_for_audit(config):
        return config
    if is_new:
        _row_save(config, actor)
        partner_currency_settle(partner=partner, currency_code=currency.code)
        for game_type in game.first_bets:
            _first_odds_save(game, config, game_type, actor)
        config.paytable = config_paytable_set(game, config, actor.name)
        # Its history begins with the row as it was created, and odds need that row.
        config.save_without_historical_record()  # type: ignore[attr-defined]
    else:
        config.version += 1
        if config.decks != decks_before:
            _odds_check_again(game, config, actor)
        config.paytable = config_paytable_set(game, config, actor.name)
        _row_save(config, actor)
    _change_record(game, actor, "config.set", config, {"before": before, "after": _limits_for_audit(config)})
    return config


@transaction.atomic
def odds_set(
    game: OneDealGame,
    *,
    partner: Partner,
    actor: Actor,
    changes: Sequence[OddsChange],
    versions: Mapping[int, int] | None = None,
) -> list[OneDealOdds]:
    """Save the odds in `changes`, all or none; active ones apply from the next bet.

    Odds that would favour the player are saved as pending beside the active row, with the reason in `reason`. Odds that
    a bet has already are no change: nothing is written, and without another change the configuration's version stays.
    `versions` are those of the configurations that the caller has read, by id; a row may have its own. Locks the
    configurations by ascending id. Raises ForeignConfig, BadRequest and OutdatedVersion, with the row and the field.
    """
    _changes_check(changes)
    wanted = {change.config_id for change in changes}
    locked = (
        game.config_model._default_manager.select_for_update(no_key=True)
        .filter(partner=partner, pk__in=wanted, status=ConfigStatus.ACTIVE)
        .order_by("pk")
    )
    configs = {config.pk: config for config in locked}
    for number, change in enumerate(changes):
        if change.config_id not in configs:
            field = f"{number}.{game.config_field}_id"
            raise ForeignConfig(f"{field}: you have no configuration {change.config_id}", field=field)
    for number, change in enumerate(changes):
        config = configs[change.config_id]
        version_check(config, change.version, rows=config.odds_rows.all(), field=f"{number}.version")
    before, saved = {}, {}
    for config in configs.values():
        version_check(config, (versions or {}).get(config.pk), rows=config.odds_rows.all())
        before[config.pk] = _odds_for_audit(config)
        saved[config.pk] = _odds_by_bet(config)
    rows, changed = [], set()
    for change in changes:
        of_bet = saved[change.config_id].get(change.game_type, {})
        row, has_changed = _odds_save(game, configs[change.config_id], change, actor, of_bet)
        rows.append(row)
        if has_changed:
            changed.add(change.config_id)
    for config in configs.values():
        if config.pk not in changed:
            continue
        config.version += 1
        config.paytable = config_paytable_set(game, config, actor.name)
        _row_save(config, actor)
        _change_record(game, actor, "odds.set", config, {"before": before[config.pk], "after": _odds_for_audit(config)})
    return rows


@transaction.atomic
def odds_confirm(
    game: OneDealGame, *, operator: User, row: OneDealOdds, reason: str, approval: Approval | None = None
) -> OneDealOdds:
    """Activate pending odds that favour the player; `reason` is the operator's written reason.

    It takes two operators. Locks the configuration. Raises Refused, SecondPersonNeeded, BadRequest, Conflict if the row
    is no longer pending.
    """
    reason = operator_require(operator, "confirms odds that favour the player", reason=reason)
    actor = actor_of_user(operator)
    config = game.config_model._default_manager.select_for_update(no_key=True).get(pk=row.limits.pk)
    pending = _odds_pending(game, row)
    needed = SecondPersonNeeded(
        pending.reason,
        act=f"{game.name}_odds.confirm",
        subject=f"{config._meta.verbose_name} {config.pk}",
        payload={"odds": pending.pk, "bet": pending.bet_name, "to_one": plain(pending.odds), "decks": config.decks},
        reason=reason,
        partner_id=config.partner_id,
    )
    approval_require(approval, needed)
    before = _odds_for_audit(config)
    for active in config.odds_rows.filter(game_type=pending.game_type, status=ConfigStatus.ACTIVE):
        active.status = ConfigStatus.INACTIVE
        _row_save(active, actor)
    pending.status = ConfigStatus.ACTIVE
    pending.reason = reason
    pending.confirmed_by = actor.name if approval is None else f"{actor.name} and {approval.decided_by}"
    _row_save(pending, actor)
    config.version += 1
    config.paytable = config_paytable_set(game, config, actor.name)
    _row_save(config, actor)
    _change_record(
        game,
        actor,
        "odds.confirm",
        config,
        {"before": before, "after": _odds_for_audit(config)},
        reason=pending.reason,
    )
    return pending


def odds_confirm_approved(game: OneDealGame, approval: Approval) -> None:
    """Carry out an approved confirmation; each game registers it (`spec.py`)."""
    odds_confirm(
        game,
        operator=approval.asked_by,
        row=game.odds_model._default_manager.get(pk=approval.payload["odds"]),
        reason=approval.reason,
        approval=approval,
    )


@transaction.atomic
def odds_withdraw(game: OneDealGame, *, user: User, row: OneDealOdds, reason: str) -> OneDealOdds:
    """Turn pending odds off: their partner withdraws them, or an operator rejects them. `reason` is kept with the row.

    Locks the configuration. Raises BadRequest (no reason), Conflict if the row is no longer pending.
    """
    reason = reason_require(reason)
    actor = actor_of_user(user)
    config = game.config_model._default_manager.select_for_update(no_key=True).get(pk=row.limits.pk)
    pending = _odds_pending(game, row)
    before = _odds_for_audit(config)
    pending.status, pending.reason = ConfigStatus.INACTIVE, reason
    _row_save(pending, actor)
    config.version += 1
    _row_save(config, actor)
    data = {"before": before, "after": _odds_for_audit(config)}
    _change_record(game, actor, "odds.withdraw", config, data, reason=pending.reason)
    return pending


@transaction.atomic
def config_withdraw(game: OneDealGame, *, user: User, config: OneDealConfig, reason: str) -> OneDealConfig:
    """End the offer of the game in the currency of these limits, whose odds, pending ones too, and scheduled changes
    end with it. It applies from the next bet. New limits in the currency begin a new offer.

    Locks the configuration. Raises BadRequest (no reason), Conflict if it has ended already.
    """
    reason = reason_require(reason)
    actor = actor_of_user(user)
    held = game.config_model._default_manager.select_for_update(no_key=True).get(pk=config.pk)
    if held.status != ConfigStatus.ACTIVE:
        raise Conflict("this offer has ended already")
    before = {"status": held.get_status_display(), **_limits_for_audit(held), **_odds_for_audit(held)}
    for row in held.odds_rows.exclude(status=ConfigStatus.INACTIVE):
        row.status, row.reason = ConfigStatus.INACTIVE, reason
        _row_save(row, actor)
    held.status = ConfigStatus.INACTIVE
    held.version += 1
    held.paytable = config_paytable_set(game, held, actor.name)
    _row_save(held, actor)
    changes_withdraw(user=user, config=held, reason=reason)
    after = {"status": held.get_status_display()}
    _change_record(game, actor, "config.withdraw", held, {"before": before, "after": after}, reason=reason)
    return held


def _odds_pending(game: OneDealGame, row: OneDealOdds) -> OneDealOdds:
    """Return the row as it is now. Raises Conflict if it is no longer pending."""
    pending: OneDealOdds | None = game.odds_model._default_manager.filter(
        pk=row.pk, status=ConfigStatus.PENDING
    ).first()
    if pending is None:
        raise Conflict("these odds are not pending any more")
    return pending


def _limits_for_audit(config: OneDealConfig) -> dict[str, object]:
    """Return limits as the audit keeps them."""
    return {"bet_min": config.bet_min, "bet_max": config.bet_max, "decks": config.decks}


def _odds_for_audit(config: OneDealConfig) -> dict[str, object]:
    """Return the odds that are not off as the audit keeps them, by bet and status."""
    rows = config.odds_rows.exclude(status=ConfigStatus.INACTIVE).order_by("game_type", "status")
    return {f"{row.bet_name}, {row.get_status_display()}": row.odds for row in rows}


def _currency_find(code: str) -> Currency:
    currency = Currency.objects.filter(code=code).first()
    if currency is None:
        raise BadRequest("currency: there is no such currency", field="currency")
    return currency


def _limits_check(currency: Currency, bet_min: Decimal, bet_max: Decimal, decks: int | None) -> None:
    for name, limit in (("bet_min", bet_min), ("bet_max", bet_max)):
        if not limit > 0 or not is_multiple(limit, currency.quantum):
            raise BadRequest(
                f"{name}: a positive amount with at most {currency.decimals} decimals is expected", field=name
            )
    if bet_min > bet_max:
        raise BadRequest(f"bet_min: {plain(bet_min)} is above bet_max, {plain(bet_max)}", field="bet_min")
    if decks is not None and not 1 <= decks <= INFINITE_DECKS:
        raise BadRequest(f"decks: 1 to 8, or {INFINITE_DECKS} for an infinite deck", field="decks")


def _first_odds_save(game: OneDealGame, config: OneDealConfig, game_type: BetKind, actor: Actor) -> None:
    standard: Fraction = game.standard_odds[game_type]
    odds = Decimal(standard.numerator) / Decimal(standard.denominator)
    _odds_save(game, config, OddsChange(config.pk, game_type, odds), actor, {})


def _odds_check_again(game: OneDealGame, config: OneDealConfig, actor: Actor) -> None:
    """Turn off odds that would favour the player with the new decks, even those confirmed for the old decks."""
    waiting = set()
    for row in config.odds_rows.filter(status=ConfigStatus.PENDING):
        waiting.add(row.game_type)
        # Odds that do not favour the player any more wait until they are saved again.
        reason = pending_reason(game, row.game_type, row.odds, config.decks) or no_edge_reason(config.decks)
        if row.reason != reason:
            row.reason = reason
            _row_save(row, actor)
    for row in config.odds_rows.filter(status=ConfigStatus.ACTIVE):
        reason = pending_reason(game, row.game_type, row.odds, config.decks)
        if not reason:
            continue
        # Each bet may have one pending row; if it has one already, this one is deactivated.
        row.status = ConfigStatus.INACTIVE if row.game_type in waiting else ConfigStatus.PENDING
        row.reason = reason
        row.confirmed_by = ""
        _row_save(row, actor)


def _changes_check(changes: Sequence[OddsChange]) -> None:
    if not 1 <= len(changes) <= MAX_CHANGES:
        raise BadRequest(f"a list of 1 to {MAX_CHANGES} rows is expected")
    seen: set[tuple[int, BetKind]] = set()
    for number, change in enumerate(changes):
        if (change.config_id, change.game_type) in seen:
            raise BadRequest(
                f"{number}.game_type: {change.game_type.wire_name} stands in this list twice",
                field=f"{number}.game_type",
            )
        seen.add((change.config_id, change.game_type))
        if not 0 <= change.odds < ODDS_BELOW or not is_multiple(change.odds, quantum_of(ODDS_DECIMALS)):
            raise BadRequest(
                f"{number}.odds: 0 or more, below {ODDS_BELOW}, with at most {ODDS_DECIMALS} decimals",
                field=f"{number}.odds",
            )


def _odds_by_bet(config: OneDealConfig) -> dict[BetKind, dict[ConfigStatus, OneDealOdds]]:
    """Return the configuration's rows of odds by bet and status. Of several that are off each bet has the one that
    was changed last."""
    found: defaultdict[BetKind, dict[ConfigStatus, OneDealOdds]] = defaultdict(dict)
    for row in config.odds_rows.order_by("mtime", "pk"):
        found[row.game_type][row.status] = row
    return found


def _odds_save(
    game: OneDealGame,
    config: OneDealConfig,
    change: OddsChange,
    actor: Actor,
    rows: Mapping[ConfigStatus, OneDealOdds],
) -> tuple[OneDealOdds, bool]:
    """Save one bet's odds in the right one of its `rows`: at most one is active and at most one is pending. Odds that
    are active afterwards turn those off that were pending.

    Returns the row, and whether anything has changed.
    """
    reason = pending_reason(game, change.game_type, change.odds, config.decks)
    active, pending = rows.get(ConfigStatus.ACTIVE), rows.get(ConfigStatus.PENDING)
    wanted = change.status
    # Odds that favour the player and are active have been confirmed for these decks.
    are_active = active is not None and active.odds == change.odds
    if wanted == ConfigStatus.ACTIVE and reason and not are_active:
        wanted = ConfigStatus.PENDING
    spare = rows.get(ConfigStatus.INACTIVE) or _odds_new(game, config, change.game_type)
    has_changed = False
    if wanted == ConfigStatus.PENDING:
        row = pending or spare
    else:
        row = active or pending or spare
        if pending is not None and pending is not row:
            pending.status = ConfigStatus.INACTIVE
            _row_save(pending, actor)
            has_changed = True
    # A pending row's reason has the decks, which may have changed since.
    is_told = wanted != ConfigStatus.PENDING or row.reason == reason
    if row.pk is not None and (row.status, row.odds) == (wanted, change.odds) and is_told:
        return row, has_changed
    row.status, row.odds, row.confirmed_by = wanted, change.odds, ""
    row.reason = reason if wanted == ConfigStatus.PENDING else ""
    _row_save(row, actor)
    return row, True


def _odds_new(game: OneDealGame, config: OneDealConfig, game_type: BetKind) -> OneDealOdds:
    row: OneDealOdds = game.odds_model(**{game.config_field: config}, game_type=game_type)
    return row


def _row_save(row: OneDealConfig | OneDealOdds, actor: Actor) -> None:
    """Save a row, with the actor in its history."""
    row._history_user = actor.user  # type: ignore[union-attr]
    row._change_reason = actor.name  # type: ignore[union-attr]
    row.save()


def _change_record(
    game: OneDealGame, actor: Actor, action: str, config: OneDealConfig, data: Mapping[str, object], reason: str = ""
) -> None:
    """Write a change of limits or odds into the audit."""
    audit_record(
        actor=actor.name,
        actor_user_id=actor.user_id,
        partner_id=config.partner_id,
        action=f"{game.name}_{action}",
        subject=f"{config._meta.verbose_name} {config.pk}",
        data=data,
        reason=reason,
    )
