"""Every error that Tessera raises on purpose.

TesseraError                  one line: what is wrong and what to do
├── FileError                 the line begins with the file's name
│   ├── UnreadableFile        missing, damaged, or not what its name says
│   ├── UnsupportedFile       sound, but with content that Tessera does not support
│   ├── TargetExists          the output exists and overwriting was not requested
│   └── WriteFailed           full disk, read-only folder, a format that can't hold the image
├── GradeError                a grade or an op with a value outside its domain
│   └── UnsupportedTransform  an OpenColorIO transform without a matching op; names it
├── BackendError              a compute device failed
│   ├── BackendUnavailable    not usable on this machine; says why
│   ├── OutOfDeviceMemory     the device refused an allocation
│   ├── DeviceLost            the device is gone: driver reset, unplugged, or crashed
│   ├── HandleError           freed twice, used after free, or the wrong size
│   └── KernelError           generated code did not compile or run
├── MemoryLimitError          the memory limit is too small for the job
└── Cancelled                 the user stopped it

The command line prints ``str(error)`` and exits with 1 (130 for Cancelled); the window shows the same line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

MOST_SHOWN = 80
"""The most characters of a value in a line."""


def escaped(text: str) -> str:
    """Return `text` on one line, with line breaks and control characters escaped as in Python."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: Any) -> str:
    """Return how a value is shown in a line: its `repr`, at most MOST_SHOWN characters of it."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


class TesseraError(Exception):
    """An error with one line for the user: `what` is wrong, and what to `do` about it."""

    def __init__(self, what: str, do: str = "", subject: str = "") -> None:
        self.what = subject + escaped(" ".join(what.split()))
        self.do = escaped(do)
        super().__init__(f"{self.what}; {self.do}" if do else self.what)


class FileError(TesseraError):
    """An error about one file; its line begins with the file's name. `problem` is `what` without the name."""

    def __init__(self, path: str | Path, what: str, do: str = "") -> None:
        self.path, subject = Path(path), f"{escaped(str(path))}: "
        super().__init__(what, do, subject)
        self.problem = self.what.removeprefix(subject)

    def __reduce__(self) -> tuple[type[FileError], tuple[Path, str, str]]:
        return type(self), (self.path, self.problem, self.do)


class UnreadableFile(FileError):
    """The file is missing, damaged, or not what its name says."""


class UnsupportedFile(FileError):
    """The file is sound but has content that Tessera does not support."""


class TargetExists(FileError):
    """The output already exists, and overwriting was not requested."""

    def __init__(self, path: str | Path, what: str = "already exists", do: str = "use --force to replace it") -> None:
        super().__init__(path, what, do)


class WriteFailed(FileError):
    """The output could not be written."""


class GradeError(TesseraError):
    """A grade, or one op of it, has a value outside its domain."""


class UnsupportedTransform(GradeError):
    """An OpenColorIO transform has no matching op in Tessera."""

    def __init__(self, transform: str, what: str = "", do: str = "") -> None:
        self.transform = transform
        super().__init__(what or f"needs the transform {transform}, which Tessera does not support", do)

    def __reduce__(self) -> tuple[type[UnsupportedTransform], tuple[str, str, str]]:
        return type(self), (self.transform, self.what, self.do)


class BackendError(TesseraError):
    """A compute device failed."""


class BackendUnavailable(BackendError):
    """The backend can't be used on this machine."""


class OutOfDeviceMemory(BackendError):
    """The device refused an allocation."""

    def __init__(self, what: str, do: str = "close what else uses its memory, or choose another device") -> None:
        super().__init__(what, do)

    def __reduce__(self) -> tuple[type[OutOfDeviceMemory], tuple[str, str]]:
        return type(self), (self.what, self.do)

    def for_tiles(self, side: int) -> OutOfDeviceMemory:
        """Return the error for a device that can't hold tiles of `side` pixels either."""
        return OutOfDeviceMemory(f"{self.what}, even for tiles of {side} pixels", self.do)


class DeviceLost(BackendError):
    """The device is gone, with everything in its memory."""


class HandleError(BackendError):
    """An image handle was freed twice, used after it was freed, or has the wrong size."""


class KernelError(BackendError):
    """Generated code did not compile or did not run."""


class MemoryLimitError(TesseraError):
    """The memory limit is too small for the job."""


class Cancelled(TesseraError):
    """The user stopped the work."""

    def __init__(self, what: str = "cancelled", do: str = "") -> None:
        super().__init__(what, do)
