"""The pages of the account, with those of django-allauth: they use one word for logging in, logging out and signing
up."""

import re
import socket
from collections.abc import Iterator
from typing import Any

import allauth.urls
import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, reverse

from apps.accounts.models import Role, User
from apps.accounts.staff import one_time_link
from apps.partners.models import Partner
from tests.support.factories import partner_make, staff_make, user_make

pytestmark = pytest.mark.django_db

PASSWORD = "open sesame 99"
OTHER_WORDS = re.compile(r"(?i:\b(?:sign(?:ed|ing)?[ -]?(?:in|out)|signup|log(?:in|out))\b)|Sign Up")
"""The words of the portal are "log in", "log out", "sign up", and for the act a "log-in"."""
_UNREAD = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)


def addresses(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Return the address of each page that needs no key in it."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns)
            continue
        try:
            yield reverse(pattern.name)
        except NoReverseMatch:
            continue


ADDRESSES = ["/", *sorted(addresses(allauth.urls.urlpatterns))]


def words_of(answer: HttpResponse) -> str:
    return _UNREAD.sub("\n", answer.content.decode())


@pytest.fixture(autouse=True)
def fresh_limits() -> Iterator[None]:
    """Forget the failed log-ins of other tests."""
    yield
    cache.clear()


def other_words(client: Client) -> dict[str, list[str]]:
    """Return the words of the pages that the portal does not use, by address."""
    found = {}
    for address in ADDRESSES:
        answer = client.get(address, follow=True)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            found[address] = re.findall(OTHER_WORDS, words_of(answer))
    return found


@pytest.fixture
def house() -> Partner:
    return partner_make(is_house=True)


@pytest.fixture
def user() -> User:
    return user_make(password=PASSWORD)


def log_in(client: Client, user: User, password: str = PASSWORD) -> HttpResponse:
    return client.post("/accounts/login/", {"login": user.username, "password": password}, follow=True)


def test_a_visitor_reads_one_word(client: Client, house: Partner) -> None:
    found = other_words(client)
    assert {"/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"} <= set(found)
    assert {address: words for address, words in found.items() if words} == {}


def test_the_labels_of_the_log_in_have_capitals_at_their_beginning_alone(client: Client, house: Partner) -> None:
    page = client.get("/accounts/login/").content.decode()
    labels = re.findall(r"<label[^>]*>\s*([^<]+?)\s*</label>", page)
    assert "Remember me" in labels
    assert [label for label in labels if label[1:] != label[1:].lower()] == []


def test_a_log_in_reads_one_word(client: Client, house: Partner, user: User) -> None:
    log_in(client, user)
    found = other_words(client)
    assert {"/accounts/logout/", "/accounts/sessions/", "/accounts/password/change/"} <= set(found)
    assert {address: words for address, words in found.items() if words} == {}


def test_a_log_in_with_a_second_factor_reads_one_word(client: Client, house: Partner, user: User) -> None:
    TOTP.activate(user, generate_totp_secret())
    log_in(client, user)
    found = other_words(client)
    assert "/accounts/2fa/authenticate/" in found
    assert {address: words for address, words in found.items() if words} == {}


def test_a_sign_up_that_is_closed_uses_the_word_too(client: Client) -> None:
    text = words_of(client.get("/accounts/signup/"))
    assert "Nobody can sign up at the moment." in text
    assert re.findall(OTHER_WORDS, text) == []


def test_what_is_said_after_a_log_in_a_log_out_and_failures_uses_the_word(
    client: Client, house: Partner, user: User
) -> None:
    log_in(client, user)
    told = words_of(client.get("/"))
    log_in(client, user)
    out = words_of(client.post("/accounts/logout/", follow=True))
    assert "You are logged out." in out
    failed = [words_of(log_in(Client(), user, "wrong")) for _ in range(11)]
    assert "Too many failed log-ins." in failed[-1]
    for text in (told, out, *failed):
        assert re.findall(OTHER_WORDS, text) == []


@pytest.mark.parametrize("address", ["known", "nobody@example.test"])
def test_an_outage_of_the_mail_server_is_not_our_fault(
    client: Client, house: Partner, user: User, settings: Any, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    answer = client.post("/accounts/password/reset/", {"email": user.email if address == "known" else address})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert answer.content == b"Service Unavailable: mail cannot be sent now; try again later\n"
    assert "mail_not_sent" in caplog.text
    assert "@" not in caplog.text


def test_the_list_of_sessions_ends_the_others(client: Client, house: Partner, user: User) -> None:
    other = Client(headers={"User-Agent": "the other browser"})
    for browser in (other, client):
        log_in(browser, user)
        browser.get("/")
    page = client.get("/accounts/sessions/").content.decode()
    assert "the other browser" in page
    assert "Log out the other sessions" in page
    client.post("/accounts/sessions/")
    page = client.get("/accounts/sessions/").content.decode()
    assert "the other browser" not in page
    assert 'action="/accounts/logout/"' in page


def test_the_one_time_link_of_staff_leads_to_the_password_then_to_the_log_in_and_to_the_back_office(
    client: Client, house: Partner, user: User
) -> None:
    staff = staff_make(Role.PARTNER_STAFF, partner=house)
    chosen = client.get(one_time_link(staff), follow=True)
    form = {"password1": PASSWORD, "password2": PASSWORD}
    done = client.post(chosen.request["PATH_INFO"], form, follow=True).content.decode()
    assert re.search(r'<main.*href="/accounts/login/"', done, re.DOTALL)
    answer = client.post("/accounts/login/", {"login": staff.username, "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:index"))
    answer = Client().post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_a_page_to_return_to_that_cannot_be_read_is_none(client: Client) -> None:
    user = user_make(password=PASSWORD)
    for name in ("account_login", "account_signup"):
        assert client.get(reverse(name), {"next": "http://["}).status_code == 200
    sent = {"login": user.username, "password": PASSWORD, "next": "http://["}
    assert client.post(reverse("account_login"), sent)["Location"] == reverse("lobby")


def test_a_page_to_return_to_may_have_no_slash(client: Client) -> None:
    user = user_make(password=PASSWORD)
    assert client.post(reverse("language"), {"language": "de", "next": "no-page"})["Location"] == "no-page"
    sent = {"login": user.username, "password": PASSWORD, "next": "no-page"}
    assert client.post(reverse("account_login"), sent)["Location"] == "no-page"


@pytest.mark.parametrize("is_other_key", [True, False])
def test_recovery_codes_that_cannot_be_read_are_told_logged_and_replaced(
    client: Client, house: Partner, user: User, settings: Any, caplog: pytest.LogCaptureFixture, is_other_key: bool
) -> None:
    right = settings.PUNTO_SEED_KEY
    settings.PUNTO_SEED_KEY = "another key " * 4 if is_other_key else right
    codes = RecoveryCodes.activate(user).instance
    settings.PUNTO_SEED_KEY = right
    if not is_other_key:
        codes.data["seed"] = codes.data["seed"][:-4]
        codes.save()
    client.force_login(user)
    TOTP.activate(user, generate_totp_secret())
    page = words_of(client.get("/accounts/2fa/"))
    assert "Your recovery codes cannot be read. Generate new ones." in page
    assert "There are 0 out of 10 recovery codes available." in page
    assert "second_factor_not_decrypted" in caplog.text
    for address in ("/accounts/2fa/recovery-codes/", "/accounts/2fa/recovery-codes/download/"):
        assert client.get(address).headers["Location"] == "/accounts/2fa/"
    again = client.get("/accounts/2fa/recovery-codes/generate/").headers["Location"]
    asked = client.post(again, {"password": PASSWORD}, follow=True)
    assert "You are about to generate a new set of recovery codes" in words_of(asked)
    assert "This action will invalidate your existing codes." not in words_of(asked)
    new = words_of(client.post("/accounts/2fa/recovery-codes/generate/", follow=True))
    assert Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()[0] in new
    page = words_of(client.get("/accounts/2fa/"))
    assert "cannot be read" not in page
    assert "There are 10 out of 10 recovery codes available." in page
