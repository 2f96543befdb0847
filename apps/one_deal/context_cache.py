"""The cache of a process: the contexts of its players' next bets, so that they need not be loaded again.

A kept context may be outdated: another process, an operator or a partner may have changed anything. It is therefore
only good for placing a bet, because the statement that writes a bet checks all of its context. A refusal always comes
from a context that was just loaded.
"""

from typing import Final, NamedTuple

from apps.one_deal.store import BetContext
from apps.rounds.bettor_identity import Bettor

MAX_CONTEXTS: Final = 20_000
"""The most contexts that a process keeps, of about 3 KB each. The oldest is dropped for a further one."""


class ContextKey(NamedTuple):
    """Whose bets in which currency a context is for. `currency` is that of the request, which may be omitted."""

    game: str
    bettor: Bettor
    currency: str | None


kept_contexts: Final[dict[ContextKey, BetContext]] = {}
"""A bet takes its context away: of two concurrent bets of one player, one has it."""


def context_keep(key: ContextKey, context: BetContext) -> None:
    """Keep a context for the next bet. It has the state after the last one."""
    if len(kept_contexts) >= MAX_CONTEXTS:
        del kept_contexts[next(iter(kept_contexts))]
    kept_contexts[key] = context
