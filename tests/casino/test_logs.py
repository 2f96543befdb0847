"""Logs are JSON lines with the request's id, and contain no credentials."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from uuid import UUID

import pytest
import structlog
from django.test import Client

from casino.logs import HIDDEN, logging_config, text_hide

SECRET = "Zx9_4fT2kQ7w-Lm8Rb3Vn6Yc1Hd5Js0"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """The lines that the configured logging writes."""
    config = logging_config("INFO")
    formatter = config["formatters"]["json"]
    handler = logging.StreamHandler(stream := io.StringIO())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=formatter["processors"], foreign_pre_chain=formatter["foreign_pre_chain"]
        )
    )
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (f"GET /v1/ws?game_session_id={SECRET}&x=1", f"GET /v1/ws?game_session_id={HIDDEN}&x=1"),
        (f"GET /launch/?token={SECRET}", f"GET /launch/?token={HIDDEN}"),
        (f"GET /accounts/password/reset/key/3-{SECRET}/", f"GET /accounts/password/reset/key/{HIDDEN}/"),
        (f"POST /frame/riviera/baccarat/?launch_code={SECRET}", f"POST /frame/riviera/baccarat/?launch_code={HIDDEN}"),
        (f"opened /frame/riviera/baccarat/#{SECRET}", f"opened /frame/riviera/baccarat/#{HIDDEN}"),
        (f"Authorization: Bearer {SECRET}", f"Authorization: Bearer {HIDDEN}"),
        ("GET /admin/baccarat/baccaratgamerecord/1234567/change/", None),
        ("GET /history/?page=2&game=baccarat", None),
        ("GET /static/unfold/css/styles.9fbd0a73e1c2.css", None),
    ],
)
def test_secrets_are_hidden_and_the_rest_is_not(text: str, safe: str | None) -> None:
    assert text_hide(text) == (safe or text)


def test_a_line_hides_named_secrets_and_exceptions_too(lines: io.StringIO) -> None:
    logger = structlog.get_logger("tests.logs")
    try:
        raise ValueError(f"Bearer {SECRET}")
    except ValueError:
        logger.exception("failed", session_token=SECRET, server_seed=SECRET, stake="10.00")
    logging.getLogger("other").warning("GET /v1/ws?game_session_id=%s", SECRET)
    first, second = (json.loads(line) for line in lines.getvalue().splitlines())
    assert SECRET not in lines.getvalue()
    assert first["stake"] == "10.00"
    assert first["session_token"] == first["server_seed"] == HIDDEN
    assert "ValueError" in first["exception"]
    assert second["event"] == f"GET /v1/ws?game_session_id={HIDDEN}"


def test_a_request_is_one_line_with_its_id(lines: io.StringIO) -> None:
    answer = Client().get("/healthz", {"token": SECRET})
    assert answer.status_code == 200
    read = [json.loads(line) for line in lines.getvalue().splitlines()]
    finished = [line for line in read if line["event"] == "request_finished"]
    assert len(finished) == 1
    assert finished[0]["request"] == f"GET /healthz?token={HIDDEN}"
    assert UUID(finished[0]["request_id"])


def test_a_request_for_another_host_is_a_short_warning_without_a_traceback(lines: io.StringIO) -> None:
    answer = Client().get("/accounts/login/", headers={"Host": "evil.example" + "x" * 5000})
    assert answer.status_code == 400
    read = [json.loads(line) for line in lines.getvalue().splitlines()]
    (refused,) = [line for line in read if line["logger"] == "django.security.DisallowedHost"]
    assert refused["level"] == "warning"
    assert "exception" not in refused
    assert len(refused["event"]) <= 100
