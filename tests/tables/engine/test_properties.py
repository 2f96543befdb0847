"""Random commands of players, clocks and staff keep the invariants that `TableRun` checks, and the sums of money."""

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.baccarat.table import TABLE as BACCARAT
from apps.blackjack.table import TABLE as BLACKJACK
from apps.dragon_tiger.table import TABLE as DRAGON_TIGER
from apps.rounds.table_game import PayloadInvalid, TableGame, TableRefusal
from apps.tables.engine.state import Ending, TablePhase
from apps.tables.engine.transitions import JoinRefused
from tests.tables.engine.table_run import TableRun, contribution_of

PLAYERS = ("anna", "ben", "cara", "dora")
WINDOW_ACTIONS = ("place_bet", "ready", "clear_bets", "no_bet")
DECISIONS = ("hit", "stand", "double_down", "split", "surrender", "insurance")

blackjack_rules = st.fixed_dictionaries(
    {},
    optional={
        "decks": st.sampled_from([1, 2, 8, None]),
        "dealerHitsSoft17": st.booleans(),
        "dealerPeek": st.booleans(),
        "simple": st.booleans(),
        "speed": st.booleans(),
        "double": st.sampled_from(["any", "9-11", "10-11"]),
        "surrender": st.sampled_from(["off", "late", "early", "early-not-ace"]),
        "surrenderAfterHit": st.booleans(),
        "splitNonAce": st.integers(0, 3),
        "splitAce": st.integers(0, 3),
        "hitSplitAce": st.booleans(),
        "insurance": st.sampled_from(["off", "exact-half", "up-to-half"]),
        "blackjackPays": st.sampled_from(["3:2", "6:5"]),
    },
).filter(lambda rules: rules.get("dealerPeek", True) or rules.get("surrender", "off") in ("off", "early"))
commands = st.lists(
    st.one_of(
        st.tuples(st.just("join"), st.sampled_from(PLAYERS), st.integers(1, 5) | st.none()),
        st.tuples(st.just("leave"), st.sampled_from(PLAYERS)),
        st.tuples(st.just("drop"), st.sampled_from(PLAYERS)),
        st.tuples(st.just("back"), st.sampled_from(PLAYERS)),
        st.tuples(
            st.just("bet"), st.sampled_from(PLAYERS), st.integers(0, 13), st.sampled_from([2, 10, 20, 100, 5000])
        ),
        st.tuples(st.just("window"), st.sampled_from(PLAYERS), st.sampled_from(WINDOW_ACTIONS[1:])),
        st.tuples(st.just("decide"), st.integers(0, 6), st.integers(0, 5)),
        st.tuples(st.just("decide"), st.integers(0, 6), st.integers(0, 5)),
        st.tuples(st.just("anything"), st.sampled_from(PLAYERS), st.sampled_from(DECISIONS)),
        st.tuples(st.just("deadline")),
        st.tuples(st.just("time"), st.sampled_from([0, 1, 999, 10_000, 200_000])),
        st.tuples(st.just("close")),
        st.tuples(st.just("open")),
        st.tuples(st.just("void")),
    ),
    min_size=5,
    max_size=60,
)


def join_try(run: TableRun, player: str, seat: int | None) -> None:
    """Take a seat, unless the rules refuse it."""
    if run.state.phase is TablePhase.CLOSED:
        return
    try:
        run.join(player, seat, contribution=contribution_of(player))
    except JoinRefused as error:
        refused = error.code
    else:
        return
    assert refused == refusal_expected(run, seat)


def refusal_expected(run: TableRun, seat: int | None) -> str:
    """Return the code of the refusal of a new seat; an empty text if there is no reason for one."""
    if run.state.is_closing:
        return "TABLE_NOT_FOUND"
    if len(run.state.seats) == run.terms.seats:
        return "TABLE_FULL"
    return "" if seat is None else "SEAT_TAKEN"


def command_do(run: TableRun, command: tuple[Any, ...]) -> None:
    """Carry out one command; the rules may refuse it."""
    name, *rest = command
    match name:
        case "join":
            join_try(run, *rest)
        case "bet":
            bet_types = list(run.terms.limits)
            fields = {} if run.game is BLACKJACK else {"betType": bet_types[rest[1] % len(bet_types)]}
            sides = {"perfectPairs": 1} if run.game is BLACKJACK and rest[1] == 1 else {}
            run.submit(rest[0], "place_bet", amount=rest[2], **fields, **sides)
        case "window" | "anything":
            try:
                run.submit(rest[0], rest[1])
            except (TableRefusal, PayloadInvalid):
                assert run.game is not BLACKJACK
        case "decide":
            turns = run.turns()
            if turns:
                player = turns[rest[0] % len(turns)]
                offers = run.offered(player)
                run.act(player, offers[rest[1] % len(offers)])
        case "deadline":
            if run.state.deadline is not None:
                run.wait()
        case "time":
            run.wait(rest[0])
        case _:
            getattr(run, name)(*rest)


def run_to_the_end(run: TableRun) -> None:
    """Let all players leave and the running round end, and compare the sums."""
    for seat in run.state.seats:
        run.leave(seat.player)
    while run.state.deadline is not None:
        run.wait()
    assert run.state.phase in (TablePhase.WAITING, TablePhase.CLOSED)
    closed = [one for change in run.changes for one in change.closed]
    opened = [one.id for change in run.changes for one in change.opened]
    assert [one.round.id for one in closed] == opened
    assert [one.round.number for one in closed] == list(range(1, len(closed) + 1))
    nets: Counter[str] = Counter()
    for one in closed:
        assert (one.ending is Ending.UNSTAKED) <= (one.drawn == 0)
        for outcome in one.outcomes:
            nets[outcome.player] += outcome.paid - outcome.staked
    if not run.terms.is_points:
        assert all(run.wallets[player] == nets[player] for player in PLAYERS)


def played(game: TableGame[Any], steps: list[tuple[Any, ...]], **terms: Any) -> TableRun:
    run = TableRun(game, chain_length=3, seats=min(5, game.seats_max), **terms)
    run.join("anna", contribution=contribution_of("anna"))
    for step in steps:
        command_do(run, step)
    run_to_the_end(run)
    return run


MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(rules=blackjack_rules, steps=commands, wallet=st.sampled_from([0, 2_500, 10**7]), real=st.booleans())
def test_blackjack_for_money_keeps_every_invariant(
    rules: dict[str, Any], steps: list[Any], wallet: int, real: bool
) -> None:
    played(BLACKJACK, steps, rules=rules, wallet=wallet, real_money=real)


@MANY
@given(rules=blackjack_rules, inverted=st.booleans(), steps=commands)
def test_blackjack_for_points_keeps_every_invariant_and_points_sum_to_0(
    rules: dict[str, Any], inverted: bool, steps: list[Any]
) -> None:
    run = played(BLACKJACK, steps, rules={**rules, "inverted": inverted}, is_points=True)
    assert run.wallets.total() == 0


@MANY
@given(
    game=st.sampled_from([BACCARAT, DRAGON_TIGER]),
    decks=st.sampled_from([1, 8, None]),
    steps=commands,
    real=st.booleans(),
    points=st.booleans(),
    pause=st.sampled_from([0, 5_000]),
)
def test_one_deal_games_keep_every_invariant(
    game: TableGame[Any], decks: int | None, steps: list[Any], real: bool, points: bool, pause: int
) -> None:
    limits = None
    if game is BACCARAT and not points:
        limits = {bet: {"minAmount": 1, "maxAmount": 1000} for bet in game.bet_labels}
    played(
        game,
        steps,
        rules={"decks": decks},
        real_money=real and not points,
        is_points=points,
        pause_ms=pause,
        limits=limits,
    )
