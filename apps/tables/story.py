"""Describes a table's round step by step for people, from its log and its replay. It names no game. The cards come from
the replay with the revealed seed, or from the table's public state while the round is running.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext

from apps.core.list_texts import clause_list, comma_list
from apps.core.money import quantum_of
from apps.core.number_texts import money_text
from apps.fairness.engine import chain_seed
from apps.fairness.round_seeds import TableSeeds
from apps.fairness.seed_encryption import seed_decrypt
from apps.rounds.explanation import ExplainedStep
from apps.rounds.table_game import WINDOW_ACTIONS, Bets, SeatDecision, SeatResult, TableGame, TableTerms
from apps.tables.card_steps import card_steps
from apps.tables.engine.codec import state_from_json, terms_from_json
from apps.tables.engine.replay import LoggedAction, ReplayResult, round_replay
from apps.tables.engine.state import Json
from apps.tables.hands import BY_THE_RULES, hands_shown
from apps.tables.models import TableAction, TableRound
from apps.tables.record import actions_of, round_record, stakes_of
from apps.tables.registry import table_game_of


def table_rounds_read(ids: Sequence[UUID]) -> dict[UUID, TableRound]:
    """Return rounds of tables by their ids, with all data of their explanation."""
    rounds = table_rounds_ready(TableRound.objects.filter(pk__in=ids))
    return {played.pk: played for played in rounds}


def table_rounds_ready(rounds: "QuerySet[TableRound]") -> "QuerySet[TableRound]":
    """Return the rounds with all data of a replay, and the names of the acting players."""
    actions = Prefetch("actions", TableAction.objects.select_related("player__at_tables").order_by("number"))
    return rounds.select_related("table__currency", "chain").prefetch_related(actions)


def seeds_of(played: TableRound) -> TableSeeds:
    """Return the seeds of a table's round. Until the round has ended they must not leave the process."""
    seed = played.seed or chain_seed(
        seed_decrypt(bytes(played.chain.sealed_seed), commitment=played.chain.commitment),
        played.chain.length,
        played.number - played.chain.first_round + 1,
    )
    return TableSeeds(seed, played.client_seed, played.nonce, played.shoe)


class TableRoundStory:
    """The story of a table's round for people, of the whole table or from a seat's view."""

    def __init__(self, played: TableRound) -> None:
        self.played = played
        self.game: TableGame[Any] = table_game_of(played.table.game_type)

    @cached_property
    def terms(self) -> TableTerms:
        return terms_from_json(self.played.terms)

    @cached_property
    def actions(self) -> list[LoggedAction]:
        return actions_of(self.played)

    @cached_property
    def replay(self) -> ReplayResult[Any] | None:
        """The replay of the round; None while its seed is not revealed."""
        if not self.played.seed:
            return None
        return round_replay(self.game, round_record(self.game, self.played, seeds_of(self.played)))

    @cached_property
    def stakes(self) -> dict[int, Bets]:
        """The stakes at the closing of the window, by seat."""
        return stakes_of(self.game, self.terms, self.actions)[0]

    @cached_property
    def costs(self) -> list[int]:
        """The amount that each action added to its seat's stakes."""
        return stakes_of(self.game, self.terms, self.actions)[1]

    @property
    def seats(self) -> list[int]:
        """The seats that staked."""
        return list(self.stakes)

    def shown(self) -> tuple[Json, dict[int, Json]]:
        """Return the visible state, now or at the end of the round, of the table and by seat."""
        if self.replay is not None:
            last = self.replay.steps[-1] if self.replay.steps else None
            return ({}, {}) if last is None else (last.table, last.seats)
        state = state_from_json(self.game, self.played.table.state)
        running = state.round
        if running is None or running.id != str(self.played.pk) or running.play is None:
            return {}, {}
        views = {
            seat: self.game.seat_view(running.terms, running.play, place) for place, seat in enumerate(running.seats)
        }
        return self.game.public_view(running.terms, running.play), views

    def steps(self) -> Iterator[ExplainedStep]:
        """Yield the round step by step, as everybody at the table saw it."""
        if self.replay is None or not self.replay.steps:
            return
        for index in range(len(self.replay.steps)):
            yield from self.step_parts(index)
        if self.replay.results:
            yield ExplainedStep(self._end_text(self.replay.results), BY_THE_RULES, hands_shown(*self.shown()))

    def step_parts(self, index: int) -> Iterator[ExplainedStep]:
        """Yield a step of the replay card by card: the deal, or a decision and its cards."""
        assert self.replay is not None
        step = self.replay.steps[index]
        before = self.replay.steps[index - 1] if index else None
        shown = [] if before is None else hands_shown(before.table, before.seats)
        text, who = "", BY_THE_RULES
        if step.by is not None:
            text = gettext("Seat {number}: {action}").format(number=step.by.seat, action=self.summary(step.by))
            who = "time was over" if step.by.timeout else f"seat {step.by.seat}"
        cards = [card.code for card in step.cards]
        yield from card_steps(text, who, shown, hands_shown(step.table, step.seats), cards)

    def decisions_of(self, player_id: int) -> Iterator[SeatDecision]:
        """Yield a player's decisions in order; a default action after a time-out is no decision."""
        if self.replay is None or not self.replay.steps:
            return
        rows = sorted(self.played.actions.all(), key=lambda row: row.number)
        recorded = zip(rows, self.actions, strict=True)
        decided = [row for row, taken in recorded if taken.action.name not in WINDOW_ACTIONS]
        for row, (before, step) in zip(decided, pairwise(self.replay.steps), strict=True):
            assert step.by is not None
            if row.player_id == player_id and not row.is_timeout:
                yield SeatDecision(before.play, self.seats.index(row.seat), step.by.action)

    def summary(self, taken: LoggedAction) -> str:
        """Return a decision in words."""
        action = taken.action
        text = gettext(action.name.replace("_", " "))
        if action.amount is not None:
            text += f" {self.money(action.amount)}"
        if action.bet_type:
            text = gettext("{action} on {bet}").format(action=text, bet=self._bet_label(action.bet_type))
        text = comma_list(
            [text, *(f"{self._bet_label(bet)} {self.money(units)}" for bet, units in action.extra.items())]
        )
        return gettext("{action} (time was over)").format(action=text) if taken.timeout else text

    def _bet_label(self, bet: str) -> str:
        return gettext(self.game.bet_labels.get(bet, bet))

    def money(self, units: int) -> str:
        """Return an amount at the table as text."""
        currency = self.played.table.currency
        if currency is None:
            return gettext("{points} points").format(points=units)
        return money_text(self.amount(units), currency)

    def amount(self, units: int) -> Decimal:
        """Return an amount in units of the table's currency, or in points."""
        return units * quantum_of(self.terms.decimals)

    def result_of(self, seat: int) -> SeatResult | None:
        """Return the result of a seat; None if the round was not played to its end."""
        if self.replay is None or not self.replay.results or seat not in self.seats:
            return None
        return self.replay.results[self.seats.index(seat)]

    def _end_text(self, results: Sequence[SeatResult]) -> str:
        texts = [
            gettext("seat {number} staked {stake}, {back} back").format(
                number=seat, stake=self.money(result.staked), back=self.money(result.paid)
            )
            for seat, result in zip(self.seats, results, strict=True)
        ]
        return gettext("The end: {seats}").format(seats=clause_list(texts))
