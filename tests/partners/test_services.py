"""API keys: shown once, stored as a hash, revoked for good."""

import pytest

from apps.audit.models import AuditEntry
from apps.core.errors import AuthenticationFailed, BadRequest, Conflict
from apps.partners.models import ApiKey, Partner
from apps.partners.services import PREFIX_CHARS, api_key_create, api_key_find, api_key_revoke, api_key_use
from tests.support.factories import partner_make

pytestmark = pytest.mark.django_db


def test_a_key_authenticates_its_partner() -> None:
    partner = partner_make()
    key, text = api_key_create(partner=partner, name="wallet system", scopes=["wallets", "read"], actor="ada")
    found = api_key_use(api_key_find(text))
    assert (found.pk, found.partner, found.scopes) == (key.pk, partner, ["read", "wallets"])
    assert text.startswith(key.prefix)
    assert len(key.prefix) == PREFIX_CHARS


def test_a_key_s_text_is_in_no_table() -> None:
    key, text = api_key_create(partner=partner_make(), name="k", scopes=["read"], actor="ada")
    secret = text.removeprefix(key.prefix)
    assert secret not in str(ApiKey.objects.values().get())
    (entry,) = AuditEntry.objects.values()
    assert (entry["action"], entry["actor"]) == ("api_key.create", "ada")
    assert secret not in str(entry)
    assert secret not in f"{key!r} {key}"


def test_a_partner_can_have_several_keys_for_rotation() -> None:
    partner = partner_make()
    (first, first_text), (_, second_text) = (
        api_key_create(partner=partner, name="k", scopes=["read"], actor="ada") for _ in range(2)
    )
    api_key_revoke(key=first, reason="a leak", actor="ada")
    assert api_key_use(api_key_find(second_text)).partner == partner
    with pytest.raises(AuthenticationFailed):
        api_key_use(api_key_find(first_text))


def test_a_second_revocation_is_refused_and_keeps_the_time_of_the_first() -> None:
    key, _ = api_key_create(partner=partner_make(), name="k", scopes=["read"], actor="ada")
    api_key_revoke(key=key, reason="a leak", actor="ada")
    revoked_at = ApiKey.objects.get(pk=key.pk).revoked_at
    assert revoked_at is not None
    assert key.revoked_at == revoked_at
    with pytest.raises(Conflict, match="revoked already"):
        api_key_revoke(key=key, reason="another leak", actor="bob")
    assert ApiKey.objects.get(pk=key.pk).revoked_at == revoked_at
    assert AuditEntry.objects.filter(action="api_key.revoke").count() == 1


@pytest.mark.parametrize("text", ["", "punto_", "\x00", "é", "x" * 10_000, "\ud800"])
def test_an_invalid_key_is_refused(text: str) -> None:
    api_key_create(partner=partner_make(), name="k", scopes=["read"], actor="ada")
    with pytest.raises(AuthenticationFailed):
        api_key_use(api_key_find(text))


def test_a_key_of_a_closed_partner_is_refused() -> None:
    partner = partner_make()
    _, text = api_key_create(partner=partner, name="k", scopes=["read"], actor="ada")
    Partner.objects.filter(pk=partner.pk).update(active=False)
    with pytest.raises(AuthenticationFailed):
        api_key_use(api_key_find(text))


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "everything"]])
def test_a_key_with_an_unknown_scope_is_refused(scopes: list[str]) -> None:
    with pytest.raises(BadRequest):
        api_key_create(partner=partner_make(), name="k", scopes=scopes, actor="ada")
    assert not ApiKey.objects.exists()
