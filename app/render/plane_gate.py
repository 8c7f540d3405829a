"""Decides what of a grade can be shown: mattes need planes of the file, which it may lack or which are still read."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.model.matte_view import matte_at
from app.render.frame_plan import FramePlan
from app.render.requests import Request
from engine.grade.masking import planes_read
from engine.grade.matte_planes import without_planes
from engine.mattes.planes import Plane
from engine.viewing import FrameMaker, Levels, Region
from engine.viewing.plane_sources import PlaneNeed
from engine.viewing.plane_store import FRAME, OBJECT, PlaneStore

if TYPE_CHECKING:
    from app.render.answers import Answers


FIRST_SECONDS = 0.5
"""How long the first frame of an image waits for planes, before it is shown without the entries that read them."""
NO_FILE = "The image has no file to read channels from"
LEFT_OUT = "The frame is shown without the entry that needs it."
PlanOf = Callable[[Request], FramePlan]
Lacking = dict[PlaneStore | None, frozenset[Plane]]


class PlaneGate:
    """Admits the frames of a preview. Used on its thread."""

    def __init__(self, preview: Answers) -> None:
        self._preview = preview
        self._shown: Levels | None = None
        self._last: tuple[int, tuple[str, ...]] = (0, ())

    def forget(self) -> None:
        """Release the image."""
        self._shown = None

    def has_shown(self, levels: Levels) -> None:
        """Remember that an image has had a frame."""
        self._shown = levels

    def admitted(self, levels: Levels, request: Request, plan_of: PlanOf) -> tuple[Request, FramePlan, bool] | None:
        """Return a request without the entries that can't be shown, its plan, and whether planes are all there.

        Entries that read planes which the file lacks are bypassed. While planes are read the frame stays as it is, and
        None is returned; if there is none yet, entries that read them are bypassed, too. If planes of other mip levels
        are there, only a quick frame can be made.
        """
        plan = plan_of(request)
        if not any(planes_read(run.grade) for run in plan.runs):
            for store in _stores(plan):
                store.want(FRAME, ())
            self._report(request, plan)
            return request, plan, True
        until = 0.0 if self._shown is levels else time.monotonic() + FIRST_SECONDS
        while unread := self._unread(plan, request):
            if time.monotonic() < until:
                if not self._preview.settled():
                    return None
            elif until:
                break
            elif _is_near(plan, request):
                return (*self._without(request, plan, _lacking(plan), plan_of), False)
            else:
                return None
        self._report(request, plan)
        lacking = _lacking(plan)
        for each, planes in unread.items():
            lacking[each] = lacking.get(each, frozenset()) | planes
        return (*self._without(request, plan, lacking, plan_of), not unread)

    def _unread(self, plan: FramePlan, request: Request) -> Lacking:
        """Have the planes of a plan read; return those that are not there yet."""
        found: Lacking = {}
        for store, needs in _needs(plan, request).items():
            if not store.want(FRAME, needs):
                found[store] = frozenset(need.plane for need in needs if not store.has(need))
        return found

    @staticmethod
    def _without(request: Request, plan: FramePlan, lacking: Lacking, plan_of: PlanOf) -> tuple[Request, FramePlan]:
        """Return the request without the entries that read planes which are lacking, and its plan."""
        if not any(lacking.values()):
            return request, plan
        ours, view = lacking.get(plan.main.maker.levels.planes, frozenset()), request.view
        matte = matte_at(request.grade, view.entry)
        if matte is not None and not ours.isdisjoint(matte.planes):
            view = replace(view, matte="", inside_matte=False)
        if view.comparison is not None:
            theirs = ours if view.comparison.levels is None else lacking.get(view.comparison.levels.planes, frozenset())
            view = replace(
                view, comparison=replace(view.comparison, grade=without_planes(view.comparison.grade, theirs))
            )
        admitted = replace(request, grade=without_planes(request.grade, ours), view=view)
        return admitted, plan_of(admitted)

    def _report(self, request: Request, plan: FramePlan) -> None:
        """Tell what the image lacks, if that has changed."""
        lines = tuple(dict.fromkeys(line for run in plan.runs for line in _lines(run.maker.levels.planes, run.grade)))
        found = request.serial, lines
        if found != self._last:
            self._last = found
            self._preview.answer(request.serial, self._preview.lacking, lines)


def lacked(store: PlaneStore | None, planes: Collection[Plane]) -> frozenset[Plane]:
    """Return those of some planes that can't be read, found out now."""
    if store is None:
        return frozenset(planes)
    store.look_up(tuple(planes))
    return store.lacks(planes)


def there(maker: FrameMaker, purpose: str, where: tuple[Region, int, int], planes: Iterable[Plane]) -> bool:
    """Return whether planes are there for a view of a region on some pixels; else have them read for a purpose."""
    store = maker.levels.planes
    if store is None:
        return True
    lacks = lacked(store, tuple(planes))
    wanted = [plane for plane in planes if plane not in lacks]
    if not wanted:
        return True
    needs = maker.needs(*where, wanted)
    level = store.level_there(wanted, where[0], needs[0].level)
    return (level is not None and level <= needs[0].level) or store.want(purpose, needs)


def _lines(store: PlaneStore | None, grade: object) -> list[str]:
    planes = planes_read(grade)  # type: ignore[arg-type]
    if store is None:
        return [f"{NO_FILE}. {LEFT_OUT}"] if planes else []
    return [each.text if each.kind == OBJECT else f"{each.text}. {LEFT_OUT}" for each in store.missing(planes)]


def _stores(plan: FramePlan) -> list[PlaneStore]:
    stores = [run.maker.levels.planes for run in plan.runs]
    return list({id(store): store for store in stores if store is not None}.values())


def _needs(plan: FramePlan, request: Request) -> dict[PlaneStore, list[PlaneNeed]]:
    """Return what the frames of a plan need of each image."""
    view, found = request.view, dict[PlaneStore, list[PlaneNeed]]()
    for run in plan.runs:
        store, planes = run.maker.levels.planes, tuple(planes_read(run.grade))
        if store is not None and planes:
            where = run.where(view.region, view.width, view.height)
            found.setdefault(store, []).extend(run.maker.needs(*where, planes))
    return found


def _lacking(plan: FramePlan) -> Lacking:
    """Return the planes of a plan that can't be read, as far as that is known."""
    found: Lacking = {}
    for run in plan.runs:
        store, planes = run.maker.levels.planes, planes_read(run.grade)
        lacks = frozenset(planes) if store is None else store.lacks(planes)
        found[store] = found.get(store, frozenset()) | lacks
    return found


def _is_near(plan: FramePlan, request: Request) -> bool:
    """Return whether all planes of a plan are there at one mip level or another."""
    view = request.view
    for run in plan.runs:
        store, planes = run.maker.levels.planes, planes_read(run.grade)
        if store is None or not planes:
            continue
        wanted = [plane for plane in planes if plane not in store.lacks(planes)]
        where = run.where(view.region, view.width, view.height)
        level = run.maker.needs(*where, wanted)[0].level if wanted else 0
        if store.unknown(wanted) or store.level_there(wanted, where[0], level) is None:
            return False
    return True
