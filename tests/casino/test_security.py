"""Security headers of answers, and the content security policy of pages."""

import pytest
from django.test import Client

from apps.accounts.models import Role, User

pytestmark = pytest.mark.django_db


def policy(path: str) -> dict[str, list[str]]:
    """Return the content security policy of a page, by directive."""
    answer = Client().get(path)
    assert answer.status_code < 400
    directives = (directive.split() for directive in answer["Content-Security-Policy"].split(";"))
    return {words[0]: words[1:] for words in directives}


@pytest.mark.parametrize("path", ["/accounts/login/", "/api/", "/healthz"])
def test_scripts_and_styles_are_our_own_files(path: str) -> None:
    read = policy(path)
    assert read["script-src"] == ["'self'"]
    assert read["style-src"] == ["'self'"]
    assert read["object-src"] == ["'none'"]
    assert read["frame-ancestors"] == ["'none'"]


def test_the_admin_may_use_eval_and_has_no_inline_scripts(client: Client) -> None:
    read = policy("/admin/")
    assert set(read["script-src"]) == {"'self'", "'unsafe-eval'"}
    assert read["style-src"] == ["'self'"]

    client.force_login(User.objects.create_user("olga", role=Role.OPERATOR))
    page = client.get("/admin/").content.decode()
    assert "<style" not in page
    assert '<link href="/admin/colors.css" rel="stylesheet">' in page
    colors = client.get("/admin/colors.css")
    assert colors["Content-Type"] == "text/css"
    assert b"--color-primary-600: " in colors.content


def test_every_answer_carries_the_other_headers() -> None:
    answer = Client().get("/healthz")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_page_of_the_api_loads_nothing_from_other_sites() -> None:
    page = Client().get("/api/").content.decode()
    assert "http://" not in page
    assert "https://" not in page
    assert "<style" not in page
    assert "/static/drf_spectacular_sidecar/" in page
