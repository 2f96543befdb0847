"""The two configuration RPCs, for a partner's system (docs/protocol.md, "Who may call what")."""

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.baccarat import forms
from apps.baccarat.models import ConfigStatus
from apps.baccarat.selectors import config_get, config_list, odds_list
from apps.baccarat.services import Actor, OddsChange, baccarat_config_set, baccarat_odds_set
from apps.partners.authentication import MayConfigure, PartnerKeyAuthentication
from apps.partners.models import ApiKey, Partner


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
        return Actor(f"API key {self.key.prefix}")


class ConfigView(_ConfigureView):
    """A partner's limits."""

    @extend_schema(
        operation_id="baccarat_config_list",
        tags=["baccarat"],
        summary="Your limits",
        responses={
            200: OpenApiResponse(
                forms.ConfigOutput(many=True),
                examples=[OpenApiExample("yours", forms.CONFIG_EXAMPLE, response_only=True)],
            ),
            **forms.SCOPE,
            **forms.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF passes it
        """The partner's own limits with their odds."""
        return Response(forms.ConfigOutput(config_list(partner=self.partner), many=True).data)

    @extend_schema(
        operation_id="baccarat_config_save",
        tags=["baccarat"],
        summary="Save your limits",
        request=forms.ConfigInput,
        responses={
            200: OpenApiResponse(
                forms.ConfigOutput, examples=[OpenApiExample("saved", forms.CONFIG_EXAMPLE, response_only=True)]
            ),
            400: forms.error_of("BAD_REQUEST", "bet_min: 1000 is above bet_max, 1"),
            **forms.SCOPE,
            **forms.BUSY,
            **forms.ERRORS,
        },
        examples=[OpenApiExample("limits", {"bet_min": 1, "bet_max": 1000}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        """They hold from the next bet on. The first time creates them, with odds for player, banker and tie."""
        body = forms.ConfigInput(data=request.data)
        body.is_valid(raise_exception=True)
        values = body.validated_data
        config = baccarat_config_set(
            partner=self.partner,
            actor=self.actor,
            bet_min=values["bet_min"],
            bet_max=values["bet_max"],
            currency_code=values.get("currency"),
            decks=values.get("decks"),
        )
        return Response(forms.ConfigOutput(config_get(partner=self.partner, config_id=config.pk)).data)


class OddsView(_ConfigureView):
    """What a partner's bets pay."""

    @extend_schema(
        operation_id="baccarat_odds_config_list",
        tags=["baccarat"],
        summary="Your odds",
        responses={
            200: OpenApiResponse(
                forms.OddsOutput(many=True),
                examples=[OpenApiExample("yours", forms.ODDS_EXAMPLE, response_only=True)],
            ),
            **forms.SCOPE,
            **forms.ERRORS,
        },
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF passes it
        """The partner's own odds, of all its limits."""
        return Response(forms.OddsOutput(odds_list(partner=self.partner), many=True).data)

    @extend_schema(
        operation_id="baccarat_odds_config_save",
        tags=["baccarat"],
        summary="Save your odds",
        request=forms.OddsInput(many=True),
        responses={
            200: OpenApiResponse(
                forms.OddsOutput(many=True),
                examples=[OpenApiExample("saved", forms.ODDS_EXAMPLE, response_only=True)],
            ),
            400: forms.error_of("BAD_REQUEST", "0.odds: 0 or more, below 1000000, with at most 4 decimals"),
            **forms.FOREIGN,
            **forms.BUSY,
            **forms.ERRORS,
        },
        examples=[
            OpenApiExample(
                game_type,
                {"baccarat_config_id": 1, "game_type": f"BaccaratGameBet{game_type}", "odds": odds},
                request_only=True,
            )
            for game_type, odds in (("OnPlayer", 1), ("OnBanker", 0.95))
        ],
    )
    def post(self, request: Request) -> Response:
        """All rows or none; they hold from the next bet on. Odds that favour the player are saved as pending."""
        body = forms.OddsInput(data=request.data, many=True)
        body.is_valid(raise_exception=True)
        changes = [
            OddsChange(
                config_id=row["baccarat_config_id"],
                game_type=row["game_type"],
                odds=row["odds"],
                status=ConfigStatus(row.get("status", ConfigStatus.ACTIVE)),
            )
            for row in body.validated_data
        ]
        rows = baccarat_odds_set(partner=self.partner, actor=self.actor, changes=changes)
        return Response(forms.OddsOutput(rows, many=True).data)
