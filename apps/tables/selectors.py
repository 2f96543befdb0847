"""Reads of the lobby: the tables that a session may see, and the records of their rounds."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from apps.accounts.models import Player
from apps.core import json
from apps.core.money import quantum_of
from apps.rounds.explanation import ExplainedHand
from apps.rounds.models import Round
from apps.rounds.table_bets import odds_number
from apps.rounds.table_game import (
    TableTerms,
)
from apps.tables.engine.codec import state_from_json, terms_from_json
from apps.tables.engine.state import TablePhase, TableState
from apps.tables.engine.view import previous_results
from apps.tables.errors import GameNotAllowed, RoundNotFound, TableNotFound
from apps.tables.hands import hands_shown
from apps.tables.models import (
    GameTable,
    RoundEnding,
    TableAction,
    TableMember,
    TablePlayer,
    TableRound,
    TableSeat,
    TableSession,
)
from apps.tables.registry import table_game_of
from apps.tables.table_snapshot import table_terms

Json = dict[str, Any]

MAX_ROOMS: Final = 500
"""The most tables that the lobby lists, those with players first."""


def room_list(session: TableSession) -> list[Json]:
    """Return the tables that the session may play at. Private tables are only for their creator and members."""
    is_member = Exists(TableMember.objects.filter(table=OuterRef("pk"), session=session))
    shown = (
        _visible(session)
        .filter(game_type__in=session.allowed_games, is_open=True)
        .filter(Q(is_private=False) | Q(creator=session.player_id) | is_member)
        .annotate(is_played_at=Exists(TableSeat.objects.filter(table=OuterRef("pk"))))
        .order_by("-is_played_at", "ctime")[:MAX_ROOMS]
    )
    return [room_row(table) for table in shown]


def bots() -> QuerySet[TablePlayer, Any]:
    """Return the ids of the players that are practice bots, as `player`."""
    return TablePlayer.objects.filter(is_bot=True).values("player")


def lobby_rooms(*, partner_id: int, currency_code: str, most: int) -> list[GameTable]:
    """Return the partner's open tables in the currency and for points, those with players first. No private ones."""
    in_currency = Q(currency=currency_code) | Q(currency__isnull=True)
    return list(
        _tables()
        .filter(in_currency, partner=partner_id, is_open=True, is_private=False)
        .annotate(is_played_at=Exists(TableSeat.objects.filter(table=OuterRef("pk"))))
        .order_by("-is_played_at", "ctime")[:most]
    )


def open_tables(partner_id: int, currency_code: str) -> QuerySet[GameTable]:
    """Return the partner's open tables in the currency, without their states."""
    return GameTable.objects.filter(partner=partner_id, currency=currency_code, is_open=True).defer("state")


def tables_of(*, partner_id: int, currency_code: str, table_ids: Iterable[UUID]) -> list[GameTable]:
    """Return the partner's tables among these in the currency and for points."""
    in_currency = Q(currency=currency_code) | Q(currency__isnull=True)
    return list(_tables().filter(in_currency, partner=partner_id, pk__in=table_ids).order_by("game_type", "pk"))


def lowest_stake(*, partner_id: int, currency_code: str, game_id: str = "") -> Decimal | None:
    """Return the lowest stake for a round at the partner's open tables in the currency; None without a table.

    With `game_id` only the tables of this game count. Private tables do not count: most players cannot find them.
    """
    tables = open_tables(partner_id, currency_code).select_related("currency").filter(is_private=False)
    lowest = [
        game.stake_span(terms_of(table)).least * quantum_of(table.currency.decimals)
        for table in tables
        if table.currency is not None and game_id in ("", (game := table_game_of(table.game_type)).game_id)
    ]
    return min(lowest, default=None)


def room_get(session: TableSession, table_id: UUID) -> GameTable:
    """Return a table that the session may see. Raises TableNotFound, GameNotAllowed."""
    table = _visible(session).filter(pk=table_id).first()
    if table is None:
        raise TableNotFound("there is no such table")
    if table.game_type not in session.allowed_games:
        raise GameNotAllowed(f"this session is not for {table.game_type}")
    return table


def partner_room_get(partner_id: int, table_id: UUID) -> GameTable:
    """Return a partner's table. Raises TableNotFound."""
    table = _tables().filter(partner=partner_id, pk=table_id).first()
    if table is None:
        raise TableNotFound("there is no such table")
    return table


def table_of(*, partner_id: int, currency_code: str, table_id: UUID, game_id: str = "") -> GameTable:
    """Return a table of the partner in the currency or for points; with `game_id` only of this game.

    Raises TableNotFound.
    """
    in_currency = Q(currency=currency_code) | Q(currency__isnull=True)
    table = _tables().filter(in_currency, partner=partner_id, pk=table_id).first()
    if table is None or game_id not in ("", table_game_of(table.game_type).game_id):
        raise TableNotFound("there is no such table")
    return table


class LastRound(NamedTuple):
    """A round of a table that was dealt and has ended, for one of its players or watchers."""

    id: UUID
    number: int
    started_at: datetime
    is_void: bool
    hands: Sequence[ExplainedHand]
    """The cards of the table itself, without those of the seats."""
    net: Decimal | None
    """The change of the player's balance or score; None without a stake."""
    own_round: UUID | None
    """The player's own round; None for points."""


def last_rounds_of(table: GameTable, player: Player, *, most: int) -> list[LastRound]:
    """Return the last dealt rounds of a table, the newest first."""
    ended = TableRound.objects.filter(table=table, ending__in=[RoundEnding.SETTLED, RoundEnding.VOIDED])
    rounds = list(
        ended.annotate(detail_text=Cast("detail", TextField()))
        .only("number", "started_at", "ending")
        .order_by("-number")[:most]
    )
    own = TablePlayer.objects.filter(player=player).values_list("public_id", flat=True).first()
    own_rounds: dict[UUID | None, UUID] = dict(
        Round.objects.filter(player=player, table_round__in=[played.pk for played in rounds]).values_list(
            "table_round", "pk"
        )
    )
    return [_last_round(played, str(own), own_rounds.get(played.pk)) for played in rounds]


def seat_decision(table: GameTable, player: Player) -> tuple[Any, int] | None:
    """Return the state of the running round and the player's position in it; None if the player has no cards."""
    game = table_game_of(table.game_type)
    state: TableState[Any] = state_from_json(game, json.decode_object(table.state_text))  # type: ignore[attr-defined]
    running = state.round
    own = TablePlayer.objects.filter(player=player).values_list("public_id", flat=True).first()
    if running is None or running.play is None or str(own) not in running.player_ids:
        return None
    return running.play, running.player_ids.index(str(own))


def room_row(table: GameTable) -> Json:
    """Return a table as the lobby shows it. `table` comes from this module, with its currency and state read."""
    game = table_game_of(table.game_type)
    terms = terms_of(table)
    state: TableState[Any] = state_from_json(game, json.decode_object(table.state_text))  # type: ignore[attr-defined]
    span = game.stake_span(terms)
    return {
        "id": str(table.pk),
        "gameType": table.game_type,
        "name": table.name,
        "currency": table.currency_id,
        "playerCount": len(state.seats),
        "maxPlayers": terms.seats,
        "minBuyin": terms.amount(span.least),
        "maxBuyin": terms.amount(span.most),
        "gameStatus": state.phase.value if table.is_open else TablePhase.CLOSED.value,
        "createdAt": int(table.ctime.timestamp() * 1000),
        "players": [_player_row(seat, is_points=terms.is_points) for seat in state.seats],
        "private": table.is_private,
        "rules": dict(terms.rules),
        "limits": {
            bet: {"minAmount": terms.amount(limits.least), "maxAmount": terms.amount(limits.most)}
            for bet, limits in terms.limits.items()
        },
        "odds": _odds(terms),
        "windowSeconds": _seconds(terms.window_ms),
        "turnSeconds": _seconds(terms.turn_ms),
        "pauseSeconds": _seconds(terms.pause_ms),
        "cutCard": terms.cut_card,
        "roundNumber": state.round_number,
        "chainCommitment": state.chain.commitment,
        "chainFirstRound": state.chain.first_round,
        "contributionRequired": terms.contribution_required,
        "previousResults": previous_results(game, state),
    }


def terms_of(table: GameTable) -> TableTerms:
    """Return the terms of the table's next round."""
    currency = table.currency
    given = {name: getattr(table, name) for name in _TERMS}
    return table_terms(
        table_game_of(table.game_type),
        is_points=currency is None,
        decimals=0 if currency is None else currency.decimals,
        is_play=currency is not None and currency.is_play,
        given=given,
    )


def round_record(table: GameTable, round_id: UUID) -> Json:
    """Return a round of the table, with all data to deal it again. Raises RoundNotFound."""
    played = (
        TableRound.objects.filter(table=table, pk=round_id)
        .annotate(detail_text=Cast("detail", TextField()))
        .defer("detail")
        .first()
    )
    if played is None:
        raise RoundNotFound("the table has no such round")
    terms = terms_from_json(played.terms)
    detail = json.decode_object(played.detail_text)
    results: list[Any] = list(detail.get("results", ()))  # type: ignore[call-overload]
    is_over = played.ending != RoundEnding.RUNNING
    return {
        "roundId": str(played.pk),
        "roundNumber": played.number,
        "ending": played.ending or "running",
        "seedHash": played.seed_hash,
        "seed": played.seed or None,
        "nonce": played.nonce,
        "contributions": played.contributions,
        "clientSeed": played.client_seed,
        "shoe": played.shoe,
        "decks": terms.rules["decks"],
        "rules": dict(terms.rules),
        "odds": _odds(terms),
        "stakes": [{"seat": row["seat"], "playerId": row["playerId"], "bets": row["bets"]} for row in results],
        "actions": list(_actions(played, terms)) if is_over else [],
        "results": [_result_row(row) for row in results],
        "table": detail.get("public", {}),
    }


def _tables() -> QuerySet[GameTable]:
    return GameTable.objects.select_related("currency").annotate(state_text=Cast("state", TextField())).defer("state")


def _visible(session: TableSession) -> QuerySet[GameTable]:
    """Return the tables of the session's partner, in its currency or for points."""
    in_currency = Q(currency=session.currency_id) | Q(currency__isnull=True)
    return _tables().filter(in_currency, partner=session.partner_id)


def _player_row(seat: Any, *, is_points: bool) -> Json:
    row: Json = {"seat": seat.seat, "playerId": seat.player_id, "displayName": seat.name, "bot": seat.is_bot}
    return row | {"points": seat.points} if is_points else row


def _odds(terms: TableTerms) -> dict[str, int | Decimal]:
    return {name: odds_number(odds) for name, odds in terms.odds.items()}


def _seconds(milliseconds: int) -> int | Decimal:
    whole, rest = divmod(milliseconds, 1000)
    return Decimal(milliseconds) / 1000 if rest else whole


def _actions(played: TableRound, terms: TableTerms) -> Iterable[Json]:
    for row in TableAction.objects.filter(round=played).order_by("number"):
        action = row.action
        said: Json = {
            "seat": row.seat,
            "action": action["name"],
            "amount": None if action.get("amount") is None else terms.amount(action["amount"]),
            "timeout": row.is_timeout,
        }
        if action.get("bet_type"):
            said["betType"] = action["bet_type"]
        if action.get("extra"):
            said["extra"] = {name: terms.amount(units) for name, units in action["extra"].items()}
        yield said


def _last_round(played: TableRound, own: str, own_round: UUID | None) -> LastRound:
    detail = json.decode_object(played.detail_text)  # type: ignore[attr-defined]
    results: list[Any] = list(detail.get("results", ()))  # type: ignore[call-overload]
    result = next((row for row in results if row["playerId"] == own), None)
    return LastRound(
        id=played.pk,
        number=played.number,
        started_at=played.started_at,
        is_void=played.ending == RoundEnding.VOIDED,
        hands=hands_shown(detail.get("public", {}), {}),  # type: ignore[arg-type]
        net=None if result is None else Decimal(result["payout"]) - Decimal(result["stakes"]),
        own_round=own_round,
    )


def _result_row(row: Mapping[str, Any]) -> Json:
    """Return a seat's result in the form of `round_result`."""
    told = {name: value for name, value in row.items() if name != "bets"}
    return told | {"net": Decimal(row["payout"]) - Decimal(row["stakes"])}


_TERMS: Final = ("seats", "rules", "limits", "odds", "cut_card", "window_ms", "turn_ms", "pause_ms")
