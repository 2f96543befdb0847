"""API keys expire, are bound to addresses, and show their last requests."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.core.cache import cache
from django.db import DatabaseError, connections, transaction
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.audit.models import AuditEntry
from apps.core.errors import AuthenticationFailed, BadRequest, Conflict, Refused
from apps.partners.allowed_addresses import allowed_addresses_read, is_allowed
from apps.partners.models import ApiKey, ApiKeyRequest, Partner, Scope
from apps.partners.request_log import KEPT, MAX_WAITING, RequestLog, path_shown
from apps.partners.services import (
    KeyLimits,
    api_key_create,
    api_key_find,
    api_key_restrict,
    api_key_revoke,
    api_key_use,
)
from tests.support.factories import partner_make, staff_make
from tests.support.office_browser import OfficeBrowser
from tests.support.waiting import wait_until

TOMORROW = timedelta(days=1)


@pytest.fixture(autouse=True)
def refusals_forgotten() -> Iterator[None]:
    """Forget the refused keys of an IP address, which all tests share."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def new_log(committed: None) -> Iterator[RequestLog]:
    """A log with a thread of its own, which ends with the test."""
    log = RequestLog()
    yield log
    log.close()


def key_make(limits: KeyLimits = KeyLimits(), partner: Partner | None = None) -> tuple[ApiKey, str]:  # noqa: B008 - frozen
    return api_key_create(partner=partner or partner_make(), name="k", scopes=[Scope.READ], actor="test", limits=limits)


def call(text: str, path: str = "/v1/rounds", address: str = "127.0.0.1") -> Any:
    return Client(REMOTE_ADDR=address).get(path, headers={"authorization": f"Bearer {text}"})


def lines_of(key: ApiKey) -> list[tuple[Any, ...]]:
    rows = ApiKeyRequest.objects.filter(key=key).order_by("pk")
    return list(rows.values_list("method", "path", "status", "address"))


def line_of(key: ApiKey, path: str = "/v1/rounds") -> ApiKeyRequest:
    return ApiKeyRequest(key=key, time=timezone.now(), method="GET", path=path, status=200, address="::")


def test_lines_are_written_after_postgresql_has_ended_the_connection(
    new_log: RequestLog, superuser: psycopg.Connection
) -> None:
    key, _ = key_make()
    new_log.add(line_of(key, "/v1/rounds"))
    new_log.finish()
    superuser.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()"
        " AND query LIKE '%api_key_request%' AND pid <> pg_backend_pid()"
    )
    connections.close_all()
    new_log.add(line_of(key, "/v1/wallets"))
    new_log.finish()
    assert [path for _, path, _, _ in lines_of(key)] == ["/v1/rounds", "/v1/wallets"]


def test_a_process_that_ends_writes_its_lines_and_closes_its_connection(
    committed: None, superuser: psycopg.Connection
) -> None:
    log, (key, _) = RequestLog(), key_make()
    log.add(line_of(key))
    log.finish()
    assert log._connection is not None
    pid = log._connection.connection.info.backend_pid
    log.add(line_of(key))
    log.close()
    assert len(lines_of(key)) == 2
    running = "SELECT FROM pg_stat_activity WHERE pid = %s"
    wait_until(lambda: superuser.execute(running, [pid]).rowcount == 0, "PostgreSQL has ended the session")


@pytest.mark.django_db
def test_a_key_is_refused_from_the_end_of_its_last_day_on_and_the_answer_says_so() -> None:
    key, text = key_make(KeyLimits(timezone.now() + TOMORROW))
    assert api_key_use(api_key_find(text)).pk == key.pk
    assert call(text).status_code == 200
    over = timezone.now() - timedelta(minutes=1)
    ApiKey.objects.filter(pk=key.pk).update(ctime=over - TOMORROW, expires_at=over)
    with pytest.raises(AuthenticationFailed):
        api_key_use(api_key_find(text))
    answer = call(text)
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTHENTICATION_FAILED")
    assert answer.json()["detail"] == f"this API key has expired: it was valid until {over:%Y-%m-%d %H:%M} UTC"
    with pytest.raises(BadRequest):
        key_make(KeyLimits(timezone.now()))


@pytest.mark.parametrize(
    ("address", "networks", "allowed"),
    [
        ("192.0.2.7", [], True),
        ("192.0.2.7", ["192.0.2.7"], True),
        ("192.0.2.8", ["192.0.2.7"], False),
        ("192.0.2.8", ["198.51.100.0/24", "192.0.2.0/24"], True),
        ("2001:db8::5", ["2001:db8::/64"], True),
        ("2001:db8:0:1::5", ["2001:db8::/64"], False),
        ("192.0.2.7", ["2001:db8::/64"], False),
        ("unknown", ["192.0.2.0/24"], False),
    ],
)
@pytest.mark.django_db
def test_a_key_may_be_used_from_its_addresses_alone(address: str, networks: list[str], allowed: bool) -> None:
    assert is_allowed(address, networks) is allowed
    _, text = key_make(KeyLimits(None, networks))
    answer = call(text, address=address if address != "unknown" else "")
    assert answer.status_code == (200 if allowed else 403)
    if not allowed:
        assert answer.json()["detail"] == (
            f"this API key may not be used from {address}: its addresses are set in the back office"
        )
        with pytest.raises(Refused):
            api_key_use(api_key_find(text), address=address)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "'x' is no IP address or network"),
        ("192.0.2.7/24", "write 192.0.2.0/24"),
        ("192.0.2.300", "is no IP address"),
        ("::/200", "is no IP address"),
        ("", "'' is no IP address"),
    ],
)
def test_what_is_no_network_is_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        allowed_addresses_read([text])


def test_networks_are_kept_in_normal_form_and_at_most_twenty() -> None:
    assert allowed_addresses_read(["2001:DB8::/64", " 192.0.2.7", "192.0.2.7/32"]) == ["192.0.2.7/32", "2001:db8::/64"]
    assert len(allowed_addresses_read([f"192.0.2.{number}" for number in range(20)])) == 20
    with pytest.raises(BadRequest):
        allowed_addresses_read([f"192.0.2.{number}" for number in range(21)])


@pytest.mark.parametrize(
    "change",
    [
        {"allowed_addresses": ["192.0.2.7/24"]},
        {"allowed_addresses": ["x"]},
        {"allowed_addresses": ["192.0.2.7/32", None]},
        {"allowed_addresses": [f"192.0.2.{number}/32" for number in range(21)]},
        {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
@pytest.mark.django_db
def test_the_database_refuses_what_is_no_network_and_an_end_before_the_beginning(change: dict[str, Any]) -> None:
    key, _ = key_make()
    with pytest.raises(DatabaseError), transaction.atomic():
        ApiKey.objects.filter(pk=key.pk).update(**change)


@pytest.mark.django_db
def test_a_change_of_a_key_s_limits_is_in_the_audit_with_before_and_after() -> None:
    key, text = key_make()
    api_key_restrict(key=key, limits=KeyLimits(None, ["192.0.2.7"]), actor="ada")
    assert call(text).status_code == 403
    entry = AuditEntry.objects.get(action="api_key.restrict")
    assert entry.data == {
        "before": {"expires": None, "allowed_addresses": []},
        "after": {"expires": None, "allowed_addresses": ["192.0.2.7/32"]},
    }
    api_key_revoke(key=key, reason="a leak", actor="ada")
    with pytest.raises(Conflict):
        api_key_restrict(key=key, limits=KeyLimits(), actor="ada")


@pytest.mark.usefixtures("committed")
def test_each_request_of_a_key_is_logged_with_its_answer_and_shown_to_its_partner_alone() -> None:
    partner = partner_make()
    key, text = key_make(partner=partner)
    for path, status in (
        ("/v1/rounds?limit=5&game=og-baccarat", 200),
        ("/v1/wallets/nobody", 404),
        (f"/v1/rounds?game_session_id={text}", 400),
    ):
        assert call(text, path).status_code == status
    api_key_restrict(key=key, limits=KeyLimits(None, ["192.0.2.7"]), actor="test")
    assert call(text, address="198.51.100.9").status_code == 403
    assert call("punto_nothing").status_code == 401
    expected = [
        ("GET", "/v1/rounds?limit=5&game=og-baccarat", 200, "127.0.0.1"),
        ("GET", "/v1/wallets/nobody", 404, "127.0.0.1"),
        ("GET", "/v1/rounds?...", 400, "127.0.0.1"),
        ("GET", "/v1/rounds", 403, "198.51.100.9"),
    ]
    wait_until(lambda: lines_of(key) == expected, "all requests of the key are logged")
    told = list(ApiKeyRequest.objects.filter(key=key).order_by("pk").values_list("code", "field"))
    # The parameter's name may be a secret in the wrong place.
    assert told == [(None, None), ("NOT_FOUND", "player"), ("BAD_REQUEST", None), ("REFUSED", None)]
    refused = ApiKeyRequest.objects.get(key=key, status=403)
    pages = [
        reverse("admin:partners_apikey_change", args=[key.pk]),
        f"{reverse('admin:partners_apikeyrequest_changelist')}?key__id__exact={key.pk}",
    ]
    for own, is_shown in ((partner, True), (partner_make(), False)):
        browser = Client()
        browser.force_login(staff_make(Role.PARTNER_STAFF, partner=own))
        for page in pages:
            answer = browser.get(page)
            assert ("/v1/wallets/nobody" in answer.content.decode()) is is_shown
            assert text.removeprefix(key.prefix) not in answer.content.decode()
    browser.force_login(staff_make(Role.OPERATOR))
    shown = browser.get(reverse("admin:partners_apikeyrequest_change", args=[refused.pk])).content.decode()
    assert ">403 Forbidden<" in shown
    assert lines_of(key) == expected


@pytest.mark.usefixtures("committed")
def test_a_refusal_is_logged_with_its_code_and_field_and_found_by_its_code() -> None:
    key, text = key_make()
    calls = (("/v1/rounds?limit=many", 400), ("/v1/wallets/nobody", 404), ("/v1/rounds", 200))
    assert [call(text, path).status_code for path, _ in calls] == [status for _, status in calls]
    body = Client().post(
        "/v1/sessions", data="{", content_type="application/json", headers={"authorization": f"Bearer {text}"}
    )
    assert body.status_code == 403  # the key has no such scope
    wait_until(lambda: len(lines_of(key)) == 4, "all requests of the key are logged")
    browser = Client()
    browser.force_login(staff_make(Role.AUDITOR))
    page = reverse("admin:partners_apikeyrequest_changelist")
    listed = browser.get(page).content.decode()
    assert all(told in listed for told in ("BAD_REQUEST: limit", "NOT_FOUND", "SCOPE_MISSING"))
    found = browser.get(page, {"code": "BAD_REQUEST"}).context["cl"].result_list
    assert [(row.status, row.code, row.field) for row in found] == [(400, "BAD_REQUEST", "limit")]
    assert "BAD_REQUEST: limit" in browser.get(reverse("admin:partners_apikey_change", args=[key.pk])).content.decode()


@pytest.mark.usefixtures("committed")
def test_only_the_last_thousand_requests_of_each_key_are_kept(new_log: RequestLog) -> None:
    assert KEPT == 1000
    (key, _), (other, _) = key_make(), key_make()
    ApiKeyRequest.objects.bulk_create([line_of(each, "/v1/old") for each in (other, key) for _ in range(KEPT + 20)])
    new_log.add(line_of(key, "/v1/new"))
    wait_until(lambda: ApiKeyRequest.objects.filter(key=key).count() == KEPT, "older requests are removed")
    assert ApiKeyRequest.objects.filter(key=key).latest("pk").path == "/v1/new"
    assert ApiKeyRequest.objects.filter(key=other).count() == KEPT + 20


@pytest.mark.usefixtures("committed")
def test_a_log_that_cannot_be_written_fails_no_request_and_takes_no_more_memory(
    superuser: psycopg.Connection, new_log: RequestLog
) -> None:
    key, text = key_make()
    superuser.execute("ALTER TABLE api_key_request ADD CONSTRAINT nothing_more CHECK (path = '') NOT VALID")
    try:
        assert call(text).status_code == 200
        for _ in range(MAX_WAITING + 10):
            new_log.add(line_of(key))
        assert len(new_log._waiting) <= MAX_WAITING
        wait_until(lambda: not new_log._waiting, "the lines are dropped")
    finally:
        superuser.execute("ALTER TABLE api_key_request DROP CONSTRAINT nothing_more")
    assert call(text, "/v1/rounds?limit=1").status_code == 200
    wait_until(lambda: ("GET", "/v1/rounds?limit=1", 200, "127.0.0.1") in lines_of(key), "later requests are logged")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/rounds?player=anna-17&limit=5", "/v1/rounds?player=anna-17&limit=5"),
        ("/v1/rounds?limit=5&token=abc", "/v1/rounds?limit=5&..."),
        ("/v1/rounds?punto_abc", "/v1/rounds?..."),
        ("/v1/wallets/a%00b", "/v1/wallets/a%00b"),
        (f"/v1/wallets/{'x' * 400}", f"/v1/wallets/{'x' * 285}..."),
    ],
)
def test_a_logged_path_holds_no_parameter_that_may_be_a_secret(path: str, shown: str) -> None:
    assert path_shown(RequestFactory().get(path)) == shown


@pytest.mark.django_db
def test_partner_staff_choose_the_last_day_and_the_addresses_and_change_them() -> None:
    partner = partner_make()
    browser = OfficeBrowser()
    browser.force_login(staff_make(Role.PARTNER_STAFF, partner=partner))
    today = datetime.now(UTC).date()
    form = {"partner": partner.pk, "name": "till", "scopes": ["read"], "last_day": f"{today + TOMORROW}"}
    address = reverse("admin:partners_apikey_add")
    for wrong, said in (
        ({"allowed_addresses": "nowhere"}, "is no IP address or network"),
        ({"last_day": f"{today - TOMORROW}"}, "This day is over. To end a key now, revoke it."),
        ({"last_day": "2999-12-31"}, "ten years at most"),
    ):
        assert said in browser.post(address, form | wrong).content.decode()
    answer = browser.post(address, form | {"allowed_addresses": "192.0.2.0/24\n198.51.100.7"})
    assert "Copy the key now" in answer.content.decode()
    key = ApiKey.objects.get(partner=partner)
    assert key.allowed_addresses == ["192.0.2.0/24", "198.51.100.7/32"]
    assert key.expires_at == datetime(today.year, today.month, today.day, tzinfo=UTC) + timedelta(days=2)
    page = browser.get(reverse("admin:partners_apikey_change", args=[key.pk])).content.decode()
    assert "192.0.2.0/24, 198.51.100.7<" in page.replace("\n", "").replace("  ", "")
    restrict = reverse("admin:partners_apikey_restrict", args=[key.pk])
    assert f'value="{today + TOMORROW}"' in browser.get(restrict).content.decode()
    assert browser.post(restrict, {"last_day": "", "allowed_addresses": ""}).status_code == 302
    key.refresh_from_db()
    assert (key.expires_at, key.allowed_addresses) == (None, [])
