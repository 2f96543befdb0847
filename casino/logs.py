"""Logs are JSON lines on standard error with the id of their request and without secrets."""

import re
from collections.abc import MutableMapping
from typing import Any

import structlog

from apps.core.errors import shortened

HIDDEN = "[hidden]"

# Names whose values are masked, as keys of a line and as query parameters.
_SECRET_NAME = re.compile(
    r"token|secret|passw|cookie|authori[sz]ation|session|api_?key|launch_code|seed(?!_pair)|signature|otp",
    re.IGNORECASE,
)
_QUERY_PARAMETER = re.compile(r"([?&;])([^=&\s]+)=([^&\s\"']*)")
_BEARER = re.compile(r"\b(Bearer|Token|Basic)\s+[^\s\"',]+", re.IGNORECASE)
# A path segment that is long, and neither a word nor a number: a password reset key, a session's id.
# After a # it is the code of an embedded table's launch.
_PATH_SECRET = re.compile(r"(?:(?<=/)(?=[A-Za-z0-9_-]*\d)|(?<=/#))[A-Za-z0-9_-]{20,}(?=[/?\s]|$)")


def secrets_hide(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Mask secrets that would let a reader of logs act as another user: session ids, tokens, keys, seeds."""
    for name, value in event.items():
        if _SECRET_NAME.search(name):
            event[name] = HIDDEN
        elif isinstance(value, str):
            event[name] = text_hide(value)
    return event


def text_hide(text: str) -> str:
    """Return the text without bearer tokens, secret query parameters and secret path segments."""
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    text = _QUERY_PARAMETER.sub(_parameter_hide, text)
    return _PATH_SECRET.sub(HIDDEN, text)


def client_faults_lower(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Log an invalid request, such as one for another host, as a short warning.

    Any client can send one, but Django logs an error with a traceback, which would raise an alarm.
    """
    if str(event.get("logger")).startswith("django.security."):
        event["level"] = "warning"
        event["event"] = shortened(str(event["event"]))
        event.pop("exc_info", None)
    return event


def structlog_configure() -> None:
    """Send structlog's lines through the standard library, so that all lines have one format."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.filter_by_level,
            *_shared_processors(),
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def logging_config(level: str) -> dict[str, Any]:
    """Return Django's LOGGING: one handler for everything; Django's own request lines are off, since django-structlog
    writes them."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    client_faults_lower,
                    structlog.processors.format_exc_info,
                    secrets_hide,
                    structlog.processors.JSONRenderer(),
                ],
                "foreign_pre_chain": [structlog.contextvars.merge_contextvars, *_shared_processors()],
            },
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True, "level": level},
            "django.server": {"handlers": [], "propagate": False},
            "django.request": {"level": "ERROR"},
            # Two lines a task, one task every two seconds; a failure is an error and stays.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            # It logs each socket's address with the session's token.
            "uvicorn": {"handlers": [], "propagate": True, "level": "WARNING"},
            "uvicorn.error": {"level": "WARNING"},
            "uvicorn.access": {"handlers": [], "propagate": False},
        },
    }


def _shared_processors() -> list[Any]:
    return [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _parameter_hide(match: re.Match[str]) -> str:
    separator, name, value = match.groups()
    return f"{separator}{name}={HIDDEN if _SECRET_NAME.search(name) else value}"
