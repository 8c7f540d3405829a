"""The part of the workspace that concerns presets, stills, compare grids and contact sheets. All of it is made when
first used, so that the first image does not wait for its modules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.services.comparing import Others

if TYPE_CHECKING:
    from app.canvas.grid.kinds import GridKinds
    from app.canvas.grid.stage import GridStage
    from app.canvas.grid.view import GridView
    from app.model.still import Still
    from app.services.chart_matching import ChartMatching
    from app.services.match_trial import MatchTrial
    from app.services.match_work import MatchImage
    from app.services.matching import Matching
    from app.services.presets import Presets
    from app.services.sheet_images import SheetImages
    from app.services.side_images import SideImages, Wanted
    from app.services.still_grabs import StillGrabs
    from app.services.still_grades import StillGrades
    from app.services.still_thumbnails import StillThumbnails
    from app.services.stills import Stills
    from engine.color.management import Managed
    from engine.grade.entries import Entry

T = TypeVar("T", bound="MatchTrial")


class SideWorkspace(QObject):
    """What can be seen beside the current image. The workspace has the documents and services that it uses."""

    grabs_ended = Signal()  # no still is being written any more
    open_documents: Any
    colour: Any
    services: Any
    settings: Any
    disk: Any
    jobs: Any
    messages: Any
    activity: Any
    canvas: Any
    preview: Any
    stage: Any
    files: Any
    grid_view: GridView  # there is one once there is a grid

    # -- presets

    @cached_property
    def presets(self) -> Presets:
        """The presets of the user, and the favourites."""
        from app.services.presets import Presets

        return Presets(self.settings, self.disk, self.jobs, self.messages, self)

    # -- stills

    @cached_property
    def stills(self) -> Stills:
        """The stills of the folder."""
        from app.services.stills import Stills

        of_session = self.open_documents.stills
        made = Stills(of_session, self.settings, self.disk, self.jobs, self.messages, self)
        made.changed.connect(self.open_documents.current.frame_wanted)
        return made

    @property
    def selected_still(self) -> Still | None:
        """The still that commands apply to; None if none is selected."""
        return self.stills.current if self.open_documents.stills.selected else None

    @cached_property
    def side_images(self) -> SideImages:
        """Images that are read to be shown beside the current one."""
        from app.services.side_images import SideImages

        made = SideImages(self._read, self.jobs, self.messages, self)
        made.read.connect(self.open_documents.current.frame_wanted)
        return made

    @cached_property
    def still_thumbnails(self) -> StillThumbnails:
        """The thumbnails of stills."""
        from app.services.still_thumbnails import StillThumbnails

        reading = self.services.sampled_image, self.services.manage, self._create_cpu
        return StillThumbnails(*reading, self.wanted_still, lambda: self.colour.viewing, self.jobs, self)

    @cached_property
    def still_grabs(self) -> StillGrabs:
        """Writes stills."""
        from app.services.still_grabs import StillGrabs

        made = StillGrabs(self.stills, self.jobs, self.messages, self)
        made.ended.connect(self.grabs_ended)
        self.activity.add(lambda: made.current_work)
        made.begun.connect(self.activity.begin)
        return made

    @property
    def grabbing(self) -> bool:
        """Whether a still is being written or waits."""
        return "still_grabs" in vars(self) and self.still_grabs.running

    @cached_property
    def still_grades(self) -> StillGrades:
        """Takes the grades of stills over."""
        from app.services.grade_copies import GradeCopies
        from app.services.still_grades import StillGrades

        copies = GradeCopies(self.open_documents, self.services.lacks_planes, self.jobs, self.messages)
        return StillGrades(copies, self._insert, self.messages)

    def use_stills(self, ids: list[str], document: Any) -> None:
        """Give the grade of a still that was dragged onto a document, or of the first of several, to it."""
        still = next((still for id in ids if (still := self.stills.find(id)) is not None), None)
        if still is not None:
            self.still_grades.use(still, document.id)

    def wanted_still(self, still: Still, beside: Managed | None = None) -> Wanted:
        """Return how a still is read, to be shown alone or beside an image of some colour spaces."""
        from app.services.side_images import wanted_still

        config = self.colour.setup_for(self._shown.grade).config
        return wanted_still(still, config, self.colour.assumed(Path(still.source)), beside)

    def others(self) -> Others:
        """Return what the current document can be compared with. The folder of stills is only known once it is used."""
        used = "stills" in vars(self)
        find, known = (self.stills.find, self.stills.known) if used else (_no_still, False)
        return Others(self._shown, self.open_documents.items, find, known, self.selected_still)

    # -- grids and sheets

    @cached_property
    def grid_kinds(self) -> GridKinds:
        """What grids and contact sheets can show."""
        from app.canvas.grid.kinds import GridKinds

        wanted = self.open_documents.image_wanted.emit
        reading = self.stills, self.side_images, self.wanted_still, self.colour.settled, wanted
        return GridKinds(self.others, *reading, self._look_folder, self.services.look_from_file, self.jobs, self)

    @cached_property
    def grid(self) -> GridStage:
        """The compare grid."""
        from app.canvas.grid.stage import GridStage
        from app.canvas.grid.view import GridView
        from app.model.comparison_target import StillTarget

        documents, stage, kinds, colour = self.open_documents, self.stage, self.grid_kinds, self.colour
        current, view = documents.current, documents.view
        take = {
            "images": self._show_document,
            "stills": lambda id: view.set(compare="wipe", against=StillTarget(id)),
            "layers": lambda key: self.files.open_layer(*key),
            "versions": self._show_version,
            "looks": lambda path: stage.preview_lut(kinds.look(path)),
        }
        grid = GridStage(
            kinds.all(take, {"images": self._show_document}),
            self.preview,
            lambda: (colour.viewing, view.state.channel, view.state.backdrop),
            self.settings,
            self,
        )
        self.grid_view = GridView(self.canvas, grid)
        grid.changed.connect(lambda: stage.pause(grid.shown))
        grid.left.connect(kinds.rest)
        for signal in (kinds.changed, current.frame_wanted, current.grade_changed, current.image_changed):
            signal.connect(grid.refresh)
        for signal in (current.versions_changed, documents.documents_changed, colour.changed):
            signal.connect(grid.refresh)
        return grid

    def show_grid(self, kind: str = "") -> None:
        """Show the compare grid over the image."""
        self.grid.show(kind)

    def leave_grid(self) -> bool:
        """Show the image again; return whether the grid was shown."""
        return "grid" in vars(self) and self.grid.leave()

    @property
    def viewer(self) -> Any:
        """What shows images now: the canvas, or the grid over it."""
        return self.grid_view if "grid" in vars(self) and self.grid.shown else self.canvas

    @cached_property
    def sheet_images(self) -> SheetImages:
        """Makes the images of contact sheets."""
        from app.services.sheet_images import SheetImages

        return SheetImages(self._read, self._create_cpu, lambda: self.colour.viewing)

    # -- matching colours

    @cached_property
    def matching(self) -> Matching:
        """Matches the current image to a reference."""
        from app.services.matching import Matching

        work, viewing = self._match_work(), lambda: self.colour.viewing
        return self._followed(Matching(self._trial_place(), viewing, work, self.jobs, self.disk, self))

    @cached_property
    def chart_matching(self) -> ChartMatching:
        """Fits the current image to the ColorChecker in it."""
        from app.services.chart_matching import ChartMatching

        return self._followed(ChartMatching(self._trial_place(), self._match_work(), self.jobs, self.disk, self))

    def _trial_place(self) -> Any:
        from app.services.match_trial import TrialPlace

        return TrialPlace(self._matched, self.stage.show_trial, self._add)

    def _match_work(self) -> Any:
        from app.services.match_work import MatchWork

        return MatchWork(self._read, self._create_cpu)

    def _followed(self, trial: T) -> T:
        """Let a match follow the current image and its grade."""
        current = self.open_documents.current
        for signal in (current.changed, current.image_changed, current.grade_changed, self.colour.changed):
            signal.connect(trial.follow)
        self.stage.trial_ended.connect(trial.end)
        return trial

    def _matched(self) -> MatchImage | None:
        """Return the current image as it is matched; None while its spaces are not known."""
        from app.services.match_references import image_of

        document = self._shown
        return image_of(document) if document.image is not None and self.colour.settled(document) else None

    def _add(self, entry: Entry, text: str) -> None:
        """Add an entry to the end of the current grade, as one step, and select it."""
        document = self._shown
        grade = document.grade.without_solo()
        document.edit(grade.with_entries((*grade.entries, entry)), text)
        document.select(next(n for n, each in enumerate(document.entries) if each is document.grade.entries[-1]))

    # -- inside

    @property
    def _shown(self) -> Any:
        """The current document."""
        return self.open_documents.current.document

    def _read(self, *what: Any) -> Any:
        """Read an image, on a thread."""
        from app.services.read_image import read_image

        return read_image(self.services, *what)

    @property
    def _create_cpu(self) -> Any:
        return partial(self.services.create_executor, "cpu", 1)

    def _look_folder(self) -> Path | None:
        folder = self.settings.get("wall.folder", "")
        return Path(folder) if folder else None

    def _show_document(self, id: str) -> None:
        self.open_documents.show(next(each for each in self.open_documents.items if each.id == id))

    def _show_version(self, number: int) -> None:
        versions = self._shown.versions.items
        self._shown.show_version(next(each.name for each in versions if each.number == number))

    def _insert(self, entries: Sequence[Entry], text: str) -> None:
        """Insert entries after the current one, as one step, and select the first of them."""
        document = self._shown
        document.select(document.insert(document.current_entry + 1, entries, text))


def _no_still(_id: str) -> None:
    """Find no still: the folder has not been read."""
