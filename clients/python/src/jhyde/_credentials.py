"""Who asks and whom it trusts: tokens, client certificates, authorities. The rules are those of docs/service.md."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from jhyde._secret import Secret
from jhyde.errors import CredentialError

# As `open` takes them.
AnyPath = str | os.PathLike[str]

_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
_KEY = b"PRIVATE KEY-----"
# Where systems keep the authorities that they trust: Debian's, Fedora's, others'.
_SYSTEM_AUTHORITIES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True)
class Trust:
    """For TLS: PEM of the authorities that are trusted, and of a certificate and its key, which are shown. Never printed."""

    authorities: bytes = field(repr=False)
    identity: Secret | None


def token(file: AnyPath | None) -> Secret | None:
    """The token of this file; else of the file that `JHYDE_TOKEN_FILE` names, else the one in `JHYDE_TOKEN`, else None.

    Raises CredentialError where what was named is not to be used: a file that others can read is not.
    """
    file = file or os.environ.get("JHYDE_TOKEN_FILE")
    if file:
        return _word(_read(Path(file), "the token in", owned=True), str(file))
    said = Secret(os.fsencode(os.environ.get("JHYDE_TOKEN", "")))
    return _word(said, "JHYDE_TOKEN") if said else None


def trust(ca: AnyPath | None, identity: AnyPath | None) -> Trust:
    """The authority of this file alone (else of `JHYDE_CA`, else those that the system trusts), and the certificate and key of that
    one (else of `JHYDE_IDENTITY`).

    Raises CredentialError where a file cannot be used: a key that others can read is not.
    """
    ca = ca or os.environ.get("JHYDE_CA")
    identity = identity or os.environ.get("JHYDE_IDENTITY")
    shown = None
    if identity:
        shown = _read(Path(identity), "the key in")
        _has(Path(identity), shown, _CERTIFICATE, "certificate")
        _has(Path(identity), shown, _KEY, "private key")
    return Trust(_authorities(Path(ca) if ca else None), shown)


def _authorities(named: Path | None) -> bytes:
    named = named or _system_authorities()
    try:
        read = Secret(named.read_bytes())
    except OSError as error:
        raise CredentialError(f"cannot read {named}: {error.strerror}") from error
    _has(named, read, _CERTIFICATE, "certificate")
    return read.content


def _system_authorities() -> Path:
    if said := os.environ.get("SSL_CERT_FILE"):
        return Path(said)
    for place in _SYSTEM_AUTHORITIES:
        if Path(place).exists():
            return Path(place)
    raise CredentialError("this system has no list of authorities that it trusts", "name the CA's file: connect(ca=…), or JHYDE_CA")


def _read(path: Path, what: str, owned: bool = False) -> Secret:
    """A secret, of a file that is nobody else's to read; pipes have no one else to read them."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode):
                if owned and found.st_uid not in (os.geteuid(), 0):
                    raise CredentialError(f"{what} {path} belongs to user {found.st_uid}: it is not used")
                if found.st_mode & 0o077:
                    raise CredentialError(
                        f"other users can read or write {what} {path}: it is not used",
                        f"close it (chmod 600 {path}), and if one of them may have read it, have it revoked",
                    )
            return Secret(file.read())
    except OSError as error:
        raise CredentialError(f"cannot read {what} {path}: {error.strerror}") from error


def _word(read: Secret, origin: str) -> Secret:
    word = Secret(read.content.strip())
    if not word or not all(0x21 <= byte <= 0x7E for byte in word.content):
        raise CredentialError(f"what stands in {origin} is no token", "one is a single word, as jhyded token create prints it")
    return word


def _has(path: Path, read: Secret, wanted: bytes, what: str) -> None:
    if wanted not in read.content:
        raise CredentialError(f"{path} has no {what} in PEM", f"there must be a line with {wanted.decode()}")
