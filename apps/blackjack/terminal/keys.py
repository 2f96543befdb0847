"""Single keys from a terminal, and its state put back afterwards."""

import os
import select
import sys
from types import TracebackType
from typing import Self

try:
    import termios
    import tty
except ImportError:  # not a POSIX system: the game is played in lines there
    termios = None  # type: ignore[assignment]

ENTER = "\r"
BACKSPACE = "\x7f"
_ESCAPE = "\x1b"
_INTERRUPT = "\x03"
_END = ("", "\x04")
_ALIKE = {"\n": ENTER, "\x08": BACKSPACE}
_PASTE_WAIT_S = 0.02
_SPECIAL_KEYS = 6
"""Their place in what `tcgetattr` returns."""


def can_read_keys() -> bool:
    """Say whether both ends are a terminal whose keys can be read one by one."""
    return termios is not None and sys.stdin.isatty() and sys.stdout.isatty()


class Keys:
    """The keyboard, key by key, while the context lasts. Ctrl-C is a key that raises KeyboardInterrupt when it is read.

    As a signal it could come in the moment before Python waits for a key, and would be noticed with the next one.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        # TCSADRAIN, not tty's own TCSAFLUSH: what was typed ahead is not thrown away.
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)
        mode = termios.tcgetattr(self._descriptor)
        mode[_SPECIAL_KEYS][termios.VINTR] = bytes([os.fpathconf(self._descriptor, "PC_VDISABLE") & 0xFF])
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, mode)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """Return the next key. Raises EOFError at the end of the input; arrows and the like are passed over."""
        while True:
            key = self._byte()
            if key == _INTERRUPT:
                raise KeyboardInterrupt
            if key in _END:
                raise EOFError
            if key != _ESCAPE:
                return _ALIKE.get(key, key)
            while select.select([self._descriptor], [], [], _PASTE_WAIT_S)[0]:
                if self._byte().isalpha():
                    break

    def _byte(self) -> str:
        try:
            return os.read(self._descriptor, 1).decode("latin-1")
        except OSError:
            # The terminal is gone: its window was closed.
            return ""
