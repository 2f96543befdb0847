"""The endpoints of the panel beside a live table: its odds and rules, its last rounds, one of them, and advice.

Reads only. A table is found as in its lobby: it belongs to the player's partner, and plays in the page's currency or
for points.
"""

from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.core.errors import DomainError, NotFound, RateLimited
from apps.core.money import plain
from apps.core.rate_limits import limit_check
from apps.portal.authentication import PagePlayer, page_player_required
from apps.portal.odds import live_odds
from apps.portal.panel import flag_read, refusal_json
from apps.portal.replay import steps_shown
from apps.rounds.registry import game_of
from apps.tables.explain import labelled
from apps.tables.hands import label_shown
from apps.tables.models import GameTable, TableRound
from apps.tables.registry import table_game_of
from apps.tables.selectors import LastRound, last_rounds_of, seat_decision, table_of, terms_of
from apps.tables.story import TableRoundStory, table_rounds_read

ROUNDS_SHOWN: Final = 20


@require_GET
@never_cache
@page_player_required
def about(request: HttpRequest, page_player: PagePlayer, table_id: UUID) -> HttpResponse:
    """The odds of a table's bets and its rules, as a part of the page."""
    try:
        table = _table_read(page_player, table_id)
    except DomainError as error:
        return refusal_json(error)
    game, terms = table_game_of(table.game_type), terms_of(table)
    spec = game_of(game.game_id)
    odds = live_odds(game, terms, spec.result_labels)
    if spec.table_edges is not None and table.creator_id is None and any(bet.edge_pct is None for bet in odds):
        with suppress(RateLimited):  # a later visit asks again
            spec.table_edges.compute(terms, table.partner_id)
    context = {
        "odds": odds,
        "terms": terms,
        "rules_template": spec.page.rules_template,
        "table": {} if spec.page.live_rules is None else spec.page.live_rules(terms),
    }
    return render(request, "tables/about.html", context)


@require_GET
@never_cache
@page_player_required
def last_rounds(_request: HttpRequest, page_player: PagePlayer, table_id: UUID) -> HttpResponse:
    """The last dealt rounds of a table, the newest first, with the player's result of each."""
    try:
        table = _table_read(page_player, table_id)
    except DomainError as error:
        return refusal_json(error)
    shown = last_rounds_of(table, page_player.player, most=ROUNDS_SHOWN)
    return JsonResponse({"rounds": [_round_row(table, each) for each in shown]})


@require_GET
@never_cache
@page_player_required
def round_data(_request: HttpRequest, page_player: PagePlayer, table_id: UUID, round_id: UUID) -> HttpResponse:
    """One round that has ended, step by step as everybody at the table saw it, and the seeds and shoe of its cards."""
    try:
        played = _round_read(_table_read(page_player, table_id), round_id)
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse(
        {
            "isOpen": False,
            "steps": steps_shown(labelled(step) for step in TableRoundStory(played).steps()),
            "proof": {
                "commitment": played.seed_hash,
                "clientSeed": played.client_seed,
                "nonce": played.nonce,
                "serverSeed": played.seed,
            },
        }
    )


@require_GET
@never_cache
@page_player_required
def advice(request: HttpRequest, page_player: PagePlayer, table_id: UUID) -> HttpResponse:
    """The best play of the player's open decision. 202 while the worker computes it."""
    try:
        limit_check(kind="advice", who=page_player.player.pk, per_s=settings.PUNTO_ADVICE_PER_S)
        table = _table_read(page_player, table_id)
        advise = game_of(table_game_of(table.game_type).game_id).table_advice
        if advise is None:
            raise NotFound("this game has no decisions")
        decision = seat_decision(table, page_player.player)
        if decision is None:
            raise NotFound("the player has no cards here")
        found = advise(*decision, is_exact=flag_read(request.GET.get("exact", "0")))
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse(found, status=200 if found["isReady"] else 202)


@require_GET
@never_cache
@page_player_required
def round_advice(request: HttpRequest, page_player: PagePlayer, table_id: UUID, round_id: UUID) -> HttpResponse:
    """The best play of each decision that the player took in a finished round. 202 as for `advice`."""
    try:
        limit_check(kind="advice", who=page_player.player.pk, per_s=settings.PUNTO_ADVICE_PER_S)
        story = TableRoundStory(_round_read(_table_read(page_player, table_id), round_id))
        review = game_of(story.game.game_id).table_review
        if review is None:
            raise NotFound("this game has no decisions")
        found = review(story.decisions_of(page_player.player.pk), is_exact=flag_read(request.GET.get("exact", "0")))
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse(found, status=200 if found["isReady"] else 202)


def _round_read(table: GameTable, round_id: UUID) -> TableRound:
    """Return a round of the table that has ended, with all that its explanation reads. Raises NotFound."""
    played = table_rounds_read([round_id]).get(round_id)
    if played is None or played.table_id != table.pk or not played.seed:
        raise NotFound("the table has no such finished round")
    return played


def _table_read(page_player: PagePlayer, table_id: UUID) -> GameTable:
    """Return the table. Raises TableNotFound, also if a launch link is for another game."""
    return table_of(
        partner_id=page_player.player.partner_id,
        currency_code=page_player.currency_code,
        table_id=table_id,
        game_id=page_player.game,
    )


def _round_row(table: GameTable, played: LastRound) -> dict[str, Any]:
    """Return a round for the panel's list. `net` and `page` are empty if the player staked nothing."""
    return {
        "id": str(played.id),
        "number": played.number,
        "url": reverse("live-round-data", args=[table.pk, played.id]).removesuffix("data"),
        "page": "" if played.own_round is None else reverse("round", args=[played.own_round]),
        "startedAt": played.started_at.isoformat(),
        "isOpen": False,
        "isVoid": played.is_void,
        "isRevealed": True,
        "net": "" if played.net is None else plain(played.net),
        "hands": [
            {"label": label_shown(hand.label), "cards": list(hand.cards), "total": hand.total} for hand in played.hands
        ],
    }
