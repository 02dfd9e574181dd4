"""Types of arguments and results, for annotations."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal, Protocol, Union

Language = Literal["en", "es"]
"""A language of messages."""

Format = Literal["quipu", "json", "csv", "otg", "hnefatafl", "pgn"]
"""A format of records."""

Status = Literal["verified", "incomplete", "rejected", "unreadable"]
"""The status of a record."""

Outcome = Literal["1-0", "0-1", "1/2-1/2", "*"]
"""A result."""


class OpenFile(Protocol):
    """A file object, opened as text or as bytes."""

    def read(self, size: int, /) -> Union[str, bytes]:
        """Return at most so many characters or bytes; none at the end."""
        ...


Source = Union[str, bytes, bytearray, memoryview, "PathLike[str]", OpenFile]
"""A source of records. A ``str`` is their text."""


class ArrowArray(Protocol):
    """A record batch of any library with the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Return a pair of capsules, for the schema and the array."""
        ...


class ArrowStream(Protocol):
    """A table of any such library."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with a stream of record batches."""
        ...
