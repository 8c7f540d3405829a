"""The engine functions that the window calls; each imports its modules on the first call, off the interface thread."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from app.services.config_stamps import note_files, note_setup, stamps_of
from app.services.table_names import name_tables, named
from engine import FileLook, Grade
from engine.color.management import NOTHING_ASSUMED, Managed, manage
from engine.core.file_watch import State, state_of
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.grade.colour_settings import ColourSetup, Context, InputSpace, Viewing
from engine.kernel.op import Op

if TYPE_CHECKING:
    from app.model.grade_file import GradeFile
    from app.services.config_names import Names
    from engine.compute.devices import BackendInfo
    from engine.io.info import ImageInfo, PartInfo
    from engine.io.manifests import Ids, Manifest
    from engine.io.planes import PlaneReader
    from engine.luts.look_files import LookReport
    from engine.mattes.planes import CoveragePlane, IdPlane, Plane
    from engine.ocio.config import Config

Use = tuple[ColourSetup, Path | None, Mapping[str, Any], Viewing]
"""A use of a config: the setup, the path and metadata of an image, and how the image is viewed."""


class _Device:
    """The device that shows images; those that it decodes are read for it."""

    def __init__(self) -> None:
        self._executor: Callable[[], Any] = lambda: None

    def create_executor(self, backend: str, threads: int) -> Any:
        from engine import create_executor

        executor = create_executor(backend, threads=threads)
        codec = executor.primitives.chunk_codec
        if codec is not None:
            self._executor = ref(executor)
            Thread(target=_prepare, args=(codec,), name="tessera-codec").start()
        return executor

    def read_image(
        self, path: Path, part: int | None = None, layer: str | None = None, frame: int | None = None
    ) -> Any:
        from engine.viewing.opening import open_image

        executor = self._executor()
        return open_image(path, part, layer, codec=executor and executor.primitives.chunk_codec, frame=frame)


def _prepare(codec: Any) -> None:
    """Compile the kernels that decode images; without them, images are read through main memory."""
    from engine.errors import BackendError

    with suppress(BackendError):
        codec.prepare()


_DEVICE = _Device()


def _sample_layers(*what: Any) -> list[Any]:
    from engine.viewing.layer_samples import sample_layers

    return list(sample_layers(*what))


def _sampled_image(path: Path, size_of: Callable[[PartInfo], tuple[int, int]]) -> tuple[Any, PartInfo]:
    """Return pixels of the first layer of an image, evenly spread, at most as many as `size_of` says; and its part."""
    from engine.io.description import describe
    from engine.viewing.layer_samples import sample_layers

    info = describe(path)
    part = info.parts[0]
    found = sample_layers(info, 0, (part.layers[0].name,), *size_of(part))
    if not found:
        raise UnreadableFile(path, "is too large for a thumbnail", "open it instead")
    return found[0], part


def _look_from_file(path: str, interpolation: str = "file") -> FileLook:
    from app.services.look_reader import read_look
    from engine import ocio

    file, cdl_id = ocio.split_cdl_id(path)
    look = read_look(file, interpolation, cdl_id)
    name_tables(look.ops)
    return look


def _load_grade(path: Path) -> GradeFile:
    from app.model.grade_file import load_grade_file

    file = load_grade_file(path)
    for grade in (file.grade, *(version.grade for version in file.versions)):
        named(grade)
    return file


def _recorded_grade(image: Any) -> Grade | None:
    from engine.export.provenance import recorded

    grade = recorded(image.part)
    return grade and named(grade)


def _list_cdl_ids(path: Path) -> list[dict[str, Any]]:
    from engine import ocio

    return ocio.list_cdl_ids(path)


def _ops_from_cdl(path: Path, cdl_id: str | None = None) -> Iterable[Op]:
    from engine import ocio

    return ocio.ops_from_file(path, cdl_id=cdl_id)


def _manage(
    setup: ColourSetup, path: Path | None, metadata: Mapping[str, Any], assumed: InputSpace = NOTHING_ASSUMED
) -> Managed:
    note_setup(setup)
    managed = manage(setup, path, metadata, assumed=assumed)
    if managed.converts:
        _ = managed.working, managed.output, managed.displayed(Viewing())  # so that the interface thread need not
    return managed


def _backends() -> list[BackendInfo]:
    from engine import detect_backends

    return detect_backends()


def _names(where: str, contexts: tuple[Context, ...] = ((),)) -> Names:
    from app.services import monitor
    from app.services.config_names import Names
    from engine.ocio.config_files import builtin_configs, files_of, load_config
    from engine.ocio.identify import interop_id

    config = load_config(where)
    note_files(config, contexts)
    displays = {display: config.views(display) for display in config.displays()}
    inputs, workings = config.menu("file-io"), config.menu("working-space")
    monitor_space = monitor.monitor_id()
    spaces = {display: config.space_of_view(display) for display in displays} if monitor_space else {}
    own = next(
        (display for display, space in spaces.items() if space and interop_id(config, space) == monitor_space), ""
    )
    files = files_of(config, contexts)
    families = inputs, workings, config.colours()
    stamps = {path: stamps_of(config).get(path) for path in files}
    return Names(config, displays, config.looks(), *families, builtin_configs(), own, stamps)


def _reload_names(where: str, last: Config, uses: Sequence[Use], contexts: tuple[Context, ...]) -> Names:
    from engine.ocio.config_files import reload_config

    def check(config: Config) -> None:
        """Raise GradeError unless all open images can be shown with the config."""
        note_files(config, (*contexts, *(setup.context for setup, *_ in uses)))
        for setup, path, metadata, viewing in uses:
            managed = manage(setup, path, metadata, config=config)
            if managed.converts:
                there = viewing.display in config.displays()
                views = [view.name for view in config.views(viewing.display)] if there else []
                display, view = viewing.display if there else "", viewing.view if viewing.view in views else ""
                ops = managed.displayed(replace(viewing, display=display, view=view))
                name_tables((*ops, *config.ops_between(managed.input, managed.working, setup.context)))

    reload_config(last, check)
    return _names(where, contexts)


def _cryptomatte_objects(info: ImageInfo, part: PartInfo) -> dict[str, Manifest]:
    from engine.io.cryptomatte import cryptomatte_layers
    from engine.io.manifests import manifest_of

    return {layer.name: manifest_of(info.path, layer) for layer in cryptomatte_layers(info, part)}


def _missing_planes(info: ImageInfo, part: PartInfo, planes: Sequence[Plane]) -> dict[Plane, str]:
    from engine.io.planes import missing

    return {each.plane: each.text for each in missing(info, planes, part)}


def _lacks_planes(path: Path, part: int | None, planes: Sequence[Plane]) -> bool:
    from engine.io.planes import missing
    from engine.io.selection import choose_part
    from engine.movies.images import describe

    info = describe(path)
    return bool(missing(info, planes, choose_part(info, part)))


def _plane_files(info: ImageInfo, part: PartInfo, planes: Sequence[Plane]) -> dict[Path, State]:
    from engine.io.plane_locations import files_read

    return {path: state_of(path) for path in files_read(info, planes, part)}


def _plane_reader(image: Any) -> PlaneReader:
    from engine.viewing.levels import planes_of

    planes = planes_of(image)
    assert planes is not None  # the window shows images of files
    return cast("PlaneReader", planes.reader)


def _ids_there(image: Any, plane: CoveragePlane | IdPlane) -> Ids:
    return _plane_reader(image).ids(plane)


def _write_look(*what: Any) -> LookReport:
    from app.services.look_job import write_lut_in_process

    return write_lut_in_process(*what)


def _rest_movies() -> None:
    movies = sys.modules.get("engine.movies.movie")  # until it is imported there are none
    if movies is not None:
        movies.rest_movies()


@dataclass(frozen=True)
class Services:
    """The engine's functions that the window uses; tests replace them."""

    read_image: Callable[..., Any] = _DEVICE.read_image
    sample_layers: Callable[..., list[Any]] = _sample_layers
    sampled_image: Callable[[Path, Callable[[PartInfo], tuple[int, int]]], tuple[Any, PartInfo]] = _sampled_image
    cryptomatte_objects: Callable[[ImageInfo, PartInfo], Mapping[str, Manifest]] = _cryptomatte_objects
    missing_planes: Callable[[ImageInfo, PartInfo, Sequence[Plane]], Mapping[Plane, str]] = _missing_planes
    lacks_planes: Callable[[Path, int | None, Sequence[Plane]], bool] = _lacks_planes
    plane_files: Callable[[ImageInfo, PartInfo, Sequence[Plane]], Mapping[Path, State]] = _plane_files
    plane_reader: Callable[[Any], PlaneReader] = _plane_reader
    ids_there: Callable[[Any, CoveragePlane | IdPlane], Ids] = _ids_there
    look_from_file: Callable[..., FileLook] = _look_from_file
    list_cdl_ids: Callable[[Path], list[dict[str, Any]]] = _list_cdl_ids
    ops_from_cdl: Callable[..., Iterable[Op]] = _ops_from_cdl
    write_look: Callable[..., LookReport] = _write_look
    manage: Callable[..., Managed] = _manage
    names: Callable[..., Names] = _names
    reload_names: Callable[[str, Config, Sequence[Use], tuple[Context, ...]], Names] = _reload_names
    backends: Callable[[], list[BackendInfo]] = _backends
    load_grade: Callable[[Path], GradeFile] = _load_grade
    recorded_grade: Callable[[Any], Grade | None] = _recorded_grade
    create_executor: Callable[[str, int], Any] = _DEVICE.create_executor
    rest_movies: Callable[[], None] = _rest_movies
