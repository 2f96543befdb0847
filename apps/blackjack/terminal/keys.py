"""Reads single keys from a terminal, and restores its state afterwards. Which key is which move: scene.py."""

import os
import select
import sys
from types import TracebackType
from typing import Self

try:
    import termios
    import tty
except ImportError:  # not a POSIX system: the game uses plain lines there
    termios = None  # type: ignore[assignment]

ENTER = "\r"
BACKSPACE = "\x7f"
_ESCAPE = "\x1b"
_INTERRUPT = "\x03"
_END = ("", "\x04")
_ALIKE = {"\n": ENTER, "\x08": BACKSPACE}
_PASTE_WAIT_S = 0.02
_SPECIAL_KEYS = 6
"""The index of the local flags in the result of `tcgetattr`."""


def can_read_keys() -> bool:
    """Return whether input and output are a terminal whose keys can be read one by one."""
    return termios is not None and sys.stdin.isatty() and sys.stdout.isatty()


class Keys:
    """Reads the keyboard key by key within the context.

    Ctrl-C is a key that raises KeyboardInterrupt when it is read. As a signal it could arrive just before Python waits
    for a key, and would be noticed only with the next key.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        # TCSADRAIN instead of tty's TCSAFLUSH, so that keys typed ahead are kept.
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
        """Return the next key. Raises EOFError at the end of the input; arrows and similar keys are skipped."""
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
            # The terminal's window was closed.
            return ""
