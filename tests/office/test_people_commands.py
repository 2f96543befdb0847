"""`manage.py partner_create` and `staff_create`: the first partner and log-ins of a casino."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import Client

from apps.accounts.models import Player, Role, User
from apps.audit.models import AuditEntry
from apps.partners.models import Partner

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough secret"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Type the password as a line of input."""
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n"))


def run(*words: str) -> str:
    written = StringIO()
    call_command(*words, stdout=written)
    return written.getvalue()


def test_a_new_house_opens_sign_up(client: Client) -> None:
    assert "closed" in client.get("/accounts/signup/").content.decode().lower()
    run("partner_create", "house", "My Casino", "--house")
    client.post("/accounts/signup/", {"username": "ann", "password1": PASSWORD, "password2": PASSWORD})
    assert Player.objects.get().partner == Partner.objects.get(slug="house", name="My Casino", is_house=True)
    assert AuditEntry.objects.get(action="partner.create").subject == "partner house"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("house", "Another"), "partner house already"),
        (("second", "Another", "--house"), "a house already"),
        (("not a slug", "Another"), "slug"),
        (("second", ""), "name"),
    ],
)
def test_an_invalid_partner_is_refused(words: tuple[str, ...], message: str) -> None:
    run("partner_create", "house", "My Casino", "--house")
    with pytest.raises(CommandError, match=message):
        run("partner_create", *words)
    assert Partner.objects.count() == 1


@pytest.mark.parametrize(
    ("role", "partner"), [(Role.OPERATOR, None), (Role.AUDITOR, None), (Role.AUDITOR, "p"), (Role.PARTNER_STAFF, "p")]
)
def test_a_new_log_in_can_enter_the_back_office(client: Client, typed: None, role: Role, partner: str | None) -> None:
    run("partner_create", "p", "Partner")
    told = run("staff_create", "olga", "--role", role.value, *(["--partner", partner] if partner else []))
    assert told == f"olga may log in as {role.label}.\n"
    user = authenticate(username="olga", password=PASSWORD)
    assert isinstance(user, User)
    assert (user.role, user.partner and user.partner.slug) == (role, partner)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/admin/").status_code == 200
    entry = AuditEntry.objects.get(action="staff.create")
    assert PASSWORD not in str(entry.data)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("olga", "--role", "partner_staff"), "partner staff have one"),
        (("olga", "--role", "operator", "--partner", "p"), "operators have none"),
        (("olga", "--role", "auditor", "--partner", "q"), "no partner q"),
        (("a name", "--role", "auditor"), "username"),
        (("olga", "--role", "auditor", "--email", "nowhere"), "email"),
    ],
)
def test_an_invalid_log_in_is_refused(typed: None, words: tuple[str, ...], message: str) -> None:
    run("partner_create", "p", "Partner")
    with pytest.raises(CommandError, match=message):
        run("staff_create", *words)
    assert not User.objects.exists()


def test_a_taken_name_and_a_weak_password_are_refused(typed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    run("staff_create", "olga", "--role", "operator")
    for line, message in ((PASSWORD, "already"), ("12345", "too short")):
        monkeypatch.setattr("sys.stdin", StringIO(line))
        with pytest.raises(CommandError, match=message):
            run("staff_create", "olga", "--role", "auditor")
    assert User.objects.get().role == Role.OPERATOR
