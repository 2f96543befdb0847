"""Road maps against worked examples from public descriptions of baccarat scoreboards."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.baccarat.engine import Winner
from apps.baccarat.roads import BigRoadCell, RoadColour, RoadResult, roads

VECTORS = Path(__file__).parents[1] / "vectors" / "roads.json"
LETTERS = {"B": Winner.BANKER, "P": Winner.PLAYER, "T": Winner.TIE}
COLOURS = {RoadColour.RED: "r", RoadColour.BLUE: "b"}


def results(text: str) -> list[RoadResult]:
    return [RoadResult(LETTERS[letter]) for letter in text]


def big_road(text: str) -> list[tuple[int, int, str]]:
    return [(cell.column, cell.row, cell.winner.name[0]) for cell in roads(results(text)).big_road]


def derived(text: str) -> tuple[str, str, str]:
    """Return the colours of big eye boy, small road and cockroach pig, in the order they were drawn."""
    drawn = roads(results(text))
    eye, small, pig = (
        "".join(COLOURS[cell.colour] for cell in road)
        for road in (drawn.big_eye_boy, drawn.small_road, drawn.cockroach_pig)
    )
    return eye, small, pig


def test_the_bead_plate_is_filled_column_by_column_six_deep() -> None:
    cells = roads(results("BPTBPTB")).bead_plate
    assert [(cell.column, cell.row, cell.winner.name[0]) for cell in cells] == [
        (0, 0, "B"), (0, 1, "P"), (0, 2, "T"), (0, 3, "B"), (0, 4, "P"), (0, 5, "T"), (1, 0, "B"),
    ]  # fmt: skip


def test_the_big_road_begins_a_column_with_each_change_of_side() -> None:
    assert big_road("BBPBPP") == [(0, 0, "B"), (0, 1, "B"), (1, 0, "P"), (2, 0, "B"), (3, 0, "P"), (3, 1, "P")]


def test_ties_are_marked_on_the_win_before_them() -> None:
    cells = roads(results("BTTPTB")).big_road
    assert [(cell.winner.name[0], cell.ties) for cell in cells] == [("B", 2), ("P", 1), ("B", 0)]


def test_ties_before_the_first_win_are_marked_on_it() -> None:
    cells = roads(results("TTB")).big_road
    assert [(cell.column, cell.row, cell.winner.name[0], cell.ties) for cell in cells] == [(0, 0, "B", 2)]
    (only,) = roads(results("TT")).big_road
    assert only == BigRoadCell(0, 0, Winner.TIE, 2, player_pair=False, banker_pair=False)


def test_a_tie_neither_ends_a_streak_nor_marks_a_derived_road() -> None:
    with_ties, without = roads(results("BTBTPPTB")), roads(results("BBPPB"))
    assert [(cell.column, cell.row) for cell in with_ties.big_road] == [
        (cell.column, cell.row) for cell in without.big_road
    ]
    assert with_ties.big_eye_boy == without.big_eye_boy


def test_a_streak_of_more_than_six_turns_right_as_a_dragon_tail() -> None:
    assert big_road("B" * 8) == [(0, row, "B") for row in range(6)] + [(1, 5, "B"), (2, 5, "B")]


def test_a_streak_beside_a_dragon_tail_turns_above_it() -> None:
    cells = big_road("B" * 8 + "P" * 7)
    assert cells[8:] == [(1, row, "P") for row in range(5)] + [(2, 4, "P"), (3, 4, "P")]


def test_tails_upon_tails_never_share_a_cell() -> None:
    text = "".join(side * 12 for side in "BPBPBPBPBP")
    cells = [(column, row) for column, row, _ in big_road(text)]
    assert len(cells) == len(set(cells)) == 120
    assert max(row for _, row in cells) == 5


def test_pairs_are_marked_where_they_fell() -> None:
    drawn = roads([RoadResult(Winner.BANKER, player_pair=True), RoadResult(Winner.TIE, banker_pair=True)])
    assert [(cell.player_pair, cell.banker_pair) for cell in drawn.bead_plate] == [(True, False), (False, True)]
    assert drawn.big_road[0].player_pair
    assert not drawn.big_road[0].banker_pair


@pytest.mark.parametrize(
    ("text", "eye", "small", "pig"),
    [
        pytest.param("B", "", "", "", id="nothing to compare"),
        pytest.param("BP", "", "", "", id="column 2 row 1 is before the start"),
        # Big eye boy starts with column 2 row 2, or else column 3 row 1.
        pytest.param("BPP", "b", "", "", id="longer than the streak before"),
        pytest.param("BBPP", "r", "", "", id="as long as the streak before"),
        pytest.param("BBBPP", "r", "", "", id="shorter, beside a cell that is filled"),
        pytest.param("BPB", "r", "", "", id="two streaks of one length"),
        pytest.param("BBPB", "b", "", "", id="two streaks of different lengths"),
        # One below the end of the streak before is blue, and further down it is red again.
        pytest.param("BPPPP", "brr", "", "", id="straight down"),
        # Chop: every streak is one long; all roads are red as soon as they start.
        pytest.param("BPBPBPBP", "rrrrrr", "rrrrr", "rrrr", id="chop"),
        pytest.param("BBPPBBPP", "rrrrr", "rrr", "r", id="twos"),
        # Streaks 1 2 1 2: neighbours differ, every other one is alike.
        pytest.param("BPPBPPBPP", "bbbbbbb", "rrrrr", "bbbb", id="one and two by turns"),
    ],
)
def test_derived_roads_compare_streaks(text: str, eye: str, small: str, pig: str) -> None:
    assert derived(text) == (eye, small, pig)


def test_derived_roads_follow_the_streaks_and_not_the_tails_of_the_grid() -> None:
    # Seven and seven: each entry of the second streak lies beside one of the first, wherever the tail is drawn.
    assert derived("B" * 7 + "P" * 7)[0] == "rrrrrr"
    assert derived("B" * 7 + "P" * 8)[0] == "rrrrrrb"


def test_derived_roads_begin_a_column_with_each_change_of_colour() -> None:
    cells = roads(results("BPPBPP")).big_eye_boy
    colours = [COLOURS[cell.colour] for cell in cells]
    columns = [cell.column for cell in cells]
    changes = [after != before for before, after in pairwise(colours)]
    assert [after - before for before, after in pairwise(columns)] == [int(c) for c in changes]


def derived_by_cells(text: str, distance: int) -> str:
    """Draw a derived road as scoreboards are explained to players: by cells of the big road that are filled or empty.

    In the first row: were the streak before and the one `distance` before it as long? Below: is the cell `distance` to
    the left as the one above that, both filled or both empty?
    """
    filled: set[tuple[int, int]] = set()
    column, row, last, marks = -1, 0, "", ""
    for letter in text.replace("T", ""):
        column, row = (column, row + 1) if letter == last else (column + 1, 0)
        last = letter
        filled.add((column, row))
        if (column, row) < (distance, 1):
            continue
        if row == 0:
            lengths = [sum(1 for cell in filled if cell[0] == one) for one in (column - 1, column - 1 - distance)]
            alike = lengths[0] == lengths[1]
        else:
            left = column - distance
            alike = ((left, row) in filled) == ((left, row - 1) in filled)
        marks += "r" if alike else "b"
    return marks


@given(st.text("BPT", max_size=80))
def test_derived_roads_are_those_that_players_draw_by_cells(text: str) -> None:
    assert derived(text) == tuple(derived_by_cells(text, distance) for distance in (1, 2, 3))


@given(st.text("BPT", max_size=120))
def test_every_road_keeps_to_its_grid_and_fills_no_cell_twice(text: str) -> None:
    drawn = roads(results(text))
    for road in (drawn.bead_plate, drawn.big_road, drawn.big_eye_boy, drawn.small_road, drawn.cockroach_pig):
        cells = [(cell.column, cell.row) for cell in road]
        assert len(set(cells)) == len(cells)
        assert all(0 <= row < 6 for _, row in cells)
    assert len(drawn.bead_plate) == len(text)
    ties = sum(cell.ties for cell in drawn.big_road)
    assert ties == text.count("T")


def test_the_vectors_of_the_browser_are_these_roads() -> None:
    vectors = json.loads(VECTORS.read_text())
    assert [{"winners": vector["winners"], "roads": written(vector["winners"])} for vector in vectors] == vectors


def written(text: str) -> dict[str, str]:
    """Return each road as text: a cell is a letter, its column and row, and a `t` for each tie on it."""
    drawn = roads(results(text))
    return {
        "beadPlate": " ".join(f"{cell.winner.value[0]}{cell.column}.{cell.row}" for cell in drawn.bead_plate),
        "bigRoad": " ".join(
            f"{cell.winner.value[0]}{cell.column}.{cell.row}{'t' * cell.ties}" for cell in drawn.big_road
        ),
        **{
            name: " ".join(f"{cell.colour.value[0]}{cell.column}.{cell.row}" for cell in road)
            for name, road in (
                ("bigEyeBoy", drawn.big_eye_boy),
                ("smallRoad", drawn.small_road),
                ("cockroachPig", drawn.cockroach_pig),
            )
        },
    }
