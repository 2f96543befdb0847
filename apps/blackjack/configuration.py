"""Use cases of limits, rules and odds of a partner's blackjack, with the guard against odds that favour the player.

Terms are pending until their house edge is known. Then they become active automatically if no bet favours the player;
otherwise an operator must confirm them in writing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from typing import Final

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from apps.accounts.actors import Actor, actor_of_user, operator_require
from apps.accounts.models import User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.blackjack.announce import config_announce
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from apps.blackjack.engine.side_bets import PERFECT_PAIRS_WINS, POKER_WINS, STANDARD_ODDS, SideBetOutcome
from apps.blackjack.mathematics.edge import edge_compute, edge_known
from apps.blackjack.mathematics.side_bets import perfect_pairs_edge, poker_edge
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.paytables import config_paytable_set
from apps.blackjack.standard_deviations import deviation_compute, deviation_known
from apps.core.edge_rounding import edge_pct, edge_rounded
from apps.core.errors import BadRequest, Conflict
from apps.core.models import Currency
from apps.core.money import is_multiple, plain
from apps.core.reasons import reason_require
from apps.core.row_history import version_check
from apps.partners.models import Partner
from apps.partners.services import partner_currency_settle

log = structlog.get_logger(__name__)

MAX_ODDS: Final = Decimal(10_000)

PERFECT_PAIRS_OUTCOMES: Final = tuple(outcome.value for outcome in PERFECT_PAIRS_WINS)
POKER_OUTCOMES: Final = tuple(outcome.value for outcome in POKER_WINS)
STANDARD_PERFECT_PAIRS: Final = {name: str(STANDARD_ODDS[SideBetOutcome(name)]) for name in PERFECT_PAIRS_OUTCOMES}
STANDARD_POKER: Final = {name: str(STANDARD_ODDS[SideBetOutcome(name)]) for name in POKER_OUTCOMES}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackjackLimits:
    """Limits of the first stake of each kind, in units of the currency; a maximum of 0 turns a side bet off."""

    bet_min: Decimal
    bet_max: Decimal
    perfect_pairs_min: Decimal = Decimal(0)
    perfect_pairs_max: Decimal = Decimal(0)
    poker_min: Decimal = Decimal(0)
    poker_max: Decimal = Decimal(0)
    free_play: bool = False
    """Whether a stake of 0 is taken: only then may `bet_min` be 0."""


@dataclass(frozen=True, slots=True)
class LimitsRow:
    """Limits in a currency; `version` is the one that the caller has read, if any. `names` are the names of the
    limits and the version in refusals."""

    currency: Currency
    limits: BlackjackLimits
    version: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)


@transaction.atomic
def blackjack_limits_set(
    *,
    partner: Partner,
    currency: Currency,
    limits: BlackjackLimits,
    actor: Actor,
    active: bool | None = True,
    version: int | None = None,
) -> BlackjackConfig:
    """Save the partner's limits in a currency; they apply from the next bet, in every process.

    `active` is whether it is offered; None leaves that as it is.

    The first call creates the configuration with the standard rules and odds. Limits that hold already are no change:
    nothing is written, and the version stays. `version` is the one that the caller has read, if any. Locks the partner,
    the configuration. Raises BadRequest that names the field and the limit, OutdatedVersion.
    """
    return _limits_set(partner, LimitsRow(currency, limits, version), actor, active=active)


@transaction.atomic
def blackjack_limits_set_all(
    *,
    partner: Partner,
    rows: Sequence[LimitsRow],
    actor: Actor,
) -> list[BlackjackConfig]:
    """Do the same as `blackjack_limits_set` for several currencies: all or none."""
    in_order = sorted(rows, key=lambda row: row.currency.code)
    return [_limits_set(partner, row, actor, active=True) for row in in_order]


@transaction.atomic
def blackjack_terms_save(
    *,
    config: BlackjackConfig,
    rules: BlackjackRules,
    perfect_pairs_odds: Mapping[str, object],
    poker_odds: Mapping[str, object],
    actor: Actor,
    version: int | None = None,
) -> BlackjackTerms:
    """Save rules and side-bet odds (X to 1 by outcome; a missing outcome loses) as the configuration's new terms.

    They replace pending terms. Those that are pending already, or active without pending ones, are no change: nothing
    is written. If the house edge is known (shipped, or computed before), they are decided at once;
    otherwise they stay pending and a task computes it. `version` is the one of the configuration that the caller has
    read, if any. Locks the configuration. Raises BadRequest, OutdatedVersion.
    """
    if rules.inverted:
        raise BadRequest("inverted: points tables alone are inverted", field="inverted")
    pairs = _odds_read(perfect_pairs_odds, PERFECT_PAIRS_OUTCOMES, "perfect_pairs_odds")
    poker = _odds_read(poker_odds, POKER_OUTCOMES, "poker_odds")
    config = BlackjackConfig.objects.select_for_update().get(pk=config.pk)
    version_check(config, version, rows=config.terms.exclude(status=TermsStatus.INACTIVE))
    before = _terms_for_audit(config)
    pairs_stored, poker_stored = ({name: plain(to_one) for name, to_one in odds.items()} for odds in (pairs, poker))
    present = config.terms.exclude(status=TermsStatus.INACTIVE).order_by("-status").first()  # pending ones, if any
    if present is not None and (
        BlackjackRules.from_json(present.rules) == rules
        and (present.perfect_pairs_odds, present.poker_odds) == (pairs_stored, poker_stored)
    ):
        return present
    is_pending = present is not None and present.status == TermsStatus.PENDING
    terms = present if present is not None and is_pending else BlackjackTerms(config=config)
    terms.rules, terms.perfect_pairs_odds, terms.poker_odds = rules.to_json(), pairs_stored, poker_stored
    terms.fingerprint = rules.fingerprint()
    terms.perfect_pairs_edge = edge_rounded(perfect_pairs_edge(_fractions(pairs), rules.decks))
    terms.poker_edge = edge_rounded(poker_edge(_fractions(poker), rules.decks))
    terms.house_edge, terms.deviation = house_edge_known(rules), deviation_known(rules)
    terms.reason, terms.confirmed_by = "the house edge of these rules is being computed", ""
    if terms.house_edge is None:
        _terms_store(terms, TermsStatus.PENDING, actor)
        transaction.on_commit(partial(_edge_task_send, terms.pk))
    else:
        _decide(terms, config, actor)
    if terms.status == TermsStatus.PENDING:
        # A form that shows other pending terms is outdated as well.
        _config_save(config, actor)
    audit_record(
        actor=actor.name,
        actor_user_id=actor.user_id,
        partner_id=config.partner_id,
        action="blackjack.terms",
        subject=f"{terms._meta.verbose_name} {terms.pk}",
        data={"before": before, "after": _terms_for_audit(config)},
    )
    return terms


def blackjack_terms_decide(*, terms_id: int) -> BlackjackTerms | None:
    """Compute the house edge and deviation of pending terms (seconds of one core), and activate them if no bet favours
    the player.

    Returns None if the terms are no longer pending or were replaced meanwhile. Locks the configuration after the
    computation.
    """
    waiting = BlackjackTerms.objects.filter(pk=terms_id, status=TermsStatus.PENDING, house_edge__isnull=True).first()
    if waiting is None:
        return None
    computed = edge_compute(BlackjackRules.from_json(waiting.rules))
    edge = edge_rounded(Fraction(computed.house_edge))
    deviation = deviation_compute(computed)
    with transaction.atomic(durable=True):
        config = BlackjackConfig.objects.select_for_update().get(pk=waiting.config_id)
        terms = BlackjackTerms.objects.filter(
            pk=terms_id, status=TermsStatus.PENDING, fingerprint=waiting.fingerprint
        ).first()
        if terms is None:
            return None
        terms.house_edge, terms.deviation = edge, deviation
        _decide(terms, config, Actor("platform"))
        return terms


@transaction.atomic
def blackjack_terms_confirm(
    *, operator: User, terms: BlackjackTerms, reason: str, approval: Approval | None = None
) -> BlackjackTerms:
    """Activate terms although a bet favours the player: an operator's act with a reason, for which it takes two.

    Locks the configuration. Raises Refused, SecondPersonNeeded, BadRequest, Conflict.
    """
    reason = operator_require(operator, "confirms odds that favour the player", reason=reason)
    config = BlackjackConfig.objects.select_for_update().get(pk=terms.config_id)
    held = BlackjackTerms.objects.filter(pk=terms.pk, status=TermsStatus.PENDING).first()
    if held is None or held.house_edge is None:
        raise Conflict("these terms do not wait for a confirmation")
    needed = SecondPersonNeeded(
        held.reason,
        act="blackjack.terms.confirm",
        subject=f"{held._meta.verbose_name} {held.pk}",
        payload={
            "terms": held.pk,
            "rules": held.rules,
            "perfect_pairs_odds": held.perfect_pairs_odds,
            "poker_odds": held.poker_odds,
        },
        reason=reason,
        partner_id=config.partner_id,
    )
    approval_require(approval, needed)
    actor = actor_of_user(operator)
    before = _terms_for_audit(config)
    held.reason = reason
    held.confirmed_by = actor.name if approval is None else f"{actor.name} and {approval.decided_by}"
    _activate(held, config, actor)
    audit_record(
        actor=actor.name,
        actor_user_id=actor.user_id,
        partner_id=config.partner_id,
        action="blackjack.terms.confirm",
        subject=f"{held._meta.verbose_name} {held.pk}",
        data={"before": before, "after": _terms_for_audit(config)},
        reason=reason,
    )
    return held


@approval_act("blackjack.terms.confirm")
def blackjack_terms_confirm_approved(approval: Approval) -> None:
    """Carry out an approved confirmation."""
    blackjack_terms_confirm(
        operator=approval.asked_by,
        terms=BlackjackTerms.objects.get(pk=approval.payload["terms"]),
        reason=approval.reason,
        approval=approval,
    )


@transaction.atomic
def blackjack_terms_withdraw(*, user: User, terms: BlackjackTerms, reason: str) -> BlackjackTerms:
    """Turn pending terms off: their partner withdraws them, or an operator rejects them.

    Locks the configuration. Raises BadRequest (no reason), Conflict if they are not pending any more.
    """
    reason = reason_require(reason)
    config = BlackjackConfig.objects.select_for_update().get(pk=terms.config_id)
    held = BlackjackTerms.objects.filter(pk=terms.pk, status=TermsStatus.PENDING).first()
    if held is None:
        raise Conflict("these terms are not pending any more")
    actor = actor_of_user(user)
    before = _terms_for_audit(config)
    held.reason = reason
    _terms_store(held, TermsStatus.INACTIVE, actor)
    _config_save(config, actor)
    audit_record(
        actor=actor.name,
        actor_user_id=actor.user_id,
        partner_id=config.partner_id,
        action="blackjack.terms.withdraw",
        subject=f"{held._meta.verbose_name} {held.pk}",
        data={"before": before, "after": _terms_for_audit(config)},
        reason=held.reason,
    )
    return held


def edges_against_house(terms: BlackjackTerms) -> list[str]:
    """Return a sentence for each bet of the terms that favours the player."""
    edges = (
        ("the main game", terms.house_edge),
        ("Perfect Pairs", terms.perfect_pairs_edge),
        ("21+3", terms.poker_edge),
    )
    return [
        f"{name} gives the player {plain(edge_pct(-edge))} % of the stake" for name, edge in edges if edge and edge < 0
    ]


def house_edge_known(rules: BlackjackRules) -> Decimal | None:
    """Return the figure if it is shipped, or stored with earlier terms of the same rules."""
    known = edge_known(rules)
    if known is not None:
        return edge_rounded(Fraction(known.house_edge))
    return (
        BlackjackTerms.objects.filter(fingerprint=rules.fingerprint(), house_edge__isnull=False)
        .values_list("house_edge", flat=True)
        .first()
    )


def _limits_set(partner: Partner, row: LimitsRow, actor: Actor, *, active: bool | None) -> BlackjackConfig:
    currency, limits = row.currency, row.limits
    _limits_check(limits, currency, row.names)
    partner = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)  # against a concurrent first call
    config = BlackjackConfig.objects.select_for_update().filter(partner=partner, currency=currency).first()
    is_new = config is None
    before: dict[str, object] = {}
    if config is None:
        config = BlackjackConfig(partner=partner, currency=currency, version=0)
    else:
        terms = config.terms.exclude(status=TermsStatus.INACTIVE)
        version_check(config, row.version, rows=terms, field=row.names.get("version", ""))
        before = _limits_for_audit(config)
    for name, amount in asdict(limits).items():
        setattr(config, name, amount)
    config.active = config.active if active is None else active
    if before == _limits_for_audit(config):
        return config
    _config_save(config, actor)
    partner_currency_settle(partner=partner, currency_code=currency.code)
    audit_record(
        actor=actor.name,
        actor_user_id=actor.user_id,
        partner_id=partner.pk,
        action="blackjack.limits",
        subject=f"{config._meta.verbose_name} {config.pk}",
        data={"before": before, "after": _limits_for_audit(config)},
    )
    if is_new:
        blackjack_terms_save(
            config=config,
            rules=SOLO_RULES,
            perfect_pairs_odds=STANDARD_PERFECT_PAIRS,
            poker_odds=STANDARD_POKER,
            actor=actor,
        )
        config.refresh_from_db()
    return config


def _limits_for_audit(config: BlackjackConfig) -> dict[str, object]:
    """Return limits as the audit keeps them."""
    names = [field.name for field in fields(BlackjackLimits)]
    return {name: getattr(config, name) for name in names} | {"active": config.active}


def _terms_for_audit(config: BlackjackConfig) -> dict[str, object]:
    """Return the terms that are not off as the audit keeps them, by status."""
    return {
        terms.get_status_display(): {
            "rules": terms.rules,
            "perfect_pairs_odds": terms.perfect_pairs_odds,
            "poker_odds": terms.poker_odds,
        }
        for terms in config.terms.exclude(status=TermsStatus.INACTIVE).order_by("status")
    }


def _decide(terms: BlackjackTerms, config: BlackjackConfig, actor: Actor) -> None:
    """Activate the terms, or leave them pending with the reason."""
    faults = edges_against_house(terms)
    if faults:
        terms.reason = "; ".join(faults)
        _terms_store(terms, TermsStatus.PENDING, actor)
    else:
        terms.reason = ""
        _activate(terms, config, actor)


def _activate(terms: BlackjackTerms, config: BlackjackConfig, actor: Actor) -> None:
    for former in config.terms.filter(status=TermsStatus.ACTIVE):
        _terms_store(former, TermsStatus.INACTIVE, actor)
    _terms_store(terms, TermsStatus.ACTIVE, actor)
    _config_save(config, actor)


def _terms_store(terms: BlackjackTerms, status: TermsStatus, actor: Actor) -> None:
    terms.status = status
    terms._history_user = actor.user
    terms._change_reason = actor.name
    terms.save()


def _config_save(config: BlackjackConfig, actor: Actor) -> None:
    config.version += 1
    config.paytable = config_paytable_set(config, actor.name)
    config._history_user = actor.user
    config._change_reason = actor.name
    config.save()
    transaction.on_commit(partial(config_announce, config.partner_id, config.currency_id))


def _limits_check(limits: BlackjackLimits, currency: Currency, names: Mapping[str, str]) -> None:
    amounts = {name: value for name, value in asdict(limits).items() if name != "free_play"}
    named = {name: names.get(name, name) for name in amounts}
    for name, amount in amounts.items():
        if amount < 0 or not is_multiple(amount, currency.quantum):
            raise BadRequest(f"{named[name]}: 0 or more, with at most {currency.decimals} decimals", field=named[name])
    for kind in ("bet", "perfect_pairs", "poker"):
        lowest, highest = named[f"{kind}_min"], named[f"{kind}_max"]
        low, high = amounts[f"{kind}_min"], amounts[f"{kind}_max"]
        if low > high:
            raise BadRequest(f"{lowest} is {plain(low)}, above {highest}, {plain(high)}", field=lowest)
    if not limits.bet_min and not limits.free_play:
        raise BadRequest(
            f"{named['bet_min']}: above 0; a lowest bet of 0 is free play, which has to be switched on (free_play)",
            field=named["bet_min"],
        )
    if not limits.bet_max:
        raise BadRequest(f"{named['bet_max']}: above 0", field=named["bet_max"])


def _odds_read(odds: Mapping[str, object], outcomes: tuple[str, ...], field: str) -> dict[str, Decimal]:
    """Return odds by outcome. Raises BadRequest for an unknown outcome and for odds outside 0 to MAX_ODDS."""
    if unknown := sorted(set(odds) - set(outcomes)):
        raise BadRequest(f"{field}: no such outcome: {', '.join(unknown)}", field=field)
    read = {}
    for name in outcomes:
        if name not in odds:
            continue
        try:
            value = Decimal(str(odds[name]))
        except InvalidOperation:
            value = Decimal(-1)
        if not value.is_finite() or not 0 <= value <= MAX_ODDS or value != value.quantize(Decimal("0.0001")):
            raise BadRequest(f"{field}: {name} is 0 to {MAX_ODDS} to 1, with at most 4 decimals", field=field)
        read[name] = value
    return read


def _fractions(odds: Mapping[str, Decimal]) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in odds.items()}


def _edge_task_send(terms_id: int) -> None:
    """Send the task that computes the house edge. `terms_decide_all` makes up for a lost one."""
    # By name, since the module of the tasks imports this one.
    try:
        current_app.tasks["apps.blackjack.tasks.terms_decide"].delay(terms_id)
    except OperationalError as error:
        log.warning("edge_task_not_sent", terms=terms_id, error=str(error))
