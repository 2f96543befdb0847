"""Finds out whether any table has changed."""

from typing import Any, Final

from tests.attack.deployment import Deployment

STATISTICS: Final = (
    "play_stat", "player_day", "game_day", "partner_hour", "movement_day", "card_stat", "luck_stat", "statistics_day",
    "statistics_fold", "paytable", "paytable_line", "paytable_use", "evidence_day", "kept_report", "build_check",
)  # fmt: skip
SEALS: Final = ("daily_seal", "sealed_head", "sealed_section", "sealed_block")
ACCESSES: Final = ("staff_access", "api_key_request", "usersessions_usersession")
LEFT_OUT: Final = ("django_session", "table_server", *ACCESSES, "house_snapshot", *SEALS, *STATISTICS)
"""Tables that change without a request's success: any visitor gets a browser session, the processes that serve tables
enter themselves, and scheduled tasks write the others."""
_DIGEST: Final = (
    "SELECT '{0}', md5(coalesce(string_agg(d, '' ORDER BY d), '')) FROM"
    " (SELECT md5((to_jsonb(t) - '{{last_used_at,last_login}}'::text[])::text) AS d FROM \"{0}\" t{1}) AS r"
)
_HISTORY: Final = " WHERE table_name NOT IN ('" + "', '".join(LEFT_OUT) + "')"
"""Leaves out the histories of these tables as well."""
_MARK: Final = "SELECT '{0}', count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM \"{0}\""
"""The number of rows and of the transactions that wrote them: if it is the same, no row was written."""


class Fingerprint:
    """A digest of each table. It is computed again only if a transaction has written the table."""

    def __init__(self, deployment: Deployment) -> None:
        self._link = deployment.database()
        self._known: dict[str, str] | None = None
        self._next_transaction: Any = None
        self._marks: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    def close(self) -> None:
        self._link.close()

    def remember(self) -> None:
        """Compute the digests before the next request, unless they are still valid."""
        if self._known is None:
            self._known = self._read()
            self._next_transaction = self._transaction()

    def forget(self) -> None:
        """Accept all writes since `remember`."""
        self._known = None

    def changed(self) -> list[str]:
        """Return the tables that have changed since `remember`."""
        # Every write takes a transaction number, so an unchanged number means that nothing was written.
        transaction = self._transaction()
        if transaction == self._next_transaction:
            return []
        self._next_transaction = transaction
        before, self._known = self._known or {}, self._read()
        return sorted(name for name, digest in self._known.items() if before.get(name) != digest)

    def _transaction(self) -> Any:
        return self._link.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())").fetchall()[0][0]

    def _read(self) -> dict[str, str]:
        with self._link.transaction():
            self._link.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            names = self._link.execute(
                "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'"
                " AND c.relname <> ALL(%s)",
                [list(LEFT_OUT)],
            ).fetchall()
            marks = dict(self._link.execute(" UNION ALL ".join(_MARK.format(name) for (name,) in names)).fetchall())
            written = [name for name, mark in marks.items() if self._marks.get(name) != mark]
            if written:
                digests = " UNION ALL ".join(
                    _DIGEST.format(name, _HISTORY if name == "row_change" else "") for name in written
                )
                self._digests |= dict(self._link.execute(digests).fetchall())
        self._marks = marks
        return {name: self._digests[name] for name in marks}
