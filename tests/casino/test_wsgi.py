"""A request holds no variable of the environment of the process that answers it."""

from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import request_started
from django.test import RequestFactory

from casino.wsgi import application
from tests.attack.client import Browser, Recorder
from tests.support.factories import user_make
from tests.support.server import server_run

SEED_KEY = "a seed key that only the environment has"
ACTIVATE = "/accounts/2fa/totp/activate/"
"""A page that asks for the password again after an old log-in, and stores the request meanwhile."""


@pytest.mark.django_db  # a request may close a connection that a test before it has left open
def test_the_environment_of_the_process_is_not_in_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    of_process = {"PUNTO_SEED_KEY": SEED_KEY, "HTTP_PROXY": "http://u:p@proxy", "PATH": "/bin"}
    for name, value in of_process.items():
        monkeypatch.setenv(name, value)
    of_client = RequestFactory().get("/healthz?a=1", headers={"X-Own": "1"}).environ
    seen: list[dict[str, Any]] = []

    def look(environ: dict[str, Any], **_: object) -> None:
        seen.append(environ)

    request_started.connect(look)
    try:
        answer = application({**of_process, **of_client, "REMOTE_ADDR": "192.0.2.1"}, lambda *_: None)
    finally:
        request_started.disconnect(look)
    assert b"".join(answer) == b'{"status": "ok"}'
    (environ,) = seen
    assert environ.keys() & of_process.keys() == set()
    assert (environ["HTTP_X_OWN"], environ["REMOTE_ADDR"], environ["QUERY_STRING"]) == ("1", "192.0.2.1", "a=1")


def test_a_request_that_waits_for_the_password_leaves_no_secret_in_the_session(committed: None) -> None:
    user = user_make()
    with server_run("web", "--workers", "1", PUNTO_SEED_KEY=SEED_KEY) as server:
        browser = Browser(Recorder(), user.username, [server.port])
        browser.log_in(user.username, "open sesame 99")
        store = import_module(settings.SESSION_ENGINE).SessionStore(browser.cookies["sessionid"])
        store["account_authentication_methods"] = [
            method | {"at": 0} for method in store["account_authentication_methods"]
        ]
        store.save()
        answer = browser.send(ACTIVATE, code="1")
        assert answer.header("Location").startswith("/accounts/reauthenticate/")
        kept = str(dict(import_module(settings.SESSION_ENGINE).SessionStore(browser.cookies["sessionid"]).items()))
    assert f'"PATH_INFO": "{ACTIVATE}"' in kept
    assert SEED_KEY not in kept
    assert "DATABASE_URL" not in kept
