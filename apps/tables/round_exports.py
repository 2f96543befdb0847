"""Exports of tables' rounds for auditors: a list as CSV, and the full records as JSON lines."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from import_export import fields
from import_export.resources import ModelResource

from apps.core import json
from apps.core.admin import ExportAdmin
from apps.core.csv_export import rows_in_order
from apps.core.export_limit import one_export_at_a_time
from apps.core.exports import json_lines_response
from apps.core.money import plain
from apps.core.query_parameters import checks_query, query_check
from apps.tables.models import TableRound
from apps.tables.selectors import round_record

POINTS = "points"


class TableRoundResource(ModelResource):
    """The columns of an export of tables' rounds."""

    partner = fields.Field(attribute="table__partner__slug", column_name="partner")
    table_name = fields.Field(attribute="table__name", column_name="table_name")
    game = fields.Field(attribute="table__game_type", column_name="game")
    currency = fields.Field(column_name="currency")
    commitment = fields.Field(attribute="seed_hash", column_name="commitment")
    seats_staked = fields.Field(column_name="seats_staked")
    staked = fields.Field(column_name="staked")
    paid = fields.Field(column_name="paid")

    class Meta:
        model = TableRound
        fields = (
            "id", "number", "started_at", "ended_at", "partner", "table", "table_name", "game", "currency", "ending",
            "seats_staked", "staked", "paid", "commitment", "seed", "client_seed", "nonce", "shoe", "config_version",
        )  # fmt: skip
        export_order = fields

    def dehydrate_started_at(self, row: TableRound) -> str:
        return row.started_at.isoformat()

    def dehydrate_ended_at(self, row: TableRound) -> str:
        return row.ended_at.isoformat() if row.ended_at else ""

    def dehydrate_currency(self, row: TableRound) -> str:
        return row.table.currency_id or POINTS

    def dehydrate_ending(self, row: TableRound) -> str:
        return row.ending or "running"

    def dehydrate_shoe(self, row: TableRound) -> str:
        return " ".join(str(count) for count in row.shoe or ())

    def dehydrate_seats_staked(self, row: TableRound) -> int:
        return len(_results(row))

    def dehydrate_staked(self, row: TableRound) -> str:
        return _sum(row, "stakes")

    def dehydrate_paid(self, row: TableRound) -> str:
        return _sum(row, "payout")


class TableRoundExport(ExportAdmin):
    """Adds `export/records/` beside the CSV of the list: each round's record, as the lobby serves it, in JSON Lines."""

    resource = TableRoundResource
    export_related: ClassVar[tuple[str, ...]] = ("table__partner", "table__currency")
    list_before_template = "office/table_round_export.html"
    export_order: ClassVar[tuple[str, ...]] = ("-started_at", "-id")
    export_numbers: ClassVar[frozenset[str]] = frozenset(
        {"number", "seats_staked", "staked", "paid", "nonce", "config_version"}
    )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.records_view)
        return [path("export/records/", view, name="tables_tableround_records"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        rows: QuerySet[Any] = super().get_queryset(request).annotate(detail_text=Cast("detail", TextField()))
        return rows

    @checks_query
    @method_decorator(one_export_at_a_time)
    def records_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the records of all rounds of the list's filters and search, newest first."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        query_check(request.GET, self.export_parameters(request))
        rows = self.rows_chosen(request).select_related(*self.export_related)
        self.export_record(request, "records")
        return json_lines_response(request, name="tableround", rows=round_records(rows))


def round_records(rows: "QuerySet[Any]") -> Iterator[dict[str, Any]]:
    """Yield the record of each round."""
    for row in rows_in_order(rows, TableRoundExport.export_order):
        about = {
            "partner": row.table.partner.slug,
            "tableId": str(row.table_id),
            "tableName": row.table.name,
            "gameType": row.table.game_type,
            "currency": row.table.currency_id,
            "startedAt": row.started_at.isoformat(),
            "endedAt": row.ended_at.isoformat() if row.ended_at else None,
        }
        yield about | round_record(row.table, row.pk)


def _results(row: Any) -> list[Any]:
    found = json.decode_object(row.detail_text).get("results", [])
    return found if isinstance(found, list) else []


def _sum(row: Any, name: str) -> str:
    return plain(sum((Decimal(str(each[name])) for each in _results(row)), Decimal(0)))
