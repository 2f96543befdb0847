"""The partner's own system: players, sessions, funds, rounds, reports (docs/partner-api.md)."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from apps.accounts.actors import actor_of_key
from apps.core.api import JSON_TYPE
from apps.core.api_view import APIView
from apps.core.errors import BadRequest
from apps.core.pagination import page_of
from apps.core.query_parameters import query_check
from apps.core.shown_values import shown_version
from apps.office.partner_api import serializers
from apps.office.partner_api.selectors import RoundFilter, player_get, round_list, summary, wallet_list
from apps.office.partner_api.services import Transfer, transfer_make
from apps.partners.authentication import MayConfigure, MayMoveFunds, MayOpenSessions, MayRead, PartnerKeyAuthentication
from apps.partners.models import ApiKey, Partner
from apps.partners.services import partner_frame_origins_set
from apps.rounds.game_sessions import game_session_open
from apps.rounds.launch_options import Launch
from apps.rounds.registry import game_of
from apps.rounds.selectors import rounds_explain
from apps.rounds.services import player_find_or_open
from apps.rounds.session_opening_limit import game_session_limit_check
from apps.tables.registry import table_game_of
from apps.wallet.models import Kind

DEFAULT_DAYS: Final = 30
MAX_DAYS: Final = 366
LAUNCH_FIELDS: Final = ("return_url", "cashier_url", "language", "device", "embed")

_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


class PartnerView(APIView):
    """A call from a partner's system; `self.partner` is the partner."""

    authentication_classes = [PartnerKeyAuthentication]

    @property
    def partner(self) -> Partner:
        key: ApiKey = self.request.auth  # type: ignore[assignment]
        return key.partner

    def read(self, form: type[Serializer[Any]], data: Any) -> dict[str, Any]:
        """Return the validated input. Raises DRF's ValidationError."""
        given = form(data=data)
        given.is_valid(raise_exception=True)
        values: dict[str, Any] = given.validated_data
        return values

    def query_read(self, form: type[Serializer[Any]], request: Request) -> dict[str, Any]:
        """Return the validated query; unknown parameters are refused. Raises BadRequest, ValidationError.

        The query is converted to a plain dict, because DRF treats empty fields of a QueryDict as absent.
        """
        query_check(request.query_params, form().fields)
        return self.read(form, request.query_params.dict())


class PlayersView(PartnerView):
    """POST opens a player, or another wallet of an existing one."""

    permission_classes = [MayOpenSessions]

    @extend_schema(
        operation_id="players_create",
        tags=["partner"],
        request=serializers.PlayerInput,
        responses={201: serializers.PlayerOutput, 200: serializers.PlayerOutput, **serializers.problems(400, 403)},
        examples=serializers.PLAYER_EXAMPLES,
    )
    def post(self, request: Request) -> Response:
        """201 for a new player; 200 for an existing one, whose wallet in the currency is opened if it is missing."""
        body = self.read(serializers.PlayerInput, request.data)
        player, is_new = player_find_or_open(
            partner=self.partner, reference=body["reference"], currency_code=body["currency"]
        )
        answer = serializers.PlayerOutput(serializers.OnePlayer(player, list(wallet_list(player=player))))
        return Response(answer.data, status=201 if is_new else 200)


class SessionsView(PartnerView):
    """POST opens a game for a player."""

    permission_classes = [MayOpenSessions]

    @extend_schema(
        operation_id="sessions_create",
        tags=["partner"],
        request=serializers.SessionInput,
        responses={201: serializers.SessionOutput, **serializers.problems(400, 403, 404, 409)},
        examples=serializers.SESSION_EXAMPLES,
    )
    def post(self, request: Request) -> Response:
        """The launch URL opens the game in the player's browser; the id is also the bearer token of its calls.

        A client that does not use our pages proposes the player's first client seed here, or with the socket's first
        message.
        """
        body = self.read(serializers.SessionInput, request.data)
        game = _session_game(body)
        if body.get("embed") and "game_id" not in body:
            raise BadRequest("game_id: an embedded table needs its game", field="game_id")
        player = player_get(partner=self.partner, reference=body["player"])
        game_session_limit_check(player)
        session, token = game_session_open(
            player=player,
            game=game,
            currency_code=body["currency"],
            launch=Launch(**{name: body[name] for name in LAUNCH_FIELDS if name in body}),
            client_seed=body.get("client_seed"),
        )
        if session.is_embedded:
            # A browser never sends the part after the #, so no log has the code.
            place = reverse("frame", args=[self.partner.slug, game_of(game).slug])
            launch_url = request.build_absolute_uri(f"{place}#{token}")
            return Response(
                serializers.SessionOutput({"expires_at": session.expires_at, "launch_url": launch_url}).data, status=201
            )
        at_tables = "" if "game_id" in body else "&to=tables"
        launch_url = request.build_absolute_uri(f"/launch/?game_session_id={token}{at_tables}")
        answer = {"game_session_id": token, "expires_at": session.expires_at, "launch_url": launch_url}
        return Response(serializers.SessionOutput(answer).data, status=201)


class FrameOriginsView(PartnerView):
    """GET returns the origins whose pages may show the tables in a frame; PUT replaces them."""

    permission_classes = [MayConfigure]

    @extend_schema(
        operation_id="frame_origins_read",
        tags=["partner"],
        responses={200: serializers.FrameOriginsOutput, **serializers.problems(403)},
    )
    def get(self, _request: Request) -> Response:
        """An empty list means that no page may."""
        return _frame_origins_answer(self.partner.frame_origins)

    @extend_schema(
        operation_id="frame_origins_replace",
        tags=["partner"],
        request=serializers.FrameOriginsInput,
        responses={200: serializers.FrameOriginsOutput, **serializers.problems(400, 403, 409)},
        examples=serializers.FRAME_ORIGINS_EXAMPLES,
    )
    def put(self, request: Request) -> Response:
        """They apply from the next page load; open tables stay."""
        body = self.read(serializers.FrameOriginsInput, request.data)
        key: ApiKey = request.auth  # type: ignore[assignment]
        origins = partner_frame_origins_set(
            partner=self.partner,
            frame_origins=body["frame_origins"],
            actor=actor_of_key(key).name,
            version=_version_of(body.get("version")),
        )
        return _frame_origins_answer(origins)


def _frame_origins_answer(origins: Sequence[str]) -> Response:
    """Return the origins and their version: a text, since many clients read no number of 18 digits exactly."""
    return Response({"frame_origins": list(origins), "version": str(shown_version(list(origins)))})


def _version_of(text: str | None) -> int | None:
    """Return the version that a caller has read. Raises BadRequest."""
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise BadRequest("version: the text that an answer of this address had", field="version")
    return int(text)


def _session_game(body: Mapping[str, Any]) -> str:
    """Return the game that a session is for; empty for all games with tables. Raises GameNotFound, BadRequest."""
    if "gameType" not in body:
        return str(body.get("game_id", ""))
    game_id = table_game_of(body["gameType"]).game_id
    if body.get("game_id", game_id) != game_id:
        raise BadRequest(f"gameType: the game {body['game_id']} has no such tables", field="gameType")
    return game_id


class _TransferView(PartnerView):
    permission_classes = [MayMoveFunds]
    kind: Kind

    def transfer(self, request: Request) -> HttpResponse:
        key = request.headers.get("Idempotency-Key", "")
        if not _KEY.fullmatch(key):
            raise BadRequest(
                "Idempotency-Key: this header is required, 1 to 128 characters of ASCII without spaces",
                field="Idempotency-Key",
            )
        body = self.read(serializers.TransferInput, request.data)
        transfer = Transfer(self.kind, body["player"], body["currency"], body["amount"], body["transaction_id"])
        answer = transfer_make(partner=self.partner, transfer=transfer, key=key, body=request.data)
        # As stored: a repeated key gets the same bytes.
        return HttpResponse(answer, content_type=JSON_TYPE)


class DepositView(_TransferView):
    """POST moves funds into a player's wallet."""

    kind = Kind.DEPOSIT

    @extend_schema(
        operation_id="wallets_deposit",
        tags=["partner"],
        parameters=[serializers.IDEMPOTENCY_KEY],
        request=serializers.TransferInput,
        responses={200: serializers.TransferOutput, **serializers.problems(400, 403, 404, 409)},
        examples=serializers.TRANSFER_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponse:
        """Each `transaction_id` moves funds once; a refused call may be repeated with the same key."""
        return self.transfer(request)


class WithdrawView(_TransferView):
    """POST moves funds out of a player's wallet."""

    kind = Kind.WITHDRAWAL

    @extend_schema(
        operation_id="wallets_withdraw",
        tags=["partner"],
        parameters=[serializers.IDEMPOTENCY_KEY],
        request=serializers.TransferInput,
        responses={200: serializers.TransferOutput, **serializers.problems(400, 403, 404, 409)},
        examples=serializers.TRANSFER_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponse:
        """Each `transaction_id` moves funds once; a refused call may be repeated with the same key."""
        return self.transfer(request)


class WalletView(PartnerView):
    """GET returns a player's balances."""

    permission_classes = [MayRead]

    @extend_schema(
        operation_id="wallets_read",
        tags=["partner"],
        parameters=[serializers.PLAYER_PATH_PARAMETER],
        responses={200: serializers.PlayerWalletsOutput, **serializers.problems(403, 404)},
        examples=serializers.WALLETS_EXAMPLES,
    )
    def get(self, _request: Request, player: str) -> Response:
        """All wallets of the player with that reference."""
        found = player_get(partner=self.partner, reference=player)
        wallets = list(wallet_list(player=found))
        return Response(serializers.PlayerWalletsOutput(serializers.OnePlayer(found, wallets)).data)


class RoundsView(PartnerView):
    """GET lists rounds."""

    permission_classes = [MayRead]

    @extend_schema(
        operation_id="rounds_list",
        tags=["partner"],
        parameters=[serializers.RoundsQuery],
        responses={200: serializers.RoundsOutput, **serializers.problems(400, 403, 404)},
        examples=serializers.ROUNDS_EXAMPLES,
    )
    def get(self, request: Request) -> Response:
        """Newest first, open rounds included; follow `next_cursor` until it is null."""
        query = self.query_read(serializers.RoundsQuery, request)
        reference = query.get("player")
        wanted = RoundFilter(
            player=player_get(partner=self.partner, reference=reference) if reference else None,
            game=query.get("game"),
            since=query.get("since"),
            until=query.get("until"),
        )
        rounds = round_list(partner=self.partner, wanted=wanted)
        page = page_of(rounds, time_field="started_at", cursor=query.get("cursor"), limit=query["limit"])
        answer = {"results": rounds_explain(page.rows), "next_cursor": page.next_cursor}
        return Response(serializers.RoundsOutput(answer).data)


class SummaryView(PartnerView):
    """GET returns a revenue report."""

    permission_classes = [MayRead]

    @extend_schema(
        operation_id="reports_summary",
        tags=["partner"],
        parameters=[serializers.SummaryQuery],
        responses={200: serializers.SummaryOutput, **serializers.problems(400, 403)},
        examples=serializers.SUMMARY_EXAMPLES,
    )
    def get(self, request: Request) -> Response:
        """By day (of the round's end), game and currency, from the statistics: at most about a minute behind play."""
        query = self.query_read(serializers.SummaryQuery, request)
        last_day = query.get("last_day") or timezone.now().date()
        first_day = query.get("first_day") or max(last_day - timedelta(days=DEFAULT_DAYS - 1), serializers.FIRST_DAY)
        if not 0 <= (last_day - first_day).days < MAX_DAYS:
            raise BadRequest(f"first_day, last_day: 1 to {MAX_DAYS} days, in their order", field="first_day")
        found = summary(
            partner=self.partner,
            first_day=first_day,
            last_day=last_day,
            game=query.get("game"),
            own_days=query.get("days") == "own",
        )
        answer = {
            "first_day": first_day,
            "last_day": last_day,
            "as_of": found.as_of,
            "rows": found.rows,
            "totals": found.totals,
        }
        return Response(serializers.SummaryOutput(answer).data)
