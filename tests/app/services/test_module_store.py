"""Modules come from the file as they would from their folders, and a changed source file is seen."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.services import module_store
from app.services.module_store import ModuleStore

NAMES = ("storedpackage", "storedpackage.one", "storedpackage.inner", "storedpackage.inner.two")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a package that is not imported yet."""
    package = tmp_path / "modules" / "storedpackage"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text('"""One."""\n\nVALUE = 1\n')
    (package / "inner" / "__init__.py").write_text("from storedpackage.inner.two import VALUE as VALUE\n")
    (package / "inner" / "two.py").write_text("VALUE = 2\n")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(module_store, "_spec", only(module_store._spec))
    yield package
    forget()


def only(found: Any) -> Any:
    """Look at modules of the package alone: the process has thousands of others."""
    return lambda name, module: found(name, module) if name in NAMES else None


def forget() -> None:
    for name in NAMES:
        sys.modules.pop(name, None)


def imported() -> list[Any]:
    importlib.invalidate_caches()
    return [importlib.import_module(name) for name in NAMES]


@pytest.fixture
def file(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the package, which is forgotten then."""
    monkeypatch.setattr(module_store, "FEW", 0)
    imported()
    path = tmp_path / "cache" / "modules.code"
    ModuleStore(path).keep()
    forget()
    return path


def test_modules_are_those_of_the_folders(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [ModuleStore(file), *sys.meta_path])
    stored = imported()
    assert [type(module.__loader__).__name__ for module in stored] == ["SourceFileLoader"] + ["_Loader"] * 3
    facts = [facts_of(module) for module in stored]
    assert inspect.getsource(stored[1]).startswith('"""One."""') and stored[1].VALUE == 1 and stored[2].VALUE == 2
    forget()
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[1:])
    assert facts == [facts_of(module) for module in imported()]


def facts_of(module: Any) -> tuple[Any, ...]:
    inside = list(module.__path__) if hasattr(module, "__path__") else None
    spec = module.__spec__
    return module.__name__, module.__file__, module.__package__, inside, module.__doc__, spec.origin, spec.has_location


def test_a_changed_source_file_is_read_and_stored(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "one.py").write_text("VALUE = 'changed'\n")
    store = ModuleStore(file)
    monkeypatch.setattr(sys, "meta_path", [store, *sys.meta_path])
    assert imported()[1].VALUE == "changed"
    store.keep()
    forget()
    monkeypatch.setattr(sys, "meta_path", [ModuleStore(file), *sys.meta_path[1:]])
    again = imported()[1]
    assert again.VALUE == "changed" and type(again.__loader__).__name__ == "_Loader"
    (folder / "one.py").unlink()
    forget()
    with pytest.raises(ModuleNotFoundError):
        imported()


def test_a_source_file_that_was_installed_again_is_read(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = folder / "one.py"
    before = source.stat()
    source.write_text(source.read_text().replace("1", "3"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))  # as packages do that are built reproducibly
    assert source.stat().st_size == before.st_size
    assert ModuleStore(file).find_spec("storedpackage.one", [str(folder)]) is None


def test_a_package_elsewhere_is_not_hidden(file: Path, folder: Path) -> None:
    store = ModuleStore(file)
    assert store.find_spec("storedpackage.one", [str(folder)]) is not None
    for path in (None, ["elsewhere"], [str(folder), "elsewhere"]):
        assert store.find_spec("storedpackage.one", path) is None
    assert store.find_spec("storedpackage.three", [str(folder)]) is None


def test_a_run_that_adds_little_writes_nothing(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()
    store = ModuleStore(file)
    monkeypatch.setattr(store, "_path", file.with_name("never.code"))
    store.keep()
    assert file.read_bytes() == before and not file.with_name("never.code").exists()


@pytest.mark.parametrize("content", [b"", b"Tessera", b"\0" * 100])
def test_what_is_no_such_file_has_no_modules(file: Path, folder: Path, content: bytes) -> None:
    whole = file.read_bytes()
    for damaged in (content, whole[:-1], whole[: len(whole) // 2], whole + b"more", b"x" + whole[1:]):
        file.write_bytes(damaged)
        assert ModuleStore(file).find_spec("storedpackage.one", [str(folder)]) is None
    file.unlink()
    assert ModuleStore(file).find_spec("storedpackage.one", [str(folder)]) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the mode of a file says who writes to it")
def test_a_file_that_others_can_write_to_is_not_used(file: Path, folder: Path) -> None:
    file.chmod(0o622)
    assert ModuleStore(file).find_spec("storedpackage.one", [str(folder)]) is None


def test_files_of_environments_that_are_gone_are_removed(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(module_store, "FEW", 0)
    imported()
    old, recent = tmp_path / "old.code", tmp_path / "recent.code"
    for path in (old, recent):
        path.write_bytes(b"")
    os.utime(old, (0.0, 0.0))
    ModuleStore(tmp_path / "modules.code").keep()
    assert (tmp_path / "modules.code").exists() and recent.exists() and not old.exists()


def test_a_folder_that_can_not_be_written_is_no_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    imported()
    ModuleStore(tmp_path / "taken" / "modules.code").keep()
