"""Light and dark pages, and contrast: a page arrives from the server with the reader's choice."""

import re

import pytest
from django.test import Client

from apps.portal.appearance import Appearance
from tests.support.factories import partner_make

pytestmark = pytest.mark.django_db

LINK = re.compile(r'<link rel="stylesheet" media="([^"]+)" href="[^"]*/css/([\w-]+)/tokens[^"]*">')
AS_SYSTEM = {
    "contrast": "(prefers-contrast: more)",
    "light": "(prefers-color-scheme: light)",
    "light-contrast": "(prefers-color-scheme: light) and (prefers-contrast: more)",
}


@pytest.mark.parametrize(
    ("theme", "contrast", "linked"),
    [
        ("system", "system", AS_SYSTEM),
        ("dark", "system", {"contrast": "(prefers-contrast: more)"}),
        ("light", "system", {**AS_SYSTEM, "light": "all", "light-contrast": "(prefers-contrast: more)"}),
        ("system", "more", {**AS_SYSTEM, "contrast": "all", "light-contrast": "(prefers-color-scheme: light)"}),
        ("light", "more", {"contrast": "all", "light": "all", "light-contrast": "all"}),
        ("dark", "normal", {}),
    ],
)
def test_a_choice_is_remembered_in_the_first_byte_of_every_page(
    client: Client, theme: str, contrast: str, linked: dict[str, str]
) -> None:
    partner_make(is_house=True)
    form = {"theme": theme, "contrast": contrast, "next": "/fairness/"}
    answer = client.post("/appearance/", form)
    assert (answer.status_code, answer["Location"]) == (302, "/fairness/")
    for path in ("/", "/fairness/", "/accounts/login/", "/no-such-page/"):
        page = client.get(path).content.decode()
        assert {name: media for media, name in LINK.findall(page)} == linked, path
        assert f'<option value="{theme}" selected>' in page


@pytest.mark.parametrize("form", [{"theme": "pink", "contrast": "more"}, {"theme": "dark"}])
def test_an_unknown_choice_is_refused(client: Client, form: dict[str, str]) -> None:
    assert client.post("/appearance/", form).status_code == 400
    assert "punto_theme" not in client.cookies


def test_a_choice_leads_to_no_other_site(client: Client) -> None:
    form = {"theme": "dark", "contrast": "more", "next": "https://evil.example/"}
    assert client.post("/appearance/", form)["Location"] == "/"


def test_without_a_choice_everything_is_as_the_system_has_it() -> None:
    look = Appearance()
    assert {"light": look.light, "contrast": look.more_contrast, "light-contrast": look.light_contrast} == AS_SYSTEM
