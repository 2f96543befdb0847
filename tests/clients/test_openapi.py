"""Valid and invalid requests, generated from the OpenAPI document, get documented answers from every call.

All checks of schemathesis are on. Each call gets every request of the coverage phase, which tries the boundaries of
each member, and a few random requests. With `make soak` these are more, and different on each run, and the calls of
configuration that are the same for several games are made for each of them; `make test` makes them for one. It makes
one request of each kind to a call, such as a member of a wrong type, where `make soak` has one of each wrong type.
"""

from collections import defaultdict
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pytest
import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario
from schemathesis.schemas import BaseSchema

from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import Round
from apps.rounds.registry import game_ids, games
from apps.tables.models import GameTable, TableRound
from casino.wsgi import application
from tests.support.baccarat import Seat, seat_make
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.blackjack import blackjack_offer
from tests.support.long_form import IS_LONG
from tests.support.loop import run
from tests.support.offers import games_offer
from tests.support.partners import PartnerClient
from tests.support.played import act
from tests.support.server import Server
from tests.support.tables import session_make, sit, table_make

TABLE_PATHS = ("/api/games", "/api/lobby", "/api/rooms")
BET_PATHS = {path: game.id for game in games() for path in game.endpoints}
"""Paths that no Django view serves. Their requests go to a server."""
SAME_PATHS = [] if IS_LONG else [f"/{DRAGON_TIGER.config_path}", f"/{DRAGON_TIGER.odds_path}"]
"""Paths with the same code as those of baccarat (`apps/one_deal/api.py`)."""
HYPOTHESIS = hypothesis_settings(
    max_examples=50 if IS_LONG else 1,
    deadline=None,
    derandomize=not IS_LONG,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def document(django_db_blocker: DjangoDbBlocker) -> BaseSchema:
    """The schema of all calls. It is read, and its requests are made, in the worker that runs these tests alone."""
    with django_db_blocker.unblock():  # a request looks at the connection that an earlier test has left
        schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    # The valid values of a member can depend on another one, such as a minimum on its maximum. A schema cannot express
    # that, so well-formed values may get the documented 400 and 422.
    schema.config.checks.positive_data_acceptance.expected_statuses += ["400", "422"]
    return schema


@pytest.fixture(scope="module")
def bets(document: BaseSchema) -> BaseSchema:
    """The same calls without an application, so that their requests go to a server."""
    schema = schemathesis.openapi.from_dict(document.raw_schema)
    schema.config.checks.positive_data_acceptance.expected_statuses += ["400", "422"]
    return schema


@schemathesis.pytest.from_fixture("document").exclude(path=[*BET_PATHS, *SAME_PATHS]).parametrize()
@HYPOTHESIS
def test_every_call_answers_as_documented(case: schemathesis.Case, askers: "Askers", limits_off: None) -> None:
    if not IS_LONG and askers.has_made_alike(case):
        return
    asker = askers.of(case)
    known_ids_put(case, asker)
    headers = {"Authorization": f"Bearer {credential(case, asker)}"}
    if has_unknown_host(case):
        refused = case.call(headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (400, "BAD_REQUEST")
    else:
        case.call_and_validate(headers=headers)


@schemathesis.pytest.from_fixture("bets").include(path=list(BET_PATHS)).parametrize()
@HYPOTHESIS
def test_every_bet_is_answered_as_documented(case: schemathesis.Case, askers: "Askers", shared_server: Server) -> None:
    player = askers.of(case).seat.player
    _, token = game_session_open(player=player, game=BET_PATHS[case.path], currency_code="FUN")
    case.call_and_validate(base_url=shared_server.url, headers={"Authorization": f"Bearer {token}"})


class Asker(NamedTuple):
    """A player with a session, the partner's key, and a token and a table of theirs, for all requests to one call."""

    seat: Seat
    key: str
    table_token: str
    table: GameTable


def credential(case: schemathesis.Case, asker: Asker) -> str:
    """Return the credential of the call, the same for all requests to it."""
    if case.path == "/api/auth/token":
        return asker.seat.token
    return asker.table_token if case.path.startswith(TABLE_PATHS) else asker.key


@pytest.fixture
def limits_off(settings: Any) -> None:
    """Switch the limits off once for all requests to a call, since each changed setting makes every setting slower to
    read."""
    settings.PUNTO_KEY_REQUESTS_PER_S = settings.PUNTO_VERIFICATIONS_PER_S = None
    settings.PUNTO_TABLE_REQUESTS_PER_10_S = settings.PUNTO_TABLE_TOKENS_PER_MINUTE = None
    settings.PUNTO_TABLES_A_PLAYER = 1_000


class Askers:
    """The askers of all calls: one for those that read, and one for each other call, as it may change what the next
    would find."""

    def __init__(self) -> None:
        self._made: defaultdict[str, Asker] = defaultdict(asker_make)
        self._kinds: set[tuple[object, ...]] = set()

    def of(self, case: schemathesis.Case) -> Asker:
        return self._made["reading" if case.operation.method == "get" else case.operation.label]

    def has_made_alike(self, case: schemathesis.Case) -> bool:
        """Whether a request of the case's kind to its call was made before. A random request is of no kind."""
        assert case.meta is not None
        data = case.meta.phase.data
        if not isinstance(data, CoveragePhaseData):
            return False
        kind: tuple[object, ...] = (case.operation.label, data.scenario, data.parameter, data.location)
        if data.scenario is not CoverageScenario.UNSPECIFIED_HTTP_METHOD:  # its description names one method of many
            kind += (data.description,)
        is_made = kind in self._kinds
        self._kinds.add(kind)
        return is_made


@pytest.fixture
def askers(committed: None) -> Askers:
    return Askers()


def asker_make() -> Asker:
    seat = seat_make()
    blackjack_offer(seat.player.partner)
    games_offer(seat.player.partner)
    slip = Slip((Bet(1, Decimal(10)),), is_list=False)
    run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(seat.token)), slip=slip))
    act(game_session_open(player=seat.player, game=BLACKJACK, currency_code="FUN")[1], "Bet", betAmount=10)
    table = table_make(seat.player.partner, currency="FUN")
    session, table_token = session_make(seat.player)
    sit(session, table)
    return Asker(seat, PartnerClient(seat.player.partner).text, table_token, table)


def known_ids_put(case: schemathesis.Case, asker: Asker) -> None:
    """Replace well-formed random ids of sessions and rounds by existing ones."""
    seat = asker.seat
    for values in (case.path_parameters or {}, case.query or {}):
        if is_uuid(values.get("room_id")):
            values["room_id"] = str(asker.table.pk)
            if is_uuid(values.get("round_id")):
                values["round_id"] = str(TableRound.objects.get(table=asker.table, number=1).pk)
            continue
        if is_uuid(values.get("game_session_id")):
            game = BLACKJACK if "configs" in case.path else values.get("game_id", BACCARAT)
            if game in game_ids():
                values["game_session_id"] = game_session_open(player=seat.player, game=game, currency_code="FUN")[1]
        if is_uuid(values.get("round_id")):
            played = Round.objects.filter(player=seat.player, game=values.get("game_id")).first()
            values["round_id"] = str(played.pk if played else values["round_id"])


def has_unknown_host(case: schemathesis.Case) -> bool:
    """Whether the request has a random header `Host`. It is refused before a call is chosen, so that the document of a
    call does not have the answer."""
    return any(name.lower() == "host" for name in case.headers or {})


def is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(UUID(value))
    except ValueError:
        return False
