"""Errors of the user's machine, with messages for the user. Standard library only."""

import errno
from pathlib import Path
from typing import BinaryIO


class SetupError(Exception):
    """Stops the command. The user sees only its text, so the text says what to do."""


def from_os_error(error: OSError) -> SetupError:
    """Return the SetupError for a failed system call."""
    where = f" ({error.filename})" if error.filename else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return SetupError(
                f"The disk is full{where}. Free some space and start again: nothing that was saved is lost."
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return SetupError(f"No permission to write{where}: {error.strerror}.")
        case _:
            return SetupError(f"The system refused{where}: {error.strerror or error}.")


def last_lines(log: Path) -> str:
    """Return the end of a log, indented, for a message."""
    if not log.is_file():
        return "  (no log)"
    lines = log.read_text(errors="replace").splitlines()[-6:]
    return "\n".join(f"  {line}" for line in lines) or "  (the log is empty)"


def log_open(log: Path) -> BinaryIO:
    """Open a new log. The one before is kept beside it, since it may explain why this start was needed."""
    if log.is_file():
        log.replace(log.with_suffix(".log.1"))
    return log.open("wb")
