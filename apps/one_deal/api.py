"""The two configuration RPCs of a one-deal game, for a partner's system (docs/protocol.md, "Who may call what")."""

from typing import Any

from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.actors import Actor, actor_of_key
from apps.core.api_view import APIView
from apps.one_deal import serializers
from apps.one_deal.configuration import OddsChange, config_set, odds_set
from apps.one_deal.models import ConfigStatus
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.selectors import config_get, config_list, odds_list
from apps.partners.authentication import MayConfigure, PartnerKeyAuthentication
from apps.partners.models import ApiKey, Partner


def config_urls(game: OneDealGame) -> list[URLPattern]:
    """Return the URLs of both."""
    return [
        path(game.config_path, _config_view(game).as_view(), name=f"{game.name}_config"),
        path(game.odds_path, _odds_view(game).as_view(), name=f"{game.name}_odds_config"),
    ]


class _ConfigureView(APIView):
    authentication_classes = [PartnerKeyAuthentication]
    permission_classes = [MayConfigure]

    @property
    def key(self) -> ApiKey:
        key: ApiKey = self.request.auth  # type: ignore[assignment]
        return key

    @property
    def partner(self) -> Partner:
        return self.key.partner

    @property
    def actor(self) -> Actor:
        return actor_of_key(self.key)


def _config_view(game: OneDealGame) -> type[APIView]:
    of_game = serializers.config_serializers(game)
    *before, last = [game.bet_labels[kind].lower() for kind in game.first_bets]
    created = f"{', '.join(before)} and {last}"

    class ConfigView(_ConfigureView):
        """A partner's limits."""

        @extend_schema(
            operation_id=f"{game.name}_config_list",
            tags=[game.title],
            summary="Your limits",
            responses={
                200: OpenApiResponse(
                    of_game.config_output(many=True),
                    examples=[OpenApiExample("yours", of_game.config_example, response_only=True)],
                ),
                **serializers.SCOPE,
                **serializers.ERRORS,
            },
        )
        def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF passes it
            """The partner's own limits with their odds."""
            return Response(of_game.config_output(config_list(game, partner=self.partner), many=True).data)

        @extend_schema(
            operation_id=f"{game.name}_config_save",
            tags=[game.title],
            summary="Save your limits",
            description=(f"They apply from the next bet. The first time creates them, with odds for {created}."),
            request=of_game.config_input,
            responses={
                200: OpenApiResponse(
                    of_game.config_output,
                    examples=[OpenApiExample("saved", of_game.config_example, response_only=True)],
                ),
                400: serializers.error_of("BAD_REQUEST", "bet_min: 1000 is above bet_max, 1"),
                **serializers.SCOPE,
                **serializers.BUSY,
                **serializers.ERRORS,
            },
            examples=[OpenApiExample("limits", {"bet_min": 1, "bet_max": 1000}, request_only=True)],
        )
        def post(self, request: Request) -> Response:
            values = _read(of_game.config_input(data=request.data))
            config = config_set(
                game,
                partner=self.partner,
                actor=self.actor,
                bet_min=values["bet_min"],
                bet_max=values["bet_max"],
                currency_code=values.get("currency"),
                decks=values.get("decks"),
                version=values.get("version"),
            )
            return Response(of_game.config_output(config_get(game, partner=self.partner, config_id=config.pk)).data)

    return ConfigView


def _odds_view(game: OneDealGame) -> type[APIView]:
    of_game = serializers.config_serializers(game)
    config_id = f"{game.config_field}_id"
    example = OpenApiExample("yours", of_game.odds_example, response_only=True)

    class OddsView(_ConfigureView):
        """A partner's odds."""

        @extend_schema(
            operation_id=f"{game.name}_odds_config_list",
            tags=[game.title],
            summary="Your odds",
            responses={
                200: OpenApiResponse(of_game.odds_output(many=True), examples=[example]),
                **serializers.SCOPE,
                **serializers.ERRORS,
            },
        )
        def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF passes it
            """The partner's own odds, of all its limits."""
            return Response(of_game.odds_output(odds_list(game, partner=self.partner), many=True).data)

        @extend_schema(
            operation_id=f"{game.name}_odds_config_save",
            tags=[game.title],
            summary="Save your odds",
            request=of_game.odds_input(many=True),
            responses={
                200: OpenApiResponse(
                    of_game.odds_output(many=True),
                    examples=[OpenApiExample("saved", of_game.odds_example, response_only=True)],
                ),
                400: serializers.error_of("BAD_REQUEST", "0.odds: 0 or more, below 1000000, with at most 4 decimals"),
                **serializers.foreign(game),
                **serializers.BUSY,
                **serializers.ERRORS,
            },
            examples=_odds_examples(game),
        )
        def post(self, request: Request) -> Response:
            """Saves all rows or none; they apply from the next bet. Odds that favour the player are saved as
            pending."""
            sent = _read(of_game.odds_input(data=request.data, many=True))
            changes = [
                OddsChange(
                    config_id=row[config_id],
                    game_type=row["game_type"],
                    odds=row["odds"],
                    status=ConfigStatus(row.get("status", ConfigStatus.ACTIVE)),
                    version=row.get("version"),
                )
                for row in sent
            ]
            rows = odds_set(game, partner=self.partner, actor=self.actor, changes=changes)
            return Response(of_game.odds_output(rows, many=True).data)

    return OddsView


def _read(body: Any) -> Any:
    body.is_valid(raise_exception=True)
    return body.validated_data


def _odds_examples(game: OneDealGame) -> list[OpenApiExample]:
    return [
        OpenApiExample(
            kind.wire_name.removeprefix(game.bet_prefix),
            {
                f"{game.config_field}_id": 1,
                "game_type": kind.wire_name,
                "odds": serializers.number_of(game.standard_odds[kind]),
            },
            request_only=True,
        )
        for kind in game.first_bets[:2]
    ]
