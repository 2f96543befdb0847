"""The data directories of the embedded servers, and the user that they run as.

An ordinary user's servers live in `.punto/` of the checkout and run as that user. PostgreSQL refuses root, so root's
run as an unprivileged user, who may not even enter the checkout (a home is closed to others). The modes of existing
folders stay unchanged. Root's servers therefore have a new folder of their own under /var/lib/punto, and run copies of
the binaries there. Their logs are in our `.punto/log/`: root writes nothing into a folder of another user.
"""

import hashlib
import os
import pwd
import secrets
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casino.local.setup_error import SetupError

ROOT_HOME = Path("/var/lib/punto")
UNPRIVILEGED_USERS = ("punto", "postgres", "nobody")
MIN_FREE_BYTES = 256 * 2**20
MAX_SOCKET_FOLDER_BYTES = 80
"""Linux cuts a socket's path at 107 bytes, macOS at 103; the longest name in the folder takes 20."""


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged user that root's servers run as."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class DataDir:
    """The data directory of one pair of servers, those of `run` or of one test run."""

    folder: Path
    sockets: Path
    logs: Path
    account: Account | None
    """None: they run as the current user."""

    @property
    def popen_options(self) -> dict[str, Any]:
        """Arguments of `subprocess` for a program here: its user, a folder that the user may enter, and a session of
        its own.

        Ctrl-C in the terminal then reaches this process alone, which stops the servers in order.
        """
        options: dict[str, Any] = {"cwd": self.folder, "start_new_session": True}
        if self.account:
            options |= {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}
        return options

    def make_folder(self, name: str) -> Path:
        """Make a private folder of the servers in this one."""
        return _own(self.folder / name, self.account)


def data_dir_for(checkout: Path, purpose: str) -> DataDir:
    """Return the data directory of `purpose` ("run", "bench", "test-<pid>"), with its folders. Raises SetupError if the
    disk is almost full.
    """
    state = checkout / ".punto"
    state.mkdir(mode=0o700, exist_ok=True)
    account = unprivileged_account() if os.geteuid() == 0 else None
    home = home_of(checkout)
    if account:
        for folder in (ROOT_HOME, home):
            _open(folder)
        (home / "checkout").write_text(f"{checkout}\n")
    space_check(home)
    folder = _own(home / purpose, account)
    sockets = folder / "sockets"
    if len(os.fsencode(sockets)) > MAX_SOCKET_FOLDER_BYTES:
        sockets = Path(tempfile.gettempdir()) / f"punto-{os.geteuid()}-{_key(checkout, state)}-{purpose}"
    logs = state / "log" / purpose
    logs.mkdir(parents=True, exist_ok=True)
    return DataDir(folder=folder, sockets=_own(sockets, account), logs=logs, account=account)


def data_dirs_of(checkout: Path, prefix: str) -> list[str]:
    """Return the purposes beginning with `prefix` that have a folder."""
    if not (checkout / ".punto").is_dir():
        return []
    return sorted(folder.name for folder in home_of(checkout).glob(f"{prefix}*") if folder.is_dir())


def home_of(checkout: Path) -> Path:
    """Return the folder that holds the data directories of the checkout."""
    state = checkout / ".punto"
    return ROOT_HOME / _key(checkout, state) if os.geteuid() == 0 else state


def data_dir_remove(data_dir: DataDir) -> None:
    """Delete a data directory with its content."""
    for folder in (data_dir.folder, data_dir.sockets, data_dir.logs):
        shutil.rmtree(folder, ignore_errors=True)


def space_check(folder: Path) -> None:
    """Raise SetupError if too little disk space is free."""
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise SetupError(
            f"The disk is full: {free // 2**20} MB are free at {folder}, "
            f"the servers need {MIN_FREE_BYTES // 2**20} MB.\n"
            "Free some space and start again: nothing that was saved is lost."
        )


def reachable_copy(base: Path, parts: tuple[str, ...], name: str) -> Path:
    """Return a folder with `parts` of `base` that the servers' user can execute.

    It is `base` itself; for root it is a copy named `name`, made once for all checkouts.
    """
    if os.geteuid() != 0:
        return base
    target = ROOT_HOME / "bin" / name
    if target.is_dir():
        return target
    _open(ROOT_HOME)
    _open(target.parent)
    space_check(target.parent)
    half_made = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        for part in parts:
            shutil.copytree(base / part, half_made / part, ignore=shutil.ignore_patterns("include", "pgxs"))
        for path in [half_made, *half_made.rglob("*")]:  # the umask at the wheel's installation may have removed it
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        with suppress(OSError):  # another start was faster, and its copy is the same
            half_made.rename(target)
    finally:
        shutil.rmtree(half_made, ignore_errors=True)
    return target


def unprivileged_account() -> Account:
    """Return the user of root's servers: a user made for them if there is one, else `nobody`."""
    for name in UNPRIVILEGED_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise SetupError(
        "PostgreSQL does not run as root, and this machine has no unprivileged user for it "
        f"(none of {', '.join(UNPRIVILEGED_USERS)}). Make one: useradd --system punto"
    )


def _key(checkout: Path, state: Path) -> str:
    """Return a name of this checkout that differs for another clone at the same path, which must not find this one's
    data."""
    identity = state / "id"
    if not identity.is_file():
        identity.write_text(secrets.token_hex(16))
    return hashlib.sha256(f"{checkout}\n{identity.read_text()}".encode()).hexdigest()[:16]


def _open(folder: Path) -> None:
    """Make a folder that all users may enter. An existing one is not changed."""
    try:
        folder.mkdir()
    except FileExistsError:
        return
    folder.chmod(0o755)  # the umask restricts mkdir's mode


def _own(folder: Path, account: Account | None) -> Path:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        status = folder.lstat()
        if status.st_uid != (account.uid if account else os.geteuid()):
            raise SetupError(f"{folder} belongs to another user. Remove it and start again.") from None
        return folder
    if account:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    return folder
