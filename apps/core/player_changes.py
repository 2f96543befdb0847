"""Announces that something of a player has changed, such as a balance or a round; listeners then read the database.

Bets and actions do not wait for it: players are collected, and a thread of the process announces them together.
"""

import asyncio
import os
import time
from functools import partial
from threading import Event, Lock, Thread
from typing import Final

import structlog
from django.db import transaction

from apps.core.pubsub import announce

PAUSE_S: Final = 0.05
"""Seconds during which players are collected for one announcement."""

log = structlog.get_logger(__name__)


def player_topic(player_id: int) -> str:
    """Return the topic of a player's changes."""
    return f"player.{player_id}"


def player_changed(player_id: int) -> None:
    """Announce a change of the player to its open pages after the commit of Django's transaction."""
    transaction.on_commit(partial(_changes.add, player_id))


class _Changes:
    """The players to announce, and the thread that announces them."""

    def __init__(self) -> None:
        self.start_anew()

    def start_anew(self) -> None:
        """Start without players and without a thread, as a newly forked process must."""
        self._players: set[int] = set()
        self._lock = Lock()
        self._due = Event()
        self._thread: Thread | None = None

    def add(self, player_id: int) -> None:
        with self._lock:
            is_first = not self._players
            self._players.add(player_id)
            if self._thread is None:
                self._thread = Thread(target=self._announce_all, name="player-changes", daemon=True)
                self._thread.start()
        if is_first:
            self._due.set()

    def _announce_all(self) -> None:
        with asyncio.Runner() as runner:  # one loop, and so one lasting connection to Redis
            while True:
                self._due.wait()
                time.sleep(PAUSE_S)
                self._due.clear()
                with self._lock:
                    players, self._players = self._players, set()
                try:
                    runner.run(announce([player_topic(player_id) for player_id in players], {"type": "player.changed"}))
                except Exception:
                    log.exception("player_changes_not_announced")


_changes: Final = _Changes()
player_changed_now: Final = _changes.add
"""Announce a change of a player to its open pages. For the event loop, where the change is committed already."""
os.register_at_fork(after_in_child=_changes.start_anew)
