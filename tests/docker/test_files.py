"""The docker files agree with each other and contain no secret."""

import json
import re

import pytest

from apps.rounds.registry import games
from tests.docker.conftest import ROOT, SECRETS, compose_read, dockerfile_read
from tests.support.baccarat import BET_PATH

TOKEN = "8a7c4d5e-7c38-4d4c-8a0e-27a3a5b8c901"
OURS = ("migrate", "web", "sockets", "worker", "beat")


def test_the_image_has_two_stages_and_ends_as_an_unprivileged_user() -> None:
    instructions = dockerfile_read()
    assert len([line for line in instructions if line.startswith("FROM ")]) == 2
    users = [line for line in instructions if line.startswith("USER ")]
    assert users == ["USER punto"]
    after = instructions[instructions.index("USER punto") :]
    assert not [line for line in after if line.startswith(("RUN ", "COPY "))]
    assert any("useradd --system --uid 10001" in line for line in instructions)


def test_packages_are_installed_by_hash_from_the_lock_file() -> None:
    installs = [line for line in dockerfile_read() if "pip install" in line]
    assert len(installs) == 1
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert "index" not in installs[0]


def test_the_image_starts_what_the_web_service_starts() -> None:
    command = next(line for line in dockerfile_read() if line.startswith("CMD "))
    words = json.loads(command.removeprefix("CMD "))
    web = compose_read()["services"]["web"]["command"]
    assert words == web[: len(words)]
    assert words[:4] == ["python", "-m", "casino.serve", "web"]


def test_the_compose_file_has_each_of_our_services_postgresql_redis_and_nginx() -> None:
    assert set(compose_read()["services"]) == {*OURS, "postgres", "redis", "nginx"}


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_few_privileges(name: str) -> None:
    service = compose_read()["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert service["environment"]["DJANGO_SETTINGS_MODULE"] == "casino.settings.prod"


def test_only_nginx_is_reached_from_outside() -> None:
    assert [name for name, service in compose_read()["services"].items() if "ports" in service] == ["nginx"]


def test_only_migrations_have_the_owner_s_credentials() -> None:
    knowing = [
        name for name, service in compose_read()["services"].items()
        if SECRETS["PUNTO_OWNER_PASSWORD"] in json.dumps(service) and name != "postgres"
    ]  # fmt: skip
    assert knowing == ["migrate"]


def test_dependencies_and_volumes_of_services_exist() -> None:
    read = compose_read()
    for service in read["services"].values():
        assert set(service.get("depends_on", {})) <= set(read["services"])
        named = {volume.split(":")[0] for volume in service.get("volumes", []) if not volume.startswith(".")}
        assert named <= set(read["volumes"])
        mounted = [volume.split(":")[0] for volume in service.get("volumes", []) if volume.startswith(".")]
        assert all((ROOT / "docker" / path).is_file() for path in mounted)


def test_every_value_that_must_be_set_is_explained() -> None:
    wanted = set(re.findall(r"\$\{(\w+):\?\}", (ROOT / "docker" / "compose.yml").read_text()))
    explained = set(re.findall(r"^(\w+)=", (ROOT / "docker" / "env.example").read_text(), re.MULTILINE))
    assert wanted == set(SECRETS)
    assert wanted <= explained


def test_every_setting_of_the_manual_can_be_set() -> None:
    manual = (ROOT / "docs" / "operations.md").read_text()
    table = manual[manual.index("### Settings") : manual.index("### Limits")]
    documented = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert "PUNTO_BETS_PER_S" in documented
    passed = set(re.findall(r"^ +(\w+):", (ROOT / "docker" / "compose.yml").read_text(), re.MULTILINE))
    elsewhere = {
        "DATABASE_SUPERUSER_URL",
        "PUNTO_DB_CLIENT_TIMEOUT_S",
        "PUNTO_RATE_LIMITS",
        "PUNTO_FRAME_LOOPBACK",
        "PYTEST_XDIST_WORKER",
        "PUNTO_TEST_WAIT_S",
    }
    assert documented - passed == elsewhere, "of tests, the benchmark and development, and one that servers set"


def test_no_file_holds_a_value_for_a_secret() -> None:
    lines = (ROOT / "docker" / "env.example").read_text().splitlines()
    empty = {line.removesuffix("=") for line in lines if line.endswith("=")}
    assert {name for name in SECRETS if name.endswith(("KEY", "KEYS", "PASSWORD"))} == empty
    assert "docker/.env" in (ROOT / ".gitignore").read_text().split()


def test_every_upstream_of_nginx_is_a_service() -> None:
    text = (ROOT / "docker" / "nginx.conf").read_text()
    services = compose_read()["services"]
    upstreams = dict(re.findall(r"upstream (\w+) \{[^}]*\sserver ([\w:]+) resolve;", text))
    for address in upstreams.values():
        host, port = address.split(":")
        command = services[host]["command"]
        assert command[command.index("--port") + 1] == port
    routes = dict(re.findall(r"location (\S+) \{\s+proxy_pass http://(\w+);", text))
    assert routes == {"/": "web", "/v1/ws": "sockets", "/ws/tables": "sockets"}
    assert upstreams == {"web": "web:8000", "sockets": "sockets:8001", "bets": "sockets:8001"}


def test_nginx_finds_containers_that_were_replaced() -> None:
    """They get other addresses: with those of its start, nginx would answer 502 after an upgrade until it is restarted,
    or send pages to the wrong service."""
    text = (ROOT / "docker" / "nginx.conf").read_text()
    assert "resolver 127.0.0.11 valid=1s" in text  # Docker's own name server
    upstreams = re.findall(r"upstream (\w+) \{([^}]*)\}", text)
    assert len(upstreams) == 3
    for name, body in upstreams:
        assert f"zone {name} " in body
        assert re.findall(r"\sserver \S+( resolve)?;", body) == [" resolve"]


@pytest.mark.parametrize(
    ("path", "is_bet"),
    [
        (BET_PATH, True),
        ("/api/game/dragon_tiger/bet", True),
        (f"{BET_PATH}s", False),
        (f"/x{BET_PATH}", False),
        ("/api/game/baccarat_config", False),
    ],
)
def test_nginx_sends_the_bets_of_every_game_to_the_event_loop(path: str, is_bet: bool) -> None:
    text = (ROOT / "docker" / "nginx.conf").read_text()
    place = re.search(r"location ~ (\S+) \{(.+?)\}", text, re.DOTALL)
    assert place is not None
    assert bool(re.search(place[1], path)) == is_bet
    assert all(re.search(place[1], path) for game in games() for path in game.endpoints)
    # The location must not set headers: one header here would remove all those of the server block.
    assert place[2].split() == ["proxy_pass", "http://bets;"]


def test_nginx_sends_all_bets_of_a_game_session_or_log_in_to_one_process() -> None:
    """A process keeps the context of a player's next bet."""
    text = (ROOT / "docker" / "nginx.conf").read_text()
    bets = re.search(r"upstream bets \{([^}]*)\}", text)
    assert bets is not None
    assert "hash $http_authorization$cookie_sessionid consistent;" in bets[1]


def test_the_sockets_service_has_what_bets_need() -> None:
    services = compose_read()["services"]
    web, sockets = services["web"], services["sockets"]
    assert sockets["environment"].items() >= web["environment"].items()  # the key of seeds, the limits, the database
    assert sockets["environment"]["PUNTO_DB_POOL"] == "1"  # threads have no persistent connections
    assert sockets["depends_on"] == web["depends_on"]
    assert {name: wait["condition"] for name, wait in sockets["depends_on"].items()} == {
        "migrate": "service_completed_successfully",
        "postgres": "service_healthy",
        "redis": "service_healthy",
    }
    command = sockets["command"]
    assert sockets["healthcheck"]["test"][-2:] == ["casino.healthcheck", command[command.index("--port") + 1]]
    assert services["nginx"]["depends_on"]["sockets"] == {"condition": "service_healthy"}


def test_nginx_forwards_the_client_s_address_and_logs_no_query() -> None:
    text = (ROOT / "docker" / "nginx.conf").read_text()
    assert text.count("{") == text.count("}")
    for path in ("/v1/ws", "/ws/tables"):
        sockets = text[text.index(f"location {path} {{") :]
        sockets = sockets[: sockets.index("}")]
        for header in ("Host $http_host", "X-Forwarded-Proto $player_scheme", "Upgrade $http_upgrade"):
            assert f"proxy_set_header {header};" in sockets
    log = text[text.index("log_format") : text.index("access_log")]
    assert "$logged_uri" in log
    assert not re.search(r"\$(request|request_uri|uri|args|query_string|http_referer)\b", log)
    assert "error_log /dev/stderr crit;" in text  # below that, nginx writes whole request lines


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        (f"/v1/player/seeds/{TOKEN}", "/v1/player/seeds/[hidden]"),
        (f"/v1/games/og-blackjack/verify/{TOKEN}", "/v1/games/og-blackjack/verify/[hidden]"),
        ("/accounts/password/reset/key/2-cq1x3f-8e/", "/accounts/password/reset/key/[hidden]"),
        ("/accounts/confirm-email/MQ:1tX/", "/accounts/confirm-email/[hidden]"),
        ("/v1/games/og-blackjack/verify", "/v1/games/og-blackjack/verify"),
        ("/v1/player/balance", "/v1/player/balance"),
        ("/accounts/password/reset/", "/accounts/password/reset/"),
    ],
)
def test_nginx_logs_no_path_with_a_credential_in_it(path: str, logged: str) -> None:
    text = (ROOT / "docker" / "nginx.conf").read_text()
    rule = re.search(r'map \$uri \$logged_uri \{\s+default \$uri;\s+"~(.+)" "(.+)";\s+\}', text)
    assert rule is not None
    found = re.search(rule[1].replace("(?<", "(?P<"), path)
    assert (path if found is None else rule[2].replace("${kept}", found["kept"])) == logged
