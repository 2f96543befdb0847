"""Production refuses to start without secrets of its own; addresses of databases are read as their libraries do."""

import importlib
import socket
import sys
from types import ModuleType

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler

from casino import env
from casino.settings import known_secrets

OWN = {
    "SECRET_KEY": "one-of-our-own-" * 3,
    "PUNTO_SEED_KEY": "another-of-our-own-" * 3,
    "PUNTO_SEAL_KEY": "a-third-of-our-own-" * 3,
    "PUNTO_SIGN_KEYS": ",".join(["0123456789abcdef" * 4, "fedcba9876543210" * 4]),
    "DATABASE_URL": "postgresql://punto_app@db/punto",
    "REDIS_URL": "redis://redis:6379/0",
    "PUNTO_ALLOWED_HOSTS": "play.example,www.play.example",
}


def prod(monkeypatch: pytest.MonkeyPatch, **changes: str) -> ModuleType:
    """Load the production settings with this environment; an empty value removes a variable."""
    for name, value in (OWN | changes).items():
        if value:
            monkeypatch.setenv(name, value)
        else:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "casino.settings.prod", raising=False)
    loaded = importlib.import_module("casino.settings.prod")
    monkeypatch.delitem(sys.modules, "casino.settings.prod")
    return loaded


@pytest.mark.parametrize("name", sorted(OWN))
def test_production_names_what_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is not set"):
        prod(monkeypatch, **{name: ""})


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("SECRET_KEY", known_secrets.KNOWN_SECRET_KEY),
        ("PUNTO_SEED_KEY", known_secrets.KNOWN_SEED_KEY),
        ("PUNTO_SEAL_KEY", known_secrets.KNOWN_SEAL_KEY),
        ("PUNTO_SIGN_KEYS", known_secrets.KNOWN_SIGN_KEY),
    ],
)
def test_production_refuses_the_secrets_of_development(name: str, known: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} has the default of development") as refusal:
        prod(monkeypatch, **{name: known})
    assert known not in str(refusal.value)


def test_production_refuses_a_short_secret_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^PUNTO_SEAL_KEY is shorter than 32 characters$"):
        prod(monkeypatch, PUNTO_SEAL_KEY="short")


@pytest.mark.parametrize("keys", ["short", "0" * 63, "x" * 64, "0123456789abcdef" * 4 + ",short"])
def test_production_refuses_a_sign_key_of_another_form_without_showing_it(
    keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^PUNTO_SIGN_KEYS has a key that is not 64 hexadecimal digits$"):
        prod(monkeypatch, PUNTO_SIGN_KEYS=keys)


def test_production_takes_former_sign_keys_beside_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prod(monkeypatch).PUNTO_SIGN_KEYS == ("0123456789abcdef" * 4, "fedcba9876543210" * 4)


def test_production_sends_cookies_over_tls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = prod(monkeypatch)
    assert settings.DEBUG is False
    assert settings.ALLOWED_HOSTS == ["play.example", "www.play.example"]
    assert settings.SESSION_COOKIE_SECURE
    assert settings.CSRF_COOKIE_SECURE
    assert settings.SECURE_SSL_REDIRECT
    assert settings.SECURE_HSTS_SECONDS >= 31_536_000
    assert settings.EMAIL_BACKEND == "django.core.mail.backends.console.EmailBackend"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("postgresql://u:p%40ss@db:5433/punto", ("db", "5433", "u", "p@ss", "punto"), id="network"),
        pytest.param("postgresql://u@/punto?host=/run/pg", ("/run/pg", "", "u", "", "punto"), id="unix-socket"),
    ],
)
def test_a_database_address_of_libpq_is_read(url: str, expected: tuple[str, ...]) -> None:
    read = env.database(url)
    assert (read["HOST"], read["PORT"], read["USER"], read["PASSWORD"], read["NAME"]) == expected
    assert read["OPTIONS"]["server_side_binding"] is True
    assert "lock_timeout=3000" in read["OPTIONS"]["options"]
    assert read["ATOMIC_REQUESTS"] is False


def test_each_driver_gets_the_options_of_an_address_that_it_supports() -> None:
    url = (
        "postgresql://u@db/punto?connect_timeout=7&keepalives=1&keepalives_idle=20&gssencmode=disable&channel_binding=prefer"
        "&sslmode=verify-full&sslrootcert=/ca%20s.pem&target_session_attrs=read-write&application_name=us"
        "&options=-c%20work_mem%3D5MB"
    )
    read = env.database(url)
    options, asyncpg = read["OPTIONS"], read["ASYNCPG"]
    assert (options["connect_timeout"], options["keepalives_idle"], options["gssencmode"]) == ("7", "20", "disable")
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/ca s.pem")
    assert options["options"].startswith("-c work_mem=5MB -c lock_timeout=3000 ")
    assert asyncpg["timeout"] == 7
    assert asyncpg["dsn"] == (
        "postgresql://?sslmode=verify-full&sslrootcert=%2Fca+s.pem&target_session_attrs=read-write"
    )
    assert asyncpg["server_settings"]["application_name"] == "us"
    assert asyncpg["server_settings"]["options"] == "-c work_mem=5MB"
    assert set(asyncpg) == {"timeout", "command_timeout", "dsn", "server_settings"}


def test_a_plain_address_adds_no_option_for_either_driver() -> None:
    read = env.database("postgresql://u@/punto?host=/run/pg&connect_timeout=0")
    assert set(read["OPTIONS"]) == {"server_side_binding", "options", "connect_timeout"}
    assert set(read["ASYNCPG"]) == {"timeout", "command_timeout", "server_settings"}
    assert read["ASYNCPG"]["timeout"] == env.POOL_TIMEOUT_S


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize("more", ["", "?connect_timeout=0"])
def test_an_address_without_a_timeout_gets_the_default_for_both_drivers(more: str, pool: bool) -> None:
    read = env.database(f"postgresql://u@db/punto{more}", pool=pool)
    assert (float(read["OPTIONS"]["connect_timeout"]), read["ASYNCPG"]["timeout"]) == (3, 3)


def test_a_server_that_accepts_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        read = env.database(f"postgresql://u@127.0.0.1:{port}/punto?sslmode=disable&gssencmode=disable")
        with pytest.raises(psycopg.OperationalError, match="timeout"):
            ConnectionHandler({"default": read})["default"].connect()


def test_a_request_waits_for_a_connection_as_long_as_the_address_says() -> None:
    assert env.database("postgresql://u@/punto", pool=True)["OPTIONS"]["pool"]["timeout"] == env.POOL_TIMEOUT_S
    read = env.database("postgresql://u@/punto?connect_timeout=7", pool=True, timeout_factor=2)
    assert (read["OPTIONS"]["pool"]["timeout"], read["ASYNCPG"]["timeout"]) == (7, 7)


def test_the_systems_certificates_are_trusted_where_the_address_says_so() -> None:
    read = env.database("postgresql://u@db/punto?sslmode=verify-full&sslrootcert=system")["ASYNCPG"]
    assert read["ssl"] is True
    assert "dsn" not in read


def test_the_statement_timeout_of_postgresql_is_shorter_than_the_client_s() -> None:
    asyncpg = env.database(OWN["DATABASE_URL"], timeout_factor=1)["ASYNCPG"]
    settings = asyncpg["server_settings"]
    assert (settings["lock_timeout"], settings["statement_timeout"], settings["timezone"]) == ("3000", "8000", "UTC")
    assert settings["idle_in_transaction_session_timeout"] == "8000"
    assert asyncpg["command_timeout"] == 10


def test_a_thread_keeps_its_connection_unless_there_is_a_pool() -> None:
    kept = env.database(OWN["DATABASE_URL"])
    assert kept["CONN_MAX_AGE"] is None
    assert kept["CONN_HEALTH_CHECKS"] is True
    pooled = env.database(OWN["DATABASE_URL"], pool=True)
    assert pooled["CONN_MAX_AGE"] == 0  # Django refuses a pool together with persistent connections
    assert pooled["CONN_HEALTH_CHECKS"] is True
    assert pooled["OPTIONS"]["pool"]


def test_an_invalid_database_address_is_refused_without_being_shown() -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        env.database("mysql://u:secret@db/punto")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "broker", "third"),
    [
        ("redis://:pw@h:6379/0", "redis://:pw@h:6379/0", "redis://:pw@h:6379/3"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock", "unix:///run/redis.sock?db=3"),
    ],
)
def test_each_library_gets_the_redis_address_in_its_own_form(url: str, broker: str, third: str) -> None:
    assert env.broker(url) == broker
    assert env.redis_database(url, 3) == third


def test_production_knows_how_many_proxies_are_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prod(monkeypatch).PUNTO_PROXIES == 0
    monkeypatch.delitem(sys.modules, "casino.settings.base")
    assert prod(monkeypatch, PUNTO_PROXIES="1").PUNTO_PROXIES == 1


def test_a_mail_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = prod(monkeypatch, EMAIL_URL="smtp+tls://user:secret@mail.example:587")
    assert (settings.EMAIL_HOST, settings.EMAIL_PORT) == ("mail.example", 587)
    assert 0 < settings.EMAIL_TIMEOUT < 60, "the RTP watch sends mail every minute, while no other task has its process"
