"""Reports of events and exclusions: large wins, interrupted games, alterations, exclusions, accesses of staff."""

from typing import Final

from django.urls import reverse

from apps.core import json
from apps.core.actor_names import shown_actor
from apps.core.subjects import named_values, subjects_in_words, value_text
from apps.events.models import EventKind
from apps.reports.document import Cell, CellKind, Column, Table, WireName, amounts, numbers, texts
from apps.reports.open_rounds import OPEN_ROUNDS
from apps.reports.query import REFERENCE, Wanted, first_rows
from apps.rounds.registry import game_title
from apps.staff_access.models import AccessKind
from apps.statistics.large_plays import BY_PEOPLE, stakes_won

_IN_TIME: Final = "{0} >= %(since)s AND {0} < %(until)s"
_IN_SCOPE: Final = "(%(partner)s::bigint IS NULL OR {0} = %(partner)s)"

# Later facts are left out, so that a report of a period is always the same. A win is recorded after its round's end; it
# counts even if the clock was set back in between.
_WINS_SQL: Final = f"""
    SELECT event.id, event.ctime, held.ended_at, partner.slug, player.id, {REFERENCE}, held.id, held.game,
        event.currency, held.stake, held.payout, CASE WHEN voided.id IS NULL THEN '' ELSE 'voided' END
    FROM significant_event AS event JOIN game_round AS held ON held.id = event.round_id
    JOIN player ON player.id = held.player_id JOIN partner ON partner.id = held.partner_id
    LEFT JOIN round_void AS voided ON voided.round_id = held.id AND voided.ctime < %(until)s
    WHERE event.kind = 'large_win' AND event.ctime >= %(since)s::timestamptz - interval '1 day'
        AND {_IN_TIME.format("held.ended_at")} AND {_IN_SCOPE.format("event.partner_id")}
    ORDER BY held.ended_at, held.id
"""  # noqa: S608 - only constant text
_INTERRUPTED_SQL: Final = f"""
    SELECT held.id, partner.slug, player.id, {REFERENCE}, held.game, held.currency_id, held.started_at, held.held,
        (SELECT max(number) FROM round_action WHERE round_id = held.id AND ctime < %(until)s),
        (
            SELECT count(*) FROM round_action
            WHERE round_id = held.id AND acted_by = 'platform' AND ctime < %(until)s
        ) + (
            SELECT count(*) FROM table_action
            WHERE round_id = held.table_round AND player_id = held.player_id AND is_timeout AND ctime < %(until)s
        ),
        held.ended_at, held.table_round IS NOT NULL
    FROM (
        SELECT id, partner_id, player_id, game, currency_id, started_at, held, table_round, NULL AS ended_at
        FROM {OPEN_ROUNDS} AS open
        UNION ALL
        SELECT id, partner_id, player_id, game, currency_id, started_at, stake, table_round, ended_at FROM game_round
        WHERE how_ended = 'auto_completed' AND {_IN_TIME.format("ended_at")}
    ) AS held
    JOIN player ON player.id = held.player_id JOIN partner ON partner.id = held.partner_id
    WHERE {BY_PEOPLE} AND {_IN_SCOPE.format("held.partner_id")}
    ORDER BY held.started_at, held.id
"""  # noqa: S608 - as above
_EVENTS_SQL: Final = f"""
    SELECT event.ctime, kind, subject, partner.slug, actor, authorised_by, reason, before::text, after::text, amount,
        currency, round_id
    FROM significant_event AS event LEFT JOIN partner ON partner.id = event.partner_id
    WHERE kind = ANY (%(kinds)s) AND {_IN_TIME.format("event.ctime")} AND {_IN_SCOPE.format("event.partner_id")}
    ORDER BY event.id
"""  # noqa: S608 - as above
# Each block of a player, with the act that lifts it. The platform blocks idle guests alone, thousands in a year, whom
# nobody expects back: unless it is lifted, such a block is listed when it begins and not on every day afterwards. The
# acts that lift some are found first, so that not each block ever made is looked up.
# Entries of guests that were closed by earlier versions have a text in place of named values.
_EXCLUSIONS_SQL: Final = f"""
    SELECT player.id, {REFERENCE}, partner.slug, begun.ctime, lifted.ctime, begun.actor, lifted.actor,
        begun.reason, lifted.reason
    FROM audit_entry AS begun
    JOIN player ON begun.subject = 'player ' || player.id JOIN partner ON partner.id = player.partner_id
    LEFT JOIN LATERAL (
        SELECT ctime, actor, reason FROM audit_entry
        WHERE subject = begun.subject AND action = 'player.status' AND id > begun.id
            AND ctime < %(until)s AND data #>> '{{after,status}}' = 'active'
        ORDER BY id LIMIT 1
    ) AS lifted ON true
    WHERE begun.action = 'player.status' AND 'blocked' IN (begun.data #>> '{{after,status}}', begun.data ->> 'after')
        AND begun.ctime < %(until)s AND (
            begun.actor <> 'platform' AND lifted.ctime IS NULL OR begun.ctime >= %(since)s OR lifted.ctime >= %(since)s
        ) AND (
            begun.actor <> 'platform' OR begun.ctime >= %(since)s OR begun.subject IN (
                SELECT subject FROM audit_entry WHERE action = 'player.status' AND ctime >= %(since)s
                    AND ctime < %(until)s AND data #>> '{{after,status}}' = 'active'
            )
        )
        AND {_IN_SCOPE.format("player.partner_id")}
    ORDER BY begun.id
"""  # noqa: S608 - as above
_STAFF_SQL: Final = f"""
    SELECT access.ctime, access.username, access.role, partner.slug, access.kind, access.address, access.page
    FROM staff_access AS access LEFT JOIN partner ON partner.id = access.partner_id
    WHERE {_IN_TIME.format("access.ctime")} AND {_IN_SCOPE.format("access.partner_id")}
    ORDER BY access.id
"""  # noqa: S608 - as above

ALTERATIONS: Final = (
    EventKind.OVERRIDE, EventKind.DATA_CHANGED, EventKind.SOFTWARE_CHANGED, EventKind.POLICY_CHANGED,
    EventKind.CLOCK_CHANGED, EventKind.GAME_CHANGED, EventKind.INCENTIVE_CHANGED, EventKind.ACCOUNT_CHANGED,
    EventKind.DATA_LOST, EventKind.INTERVENTION,
)  # fmt: skip
"""The kinds of events that change something."""


def large_wins(wanted: Wanted) -> Table:
    """Return a row for each large win of a round (event 4), when the round ended.

    The multiple is that of the threshold: the winnings in stakes.
    """
    columns = (
        Column("event", CellKind.EVENT),
        *texts("told_at", "ended_at", "partner"),
        Column("player", CellKind.PLAYER),
        *texts("reference"),
        Column("round", CellKind.ROUND),
        *texts("game", "currency"),
        *amounts("stake", "payout"),
        *numbers("multiple_won"),
        *texts("void"),
        Column("replay", CellKind.REPLAY),
    )
    found, left_out = first_rows(_WINS_SQL, _parameters(wanted), wanted.most)
    rows: list[list[Cell]] = []
    for *about, round_id, game, currency, stake, payout, void in found:
        won, replay = stakes_won(stake=stake, payout=payout), reverse("admin:replay", args=[round_id])
        rows.append([*about, round_id, game_title(game), currency, stake, payout, won, void, replay])
    return Table(columns, rows, left_out=left_out)


def interrupted(wanted: Wanted) -> Table:
    """Return a row for each round that was open at the end, and for each that the platform played out in the period."""
    columns = (
        Column("round", CellKind.ROUND),
        *texts("partner"),
        Column("player", CellKind.PLAYER),
        *texts("reference", "game", "currency", "begun_at"),
        *amounts("held"),
        *numbers("actions", "decisions_of_the_platform"),
        *texts("state", "ended_at"),
    )
    found, left_out = first_rows(_INTERRUPTED_SQL, _parameters(wanted), wanted.most)
    rows: list[list[Cell]] = []
    for (
        round_id,
        slug,
        player,
        reference,
        game,
        currency,
        begun,
        stake,
        actions,
        decided,
        ended,
        at_table,
    ) in found:
        waits = "open: a table plays it" if at_table else "open: the player's turn"
        rows.append(
            [
                round_id,
                slug,
                player,
                reference,
                game_title(game),
                currency,
                begun,
                stake,
                actions or 0,
                decided,
                waits if ended is None else "played out by the platform",
                ended,
            ]
        )
    return Table(columns, rows, left_out=left_out)


def alterations(wanted: Wanted) -> Table:
    """Return a row for each event that changed something, with the values before and after."""
    columns = (
        *texts("when", "kind", "what", "partner", "who", "authorised_by", "reason", "before", "after"),
        *amounts("amount"),
        *texts("currency"),
        Column("round", CellKind.ROUND),
    )
    asked = _parameters(wanted) | {"kinds": [kind.value for kind in ALTERATIONS]}
    found, left_out = first_rows(_EVENTS_SQL, asked, wanted.most)
    names = subjects_in_words(row[2] for row in found)
    rows: list[list[Cell]] = []
    for when, kind, subject, partner, actor, second, reason, before, after, amount, currency, round_id in found:
        label = str(EventKind(kind).label)
        who, told = [_who(actor, wanted), _who(second, wanted)], [_change_text(before), _change_text(after)]
        rows.append(
            [when, label, WireName(subject, names[subject]), partner, *who, reason, *told, amount, currency, round_id]
        )
    return Table(columns, rows, left_out=left_out)


def exclusions(wanted: Wanted) -> Table:
    """Return a row for each block of a player that applied within the period, and each close of an idle guest in it."""
    columns = (
        Column("player", CellKind.PLAYER),
        *texts("reference", "partner", "begin", "end", "asked_by", "lifted_by", "reason", "reason_of_the_end"),
    )
    found, left_out = first_rows(_EXCLUSIONS_SQL, _parameters(wanted), wanted.most)
    rows = [[*row[:5], _who(row[5], wanted), _who(row[6], wanted), *row[7:]] for row in found]
    return Table(columns, rows, left_out=left_out)


def staff_accesses(wanted: Wanted) -> Table:
    """Return a row for each access of a log-in of the back office: log-ins, failures, refusals, opened files,
    exports."""
    columns = texts("when", "who", "role", "partner", "what", "address", "page")
    found, left_out = first_rows(_STAFF_SQL, _parameters(wanted), wanted.most)
    labels = {kind.value: str(kind.label) for kind in AccessKind}
    rows = [[*row[:2], row[2].replace("_", " "), row[3], labels[row[4]], *row[5:]] for row in found]
    return Table(columns, rows, left_out=left_out)


def _who(actor: str | None, wanted: Wanted) -> str | None:
    """Return the name of the actor. A report of one partner that is made at night is for that partner's viewers."""
    if actor is None or wanted.partner_id is None:
        return actor
    return shown_actor(actor, partner_id=wanted.partner_id)


def _parameters(wanted: Wanted) -> dict[str, object]:
    return {"since": wanted.period.since, "until": wanted.period.until, "partner": wanted.partner_id}


def _change_text(text: str) -> str:
    """Return a change in one line: `balance 10, status blocked`."""
    return value_text(named_values(json.decode(text)))
