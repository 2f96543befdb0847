"""The terminal game in plain lines: whole sessions are typed, and all output is checked."""

import io
import re
from pathlib import Path
from random import Random

import pytest
from rich.text import Text

from apps.blackjack.engine.rules import TERMINAL_RULES, rules_from_text
from apps.blackjack.terminal import advice
from apps.blackjack.terminal.advice import Advisor
from apps.blackjack.terminal.drawing import CARD_LINES, cards_block, side_by_side
from apps.blackjack.terminal.lines import LineTable
from apps.blackjack.terminal.main import main
from apps.blackjack.terminal.scene import UNITS_A_CHIP, rules_text
from apps.blackjack.terminal.session import Leave, Player, Session
from apps.cards.card import CARDS
from apps.cards.notation import parse_cards


def typed(keys: str, *, seed: str = "a", rules: str = "", players: tuple[Player, ...] = ()) -> tuple[Session, str]:
    """Type `keys`, one line for each word (`_` is an empty line); return the session and its output."""
    lines = "".join(("" if word == "_" else word) + "\n" for word in keys.split())
    target = io.StringIO()
    chosen = rules_from_text(rules.split(), base=TERMINAL_RULES)
    session = Session(players or (Player("Ann", 100),), chosen, seed)
    try:
        with LineTable(io.StringIO(lines), target) as table:
            session.play(table)
    except Leave:
        session.round_abandon()
    return session, target.getvalue()


def test_a_natural_is_paid_at_once() -> None:
    session, text = typed("10 q", seed="29")
    assert "Ann: Ad 10s (21) bet 10: blackjack\nAnn: blackjack pays 3:2, 25 back for 10" in text
    assert session.players[0].units == 115 * UNITS_A_CHIP


def test_a_double_is_played_with_twice_the_bet() -> None:
    session, text = typed("10 d q", seed="219")
    assert "Ann, your move [h hit, s stand, d double, ? hint, q quit]: " in text
    assert "Ann: 5h 6d 2h (13) bet 20: lose\nAnn: 13 loses to 17, 20 lost" in text
    assert session.players[0].units == 80 * UNITS_A_CHIP


def test_a_split_is_played_from_the_highest_hand_and_paid_hand_by_hand() -> None:
    _, text = typed("10 p s s q", seed="1360")
    assert text.index("Ann, hand 2 of 2 [h hit, s stand, ? hint, q quit]") < text.index("Ann, hand 1 of 2")
    assert "Ann, hand 1: 8h Qh (18) bet 10" in text
    assert "Ann, hand 2: 8c 6s (14) bet 10" in text
    assert re.search(r"Ann: [+-]?\d+ in all", text)


def test_a_bust_shows_the_lost_bet() -> None:
    _, text = typed("10 h q", seed="425")
    assert "Ann: 26, bust, 10 lost" in text


def test_late_surrender_gives_half_back() -> None:
    session, text = typed("5 r q", seed="425", rules="surrender=late")
    assert "Ann: surrendered, 2.5 back of 5" in text
    assert session.players[0].units == 97.5 * UNITS_A_CHIP


def test_early_surrender_is_offered_against_an_ace() -> None:
    _, text = typed("10 r q", seed="21", rules="surrender=early")
    assert "Ann, the dealer shows an ace [n no, go on, r surrender, ? hint, q quit]: " in text
    assert "Ann: surrendered, 5 back of 10" in text


def test_insurance_pays_two_to_one_against_a_dealers_blackjack() -> None:
    session, text = typed("10 i q", seed="21", rules="insurance=exact-half")
    assert "Ann: 6 loses to the dealer's blackjack, 10 lost" in text
    assert "Ann: insurance pays 2:1, 15 back for 5\nAnn: 0 in all" in text
    assert session.players[0].units == 100 * UNITS_A_CHIP


def test_insurance_up_to_half_asks_for_an_amount_and_loses_without_a_blackjack() -> None:
    session, text = typed("10 i 9 3 s q", seed="79", rules="insurance=up-to-half")
    assert "Ann, your insurance (1 to 5) [5]: '9' is no number from 1 to 5." in text
    assert "Insurance is lost." in text
    assert "The dealer looked at the hole card: no blackjack." in text
    assert "Ann: insurance, 3 lost" in text
    assert session.players[0].statistics.staked == 13 * UNITS_A_CHIP


def test_an_insured_blackjack_wins_the_stake_from_a_dealer_s_blackjack() -> None:
    session, text = typed("10 i q", seed="832", rules="insurance=exact-half")
    assert "Ann: 21 pushes, 10 back for 10" in text
    assert session.players[0].units == 110 * UNITS_A_CHIP


def test_hints_are_basic_strategy() -> None:
    _, text = typed("10 ? p ? s s q", seed="1360")
    assert "Basic strategy: split." in text
    assert text.count("Basic strategy: stand.") == 1
    solo = "decks=8 surrender=late double_after_split=true insurance=exact-half"
    _, text = typed("10 ? n ? r q", seed="478", rules=solo)
    assert re.findall(r"Basic strategy: (.*)\.", text) == ["no, go on", "surrender"]


def test_the_strategy_of_other_rules_is_computed_once_and_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "CACHE_DIR", tmp_path / "var" / "figures")
    rules = "simple=on decks=infinite dealer_peek=off"
    _, text = typed("10 ? h ? h ? q", seed="1", rules=rules)
    assert text.count("Computing the strategy of these rules, some seconds ...") == 1
    assert "Basic strategy: " in text
    assert len(list((tmp_path / "var" / "figures").iterdir())) == 1
    assert "Working" not in typed("10 ? q", seed="1", rules=rules)[1]


def test_an_invalid_answer_is_asked_again() -> None:
    _, text = typed("101 ten -1 10 x double q", seed="219")
    for wrong in ("101", "ten", "-1"):
        assert f"{wrong!r} is no number from 0 to 100." in text
    assert "'x' is not possible here." in text
    assert "bet 20" in text, "a move may be typed as its word"


def test_enter_repeats_the_last_bet() -> None:
    _, text = typed("7 s _", seed="425")
    assert text.count("bet 7") == 3


def test_quitting_in_mid_round_returns_the_stake() -> None:
    session, _ = typed("40 q", seed="425")
    assert session.players[0].units == 100 * UNITS_A_CHIP
    assert session.summary()[:2] == ["Ann: 100 chips left (0)", "  no round finished"]


def test_the_game_ends_when_all_chips_are_lost() -> None:
    session, text = typed("10 h", seed="425", players=(Player("Ann", 10),))
    assert text.endswith("Chips: Ann 0\nThe chips are gone.\n\n")
    assert session.summary() == [
        "Ann: 0 chips left (-10)",
        "  rounds 1, hands 1: won 0, pushed 0, lost 1",
        "  blackjacks 0, busts 1, bet 10, back 0",
        "The same cards again: --seed 425",
    ]


def test_double_and_split_are_offered_only_with_enough_chips() -> None:
    _, text = typed("60 s q", seed="219")
    assert "Ann, your move [h hit, s stand, ? hint, q quit]: " in text


def test_a_player_can_sit_out() -> None:
    _, text = typed("0 0 5 s 0 q", players=(Player("Ann", 50), Player("Bob", 50)))
    assert "Nobody has bet. q quits." in text
    assert "Ann: " in text
    assert "Bob, hand" not in text


def test_the_same_seed_deals_the_same_cards_and_another_does_not() -> None:
    keys = "10 s 10 s 10 s 10 s 10 s q"
    assert typed(keys, seed="a")[1] == typed(keys, seed="a")[1]
    assert typed(keys, seed="a")[1] != typed(keys, seed="b")[1]


RULES = [
    "",
    "decks=6 surrender=late insurance=up-to-half double_after_split=on split_non_ace=3",
    "decks=infinite surrender=early insurance=exact-half split_ace=3 blackjack_pays=6:5",
    "decks=2 dealer_peek=off insurance=exact-half",
    "simple=on decks=8",
    "decks=8 surrender=late double_after_split=on insurance=exact-half",
    "decks=6 surrender=early-not-ace split_non_ace=3 hit_split_ace=off double_after_split=on insurance=exact-half",
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("count", [1, 3, 7])
def test_random_sessions_keep_correct_accounts(rules: str, count: int) -> None:
    random = Random(f"{rules}{count}")
    # Hints are asked for only with rules whose strategy is shipped, since computing one takes seconds.
    known = Advisor(rules_from_text(rules.split(), base=TERMINAL_RULES)).is_ready
    offered = ["h", "s", "s", "d", "p", "p", "r", "i", "n", "n", "_", "3", *(["?"] if known else [])]
    keys = " ".join(random.choice(offered) for _ in range(900))
    players = tuple(Player(f"P{place}", 60) for place in range(count))
    session, text = typed(keys, rules=rules, players=players, seed=rules)
    assert session.rounds > 5
    assert ("Basic strategy" in text) is known
    for player in players:
        statistics = player.statistics
        assert player.units == player.chips * UNITS_A_CHIP - statistics.staked + statistics.paid
        assert statistics.won + statistics.pushed + statistics.lost == statistics.hands >= statistics.rounds


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("", "blackjack pays 3:2, 1 deck, dealer stands on soft 17"),
        ("decks=infinite dealer_peek=off", "blackjack pays 3:2, infinite deck, dealer stands on soft 17, no hole card"),
        ("decks=6 simple=on", "blackjack pays 3:2, 6 decks, dealer stands on soft 17, hit and stand alone"),
        (
            "blackjack_pays=6:5 dealer_hits_soft_17=on double=9-11 surrender=early insurance=exact-half",
            "blackjack pays 6:5, 1 deck, dealer hits soft 17, double on 9-11, early surrender, insurance",
        ),
    ],
)
def test_rules_are_described_in_one_line(options: str, text: str) -> None:
    assert rules_text(rules_from_text(options.split(), base=TERMINAL_RULES)) == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "8"], "1 to 7 players can play"),
        (["--players", "0"], "1 to 7 players can play"),
        (["--bankroll", "0"], "a whole number of chips from 1 to 1000000 is expected"),
        (["--bankroll", "many"], "a whole number of chips from 1 to 1000000 is expected"),
        (["--rules", "decks=12"], "decks is 12; 1 to 8 are possible, or 9 for an infinite deck"),
        (["--rules", "surrender=late", "dealer_peek=off"], "there is no peek to be late for"),
    ],
)
def test_invalid_arguments_of_the_command_line_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refusal:
        main(arguments)
    assert refusal.value.code == 2
    assert message in capsys.readouterr().err


def test_cards_are_drawn_side_by_side() -> None:
    hand = parse_cards("H10 S1")
    assert [line.plain for line in cards_block(hand, columns=80, hidden=True)] == [
        "┌─────┐ ┌─────┐ ┌─────┐",
        "│10   │ │A    │ │░░░░░│",
        "│  ♥  │ │  ♠  │ │░░░░░│",
        "│   10│ │    A│ │░░░░░│",
        "└─────┘ └─────┘ └─────┘",
    ]


@pytest.mark.parametrize("columns", [18, 30, 80])
@pytest.mark.parametrize("count", range(1, 13))
def test_hands_fit_their_width(count: int, columns: int) -> None:
    block = cards_block(CARDS[:count], columns=columns)
    assert len(block) == CARD_LINES
    assert len({line.cell_len for line in block}) == 1
    assert block[0].cell_len <= columns


def test_blocks_stand_side_by_side() -> None:
    assert [line.plain for line in side_by_side([[Text("a"), Text("bbb")], [Text("c"), Text("d")]])] == [
        "a    c",
        "bbb  d",
    ]
