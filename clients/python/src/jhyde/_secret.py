"""What nobody shall see who looks at a program's variables: error reports and test runs print the locals of every frame."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secret:
    """A token, or a key: printed without its content."""

    content: bytes = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.content)

    @property
    def bearer(self) -> "SecretText":
        """The header that says it."""
        return SecretText("Bearer " + self.content.decode("ascii"))


class SecretText(str):
    """The same as gRPC takes it, in whose frames it is a variable, too."""

    def __repr__(self) -> str:
        return "SecretText()"
