"""The game on the whole screen of a terminal: large cards, single keys."""

from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group
from rich.rule import Rule
from rich.text import Text

from apps.blackjack.terminal.drawing import cards_block, side_by_side
from apps.blackjack.terminal.keys import BACKSPACE, ENTER, Keys
from apps.blackjack.terminal.scene import (
    QUIT_KEY,
    Scene,
    SeatScene,
    cards_text,
    hand_text,
    number_refused_text,
    value_text,
)
from apps.blackjack.terminal.session import Leave

_MAX_DIGITS: Final = 9
_GAP: Final = 2


class ScreenTable:
    """Draws each scene on the terminal's alternate screen, which is restored at the end."""

    def __init__(self, console: Console, keyboard: int) -> None:
        self._console = console
        self._keys = Keys(keyboard)

    def __enter__(self) -> Self:
        self._keys.__enter__()
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._console.show_cursor(True)
        self._console.line()  # some terminals have no second screen: what follows begins below the scene
        self._console.set_alt_screen(False)
        self._keys.__exit__(kind, error, trace)

    def show(self, scene: Scene) -> None:
        self._draw(scene, Text())

    def pause(self, scene: Scene, prompt: str, /) -> None:
        self._draw(scene, _offer("", {"Enter": prompt, QUIT_KEY[0]: QUIT_KEY[1]}))
        while (key := self._read()) not in (ENTER, " "):
            if key == QUIT_KEY[0]:
                raise Leave

    def choose(self, scene: Scene, prompt: str, keys: Mapping[str, str]) -> str:
        self._draw(scene, _offer(prompt, keys))
        while (key := self._read()) not in keys:
            pass
        return key

    def number(self, scene: Scene, prompt: str, *, default: int, limits: range) -> int:
        typed, shown = "", scene
        while True:
            line = Text(f"{prompt}: ", "bold").append(typed or f"[{default}]", "bold cyan")
            line.append("  ").append_text(_offer("", {"Enter": "bet", QUIT_KEY[0]: QUIT_KEY[1]}))
            self._draw(shown, line)
            key = self._read()
            if key == QUIT_KEY[0]:
                raise Leave
            if key == ENTER:
                if not typed:
                    return default
                if int(typed) in limits:
                    return int(typed)
                shown = replace(scene, notes=[*scene.notes, number_refused_text(typed, limits)])
                typed = ""
            elif key == BACKSPACE:
                typed = typed[:-1]
            elif key.isascii() and key.isdigit() and len(typed) < _MAX_DIGITS:
                typed += key

    def _read(self) -> str:
        try:
            return self._keys.read().lower()
        except EOFError:
            raise Leave from None

    def _draw(self, scene: Scene, last_line: Text) -> None:
        """Draw cards large if the screen is high enough: of a scene that is higher, the dealer's cards would be out of
        sight."""
        last_line.end = ""  # a new line after the last one would move the first one out of sight
        drawn = self._group(scene, last_line, is_large=True)
        if len(self._console.render_lines(drawn)) > self._console.height:
            drawn = self._group(scene, last_line, is_large=False)
        self._console.clear()
        self._console.print(drawn, end="")

    def _group(self, scene: Scene, last_line: Text, *, is_large: bool) -> Group:
        lines: list[Text | Rule] = [Rule(scene.title, style="green")]
        if scene.dealer and is_large:
            lines.append(_label("Dealer", value_text(scene.dealer)))
            lines += cards_block(scene.dealer, columns=self._console.width, hidden=scene.has_hidden_hole)
        elif scene.dealer:
            cards = cards_text(scene.dealer, hidden=scene.has_hidden_hole)
            lines.append(_label("Dealer", f"{cards} ({value_text(scene.dealer)})"))
        shown_large = _large(scene) if is_large else None
        for seat in scene.seats:
            lines += self._seat_lines(seat, is_large=seat is shown_large)
        lines.append(Text())
        lines += [Text(note, "yellow") for note in scene.notes]
        lines.append(last_line)
        return Group(*lines)

    def _seat_lines(self, seat: SeatScene, *, is_large: bool) -> list[Text]:
        name = Text("> " if seat.is_asked else "  ", "bold green").append(seat.name, "bold")
        name.append(f"  {seat.chips} chips")
        if seat.seat is None:
            return [name]
        hands = seat.seat.hands
        if not is_large:
            return [name.append("  " + "; ".join(hand_text(hand) for hand in hands))]
        room = self._console.width // len(hands) - _GAP
        blocks = []
        for index, hand in enumerate(hands):
            label = Text(hand_text(hand)[-room:] if len(hands) == 1 else f"{value_text(hand.cards)}")
            if len(hands) > 1 and index == seat.playing_hand:
                label = Text("* ", "bold green").append_text(label)
            blocks.append([*cards_block(hand.cards, columns=room), label])
        return [name, *side_by_side(blocks, gap=_GAP)]


def _large(scene: Scene) -> SeatScene | None:
    """Return the seat whose cards are drawn large: the one to act, or the only one."""
    playing = [seat for seat in scene.seats if seat.seat is not None]
    for seat in playing:
        if seat.is_asked:
            return seat
    return playing[0] if len(playing) == 1 else None


def _label(name: str, value: str) -> Text:
    return Text(f"  {name}", "bold").append(f"  {value}")


def _offer(prompt: str, keys: Mapping[str, str]) -> Text:
    """Return the line of keys."""
    line = Text(f"{prompt}: " if prompt else "", "bold")
    for key, meaning in keys.items():
        line.append(f"[{key}]", "bold cyan").append(f" {meaning}  ")
    return line
