"""Frames of the cells of a compare grid, made one after the other on the preview's thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.render.answers import Answers
from app.render.device_frame import image_of
from app.render.frame_plan import FramePlan
from app.render.grid_requests import CellRequest, GridRequest
from app.render.plane_gate import lacked, there
from engine.errors import GradeError
from engine.grade.masking import planes_read
from engine.grade.matte_planes import planes_of, without_planes
from engine.viewing import Frame, FrameMaker, Levels, Region
from engine.viewing.plane_store import FRAME, PlaneStore


class GridFrames:
    """Makes the frames of cells, and keeps one maker for each image. Used on the preview's thread."""

    def __init__(self, preview: Answers) -> None:
        self._preview = preview
        self._makers: dict[Levels, FrameMaker] = {}
        self._work: GridRequest | None = None
        self._made: set[int] = set()  # the places of cells whose exact frames were delivered
        self._unread: list[PlaneStore | None] = []  # of images whose planes are being read

    def forget(self) -> None:
        """Release the images."""
        self._makers, self._work = {}, None

    def make(self, maker: FrameMaker, work: GridRequest) -> None:
        """Answer with the cells that have changed: quickly where that is slow, then exactly; `maker` has the displayed
        image. Ends when a newer request arrives; those that wait for planes or pixels are made again once these are
        there."""
        if work is not self._work:
            self._work, self._made = work, set(work.done)
        self._keep(maker, work)
        self._unread.clear()
        slow = []
        for place, cell in list(self._waiting(work)):
            plan = None if self._preview.waits() else self._plan(work, place, cell)
            if plan is None:
                continue
            if not plan.prepared():
                self._preview.say("Preparing…")
            begun = plan.main.maker.levels.begun
            if not begun:
                _quick(cell, plan)  # it has the image decoded
            elif plan.main.maker.is_slow(*_where(cell), plan.main.grade, plan.main.view):
                slow.append((place, cell, plan))
                self._answer(work, place, cell, _quick(cell, plan))
            else:
                self._exact(work, place, cell, plan)
        if slow and self._preview.settled():
            for place, cell, plan in slow:
                self._exact(work, place, cell, plan)

    def _exact(self, work: GridRequest, place: int, cell: CellRequest, plan: FramePlan) -> None:
        """Answer with the exact frame of a cell, unless a newer request arrives."""
        self._set_up(plan.main.maker, cell)
        waits = self._preview.waits
        found = plan.frame(lambda run: run.maker.exact(*_where(cell), run.grade, run.view, waits))
        self._answer(work, place, cell, found)
        if found is not None and plan.main.maker.complete:
            self._made.add(place)

    def _waiting(self, work: GridRequest) -> Iterator[tuple[int, CellRequest]]:
        """Yield the cells whose exact frames have not been delivered."""
        for place, cell in enumerate(work.cells):
            if cell is not None and place not in self._made:
                yield place, cell

    def _keep(self, maker: FrameMaker, work: GridRequest) -> None:
        """Have a maker for each image, and release those of others."""
        wanted = {cell.levels: None for cell in work.cells if cell is not None}
        makers, self._makers = self._makers, {}
        for levels in wanted:
            known = makers.get(levels)
            if levels is maker.levels:
                self._makers[levels] = maker
            elif known is None or known is maker or known.executor is not maker.executor:
                self._makers[levels] = FrameMaker(maker.executor, levels)
            else:
                self._makers[levels] = known

    def _plan(self, work: GridRequest, place: int, cell: CellRequest) -> FramePlan | None:
        """Return the plan of a cell; None while planes are read, and if it can't be shown, which is answered."""
        try:
            return self._readable_plan(cell)
        except GradeError as error:  # the config lacks its spaces or the view
            self._made.add(place)
            self._preview.answer(work.serial, self._preview.cell, place, None, cell, True, str(error))
            return None

    def _readable_plan(self, cell: CellRequest) -> FramePlan | None:
        """Return the plan of a cell without the entries whose planes are lacking; None while planes are read."""
        maker, view = self._makers[cell.levels], cell.view
        self._set_up(maker, cell)
        store = maker.levels.planes
        grade = without_planes(cell.grade, lacked(store, planes_of(cell.grade)))
        planes = planes_read(view.grade_ops(grade))
        if planes and (store in self._unread or not there(maker, FRAME, _where(cell), planes)):
            self._unread.append(store)  # those of another cell would take the place of these
            return None
        return FramePlan(view, grade, maker, self._makers.__getitem__)

    @staticmethod
    def _set_up(maker: FrameMaker, cell: CellRequest) -> None:
        maker.picks, maker.leaves = cell.view.picks, False
        maker.set_backdrop("" if cell.view.channel else cell.view.backdrop, cell.view.width)

    def _answer(self, work: GridRequest, place: int, cell: CellRequest, found: tuple[Frame, Any] | None) -> None:
        if found is not None:
            frame = found[0]
            shown = replace(cell, view=replace(cell.view, region=frame.region))
            self._preview.answer(work.serial, self._preview.cell, place, image_of(frame.pixels), shown, frame.exact, "")


def _quick(cell: CellRequest, plan: FramePlan) -> tuple[Frame, Any] | None:
    return plan.frame(lambda run: run.maker.quick(*_where(cell), run.grade, run.view))


def _where(cell: CellRequest) -> tuple[Region, int, int]:
    return cell.view.region, cell.view.width, cell.view.height
