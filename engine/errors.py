"""Every error that Tessera raises on purpose.

TesseraError                  one line: what is wrong and what to do
├── FileError                 the line begins with the file's name
│   ├── UnreadableFile        missing, damaged, or not what its name says
│   ├── UnsupportedFile       sound, but holds what Tessera does not do
│   ├── TargetExists          the output is there and overwriting was not asked for
│   └── WriteFailed           full disk, read-only folder, a format that can't hold the image
├── GradeError                a grade or an op with a value outside its domain
│   └── UnsupportedTransform  an OpenColorIO transform for which there is no op; names it
├── BackendError              a compute device
│   ├── BackendUnavailable    not on this machine; says why
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


def escaped(text: str) -> str:
    """`text` on one line: line breaks, and what a terminal takes for commands, are spelled out as in Python."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class TesseraError(Exception):
    """One line for the user: `what` is wrong, and what to `do` about it."""

    def __init__(self, what: str, do: str = "", subject: str = "") -> None:
        self.what = subject + escaped(" ".join(what.split()))
        self.do = escaped(do)
        super().__init__(f"{self.what}; {self.do}" if do else self.what)


class FileError(TesseraError):
    """An error about one file; its line begins with the file's name. `problem` is `what` without that."""

    def __init__(self, path: str | Path, what: str, do: str = "") -> None:
        self.path, subject = Path(path), f"{escaped(str(path))}: "
        super().__init__(what, do, subject)
        self.problem = self.what.removeprefix(subject)

    def __reduce__(self) -> tuple[type[FileError], tuple[Path, str, str]]:
        return type(self), (self.path, self.problem, self.do)


class UnreadableFile(FileError):
    """The file is missing, damaged, or not what its name says."""


class UnsupportedFile(FileError):
    """The file is sound but holds something that Tessera does not do."""


class TargetExists(FileError):
    """The output is there already, and overwriting was not asked for."""

    def __init__(self, path: str | Path, what: str = "already exists", do: str = "use --force to replace it") -> None:
        super().__init__(path, what, do)


class WriteFailed(FileError):
    """The output could not be written."""


class GradeError(TesseraError):
    """A grade, or one op of it, has a value outside its domain."""


class UnsupportedTransform(GradeError):
    """OpenColorIO has a transform here for which Tessera has no op."""

    def __init__(self, transform: str, what: str = "", do: str = "") -> None:
        self.transform = transform
        super().__init__(what or f"needs the transform {transform}, which Tessera has no op for", do)

    def __reduce__(self) -> tuple[type[UnsupportedTransform], tuple[str, str, str]]:
        return type(self), (self.transform, self.what, self.do)


class BackendError(TesseraError):
    """A compute device failed."""


class BackendUnavailable(BackendError):
    """The backend can't be used on this machine."""


class OutOfDeviceMemory(BackendError):
    """The device refused an allocation."""


class DeviceLost(BackendError):
    """The device is gone, with all that was on it."""


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
