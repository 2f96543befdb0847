"""Deals every solo round again from its seeds: in bulk where its game can, one by one where it cannot.

The result is compared with the record: the cards, and what each bet pays. `apps.rounds.round_rows_check` compares a
round's rows with each other. `apps.tables.all_rounds_check` checks rounds at tables with all their seats.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from django.db.models import Q, QuerySet

from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.fairness.round_seeds import RoundSeeds, Seeds
from apps.fairness.services import draw_again
from apps.office.verification.rounds import record_check
from apps.rounds.bulk_check import BulkCheck, RoundScope
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import game_ids, games
from apps.tables.all_rounds_check import UNREADABLE, unreadable_reason

_ROUNDS_AT_ONCE: Final = 2_000


def rounds_redeal(*, at_most: int, scope: RoundScope) -> Check:
    """Deal the rounds in scope again up to their current state. The caller has opened `one_moment`.

    Names `at_most` rounds. `checked` counts rounds.
    """
    transaction_require()
    found = _Found(at_most)
    rounds = rounds_in_scope(scope).order_by("seed_pair", "nonce")  # so that each seed is opened once
    for game in games():
        relations = ("seed_pair", "currency", *game.explanation.reads)
        of_game = rounds.filter(game=game.id).prefetch_related(*relations)
        if game.bulk_check is None:
            found.look_closely(of_game.iterator(chunk_size=_ROUNDS_AT_ONCE))
        else:
            found.look_in_bulk(game.bulk_check, of_game, scope)
    found.look_closely(rounds.exclude(game__in=game_ids()).iterator(chunk_size=_ROUNDS_AT_ONCE))
    return Check(found.count, found.findings)


def rounds_in_scope(scope: RoundScope) -> QuerySet[Round]:
    """Return the rounds that are no table's, in no order."""
    rounds = Round.objects.filter(table_round__isnull=True).order_by()
    if scope.partner_id is not None:
        rounds = rounds.filter(partner_id=scope.partner_id)
    if scope.since is not None:
        rounds = rounds.filter(Q(how_ended=RoundEnd.OPEN) | Q(ended_at__gte=scope.since))
    return rounds


class _Found:
    """The number of checked rounds, and the findings."""

    def __init__(self, at_most: int) -> None:
        self.count = 0
        self.findings: list[Finding] = []
        self._at_most = at_most

    def look_in_bulk(self, bulk_check: BulkCheck, rounds: QuerySet[Round], scope: RoundScope) -> None:
        """Fully check only the rounds that the game's bulk check doubts."""
        for batch in bulk_check(scope):
            self.count += batch.checked - len(batch.doubted)
            if batch.doubted:
                self.look_closely(rounds.filter(pk__in=batch.doubted))

    def look_closely(self, rounds: Iterable[Round]) -> None:
        seeds = _Seeds()
        for played in rounds:
            self.count += 1
            if len(self.findings) < self._at_most and (faults := _round_faults(played, seeds)):
                self.findings.append(Finding(f"round {played.pk}", "; ".join(faults)))


class _Seeds:
    """Decrypts each seed pair once for its consecutive rounds."""

    def __init__(self) -> None:
        self._opened: tuple[int, Seeds] | None = None

    def of(self, played: Round) -> RoundSeeds:
        pair = played.seed_pair
        assert pair is not None
        if self._opened is None or self._opened[0] != pair.pk:
            draw = draw_again(pair, played.nonce)
            self._opened = pair.pk, Seeds(draw.server_seed, draw.client_seed, draw.nonce)
        return replace(self._opened[1], nonce=played.nonce)


def _round_faults(played: Round, seeds: _Seeds) -> list[str]:
    try:
        faults = record_check(played, seeds.of(played)).differences
    except UNREADABLE as error:
        return [f"it cannot be dealt again from its record: {unreadable_reason(error)}"]
    if faults and played.how_ended == RoundEnd.OPEN:
        return ["it is open, and what is recorded of it does not follow from its seeds"]
    return faults
