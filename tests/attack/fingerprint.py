"""Whether anything in the tables has changed."""

from typing import Any, Final

from tests.attack.stage import Stage

LEFT_OUT: Final = ("django_session", "house_snapshot", "daily_seal", "sealed_head")
"""A browser's session is made for whoever asks; the others are the scheduled work's."""
_VOLATILE: Final = "'{last_used_at,last_login}'::text[]"


class Fingerprint:
    """What the tables hold, read again only where something may have been written."""

    def __init__(self, stage: Stage) -> None:
        self._link = stage.database()
        self._known: dict[str, str] | None = None
        self._next_transaction: Any = None

    def close(self) -> None:
        self._link.close()

    def remember(self) -> None:
        """Look at everything as it is before the next request, unless it was looked at already."""
        if self._known is None:
            self._known = self._read()
            self._next_transaction = self._transaction()

    def forget(self) -> None:
        """Let what was written since be right."""
        self._known = None

    def changed(self) -> list[str]:
        """Return the tables that have changed since `remember`."""
        # Whoever writes takes the number of a transaction first.
        transaction = self._transaction()
        if transaction == self._next_transaction:
            return []
        self._next_transaction = transaction
        before, self._known = self._known or {}, self._read()
        return sorted(name for name, digest in self._known.items() if before.get(name) != digest)

    def _transaction(self) -> Any:
        return self._link.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())").fetchall()[0][0]

    def _read(self) -> dict[str, str]:
        names = self._link.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'"
            " AND c.relname <> ALL(%s)",
            [list(LEFT_OUT)],
        ).fetchall()
        digests = " UNION ALL ".join(
            f"SELECT '{name}', md5(coalesce(string_agg(d, '' ORDER BY d), '')) FROM ("
            f'SELECT md5((to_jsonb(t) - {_VOLATILE})::text) AS d FROM "{name}" t) AS r'
            for (name,) in names
        )
        return dict(self._link.execute(digests).fetchall())
