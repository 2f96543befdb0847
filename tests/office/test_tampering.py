"""The proof names everything that a superuser alters with the triggers off: every column of every table, every row.
Attacks on different rows are made together, and a seal or a history names each row. The others are made one by one,
with a proof for each. `make soak` makes all of these, `make test` one of eight for each table, and only before the seal
if the table was attacked so before it: the same part of the proof names them after it. What only a seal can name is
attacked after it in both.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import cycle, zip_longest
from random import Random
from typing import NamedTuple

import psycopg
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.approvals.models import Approval
from apps.approvals.services import act_or_ask, approval_approve
from apps.build.models import BuildCheck
from apps.core.database_snapshot import one_moment
from apps.events.models import EventThreshold
from apps.events.thresholds import WAGER
from apps.evidence.models import EvidenceAlarm, EvidenceDay, Measure, OnAlarm, Slice
from apps.evidence.services import alarm_close, alarm_mails_send, paytable_on_alarm_set, rtp_publication_set
from apps.idempotency.models import StoredAnswer
from apps.idempotency.services import stored_answers_delete
from apps.office.kept_reports import reports_keep
from apps.office.proof import Part, proof_parts, proof_run
from apps.office.threshold_changes import event_threshold_set
from apps.one_deal.models import OneDealRecord
from apps.partners.models import Partner
from apps.partners.services import api_key_create
from apps.paytables.models import PayTable
from apps.player_files.services import player_note_add
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import game_ids, games
from apps.rounds.services import round_void, seeds_rotate
from apps.rounds.share_links import round_share_create
from apps.scheduled_changes.services import change_schedule
from apps.staff_access.models import AccessKind
from apps.staff_access.services import access_record
from apps.statistics.models import PartnerZone
from apps.statistics.services import day_close, statistics_fold
from apps.switches.models import SwitchScope
from apps.switches.services import switch_set
from apps.tables.models import GameTable, TableSession
from apps.tables.registry import table_games
from apps.wallet.house_accounts import house_snapshots_take
from apps.wallet.models import DailySeal
from apps.wallet.sealed_rows import SEAL_TABLES
from apps.wallet.seals import daily_seal_take
from apps.wallet.services import wallet_adjust
from tests.contract.players import player_of
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.played import baccarat_session, blackjack_session, played_out
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.tampering import Row, Table, constraints_dropped, put_back, tables_of
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")

FREE_TABLES = {
    "account_emailconfirmation": "addresses are not verified, so that nothing is decided by it",
    "api_key_request": "a key's last requests, for its partner to see; older ones are removed",
    "auth_permission": "rights follow from the role alone; Django makes these anew after every migration",
    "django_admin_log": "Django's own log, which nothing writes: acts are audit entries",
    "django_content_type": "Django's names of models",
    "django_migrations": "the migrations that have run: a start with another list fails",
    "usersessions_usersession": "a list of these sessions: ending one there ends it in django_session",
    "django_session": "the log-in of a browser, as long as it lasts",
    "player_favourite": "the lobby tiles that a player wants first",
    "event_watch": "the time of the last search for events",
    "saved_filter": "a name for a list's filters: the list checks them each time, within its viewer's scope",
    "statistics_fold": "the edge of the statistics: the recount of a day adds the rows that a wrong edge left out",
    "table_event": "a table's messages, for clients that reconnect: they follow from the round and its log",
    "table_member": "the tables that a session sees",
    "table_message": "the ids of accepted messages, as long as their session lasts",
    "table_server": "the processes that hold sockets of tables, as long as they run",
}
"""Tables on which no money, play or right depends."""

FREE_COLUMNS = {
    "account_user.last_login": "the time of the last log-in, written at each log-in",
    "api_key.last_used_at": "shows people which keys are in use; the first request of each minute writes it",
    "game_table.deadline": "the time of the table's next change: it follows from the state and is written with it",
    "game_table.version": "counts the table's changes: the next one counts on",
    "game_session.connection": "the socket that holds the session: the next action on another one is refused",
    "mfa_authenticator.last_used_at": "for people to see",
    "game_day.id": "nothing refers to it: a row is found by its key",
    "card_stat.id": "nothing refers to it: a row is found by its key",
    "luck_stat.id": "nothing refers to it: a row is found by its key",
    "movement_day.id": "nothing refers to it: a row is found by its key",
    "partner_hour.id": "the same",
    "play_stat.id": "the same",
    "player_day.id": "the same",
    "sealed_block.ctime": "the time of a part of a seal: the seal's own time is sealed",
    "sealed_block.id": "nothing refers to it: a block is found by its section and number",
    "sealed_head.ctime": "as for a block",
    "sealed_head.id": "nothing refers to it: a head is found by its seal and wallet",
    "sealed_section.ctime": "as for a block",
    "table_session.active_at": "the time of a session's last message",
    "table_session.changes": "counts the changes that its socket has to send",
    "table_session.dropped_at": "the time since which it has no socket",
    "table_session.sequence": "the numbers that its messages have used",
    "table_session.server_id": "the process that holds its socket",
    "table_session.socket": "the socket that holds the session: the next message on another one is refused",
}
"""Columns that may change freely, and why."""

FREE_ACTS = {
    "exchange game_day": "only their ids are exchanged, and nothing refers to these",
    "exchange card_stat": "only their ids are exchanged, and nothing refers to these",
    "exchange luck_stat": "only their ids are exchanged, and nothing refers to these",
    "exchange movement_day": "only their ids are exchanged, and nothing refers to these",
    "exchange partner_hour": "the same",
    "exchange play_stat": "the same",
    "exchange player_day": "the same",
    "exchange sealed_block": "only their ids are exchanged, and nothing refers to these",
    "exchange sealed_head": "the same",
    "insert stored_answer": "the next seal takes it for a row that committed late; it moves no money and opens nothing",
}
"""Acts on rows that need not be named, and why."""

BET_RECORDS = [model._meta.db_table for model in apps.get_models() if issubclass(model, OneDealRecord)]

SEALED_ONLY = {
    **{f"{table}.config_id": "the bet was settled by the terms of its round" for table in BET_RECORDS},
    **{f"{table}.id": "the record of a round with several bets is found by its round" for table in BET_RECORDS},
    **{f"exchange {table}": "the same as for its id" for table in BET_RECORDS},
    "blackjack_round.acted_at": "it serves to find idle rounds; nothing reads it in a round that has ended",
    "blackjack_round.terms_id": "the round was settled by its own terms",
    "exchange row_change": "the same as for its id",
    "game_round.config_version": "the round was settled by its terms; the record of a bet has the version, too",
    "row_change.id": "nothing refers to it: a version is found by its table, row and number",
    "stored_answer.answer": "the answer to a client is stored nowhere else",
    "stored_answer.body_hash": "the same for the client's request",
    "stored_answer.ctime": "the same",
    "stored_answer.key": "the same",
    "stored_answer.scope": "the same",
    "stored_answer.status": "the same",
    "table_action.is_timeout": "it marks a seat's default action, which is stored nowhere else and decides nothing",
    "delete stored_answer": "the same",
    "exchange stored_answer": "the same",
}
"""Alterations that nothing can find before the next seal, and why."""

NAMED_BY: dict[str, Part] = {}
"""The part of the proof that named the last alteration of each table."""

PROVEN_BY = {"row_change", "row_removal", *SEAL_TABLES}
"""Tables by which the rows of others are proven. An alteration of them can be named as one of those rows."""


@pytest.fixture
def tables(superuser: psycopg.Connection, committed: None) -> Iterator[dict[str, Table]]:
    """All tables, with rows of a casino in which everything has happened; triggers are off."""
    casino_play()
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("SET timezone = 'UTC'")
    with constraints_dropped(superuser):
        yield {name: table for name, table in tables_of(superuser).items() if name not in FREE_TABLES}


def casino_play() -> None:
    """Play, transfer, void, adjust, rotate, configure and remove old rows, so that there are at least two rows of each
    kind."""
    operators = [staff_make(Role.OPERATOR) for _ in range(2)]
    for operator in operators:
        group = Group.objects.create(name=f"group of {operator.username}")
        group.permissions.add(Permission.objects.earliest("pk"))
        operator.groups.add(group)
        operator.user_permissions.add(Permission.objects.earliest("pk"))
        EmailAddress.objects.create(user=operator, email=operator.email, verified=True, primary=True)
        Authenticator.objects.create(user=operator, type=Authenticator.Type.TOTP, data={"secret": "sealed"})
        rounds_of_each_game_play()
        player, _ = baccarat_session(bets=2)
        with transaction.atomic():
            api_key_create(partner=player.partner, name="a key", scopes=["read"], actor="test")
        wallet_adjust(operator=operator, wallet=player.wallets.get(), change=Decimal(5), reason="a test")
        access_record(user=operator, kind=AccessKind.EXPORT, request=None)
        player_note_add(user=operator, player=player, text="a note", is_internal=True)
        first = Round.objects.filter(player=player).earliest("started_at")
        round_void(operator=operator, round=first, reason="a test")
        seeds_rotate(player=player, client_seed="another")
        round_share_create(player=player, round_id=first.pk)
        _, token = blackjack_session()
        played_out(token, "Stand")
        house_snapshots_take()
        StoredAnswer.objects.create(
            scope="play:0:a-game", key=operator.username, body_hash=b"", status=200, answer=b"{}",
            ctime=datetime.now(UTC) - timedelta(days=9),
        )  # fmt: skip
        stored_answers_delete(now=datetime.now(UTC))
        BuildCheck.objects.create(
            scope="all", by="test", version="1", manifest_hash="ab", is_signed=True, found=0, differences=[]
        )
        switch = {"scope": SwitchScope.PLAYER, "key": str(player_make().pk), "reason": "a test"}
        switch_set(operator=operator, is_off=True, **switch)
        change_scheduled(player.partner)
        threshold = {"measure": WAGER, "currency": "FUN", "reason": "a test"}
        event_threshold_set(operator=operator, value=Decimal(100 - EventThreshold.objects.count()), **threshold)
    approvals_decide(*operators)
    alarms_close(*operators)
    tables_play()
    statistics_make()


def change_scheduled(partner: Partner) -> None:
    """Schedule a change of the partner's baccarat limits."""
    config = partner.baccarat_configs.earliest("pk")
    limits = {"config": config.pk, "bet_min": "1", "bet_max": "50", "decks": 8}
    user, apply_at = staff_make(Role.PARTNER_STAFF, partner=partner), timezone.now() + timedelta(days=3)
    change_schedule(user=user, kind="baccarat.limits", config=config, payload=limits, apply_at=apply_at)


def statistics_make() -> None:
    """Add up what was played, close a day, and choose a time zone twice."""
    for number, partner in enumerate(Partner.objects.order_by("pk")[:2], start=1):
        coming = datetime.now(UTC).date() + timedelta(days=7 * number)
        PartnerZone.objects.create(partner=partner, zone="Europe/Berlin", from_day=coming, by="test")
    day = datetime.now(UTC)
    wait_until(
        lambda: (statistics_fold(edge_age=timedelta(0)).edge or day) > day, "the edge passes all that was played"
    )
    for days in (9, 8):
        day_close(day=datetime.now(UTC).date() - timedelta(days=days), zone="UTC")
    reports_keep()


def approvals_decide(anna: User, ben: User) -> None:
    """Have each of two operators request an adjustment and approve the other's."""
    wallet = player_make(balance=Decimal(10)).wallets.get()
    with override_settings(PUNTO_TWO_PERSONS=True):
        for asks, approves in ((anna, ben), (ben, anna)):
            call = partial(wallet_adjust, operator=asks, wallet=wallet, change=Decimal(2000), reason="a test")
            asked = act_or_ask(call=call, user=asks, factor_at=timezone.now())
            assert isinstance(asked, Approval)
            approval_approve(operator=approves, approval=asked, reason="seen", factor_at=timezone.now())


def alarms_close(anna: User, ben: User) -> None:
    """Raise an alarm for each of two operators, send its mail, and have the other one approve its close."""
    for number, (asks, approves) in enumerate(((anna, ben), (ben, anna))):
        law = {"game": "og-baccarat", "kind": "a bet", "law": "0" * 64, "is_play": False, "part": Slice.ALL}
        EvidenceDay.objects.create(**law, day=date(2026, 1, 1 + number), n=1, products=[0.5] * 16, restarted=[0.5] * 16)
        alarm = EvidenceAlarm.objects.create(
            **law, value=f"{number}", measure=Measure.EVIDENCE, evidence=5.5, threshold=4.5, n=7
        )
        paytable_on_alarm_set(
            operator=asks, paytable=PayTable.objects.earliest("pk"), on_alarm=OnAlarm.REFUSE, reason="a test"
        )
        rtp_publication_set(partner=Partner.objects.earliest("pk"), is_allowed=True, actor="test")
        call = partial(alarm_close, operator=asks, alarm=alarm, reason="a test")
        with override_settings(PUNTO_TWO_PERSONS=True):
            asked = act_or_ask(call=call, user=asks, factor_at=timezone.now())
            assert isinstance(asked, Approval)
            approval_approve(operator=approves, approval=asked, reason="seen", factor_at=timezone.now())
    alarm_mails_send()


def tables_play() -> None:
    """Have two players play two rounds at a table of each game, and at one for points; one round is running."""
    partner, players = players_make(2)
    for game_type in table_games():
        table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30), players)
        table.round_play()
        table.round_play(amount=20, action="hit")
    table = PlayedTable(table_make(partner, window_s=30), players)
    table.round_play()
    table.next_window()
    table.stake(0)
    # A server of another test may still run on this database. It would play on and end sessions meanwhile.
    GameTable.objects.filter(deadline__isnull=False).update(deadline=datetime.now(UTC) + timedelta(days=1))
    TableSession.objects.update(dropped_at=None)


def rounds_of_each_game_play() -> None:
    """Have a player of a partner that offers every game play two rounds of each."""
    partner = partner_make()
    games_offer(partner)
    player = player_make(balance=Decimal(1000), partner=partner)
    for game in games():
        _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
        for _ in range(2):
            player_of(game).play(token, Random(11))


def seal_all() -> None:
    """Seal the last three days, so that later rows differ from sealed ones."""
    today = datetime.now(UTC).date()
    for days in (3, 2, 1):
        daily_seal_take(day=today - timedelta(days=days))


def is_named(table: Table, row: Row) -> bool:
    """Return whether the proof names the row or the row that it belongs to."""
    names = {f"{table.name} row", f"(row {table.key_text(row)})", "seal of" if "seal" in table.name else table.name}
    names |= {f"{word} {row[column]}" for column in ("id", "round_id") if column in row for word in ("round", "row")}
    names |= {f"wallet {row['wallet_id']}," for _ in range(1) if row.get("wallet_id")}
    if table.name == "row_change":
        names.add(f"{row['table_name']} row {row['row_key']}")
    if table.name == "daily_seal":
        # Until the newest seal is due again, its parts alone tell that it was there.
        names.add("the seal that it belongs to was removed")
    if table.name == "wallet":
        names.add(f"wallet {row['id']}")
    # One part that names it is enough. The one that named the table's last alteration is asked first.
    parts = dict(proof_parts())
    with one_moment(read_only=True):
        for part in sorted(parts, key=lambda part: part is not NAMED_BY.get(table.name)):
            said = [f"{finding.where}: {finding.what}" for finding in parts[part]().findings]
            if any(name in sentence for sentence in said for name in names):
                NAMED_BY[table.name] = part
                return True
    return False


def attacked_rows(table: Table) -> Iterator[list[Row]]:
    """Yield rows of each kind that the table has. Rounds and their rows are of each game, and have ended."""
    if table.name == "game_round":
        for game in game_ids():
            yield table.rows(f"how_ended = 'played' AND game = '{game}' AND table_round IS NULL")
        for game in {game.game_id for game in table_games().values()}:
            yield table.rows(f"how_ended = 'played' AND game = '{game}' AND table_round IS NOT NULL")
    elif table.name == "table_round":
        yield table.rows("ending = 'settled' AND number = 1")
        yield table.rows("ending = 'settled' AND number > 1")
        yield table.rows("ending = ''")
    elif table.name == "table_action":
        yield table.rows("amount IS NOT NULL")
    elif table.name == "game_table":
        yield table.rows("currency_id IS NOT NULL")
    elif table.name == "sealed_section":
        yield table.rows("EXISTS (SELECT FROM sealed_block WHERE section_id = held.id)")
    elif table.name == "seed_pair":
        yield table.rows("next_nonce > 0 AND status = 'active'")
        yield table.rows("status = 'revealed'")
    else:
        yield table.rows()


class Attack(NamedTuple):
    """An attack on one row. `does` makes it and returns the row that must be named."""

    name: str
    table: Table
    row: Row
    does: Callable[[], Row]


def column_attacks(tables: dict[str, Table]) -> Iterator[Attack]:
    """Yield an attack on every column of every table, for each kind of its rows. Three rows take turns, so that three
    columns are attacked together."""
    for table in tables.values():
        for rows in attacked_rows(table):
            for row, column in zip(cycle(rows[-3:]), table.columns, strict=False):
                yield Attack(f"{table.name}.{column}", table, row, partial(_alter, table, row, column))


def row_attacks(tables: dict[str, Table]) -> Iterator[Attack]:
    """Yield the deletion, addition and exchange of a row of every table."""
    for table in tables.values():
        row = next(attacked_rows(table))[-1]
        for act, does in ACTS.items():
            yield Attack(f"{act} {table.name}", table, row, partial(does, table, row))


def unnamed(attacks: Iterable[Attack], *, listed: Collection[str], proven: Collection[str] = ()) -> list[str]:
    """Make the attacks except the listed ones, and return those that nothing names. Attacks on different rows are made
    together first: the seal or the history of a row names it by its key, whatever happened to other rows. Attacks that
    this does not name are made again one by one, and so are all attacks on tables that seals and histories depend on.
    The short form does not attack the tables `proven` one by one, except in what a seal alone names.
    """
    made = [attack for attack in attacks if attack.name not in listed]
    alone = [attack for attack in made if attack.table.name in PROVEN_BY]
    for batch in batches(attack for attack in made if attack.table.name not in PROVEN_BY):
        with ExitStack() as stack:
            for table in {attack.table.name: attack.table for attack in batch}.values():
                stack.enter_context(put_back(table))
            keys = [(attack.table.name, attack.table.key_text(attack.does())) for attack in batch]
            named = named_by_key()
        alone += [
            attack
            for attack, (name, key) in zip(batch, keys, strict=True)
            if not named & {f"{name} row {key}", f"{name} row ({key})"}
        ]
    return sorted({attack.name for attack in (alone if IS_LONG else few(alone, proven)) if not _is_named_alone(attack)})


def few(attacks: Iterable[Attack], proven: Collection[str]) -> list[Attack]:
    """Return the attacks that a seal alone can name, since no other part of the proof was seen to name them. Of the
    others return one of eight of those on each table that is not `proven`, and one at least.
    """
    chosen, by_table = list[Attack](), dict[str, list[Attack]]()
    for attack in attacks:
        if attack.name in SEALED_ONLY:
            chosen.append(attack)
        elif attack.table.name not in proven:
            by_table.setdefault(attack.table.name, []).append(attack)
    return chosen + [attack for of_one in by_table.values() for attack in of_one[::8]]


def batches(attacks: Iterable[Attack]) -> list[list[Attack]]:
    """Return the attacks in batches in which each row is attacked once."""
    by_row: dict[tuple[str, str], list[Attack]] = {}
    for attack in attacks:
        by_row.setdefault((attack.table.name, attack.table.key_text(attack.row)), []).append(attack)
    return [[attack for attack in together if attack] for together in zip_longest(*by_row.values())]


def named_by_key() -> set[str]:
    """Return the rows that the seals and histories of rows name. While there is no seal, it is not asked."""
    parts = dict(proof_parts())
    naming = (Part.VERSIONS, Part.SEALED_ROWS) if DailySeal.objects.exists() else (Part.VERSIONS,)
    with one_moment(read_only=True):
        return {finding.where for part in naming for finding in parts[part]().findings}


def _is_named_alone(attack: Attack) -> bool:
    with put_back(attack.table):
        return is_named(attack.table, attack.does())


def _alter(table: Table, row: Row, column: str) -> Row:
    table.alter(row, column)
    return row


def _delete(table: Table, row: Row) -> Row:
    table.delete(row)
    return row


def _exchange(table: Table, row: Row) -> Row:
    table.exchange(row, next(each for each in table.rows() if each != row))
    return row


ACTS: dict[str, Callable[[Table, Row], Row]] = {"delete": _delete, "insert": Table.copy, "exchange": _exchange}
"""The attacks on a row as a whole. Each returns the row that must be named."""


def test_whatever_is_altered_is_named_before_a_seal_but_for_what_is_listed_and_after_it(
    tables: dict[str, Table],
) -> None:
    """Every table has rows to attack. `casino_play` must fill a table that is added later."""
    unsealed = {name: table for name, table in tables.items() if name not in SEAL_TABLES}
    assert [name for name, table in unsealed.items() if len(table.rows()) < 2] == []
    assert list(proof_run().findings) == []
    before = unnamed(column_attacks(unsealed), listed={*FREE_COLUMNS, *SEALED_ONLY})
    before += unnamed(row_attacks(unsealed), listed={*FREE_ACTS, *SEALED_ONLY})
    proven = set(NAMED_BY)
    seal_all()
    assert list(proof_run().findings) == []
    after = unnamed(column_attacks(tables), listed=FREE_COLUMNS, proven=proven)
    after += unnamed(row_attacks(tables), listed=FREE_ACTS, proven=proven)
    assert (before, after) == ([], [])


def test_the_lists_name_columns_that_exist(superuser: psycopg.Connection) -> None:
    known = tables_of(superuser)
    columns = {f"{table.name}.{column}" for table in known.values() for column in table.columns}
    acts = {f"{act} {table}" for act in ACTS for table in known}
    assert FREE_TABLES.keys() <= known.keys()
    assert FREE_COLUMNS.keys() <= columns
    assert FREE_ACTS.keys() <= acts
    assert SEALED_ONLY.keys() <= columns | acts
