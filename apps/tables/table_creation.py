"""Creates tables: players' own tables for points, partners' tables in currencies (docs/tables.md, "Rooms")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, InvalidCurrency, PlayerBlocked
from apps.core.models import Currency
from apps.core.money import plain
from apps.core.shown_names import shown_name_read
from apps.core.threads import in_loop
from apps.partners.models import Partner
from apps.rounds.registry import game_of
from apps.rounds.table_game import BetEdge, TableGame, TableTerms, TermsError
from apps.tables.chain_seeds import NewChain, chain_seeds
from apps.tables.engine.codec import state_to_json
from apps.tables.engine.state import TableContext
from apps.tables.engine.transitions import table_new
from apps.tables.errors import LimitExceeded
from apps.tables.messages import message_id_make
from apps.tables.models import GameTable, TableChain, TableSeat
from apps.tables.paytables import table_paytable_set
from apps.tables.registry import table_game_of
from apps.tables.services import table_close_empty
from apps.tables.table_snapshot import table_terms

MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomOptions:
    """The requested settings of a table; None and empty values mean the game's defaults."""

    game_type: str
    currency_code: str | None
    """None: points."""
    name: str = ""
    seats: int | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    odds: Mapping[str, Any] = field(default_factory=dict)
    window_s: int | None = None
    turn_s: int | None = None
    pause_s: int | None = None
    cut_card: int | None = None
    is_private: bool = False


def player_table_create(*, player: Player, options: RoomOptions) -> GameTable:
    """Create a player's own table, for points. At the limit the player's oldest table without players is closed. Raises
    GameNotFound, BadRequest (the options), LimitExceeded (all of them have players), PlayerBlocked.
    """
    if options.currency_code is not None:
        raise BadRequest("points: a player's own table is for points", field="points")
    room_terms(options, None, partner_id=player.partner_id)
    own = GameTable.objects.filter(creator=player, is_open=True)
    if own.count() >= settings.PUNTO_TABLES_A_PLAYER:
        is_taken = Exists(TableSeat.objects.filter(table=OuterRef("pk")))
        empty = own.exclude(is_taken).order_by("ctime").first()
        if empty is not None:
            in_loop(table_close_empty(table_id=str(empty.pk)))
    return _player_table_create(player, options)


@transaction.atomic
def _player_table_create(player: Player, options: RoomOptions) -> GameTable:
    """Locks the player."""
    player = Player.objects.select_for_update(of=("self",)).select_related("partner").get(pk=player.pk)
    if player.status != PlayerStatus.ACTIVE or not player.partner.active:
        raise PlayerBlocked("this player may not play")
    most = settings.PUNTO_TABLES_A_PLAYER
    if GameTable.objects.filter(creator=player, is_open=True).count() >= most:
        raise LimitExceeded(f"{most} tables of your own are open already")
    return _table_create(partner=player.partner, creator=player, created_by=f"player {player.pk}", options=options)


@transaction.atomic
def partner_table_create(*, partner: Partner, actor: str, options: RoomOptions) -> GameTable:
    """Create a partner's table. Locks the partner. Raises GameNotFound, BadRequest (the options), InvalidCurrency,
    LimitExceeded, RateLimited."""
    partner = Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)  # against another table at this moment
    open_tables_check(partner.pk)
    table = _table_create(partner=partner, creator=None, created_by=actor, options=options)
    audit_record(
        actor=actor,
        action="table.create",
        subject=f"table {table.pk}",
        partner_id=partner.pk,
        data={
            "before": {},
            "after": {"game": table.game_type, "currency": table.currency_id, "name": table.name},
        },
    )
    return table


def open_tables_check(partner_id: int) -> None:
    """Raise LimitExceeded if the partner may open no further table."""
    most = settings.PUNTO_TABLES_A_PARTNER
    if GameTable.objects.filter(partner=partner_id, creator=None, is_open=True).count() >= most:
        raise LimitExceeded(f"{most} tables of this partner are open already: close one of them")


def room_terms(options: RoomOptions, currency: Currency | None, *, partner_id: int | None) -> TableTerms:
    """Return the terms of the requested table. Raises GameNotFound, BadRequest that names the field, RateLimited.

    For real money no bet may favour the player, and the house edge of each bet must be known.
    """
    game = table_game_of(options.game_type)
    given: dict[str, Any] = {
        "seats": options.seats,
        "rules": options.rules,
        "limits": options.limits,
        "odds": options.odds,
        "cut_card": options.cut_card,
        "window_ms": _milliseconds(options.window_s),
        "turn_ms": _milliseconds(options.turn_s),
        "pause_ms": _milliseconds(options.pause_s),
    }
    try:
        terms = table_terms(
            game,
            is_points=currency is None,
            decimals=0 if currency is None else currency.decimals,
            is_play=currency is not None and currency.is_play,
            given=given,
        )
    except TermsError as error:
        raise BadRequest(str(error), field=error.field) from error
    if terms.contribution_required:
        _edges_check(game, terms, partner_id)
    return terms


def room_edges(game: TableGame[Any], terms: TableTerms) -> Sequence[BetEdge]:
    """Return each bet on offer with its house edge, which may still be unknown."""
    slow = game_of(game.game_id).table_edges
    return game.house_edges(terms) if slow is None else slow.known(terms)


def _edges_check(game: TableGame[Any], terms: TableTerms, partner_id: int | None) -> None:
    """Raise BadRequest if a bet favours the player, or may do so because its edge is not yet computed; RateLimited if
    the worker was given too many unknown rules of the partner."""
    edges = room_edges(game, terms)
    for edge in edges:
        if edge.favours_player:
            field = f"odds.{edge.bet}" if edge is not edges[0] or edge.bet in terms.odds else "rules"
            raise BadRequest(f"{field}: {edge.label} would favour the player ({edge.edge})", field=field)
    slow = game_of(game.game_id).table_edges
    if slow is not None and not all(edge.edge for edge in edges):
        slow.compute(terms, partner_id)
        text = "rules: their house edge is not known yet; it is computed now: send them again in a minute"
        raise BadRequest(text, field="rules")


def room_columns(options: RoomOptions, terms: TableTerms) -> dict[str, Any]:
    """Return the changeable columns of `GameTable` for options with these terms. Raises BadRequest (the name)."""
    return {
        "name": shown_name_read(options.name) if options.name else table_game_of(options.game_type).title,
        "seats": terms.seats,
        "rules": _storable(options.rules),
        "limits": _storable(options.limits),
        "odds": _storable(options.odds),
        "window_ms": terms.window_ms,
        "turn_ms": terms.turn_ms,
        "pause_ms": terms.pause_ms,
        "cut_card": options.cut_card,
        "is_private": options.is_private,
    }


def _table_create(*, partner: Partner, creator: Player | None, created_by: str, options: RoomOptions) -> GameTable:
    game = table_game_of(options.game_type)
    currency = None
    if options.currency_code is not None:
        currency = Currency.objects.filter(code=options.currency_code).first()
        if currency is None:
            raise InvalidCurrency(f"currency: there is no currency {options.currency_code!r}", field="currency")
    terms = room_terms(options, currency, partner_id=partner.pk)
    chain = chain_seeds.make()
    context = TableContext(
        now=int(timezone.now().timestamp() * MS),
        terms=terms,
        server_seed=chain_seeds.seed,
        chain_new=lambda: chain.start,
        id_new=message_id_make,
    )
    change = table_new(game, context)
    table = GameTable.objects.create(
        partner=partner,
        game_type=game.game_type,
        currency=currency,
        **room_columns(options, terms),
        created_by=created_by,
        creator=creator,
        state=state_to_json(game, change.state),
    )
    _chain_keep(table, chain, change.chains[0][1])
    table_paytable_set(table, terms, created_by)
    return table


def _chain_keep(table: GameTable, chain: NewChain, first_round: int) -> None:
    TableChain.objects.create(
        id=chain.start.id,
        table=table,
        commitment=chain.start.commitment,
        sealed_seed=chain.sealed_seed,
        length=chain.start.length,
        first_round=first_round,
    )


def _storable(value: Any) -> Any:
    """Return the value with amounts as texts, which stay exact in JSON."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, Mapping):
        return {name: _storable(member) for name, member in value.items()}
    return value


def _milliseconds(span_s: int | None) -> int | None:
    return None if span_s is None else span_s * MS
