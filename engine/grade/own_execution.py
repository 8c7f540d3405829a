"""The execution of the user's files that define ops: of allowed content only, and with errors that name the file.

The bytes that are executed are those that were hashed: no other program can change them in between.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import traceback
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from engine.errors import GradeError, TesseraError, UnsupportedFile
from engine.grade.own_ops import (
    OwnClasses,
    OwnFile,
    allow,
    is_allowed,
    loaded_files,
    note_executed,
    reduced,
    register,
    unload,
)
from engine.kernel.codegen import trace
from engine.kernel.fields import KIND, Derived
from engine.kernel.filter_op import Computed, FilterOp, FilterPixel, SideImage
from engine.kernel.op import OWN_MODULES, REGISTRY, Choice, ColorOp, ImageOp, Op, OwnSource, TableKind

RESERVED = ("op", "own", "entry", "group", "file")
"""Names that saved entries use themselves."""
CORRECT = "correct the file"
_TRIED = np.array([[0.18, 0.5, 1.0, 1.0], [0.0, -0.1, 8.0, 0.5]])
_TRIED_SIZE = (16, 9)


def load(file: OwnFile) -> OwnClasses:
    """Execute an allowed file and register its ops. Raises UnsupportedFile, which names the file and what to do."""
    classes = execute(file)
    register(classes)
    return classes


def execute(file: OwnFile, allowed: Container[str] | None = None) -> OwnClasses:
    """Execute an allowed file and return its ops, each tried once. Raises UnsupportedFile as `load` does.

    `allowed` are hashes, by default those that this process allows.
    """
    if not (is_allowed(file.sha256) if allowed is None else file.sha256 in allowed):
        what = f"is not allowed (SHA-256 {file.sha256})"
        raise UnsupportedFile(file.path, what, "allow it in the Preferences, or with --allow-op")
    module = _executed(file)
    classes = tuple(each for each in vars(module).values() if _is_defined_in(module, each))
    ops = tuple(each for each in classes if "__dataclass_fields__" in vars(each))
    if not ops:
        raise UnsupportedFile(file.path, "defines no op", "derive a class from ColorOp or ImageOp")
    for each in classes:
        each.own_source = OwnSource(file.name, file.sha256)
    for op in ops:
        _check(op, file)
    for each in classes:
        _guard(each, file)
    note_executed(file)
    return OwnClasses(file, ops)


def load_carried(files: Iterable[OwnFile]) -> None:
    """Load files that another process of the same user has allowed and sent.

    They take the place of those that an earlier job left here, if both define an op of the same name.
    """
    for file in files:
        if file.sha256 not in {each.sha256 for each in loaded_files()}:
            allow([file.sha256])
            classes = execute(file)
            for each in classes.classes:
                if (other := REGISTRY.get(each.registered_name())) is not None and other.own_source is not None:
                    unload(other.own_source.file)
            register(classes)


def _executed(file: OwnFile) -> ModuleType:
    """Execute the text of a file as a module of its own: the text that the user was shown, whatever it says of its
    encoding.
    """
    text = _shown_text(file)
    module = ModuleType(f"{OWN_MODULES}{Path(file.name).stem}_{file.sha256}")
    module.__file__ = file.path
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # dataclasses look their annotations up there
    try:
        exec(compile(text, file.path, "exec", dont_inherit=True), module.__dict__)
    except SyntaxError as error:
        _restore(module.__name__, before)
        raise UnsupportedFile(file.path, f"line {error.lineno}: {error.msg}", CORRECT) from None
    except (Exception, SystemExit) as error:  # whatever the user's code raises
        _restore(module.__name__, before)
        raise UnsupportedFile(file.path, _problem(error, file), CORRECT) from error
    return module


def _shown_text(file: OwnFile) -> str:
    """Return the content as text. Raises UnsupportedFile if it can look like another one."""
    try:
        text = file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnsupportedFile(file.path, "is not text in UTF-8", "save it in UTF-8") from None
    for number, line in enumerate(text.split("\n"), 1):
        if any(unicodedata.category(each) in ("Cc", "Cf") and each not in "\t\r" for each in line):
            what = f"line {number} has a control character, which can hide what it does"
            raise UnsupportedFile(file.path, what, "remove it")
    return text


def _restore(name: str, before: ModuleType | None) -> None:
    if before is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = before


def _is_defined_in(module: ModuleType, found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, Op) and found.__module__ == module.__name__


def _problem(error: BaseException, file: OwnFile) -> str:
    """Return the line of the file that an error comes from, and what it says."""
    frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file.path]
    where = f"line {frames[-1]}: " if frames else ""
    what = error.what if isinstance(error, TesseraError) else f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{where}{what}"


def _check(op: type[Op], file: OwnFile) -> None:
    """Try an op in its default state and with each of its choices."""
    if not op.__name__.isidentifier() or not op.__name__.isascii():
        raise UnsupportedFile(file.path, f"has an op named {op.__name__}", "use letters A-Z, digits and _ only")
    if op.__name__ in REGISTRY:
        raise UnsupportedFile(file.path, f"defines {op.__name__}, as Tessera does", "give the op another name")
    if not issubclass(op, ColorOp | ImageOp):
        raise UnsupportedFile(file.path, f"{op.__name__} is not a ColorOp or an ImageOp", CORRECT)
    for each in dataclasses.fields(op):  # type: ignore[arg-type]
        kind = each.metadata.get(KIND)
        if kind is None or isinstance(kind, TableKind):
            what, do = f"{op.__name__}.{each.name} is not a slider or a choice", "define it with slider() or choice()"
            raise UnsupportedFile(file.path, what, do)
        if each.name in RESERVED:
            raise UnsupportedFile(file.path, f"{op.__name__} has a field named {each.name}", "give it another name")
    try:
        default = op()
        choices = {name: kind for name, kind in op.kinds().items() if isinstance(kind, Choice)}
        for name, kind in choices.items():
            for option in kind.options:
                _try(default.replace(**{name: option}))
        _try(default)
    except Exception as error:  # whatever the user's code raises
        raise UnsupportedFile(file.path, f"{op.__name__}: {_problem(error, file)}", CORRECT) from error


def _try(op: Op) -> None:
    """Use an op as the plan, the kernels and the reference do."""
    op.is_identity()
    op.at_scale(0.5)
    if isinstance(op, ColorOp):
        trace([op])
        if op.reference(_TRIED).shape != _TRIED.shape:
            raise GradeError("pixel() does not return 3 or 4 components")
    elif isinstance(op, FilterOp):
        op.halo()
        for function in {FilterPixel(op), *_pixel_functions(op, op.side_images())}:
            trace([function])
    elif isinstance(op, ImageOp):
        columns, rows = op.taps(_TRIED_SIZE)
        if (len(columns.first), len(rows.first)) != op.result_size(_TRIED_SIZE):
            raise GradeError("taps() and result_size() differ")


def _pixel_functions(op: FilterOp, images: Iterable[SideImage]) -> Iterator[FilterPixel]:
    """Yield the pixel functions that make side images."""
    for image in images:
        if isinstance(image, Computed):
            yield FilterPixel(op, image.method, image.number)
        yield from _pixel_functions(op, image.sources)


def _guard(op: type[Op], file: OwnFile) -> None:
    """Make errors of the op's own methods one line that names the file, and its instances travel by name and hash."""
    for name, found in list(vars(op).items()):
        if isinstance(found, Derived):
            found.func = _guarded(found.func, op, file)
        elif inspect.isfunction(found) and _is_called_by_us(name) and not inspect.isgeneratorfunction(found):
            setattr(op, name, _guarded(found, op, file))
    op.__reduce__ = reduced  # type: ignore[method-assign,assignment]


def _is_called_by_us(name: str) -> bool:
    return name == "__post_init__" or not name.startswith("__")


def _guarded(function: Callable[..., Any], op: type[Op], file: OwnFile) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TesseraError:
            raise
        except Exception as error:
            raise GradeError(f"{op.__name__} in {file.name}: {_problem(error, file)}", CORRECT) from error

    return call
