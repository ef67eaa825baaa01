"""Where the daemon is: an address that was named, or the unix socket that the command `jhyde` would find."""

import os
import socket
import stat
import struct
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address
from pathlib import Path

from jhyde.errors import AddressError, FolderError, NotRunning, Unreachable

# Longer paths do not fit into a socket's address; the daemon draws the line here, too.
_LONGEST_SOCKET_PATH = 100


class Transport(Enum):
    """How an address is reached."""

    UNIX = "unix:"
    TCP = ""
    TLS = "https://"


@dataclass(frozen=True)
class Address:
    """A daemon's address. `target` is a path, or HOST:PORT."""

    transport: Transport
    target: str

    def __str__(self) -> str:
        return self.transport.value + self.target

    @property
    def is_open_to_others(self) -> bool:
        """Could others read what is sent there? What stays on this machine they could not."""
        if self.transport is not Transport.TCP:
            return False
        host = self.target.rpartition(":")[0].strip("[]")
        try:
            return not ip_address(host).is_loopback
        except ValueError:
            return host.lower() != "localhost"


def parsed(text: str) -> Address:
    """The address that somebody wrote.

    Raises AddressError for anything but `https://HOST:PORT`, `HOST:PORT` and `unix:/path`.
    """
    if text.startswith("unix:"):
        return Address(Transport.UNIX, text.removeprefix("unix:"))
    is_tls = text.startswith("https://")
    rest = text.removeprefix("https://").rstrip("/") if is_tls else text
    host, _, port = rest.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise AddressError(
            f"{text!r} is not an address of a daemon", "write https://HOST:PORT, HOST:PORT or unix:/path/to/socket"
        )
    return Address(Transport.TLS if is_tls else Transport.TCP, rest)


def of_data_folder(named: str | os.PathLike[str] | None, timeout: float) -> Address:
    """The socket of the daemon that serves the data folder; where no folder was chosen and none runs there, that of the machine's.

    Raises FolderError for a folder that others own or write in, Unreachable for a socket that takes nobody within `timeout` seconds,
    and NotRunning.
    """
    data, is_chosen = _data_folder(os.fspath(named or "") or os.environ.get("JHYDED_DATA"))
    _check(data)
    inside = _socket_inside(data)
    if _listens(inside, timeout):
        return Address(Transport.UNIX, str(inside))
    # Of a daemon that cannot write in the folder.
    outside = _socket_outside(data)
    if os.path.exists(outside):
        _check(_runtime_folder())
        if _listens(outside, timeout):
            return Address(Transport.UNIX, str(outside))
    system = os.environ.get("JHYDE_SYSTEM_SOCKET", "/run/jhyde/jhyded.sock")
    if system and not is_chosen and _lets_in(Path(system), timeout):
        return Address(Transport.UNIX, system)
    raise NotRunning(f"no daemon serves {data}", "start one (jhyded serve), or name one: connect('https://HOST:PORT', …)")


def _data_folder(named: str | None) -> tuple[Path, bool]:
    """The folder, and whether this user chose it: what was named, then the configurations', then the default."""
    if named:
        return _with_home(named).absolute(), True
    is_chosen = bool(os.environ.get("JHYDE_DATA"))
    for file, is_own in _configurations():
        if folder := _configured(file):
            return folder, is_chosen or is_own
    return _default_data_folder().absolute(), is_chosen


def _default_data_folder() -> Path:
    if folder := os.environ.get("JHYDE_DATA"):
        return Path(folder)
    if folder := os.environ.get("XDG_DATA_HOME"):
        return Path(folder) / "jhyde"
    return Path(os.environ.get("HOME", "/")) / ".local/share/jhyde"


def _configurations() -> Iterator[tuple[Path, bool]]:
    if base := os.environ.get("XDG_CONFIG_HOME"):
        yield Path(base) / "jhyde/jhyded.toml", True
    elif (home := os.environ.get("HOME")) is not None:
        yield Path(home) / ".config/jhyde/jhyded.toml", True
    yield Path("/etc/jhyde/jhyded.toml"), False


def _configured(file: Path) -> Path | None:
    """What this configuration says of the data folder; relative paths mean the file's own folder."""
    advice = "mend it, or name the data folder: connect(data=…)"
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8")).get("data")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FolderError(f"{file} cannot be used: {error}", advice) from error
    if said is None:
        return None
    if not isinstance(said, str):
        raise FolderError(f"{file} cannot be used: data = {said!r} is no path in quotes", advice)
    return (file.parent / _with_home(said)).absolute()


def _with_home(path: str) -> Path:
    """Only a `~` of its own is the home folder, as for `jhyde` and the daemon: `~somebody` is a name like any other."""
    first, _, rest = path.partition("/")
    home = os.environ.get("HOME")
    return Path(home) / rest.lstrip("/") if first == "~" and home is not None else Path(path)


def _followed(data: Path) -> Path:
    """Client and daemon must come to the same name, so links are followed, where there are any to follow."""
    try:
        return data.resolve(strict=True)
    except (OSError, RuntimeError):  # the latter for links in a circle, until Python 3.13
        return data


def _socket_inside(data: Path) -> Path:
    inside = _followed(data) / "jhyded.sock"
    return inside if len(os.fsencode(inside)) <= _LONGEST_SOCKET_PATH else _socket_outside(data)


def _socket_outside(data: Path) -> Path:
    """That of a daemon whose folder has too long a path, or cannot be written in: its name is made of the folder's path."""
    digest = 0xCBF29CE484222325  # FNV-1a, 64 bits
    for byte in os.fsencode(_followed(data)):
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return _runtime_folder() / f"jhyded-{digest:016x}.sock"


def _runtime_folder() -> Path:
    return Path(os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/jhyde-{os.geteuid()}")


def _check(folder: Path) -> None:
    """Whoever can write in a folder can put a socket there: none is used that is another user's, or open to others."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise FolderError(f"the folder {str(folder)!r} cannot be used: {error}", "name another: connect(data=…)") from error
    if found.st_uid not in (os.geteuid(), 0):
        raise FolderError(f"the folder {folder} belongs to user {found.st_uid}", "name one of your own: connect(data=…)")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise FolderError(f"other users can write in the folder {folder}", "take that permission away (chmod go-w)")


def _lets_in(machine: Path, timeout: float) -> bool:
    """The machine's daemon: where it is not for this user, it is as if there were none, as for `jhyde`."""
    try:
        return _listens(machine, timeout)
    except FolderError as error:
        if isinstance(error.__cause__, PermissionError):
            return False
        raise


def _listens(path: Path, timeout: float) -> bool:
    """Does somebody take connections there? Where the queue is full, as of a daemon that stands still, this waits so long and no longer."""
    seconds = max(timeout, 0.001)  # 0 would be for ever
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        # settimeout() would not wait at all for a place in the queue of a unix socket; this does (unix(7), EAGAIN).
        limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        try:
            tried.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except BlockingIOError as error:
            what = f"the daemon at {path} takes no connection within {timeout} s"
            raise Unreachable(what, "does it stand still? Its log says more") from error
        except OSError as error:
            raise FolderError(f"the socket {path} cannot be connected to: {error}", "whose is it?") from error
    return True
