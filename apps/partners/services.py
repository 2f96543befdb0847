"""Use cases of partners and their API keys. A key's text is shown once; the table has its SHA-256."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.audit.selectors import last_change_text
from apps.audit.services import audit_record
from apps.core.client_address import UNKNOWN
from apps.core.errors import AuthenticationFailed, BadRequest, Conflict, Refused
from apps.core.models import Currency
from apps.core.shown_values import shown_check
from apps.partners.allowed_addresses import allowed_addresses_read, is_allowed
from apps.partners.frame_origins import frame_origins_read
from apps.partners.models import ApiKey, Partner, Scope

FIRST_CURRENCY: Final = "FUN"
"""The currency of a partner's first configuration if it has none."""
PREFIX_CHARS: Final = 12
USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""The precision of `last_used_at`; a write for every request would cost too much."""


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """When a key expires, and the addresses and networks that it may be used from; by default never, and from
    everywhere."""

    expires_at: datetime | None = None
    allowed_addresses: Sequence[str] = ()


NO_LIMITS: Final = KeyLimits()
PREFIX_START: Final = "punto_"
_PREFIX_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"


@transaction.atomic
def partner_create(*, slug: str, name: str, is_house: bool, actor: str, actor_user_id: int | None = None) -> Partner:
    """Create a partner without limits and keys. Raises BadRequest, Conflict (the slug or the name is taken, or there is
    a house)."""
    partner = Partner(slug=slug, name=name, is_house=is_house)
    try:
        partner.clean_fields()
    except ValidationError as error:
        field, complaints = next(iter(error.message_dict.items()))
        raise BadRequest(f"{field}: {complaints[0]}", field=field) from error
    if Partner.objects.filter(slug=slug).exists():
        raise Conflict(f"there is a partner {slug} already", field="slug")
    if Partner.objects.filter(name__iexact=name).exists():
        raise Conflict(f"there is a partner with the name {name} already", field="name")
    if is_house and Partner.objects.filter(is_house=True).exists():
        raise Conflict("there is a house already: only one partner can be the house", field="is_house")
    partner.save()
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.create",
        subject=f"partner {slug}",
        partner_id=partner.pk,
        data={"before": {}, "after": {"name": name, "slug": slug, "is_house": is_house}},
    )
    return partner


@transaction.atomic
def partner_active_set(
    *, partner: Partner, active: bool, reason: str, actor: str, actor_user_id: int | None = None
) -> None:
    """Close a partner or open it again: while closed, its keys, sessions and players are refused; open rounds
    continue.

    Raises Conflict if nothing would change.
    """
    if not Partner.objects.filter(pk=partner.pk, active=not active).update(active=active):
        raise Conflict(f"this partner is {'open' if active else 'closed'} already")
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.active",
        subject=f"partner {partner.slug}",
        partner_id=partner.pk,
        data={"before": {"active": not active}, "after": {"active": active}},
        reason=reason,
    )


def partner_currency_code(partner: Partner) -> str:
    """Return the currency of a configuration without one."""
    return partner.default_currency_id or FIRST_CURRENCY


def partner_currency_settle(*, partner: Partner, currency_code: str) -> None:
    """Make the currency of the partner's first configuration its default; later ones change nothing.

    The caller has locked `partner` in its transaction.
    """
    if partner.default_currency_id is None:
        partner.default_currency_id = currency_code
        partner.save(update_fields=["default_currency", "mtime"])


@transaction.atomic
def partner_currency_set(
    *,
    partner: Partner,
    currency: Currency,
    actor: str,
    actor_user_id: int | None = None,
    version: int | None = None,
) -> bool:
    """Set the default currency of later configurations; return whether it is another one. Locks the partner.

    `version` is that of the currency that the user has read, if any (`shown_version`). Raises OutdatedVersion.
    """
    held = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)
    former = held.default_currency_id
    _shown_check(held, "partner.currency", version, former, {"default_currency": former})
    if former == currency.pk:
        return False
    held.default_currency = currency
    held.save(update_fields=["default_currency", "mtime"])
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.currency",
        subject=f"partner {held.slug}",
        partner_id=held.pk,
        data={"before": {"default_currency": former}, "after": {"default_currency": currency.code}},
    )
    return True


@transaction.atomic
def partner_frame_origins_set(
    *,
    partner: Partner,
    frame_origins: Sequence[str],
    actor: str,
    actor_user_id: int | None = None,
    version: int | None = None,
) -> list[str]:
    """Replace the origins whose pages may show our tables in a frame; return them in normal form.

    They apply from the next page load. The present ones are no change: nothing is written. `version` is that of the
    origins that the user has read, if any (`shown_version`). Locks the partner. Raises BadRequest, OutdatedVersion.
    """
    origins = frame_origins_read(frame_origins)
    held = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)
    former = held.frame_origins
    _shown_check(held, "partner.frame_origins", version, former, {"frame_origins": former})
    if former == origins:
        return origins
    held.frame_origins = origins
    held.save(update_fields=["frame_origins", "mtime"])
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.frame_origins",
        subject=f"partner {held.slug}",
        partner_id=held.pk,
        data={"before": {"frame_origins": former}, "after": {"frame_origins": origins}},
    )
    return origins


@transaction.atomic
def api_key_create(
    *,
    partner: Partner,
    name: str,
    scopes: Sequence[str],
    actor: str,
    actor_user_id: int | None = None,
    limits: KeyLimits = NO_LIMITS,
) -> tuple[ApiKey, str]:
    """Create a key with these `Scope`s; return its row and its text, which is not stored. Raises BadRequest."""
    if not scopes or not set(scopes) <= set(Scope.values):
        raise BadRequest(f"scopes are one or more of {', '.join(Scope.values)}", field="scopes")
    limits = _limits_read(limits)
    prefix = PREFIX_START + "".join(secrets.choice(_PREFIX_ALPHABET) for _ in range(PREFIX_CHARS - len(PREFIX_START)))
    text = f"{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        partner=partner,
        name=name,
        prefix=prefix,
        key_hash=_key_hash(text),
        scopes=sorted(set(scopes)),
        expires_at=limits.expires_at,
        allowed_addresses=list(limits.allowed_addresses),
    )
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="api_key.create",
        subject=f"api key {prefix}",
        partner_id=partner.pk,
        data={"before": {}, "after": {"name": name, "scopes": key.scopes, **key_limits_for_audit(key)}},
    )
    return key, text


@transaction.atomic
def api_key_restrict(
    *, key: ApiKey, limits: KeyLimits, actor: str, actor_user_id: int | None = None, version: int | None = None
) -> bool:
    """Set a key's expiry and addresses; they apply from its next request. Returns whether they are others.

    `version` is that of the limits that the user has read, if any (`shown_version` of `key_limits_for_audit`). Locks
    the key. Raises BadRequest, Conflict (it is revoked), OutdatedVersion.
    """
    limits = _limits_read(limits)
    held = ApiKey.objects.select_for_update(no_key=True).get(pk=key.pk)
    if held.revoked_at is not None:
        raise Conflict("this key is revoked: make another one")
    before = key_limits_for_audit(held)
    changed_by = last_change_text(
        action="api_key.restrict", subject=f"api key {held.prefix}", partner_id=held.partner_id, after=before
    )
    shown_check(version, before, changed_by=changed_by)
    held.expires_at, held.allowed_addresses = limits.expires_at, list(limits.allowed_addresses)
    if key_limits_for_audit(held) == before:
        return False
    held.save(update_fields=["expires_at", "allowed_addresses"])
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="api_key.restrict",
        subject=f"api key {held.prefix}",
        partner_id=held.partner_id,
        data={"before": before, "after": key_limits_for_audit(held)},
    )
    return True


@transaction.atomic
def api_key_revoke(*, key: ApiKey, reason: str, actor: str, actor_user_id: int | None = None) -> None:
    """Revoke a key permanently; it is refused from its next request.

    Sessions that were opened with it continue until their time is over (docs/security.md). Raises Conflict if it is
    revoked already: this reason would be stored nowhere.
    """
    if not ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        raise Conflict("this key is revoked already")
    key.refresh_from_db(fields=["revoked_at"])
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="api_key.revoke",
        subject=f"api key {key.prefix}",
        partner_id=key.partner_id,
        data={"before": {"revoked": False}, "after": {"revoked": True}},
        reason=reason,
    )


def api_key_find(text: str) -> ApiKey | None:
    """Return the key with its partner, even a refused key; None if there is no such key."""
    return ApiKey.objects.select_related("partner").filter(key_hash=_key_hash(text)).first()


def api_key_use(key: ApiKey | None, *, address: str = UNKNOWN) -> ApiKey:
    """Return the key if it may be used now from this address, and store its use.

    Raises AuthenticationFailed (there is none, it is revoked or has expired, or its partner is closed), Refused (the
    address is not one of its own). Only the holder of a key learns that it has expired or is bound to addresses.
    """
    if key is None or key.revoked_at is not None or not key.partner.active:
        raise AuthenticationFailed("no valid API key")
    now = timezone.now()
    if key.expires_at is not None and key.expires_at <= now:
        raise AuthenticationFailed(f"this API key has expired: it was valid until {key.expires_at:%Y-%m-%d %H:%M} UTC")
    if not is_allowed(address, key.allowed_addresses):
        raise Refused(f"this API key may not be used from {address}: its addresses are set in the back office")
    unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if key.last_used_at is None or key.last_used_at < now - USE_NOTED_EVERY:
        ApiKey.objects.filter(unnoted, pk=key.pk).update(last_used_at=now)
    return key


def _limits_read(limits: KeyLimits) -> KeyLimits:
    """Return the limits in normal form. Raises BadRequest."""
    if limits.expires_at is not None and limits.expires_at <= timezone.now():
        raise BadRequest("expires_at: this time is over; to end a key now, revoke it", field="expires_at")
    return KeyLimits(limits.expires_at, allowed_addresses_read(limits.allowed_addresses))


def _shown_check(held: Partner, action: str, version: int | None, shown: object, after: Mapping[str, object]) -> None:
    changed_by = last_change_text(action=action, subject=f"partner {held.slug}", partner_id=held.pk, after=after)
    shown_check(version, shown, changed_by=changed_by)


def key_limits_for_audit(key: ApiKey) -> dict[str, object]:
    """Return a key's limits as the audit stores them."""
    expires = None if key.expires_at is None else f"{key.expires_at:%Y-%m-%d %H:%M} UTC"
    return {"expires": expires, "allowed_addresses": key.allowed_addresses}


def _key_hash(text: str) -> str:
    # The key is 256 random bits, so a slow password hash would add cost but no security.
    return sha256(text.encode("utf-8", "replace")).hexdigest()
