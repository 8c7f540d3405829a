"""An OpenColorIO config: its contents by name, and its conversions, views and looks as ops.

`load_config` in `engine.ocio.config_files` creates one. Nothing here changes the config.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import PyOpenColorIO as ocio

from engine import ops
from engine.errors import GradeError
from engine.grade.colour_settings import Context as Context
from engine.kernel.op import Op
from engine.ocio.config_parts import Family as Family
from engine.ocio.config_parts import Look as Look
from engine.ocio.config_parts import NamedTransform as NamedTransform
from engine.ocio.config_parts import Space as Space
from engine.ocio.config_parts import View as View
from engine.ocio.config_parts import families_of, space_of
from engine.ocio.config_references import References
from engine.ocio.conversions import Conversions
from engine.ocio.names import NO_LOOKS as NO_LOOKS
from engine.ocio.names import parse_looks, spelled, unknown
from engine.ocio.primaries import PrimariesSpaces
from engine.ocio.reasons import FAILURES, reason

_USED = r"\b(?:src|dst|looks|cccid): [^,}\n]*"
"""The parts of a config's text that may use context variables."""


class Config:
    """A loaded config. Arguments for colour spaces may be names, roles or aliases.

    Unknown names raise GradeError, whose one line lists the nearest names.
    """

    def __init__(self, config: ocio.Config, source: str) -> None:
        self.ocio = config
        self.source = source
        """The argument for `load_config`: an `ocio://` name or the path of a file."""
        self.references = References(config, source)
        self._conversions = Conversions(config, self.name, self.references, self.context)
        self._for = lru_cache(maxsize=16)(self._of_categories)
        self._shown = lru_cache(maxsize=64)(self._ops_of_view)
        self._primaries = PrimariesSpaces(
            config, self.references, lambda: (name for name in (self.linear, *self._linear_spaces()) if name)
        )

    def __repr__(self) -> str:
        return f"Config({self.source!r})"

    @property
    def name(self) -> str:
        """The config's own name, or else its source."""
        return self.ocio.getName() or self.source

    @property
    def is_builtin(self) -> bool:
        """Whether the config is built into OpenColorIO."""
        return self.source.startswith("ocio://")

    @property
    def description(self) -> str:
        return str(self.ocio.getDescription())

    @cached_property
    def problem(self) -> str:
        """The problem that OpenColorIO finds in the config, in one line; '' if none. Parts may work anyway."""
        try:
            self.ocio.validate()
        except FAILURES as error:
            return reason(error)
        return ""

    # -- what there is

    def spaces(self, *categories: str) -> tuple[Space, ...]:
        """Return the active colour spaces in the config's order; with categories, those that OpenColorIO's menus show.

        These are the spaces of one of the categories and those without any, or all if there are none such. The user's
        own categories (in the variable OCIO_USER_CATEGORIES) count as well.
        """
        return self._for(categories) if categories else tuple(self._spaces.values())

    def menu(self, *categories: str) -> Family:
        """Return the colour spaces by family."""
        return families_of(self.spaces(*categories))

    def colours(self) -> Family:
        """Return the colour spaces that are not data spaces, by family."""
        return families_of(space for space in self.spaces() if not space.is_data)

    def space(self, name: str) -> Space:
        """Return one colour space, active or not. A named transform is returned as a space without an ID."""
        found = self.ocio.getColorSpace(self.resolve(name))
        return space_of(found, self._split(found.getFamily())) if found is not None else Space(self.resolve(name))

    def roles(self) -> dict[str, str]:
        """Return the roles and their colour spaces."""
        return dict(self.ocio.getRoles())

    def displays(self) -> tuple[str, ...]:
        """Return the active displays, the default first."""
        names = tuple(self.ocio.getDisplays())
        default = self.ocio.getDefaultDisplay()
        return tuple(sorted(names, key=lambda name: name != default))

    def views(self, display: str) -> tuple[View, ...]:
        """Return the active views of a display, shared ones included, the default first."""
        display = self.display(display)
        names = self.ocio.getViews(display)
        default = self.ocio.getDefaultView(display)
        return tuple(self._view(display, name) for name in sorted(names, key=lambda name: name != default))

    def looks(self) -> tuple[Look, ...]:
        return tuple(Look(x.getName(), x.getProcessSpace(), x.getDescription()) for x in self.ocio.getLooks())

    def named_transforms(self) -> tuple[NamedTransform, ...]:
        return tuple(
            NamedTransform(
                x.getName(), self._split(x.getFamily()), tuple(x.getAliases()), x.getEncoding(), x.getDescription()
            )
            for x in self.ocio.getNamedTransforms()
        )

    def variables(self) -> dict[str, str]:
        """Return the context variables that the config declares, with their default values."""
        names = list(self.ocio.getEnvironmentVarNames())
        context = self.ocio.getCurrentContext()
        return {name: context.resolveStringVar(f"${{{name}}}") for name in names}

    def values(self, context: Context = ()) -> Context:
        """Return the context variables that the config declares or uses and that have a value under `context`."""
        names = {*self.ocio.getEnvironmentVarNames(), *re.findall(r"\$(\w+)", self._uses)}
        found = self.context(context)
        resolved = ((name, found.resolveStringVar(f"${{{name}}}")) for name in sorted(names))
        return tuple((name, value) for name, value in resolved if value != f"${{{name}}}")

    # -- names

    def resolve(self, name: str) -> str:
        """Return the colour space or named transform with this name, role or alias; case does not matter."""
        found = str(self.ocio.getCanonicalName(name)) if name else ""
        found = found or self._primaries.space(name)
        if found:
            return found
        known = [*self._spaces, *self.roles(), *(alias for s in self._spaces.values() for alias in s.aliases)]
        known += [transform.name for transform in self.named_transforms()]
        raise unknown(name, known, f"the config {self.name} has no colour space")

    def has(self, name: str) -> bool:
        """Return whether a colour space has this name, role or alias."""
        return bool(name) and (self.ocio.getColorSpace(name) is not None or bool(self._primaries.space(name)))

    def role(self, *names: str) -> str:
        """Return the colour space of the first of these roles that the config has; '' if it has none."""
        return next((self.resolve(name) for name in names if self.ocio.hasRole(name) and self.has(name)), "")

    def variable(self, name: str) -> str:
        """Return a context variable as the config spells it. Raises GradeError if the config declares its variables and
        this is not one that it declares or uses."""
        if self.ocio.getEnvironmentMode() == ocio.ENV_ENVIRONMENT_LOAD_ALL or f"${name}" in self._uses:
            return name
        return spelled(name, self.ocio.getEnvironmentVarNames(), f"the config {self.name} has no context variable")

    def is_data(self, name: str) -> bool:
        """Return whether a space is a data space, which no conversion changes."""
        return self.space(name).is_data

    def is_linear(self, name: str) -> bool:
        """Return whether a space is scene-linear; False if a file that it needs is missing."""
        if self._primaries.space(name):
            return True
        try:
            with self.references.alone():
                return bool(self.ocio.isColorSpaceLinear(self.resolve(name), ocio.REFERENCE_SPACE_SCENE))
        except FAILURES:
            return False

    @cached_property
    def linear(self) -> str:
        """The scene-linear space: that of the role scene_linear, else the first scene-linear one; '' if none."""
        return self.role("scene_linear") or next(self._linear_spaces(), "")

    def space_for_file(self, path: str) -> tuple[str, str]:
        """Return the colour space that a file rule assigns to a path, and the rule's name; '' and '' if none matches.

        The default rule does not count; nor do rules of a built-in config that depend only on the suffix.
        """
        path = Path(path).absolute().as_posix()  # rules may match folders, too
        space, number = self.ocio.getColorSpaceFromFilepath(path)
        rules = self.ocio.getFileRules()
        by_suffix = self.is_builtin and rules.getName(number) != "ColorSpaceNamePathSearch"
        known = bool(self.ocio.getCanonicalName(space))
        if by_suffix or self.ocio.filepathOnlyMatchesDefaultRule(path) or not known:
            return "", ""
        return self.resolve(space), str(rules.getName(number))

    # -- ops

    def ops_between(self, source: str, target: str, context: Context = ()) -> tuple[Op, ...]:
        """Return the ops from one colour space to another; none to or from a data space.

        From a named transform, they are the transform, to whatever space; to a named transform, its inverse.
        """
        ends = self.resolve(source), self.resolve(target)
        return self._primaries.ops(*ends, lambda start, end: self._conversions.between(start, end, context))

    def look_ops(self, looks: str, source: str, target: str = "", context: Context = ()) -> tuple[Op, ...]:
        """Return the ops of looks, from a space to the same or another one.

        Looks are separated by commas; a minus undoes one. '' and `none` are no looks: only the conversion.
        """
        source = self.resolve(source)
        target = self.resolve(target) if target else source
        self._check_looks(looks)
        if looks in ("", NO_LOOKS):
            return self.ops_between(source, target, context)
        return self._primaries.ops(
            source, target, lambda start, end: self._conversions.look(start, end, looks, context)
        )

    def view_ops(
        self,
        source: str,
        display: str = "",
        view: str = "",
        looks: str = "",
        exposure: float = 0.0,
        gamma: float = 1.0,
        context: Context = (),
    ) -> tuple[Op, ...]:
        """Return the ops from a colour space to a display, in the order of OpenColorIO's viewing pipeline.

        Exposure, in stops, applies to scene-linear values; then come the looks (the view's own if `looks` is ''; `none`
        for no looks), the view, and gamma: the display's values to the power of 1 / gamma, odd about 0. '' is the
        default display or view. A view of data, and a data space as the source, convert nothing.
        """
        return self._shown(source, display, view, looks, exposure, gamma, context)

    def _ops_of_view(
        self, source: str, display: str, view: str, looks: str, exposure: float, gamma: float, context: Context
    ) -> tuple[Op, ...]:
        source = self.resolve(source)
        self._check_looks(looks)
        named, own = not self.has(source), bool(self._primaries.space(source))
        display = self.display(display)
        chosen = self.view(display, view, "" if named else self.linear if own else source)
        start, before = source, tuple[Op, ...]()
        plain = self.is_data(source) or (self.has(chosen.space) and self.is_data(chosen.space))
        if exposure or named or own:
            linear = "" if plain else self.linear
            before = self.ops_between(source, linear, context) if linear else ()
            start, before = linear or source, (*before, *([ops.Exposure(exposure)] if exposure else []))
        if looks and not plain:
            before = (*before, *self.look_ops(looks, start, context=context))
        if self.ocio.getNamedTransform(chosen.space) is not None:  # it applies to the source's values
            before = (*before, *self.ops_between(start, source, context))
        shown = () if plain else self._conversions.view(start, display, chosen.name, context, bool(looks))
        after = (ops.Exponent((1.0 / gamma,) * 3, "mirror"),) if gamma != 1.0 else ()
        return (*before, *shown, *after)

    def display(self, name: str = "") -> str:
        """Return the name of a display, active or not, by its name or an alias; that of the default display for ''."""
        if not self.displays():
            raise GradeError(f"the config {self.name} has no displays", "choose another config")
        if not name:
            return self.displays()[0]
        found = str(self.ocio.getCanonicalDisplayName(name))
        return found or spelled(name, self.displays(), f"the config {self.name} has no display")

    def view(self, display: str = "", view: str = "", source: str = "") -> View:
        """Return a view of a display, active or not, by name or alias; '' is the default view, that for the colour
        space `source` if it is given."""
        display, about = self.display(display), self.ocio
        known = self.has(source)  # OpenColorIO has no default view for a named transform
        view = view or str(about.getDefaultView(display, source) if known else about.getDefaultView(display))
        found = str(about.getCanonicalViewName(display, view))
        elsewhere = () if found else [other for other in self.displays() if about.getCanonicalViewName(other, view)]
        if elsewhere:
            have = f"{', '.join(elsewhere[:3])} {'have' if elsewhere[1:] else 'has'} it"
            raise GradeError(f"the display {display} has no view {view!r}", have)
        kinds = (ocio.VIEW_DISPLAY_DEFINED, ocio.VIEW_SHARED)
        every = [name for kind in kinds for name in about.getViews(kind, display)] if found else about.getViews(display)
        return self._view(display, spelled(found or view, every, f"the display {display} has no view"))

    def space_of_view(self, display: str = "", view: str = "") -> str:
        """Return the colour space that a view of a display ends in; '' if the config does not state it."""
        space = self.view(display, view).space
        return self.resolve(space) if self.has(space) else ""

    # -- within

    def _linear_spaces(self) -> Iterator[str]:
        return (space.name for space in self.spaces() if not space.is_data and self.is_linear(space.name))

    @cached_property
    def _spaces(self) -> dict[str, Space]:
        return {
            space.getName(): space_of(space, self._split(space.getFamily())) for space in self.ocio.getColorSpaces()
        }

    def _of_categories(self, categories: tuple[str, ...]) -> tuple[Space, ...]:
        asked = ocio.ColorSpaceMenuParameters(self.ocio)
        asked.setAppCategories(",".join(categories))
        asked.setIncludeNamedTransforms(False)
        menu = ocio.ColorSpaceMenuHelper(asked)
        names = (menu.getName(number) for number in range(menu.getNumColorSpaces()))
        return tuple(self._spaces[name] for name in names if name in self._spaces)

    def _split(self, family: str) -> tuple[str, ...]:
        """Split a family into its levels."""
        separator = self.ocio.getFamilySeparator()
        levels = family.split(separator) if separator else [family]
        return tuple(level.strip() for level in levels if level.strip())

    def _view(self, display: str, name: str) -> View:
        about = self.ocio
        space = about.getDisplayViewColorSpaceName(display, name)
        space = display if space == ocio.OCIO_VIEW_USE_DISPLAY_NAME else space
        transform, looks = about.getDisplayViewTransformName(display, name), about.getDisplayViewLooks(display, name)
        return View(name, space, transform, looks, about.getDisplayViewDescription(display, name))

    def _check_looks(self, looks: str) -> None:
        known = [look.name for look in self.looks()]
        for name in () if looks == NO_LOOKS else parse_looks(looks):
            spelled(name, known, f"the config {self.name} has no look")

    def context(self, values: Iterable[tuple[str, str]]) -> ocio.Context:
        """Return the config's context with these values of variables."""
        context = copy.deepcopy(self.ocio.getCurrentContext())
        for name, value in values:
            context.setStringVar(self.variable(name), value)
        return context

    @cached_property
    def _uses(self) -> str:
        """The parts of the config's text that may use context variables, written with $."""
        try:
            text = "\n".join((*re.findall(_USED, self.ocio.serialize()), *self.ocio.getSearchPaths()))
        except FAILURES:  # an invalid config can't be written
            text = ""
        return re.sub(r"\$\{(\w+)\}|%(\w+)%", r"$\1\2", text)
