"""The columns of an export of a one-deal game's records."""

from functools import partial

from import_export import fields
from import_export.resources import ModelResource, modelresource_factory

from apps.core.money import plain
from apps.one_deal.models import OneDealRecord
from apps.one_deal.one_deal_game import OneDealGame


class OneDealRecordResource(ModelResource):
    """The columns of an export of records, without the cards of the sides."""

    partner = fields.Field(attribute="partner__slug", column_name="partner")
    player = fields.Field(attribute="player__reference", column_name="player")
    currency = fields.Field(attribute="currency_id", column_name="currency")
    round = fields.Field(attribute="round_id", column_name="round")
    voided_at = fields.Field(column_name="voided_at")
    game_type = fields.Field(attribute="get_game_type_display", column_name="game_type")
    result_type = fields.Field(attribute="get_result_type_display", column_name="result_type")
    commitment = fields.Field(attribute="seed_pair__commitment", column_name="commitment")

    def dehydrate_ctime(self, record: OneDealRecord) -> str:
        return record.ctime.isoformat()

    def dehydrate_voided_at(self, record: OneDealRecord) -> str:
        return record.round.void.ctime.isoformat() if hasattr(record.round, "void") else ""

    def dehydrate_bet_amount(self, record: OneDealRecord) -> str:
        return plain(record.bet_amount)

    def dehydrate_reward_amount(self, record: OneDealRecord) -> str:
        return plain(record.reward_amount)

    def dehydrate_odds(self, record: OneDealRecord) -> str:
        return plain(record.odds)


def record_resource(game: OneDealGame, sides: list[str]) -> type[ModelResource]:
    """Return the resource of an export of the game's records, with the cards of each side."""
    cards = {f"{side}_cards": side for side in sides}
    columns = (
        "id", "ctime", "partner", "player", "currency", "round", "game_type", "bet_amount", "odds", "result_type",
        "reward_amount", *cards, "config_version", "commitment", "nonce", "voided_at",
    )  # fmt: skip
    resource: type[ModelResource] = modelresource_factory(
        game.record_model,
        OneDealRecordResource,
        meta_options={"fields": columns, "export_order": columns},
        custom_fields={name: fields.Field(column_name=name) for name in cards},
        dehydrate_methods={name: partial(_cards_text, side) for name, side in cards.items()},
    )
    return resource


def _cards_text(side: str, record: OneDealRecord) -> str:
    return " ".join(record.cards[side])
