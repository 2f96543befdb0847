"""The use case of pay tables: an offer's terms are put in use, or nothing is offered any more.

A pay table records what is offered. Odds and rules themselves are saved by the games' configuration.py, and for live
tables by apps/tables/table_administration.py. A bet reads them by `bet_context_load` (apps/one_deal/store.py, the
store.py of a game with actions).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Greatest, Now

from apps.core import json
from apps.paytables.models import PayTable, PayTableLine, PayTableUse
from apps.paytables.paytable_rows import MAX_RESULTS, BetFigures, lines_to_json


@transaction.atomic
def paytable_use_set(
    *,
    partner_id: int,
    currency_code: str,
    game_id: str,
    terms: Mapping[str, Any] | None,
    figures: Callable[[], Sequence[BetFigures]],
    by: str,
) -> PayTable | None:
    """Return the pay table of an offer's terms; None if `terms` is None, because nothing is offered.

    Equal terms always have the same row. `figures` is called only for new terms. Writes the beginning and the end of
    uses. The caller has locked the offer: a partner, currency and game have one use at a time.
    """
    paytable = None if terms is None else paytable_get(game_id=game_id, terms=terms, figures=figures)
    running = paytable_in_use(partner_id=partner_id, currency_code=currency_code, game_id=game_id)
    if (paytable is None and running is None) or (paytable and running and paytable.pk == running.paytable_id):
        return paytable
    if running is not None:
        _use_end(running, by)
    if paytable is not None:
        PayTableUse.objects.create(
            partner_id=partner_id, currency_id=currency_code, game=game_id, paytable=paytable, by=by
        )
    return paytable


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOffer:
    """What a table offers with one version of its configuration."""

    table_id: UUID
    version: int
    partner_id: int
    currency_code: str
    game_id: str


@transaction.atomic
def table_paytable_use_set(
    *, offer: TableOffer, terms: Mapping[str, Any], figures: Sequence[BetFigures] | None, by: str
) -> PayTable | None:
    """Return the pay table of a table's terms, and put it in use; None while its figures are not known.

    The use of the table's version before ends. The caller has locked the table.
    """
    running = PayTableUse.objects.filter(table_id=offer.table_id, ends=None, end=None).order_by("-pk").first()
    if running is not None:
        _use_end(running, by)
    if figures is None:
        return None
    known = figures
    paytable = paytable_get(game_id=offer.game_id, terms=terms, figures=lambda: known)
    PayTableUse.objects.create(
        partner_id=offer.partner_id,
        currency_id=offer.currency_code,
        game=offer.game_id,
        paytable=paytable,
        by=by,
        table_id=offer.table_id,
        table_version=offer.version,
    )
    return paytable


@transaction.atomic
def paytable_get(*, game_id: str, terms: Mapping[str, Any], figures: Callable[[], Sequence[BetFigures]]) -> PayTable:
    """Return the pay table of these terms; it is created with its figures if there is none yet.

    Two transactions that create the same one wait for each other, and both return one row. Raises ValueError for a bet
    with more than MAX_RESULTS results.
    """
    document = json.canonical({**terms, "game": game_id}).decode()
    digest = sha256(document.encode()).hexdigest()
    found = PayTable.objects.filter(hash=digest).first()
    if found is not None:
        return found
    computed = figures()
    for each in computed:
        if len(each.lines) > MAX_RESULTS:
            raise ValueError(
                f"{each.kind}: {len(each.lines)} results, and the statistics count at most {MAX_RESULTS} of a bet"
            )
    PayTable.objects.bulk_create(
        [PayTable(game=game_id, hash=digest, document=document, terms=dict(terms))], ignore_conflicts=True
    )
    created = PayTable.objects.get(hash=digest)
    PayTableLine.objects.bulk_create(
        [
            PayTableLine(
                paytable=created,
                kind=each.kind,
                lines=lines_to_json(each.lines),
                rtp=each.rtp,
                deviation=each.deviation,
                method=each.method,
                law=each.law,
            )
            for each in computed
        ],
        ignore_conflicts=True,
    )
    return created


def paytable_in_use(*, partner_id: int, currency_code: str, game_id: str) -> PayTableUse | None:
    """Return the running use of a partner's offer of the solo game, or None if nothing is offered."""
    return (
        PayTableUse.objects.filter(
            partner=partner_id, currency=currency_code, game=game_id, table_id=None, ends=None, end=None
        )
        .order_by("-pk")
        .first()
    )


def _use_end(running: PayTableUse, by: str) -> None:
    PayTableUse.objects.create(
        partner_id=running.partner_id,
        currency_id=running.currency_id,
        game=running.game,
        paytable_id=running.paytable_id,
        available_from=running.available_from,
        # The clock may have been set back since the use began.
        decommissioned_at=Greatest(Now(), running.available_from),
        by=by,
        ends=running,
        table_id=running.table_id,
        table_version=running.table_version,
    )
