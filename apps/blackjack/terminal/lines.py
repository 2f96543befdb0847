"""The game as lines of text: for pipes, dumb terminals and screen readers."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self, TextIO

from apps.blackjack.terminal.scene import QUIT_KEY, Scene, cards_text, hand_text, number_refused_text, value_text
from apps.blackjack.terminal.session import Leave


class LineTable:
    """Prints changes and reads answers as lines; at the end of the input the player leaves."""

    def __init__(self, source: TextIO, target: TextIO) -> None:
        self._source = source
        self._target = target
        self._signs = "utf" in (target.encoding or "").lower()
        self._last: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # End the line of an unanswered question.
        self._print("")

    def show(self, scene: Scene) -> None:
        lines = self._lines(scene)
        for line in lines:
            if line not in self._last:
                self._print(line)
        self._last = [line for line in lines if line not in scene.notes]

    def pause(self, scene: Scene, _prompt: str, /) -> None:
        # The reader of a pipe needs no pause.
        self.show(scene)

    def choose(self, scene: Scene, prompt: str, keys: Mapping[str, str]) -> str:
        self.show(scene)
        offer = ", ".join(f"{key} {meaning}" for key, meaning in keys.items())
        while True:
            answer = self._ask(f"{prompt} [{offer}]: ").lower()
            for key, meaning in keys.items():
                if answer in (key, meaning):
                    return key
            self._print(f"{answer!r} is not possible here.")

    def number(self, scene: Scene, prompt: str, *, default: int, limits: range) -> int:
        self.show(scene)
        while True:
            answer = self._ask(f"{prompt} [{default}]: ").lower()
            if answer in QUIT_KEY:
                raise Leave
            if not answer:
                return default
            if answer.isascii() and answer.isdigit() and int(answer) in limits:
                return int(answer)
            self._print(number_refused_text(answer, limits))

    def _lines(self, scene: Scene) -> list[str]:
        lines = [f"--- {scene.title} ---"]
        if scene.dealer:
            cards = cards_text(scene.dealer, hidden=scene.has_hidden_hole, signs=self._signs)
            lines.append(f"Dealer: {cards} ({value_text(scene.dealer)})")
        for seat in scene.seats:
            if seat.seat is None:
                continue
            for index, hand in enumerate(seat.seat.hands):
                which = f"{seat.name}, hand {index + 1}" if len(seat.seat.hands) > 1 else seat.name
                lines.append(f"{which}: {hand_text(hand, signs=self._signs)}")
        if not scene.dealer:
            lines.append("Chips: " + ", ".join(f"{seat.name} {seat.chips}" for seat in scene.seats))
        return [*lines, *scene.notes]

    def _ask(self, prompt: str) -> str:
        self._target.write(prompt)
        self._target.flush()
        line = self._source.readline()
        if not line:
            raise Leave
        return line.strip()

    def _print(self, line: str) -> None:
        self._target.write(line + "\n")
        self._target.flush()
