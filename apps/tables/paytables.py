"""The pay tables of live tables: one for the rounds of each version of a table's configuration."""

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from apps.core.each_alone import each_alone
from apps.paytables.models import PayTable, PayTableUse
from apps.paytables.services import TableOffer, table_paytable_use_set
from apps.rounds.registry import game_of
from apps.rounds.table_game import TableTerms
from apps.tables.models import GameTable
from apps.tables.registry import table_game_of
from apps.tables.selectors import terms_of


def table_paytable_set(table: GameTable, terms: TableTerms, by: str) -> PayTable | None:
    """Return the pay table of a table's terms and put it in use; None for points, or while a figure is unknown.

    The caller has locked the table or creates it.
    """
    game_id = table_game_of(table.game_type).game_id
    pay = game_of(game_id).table_pay
    if table.currency_id is None or pay is None:
        return None
    return table_paytable_use_set(
        offer=TableOffer(
            table_id=table.pk,
            version=table.config_version,
            partner_id=table.partner_id,
            currency_code=table.currency_id,
            game_id=game_id,
        ),
        terms=pay.terms(terms),
        figures=pay.figures(terms),
        by=by,
    )


def table_paytables_add_missing() -> int:
    """Give a pay table to each table whose terms have none yet; return their number. Locks one table at a time.

    A table that fails leaves the others; raises ExceptionGroup at the end.
    """
    used = PayTableUse.objects.filter(table_id=OuterRef("pk"), table_version=OuterRef("config_version"), ends=None)
    without = GameTable.objects.filter(~Exists(used), currency__isnull=False).values_list("pk", flat=True)
    return each_alone(without, _paytable_add, what="the pay table of table")


@transaction.atomic
def _paytable_add(table_id: UUID) -> bool:
    table = GameTable.objects.select_for_update(of=("self",)).select_related("currency").get(pk=table_id)
    if PayTableUse.objects.filter(table_id=table.pk, table_version=table.config_version).exists():
        return False
    return table_paytable_set(table, terms_of(table), "the platform") is not None
