"""HTML parts of the back office's pages of tables: seats, terms, shoes, and the messages to a session."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.db.models import Q
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.audit.models import AuditEntry
from apps.cards.card import CARDS
from apps.core.actor_names import shown_actor
from apps.core.card_faces import hand_html
from apps.core.count_texts import counted
from apps.core.money import amount_text
from apps.core.office_html import act_in_words, in_words, link_html, table_html, time_html
from apps.core.subjects import named_values, value_text
from apps.rounds.explanation import ExplainedHand
from apps.rounds.table_bets import odds_number
from apps.rounds.table_game import TableTerms
from apps.tables.engine.codec import state_from_json
from apps.tables.engine.transitions import state_view
from apps.tables.hands import hands_shown
from apps.tables.models import GameTable, TableEvent, TableSeat, TableSession
from apps.tables.registry import table_game_of
from apps.tables.selectors import terms_of
from apps.tables.table_creation import room_edges

EVENTS_SHOWN: Final = 100
CHANGES_SHOWN: Final = 50


class LiveSeat(NamedTuple):
    """A seat as everybody at the table sees it, with the account of its player."""

    number: int
    player: SafeString | str
    name: str
    stakes: str
    standing: str


class LiveTable(NamedTuple):
    """The present state of a table, and the accounts of its players."""

    phase: str
    round_number: int
    seconds: int | None
    """The seconds until the next deadline."""
    cards_left: int | None
    seats: list[LiveSeat]
    hands: list[tuple[str, SafeString, str]]
    watchers: int


def live_table(table: GameTable) -> LiveTable:
    """Return a table's public state. It reads only what the table's players can see."""
    game = table_game_of(table.game_type)
    view = state_view(game, state_from_json(game, table.state))
    taken = {seat.seat: seat for seat in TableSeat.objects.filter(table=table).select_related("player")}
    seats = [_live_seat(table, row, taken.get(row["seat"])) for row in view["seats"]]
    shown = hands_shown(view, {row["seat"]: row for row in view["seats"]})
    return LiveTable(
        phase=view["phase"],
        round_number=view["roundNumber"],
        seconds=_seconds_until(min([each["deadline"] for each in view["turns"]], default=view["deadline"])),
        cards_left=view["cardsLeft"],
        seats=seats,
        hands=[drawn(hand) for hand in shown],
        watchers=table.members.exclude(session__seats__table=table).count(),
    )


def drawn(hand: ExplainedHand) -> tuple[str, SafeString, str]:
    """Return the label, the cards and the note of a row of cards."""
    return hand.label, hand_html(hand.cards), ", ".join(filter(None, [hand.total, hand.note]))


def terms_table(terms: TableTerms, table: GameTable) -> SafeString:
    """Return the rules, limits and odds of terms, with the house edge of each bet."""
    game = table_game_of(table.game_type)
    edges = {edge.bet: edge for edge in room_edges(game, terms)}
    bets = [
        (
            label,
            money(table, limits.least),
            _most_text(table, limits.most),
            odds_of(terms, bet),
            _edge(edges, bet),
        )
        for bet, label in game.bet_labels.items()
        if (limits := terms.limits.get(bet)) is not None
    ]
    rules = [(in_words(name), _rule_text(value)) for name, value in terms.rules.items()]
    outcomes = [
        (in_words(name), f"{odds_number(to_one)} to 1")
        for name, to_one in terms.odds.items()
        if name not in game.bet_labels
    ]
    parts = [
        table_html(("bet", "lowest", "highest", "pays", "house edge"), bets),
        table_html(("rule", "setting"), rules),
        *([table_html(("outcome of a side bet", "pays"), outcomes)] if outcomes else []),
    ]
    return format_html("{}" * len(parts), *parts)


def table_terms_table(table: GameTable) -> SafeString:
    """Return the terms of a table's next round."""
    return terms_table(terms_of(table), table)


def odds_of(terms: TableTerms, bet: str) -> str:
    return f"{odds_number(terms.odds[bet])} to 1" if bet in terms.odds else "by the rules"


def money(table: GameTable, units: int) -> str:
    """Return an amount at a table, for people."""
    currency = table.currency
    return counted(units, "point") if currency is None else amount_text(units * currency.quantum, currency)


def _most_text(table: GameTable, units: int) -> str:
    """Return the highest stake. At a points table the score decides (docs/tables.md)."""
    return "the score + 200, at least 100 points" if table.currency is None else money(table, units)


def shoe_table(counts: list[int] | None) -> SafeString | str:
    """Return the number of each card in the shoe."""
    if counts is None:
        return "an infinite deck"
    ranks = [card.code[1:] for card in CARDS[:13]]
    rows = [(CARDS[suit * 13].suit.name.lower(), *counts[suit * 13 : suit * 13 + 13]) for suit in range(4)]
    return table_html(("suit", *ranks), rows)


def changes_table(table: GameTable) -> SafeString:
    """Return the acts on a table with their authors, newest first."""
    subjects = [f"table {table.pk}"]
    entries = AuditEntry.objects.filter(subject__in=subjects, partner_id=table.partner_id).order_by("-id")[
        :CHANGES_SHOWN
    ]
    return table_html(
        ("time (UTC)", "who", "what", "details"),
        [
            (time_html(entry.ctime), shown_actor(entry.actor), act_in_words(entry.action), _lines(_changes(entry.data)))
            for entry in entries
        ],
        empty="Nothing was changed since it was made.",
    )


def session_events_table(session: TableSession) -> SafeString:
    """Return the newest events of the session's tables that reached it: to everybody, or to this session alone."""
    tables = session.memberships.values("table")
    changes = TableEvent.objects.filter(table__in=tables).select_related("table").order_by("-ctime")[:EVENTS_SHOWN]
    rows = [
        (
            time_html(change.ctime),
            link_html("tables_gametable", change.table_id, change.table),
            change.round_number,
            event["type"].replace("_", " "),
            "to this session" if event["to"] == session.pk else "to everybody",
        )
        for change in changes
        for event in change.event_list()
        if event["to"] in (None, session.pk) and session.pk not in event["but"]
    ]
    return table_html(
        ("time (UTC)", "table", "round", "message", "heard"), rows[:EVENTS_SHOWN], empty="No events are kept."
    )


def open_tables_count(tables: Any) -> tuple[int, int]:
    """Return the number of open tables among these, and the number of their occupied seats."""
    opened = tables.filter(is_open=True)
    return opened.count(), TableSeat.objects.filter(Q(table__in=opened)).count()


def _seconds_until(deadline_ms: int | None) -> int | None:
    return None if deadline_ms is None else max(0, round(deadline_ms / 1000 - timezone.now().timestamp()))


def _live_seat(table: GameTable, row: Mapping[str, Any], taken: TableSeat | None) -> LiveSeat:
    stakes = row["stakes"]
    labels = table_game_of(table.game_type).bet_labels
    unit = "points" if table.currency_id is None else table.currency_id
    if stakes is None:
        shown = "hidden until the window closes" if row["staked"] else "none"
    else:
        shown = ", ".join(f"{labels.get(bet, bet)} {amount} {unit}" for bet, amount in stakes.items()) or "none"
    standing = [
        "bot" if row["bot"] else "",
        "ready" if row["ready"] else "",
        counted(row["points"], "point") if "points" in row else "",
    ]
    return LiveSeat(
        number=row["seat"],
        player="-" if taken is None else link_html("accounts_player", taken.player_id, taken.player),
        name=row["displayName"],
        stakes=shown,
        standing=", ".join(filter(None, standing)),
    )


def _edge(edges: Mapping[str, Any], bet: str) -> str:
    edge = edges.get(bet)
    return edge.edge if edge is not None and edge.edge else "not computed yet"


def _rule_text(value: Any) -> str:
    # Compare types, since 1 equals True.
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "infinite" if value is None else str(value)


def _lines(texts: Iterable[str]) -> SafeString:
    return format_html(
        '<div class="wrap">{}</div>', format_html_join(mark_safe("<br>"), "{}", ((text,) for text in texts))
    )


def _changes(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield each changed value of an act: with the one before, unless the act made it."""
    before, after = named_values(data.get("before")), named_values(data.get("after"))
    for name in {**before, **after}:
        was, now = (value_text(values.get(name)) for values in (before, after))
        if name in before and was != now:
            yield f"{in_words(name)}: {was} -> {now}"
        elif name not in before:
            yield f"{in_words(name)}: {now}"
