"""An OpenColorIO config: what it holds, by name, and its conversions, views and looks as ops.

`load_config` in `engine.ocio.config_files` makes one. Nothing here changes the config.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import PyOpenColorIO as ocio

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
from engine.ocio.names import names_of_looks, spelled, unknown
from engine.ocio.primaries import OfPrimaries
from engine.ocio.reasons import FAILURES, reason
from engine.ops import Exponent, Exposure

_USED = r"\b(?:src|dst|looks|cccid): [^,}\n]*"
"""Where the text of a config may use context variables."""


class Config:
    """A loaded config. Where a method takes a colour space, its name, a role or an alias will do.

    Errors are GradeErrors of one line that list the nearest names.
    """

    def __init__(self, config: ocio.Config, source: str) -> None:
        self.ocio = config
        self.source = source
        """What `load_config` finds it by: an `ocio://` name or the path of a file."""
        self.references = References(config, source)
        self._conversions = Conversions(config, self.name, self.references, self.context)
        self._for = lru_cache(maxsize=16)(self._of_categories)
        self._primaries = OfPrimaries(
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
        """Whether it came with OpenColorIO."""
        return self.source.startswith("ocio://")

    @property
    def description(self) -> str:
        return str(self.ocio.getDescription())

    @cached_property
    def problem(self) -> str:
        """What OpenColorIO finds wrong with the whole, in one line; '' if nothing. Parts may work anyway."""
        try:
            self.ocio.validate()
        except FAILURES as error:
            return reason(error)
        return ""

    # -- what there is

    def spaces(self, *categories: str) -> tuple[Space, ...]:
        """The active colour spaces, in the config's order; only those that OpenColorIO's menus show for categories.

        These are those of one of the categories and those without any, or all where there are none such; the user's
        own categories (in the variable OCIO_USER_CATEGORIES) count as well.
        """
        return self._for(categories) if categories else tuple(self._spaces.values())

    def menu(self, *categories: str) -> Family:
        """The colour spaces by family."""
        return families_of(self.spaces(*categories))

    def colours(self) -> Family:
        """The colour spaces that are not of data, by family."""
        return families_of(space for space in self.spaces() if not space.is_data)

    def space(self, name: str) -> Space:
        """All about one colour space, perhaps an inactive one. A named transform is one that has a name and no ID."""
        found = self.ocio.getColorSpace(self.resolve(name))
        return space_of(found, self._split(found.getFamily())) if found is not None else Space(self.resolve(name))

    def roles(self) -> dict[str, str]:
        """Roles, and the colour spaces that have them."""
        return dict(self.ocio.getRoles())

    def displays(self) -> tuple[str, ...]:
        """The active displays, the default first."""
        names = tuple(self.ocio.getDisplays())
        default = self.ocio.getDefaultDisplay()
        return tuple(sorted(names, key=lambda name: name != default))

    def views(self, display: str) -> tuple[View, ...]:
        """The active views of a display, shared ones too, the default first."""
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
        """The context variables that the config declares, with the values that they have where none are given."""
        names = list(self.ocio.getEnvironmentVarNames())
        context = self.ocio.getCurrentContext()
        return {name: context.resolveStringVar(f"${{{name}}}") for name in names}

    def values(self, context: Context = ()) -> Context:
        """The context variables that the config declares or uses and that have a value under these, by name."""
        names = {*self.ocio.getEnvironmentVarNames(), *re.findall(r"\$(\w+)", self._uses)}
        found = self.context(context)
        resolved = ((name, found.resolveStringVar(f"${{{name}}}")) for name in sorted(names))
        return tuple((name, value) for name, value in resolved if value != f"${{{name}}}")

    # -- names

    def resolve(self, name: str) -> str:
        """The colour space, or the named transform, that has this name, role or alias, in any case of letters."""
        found = str(self.ocio.getCanonicalName(name)) if name else ""
        found = found or self._primaries.space(name)
        if found:
            return found
        known = [*self._spaces, *self.roles(), *(alias for s in self._spaces.values() for alias in s.aliases)]
        known += [transform.name for transform in self.named_transforms()]
        raise unknown(name, known, f"the config {self.name} has no colour space")

    def has(self, name: str) -> bool:
        """Whether a colour space has this name, role or alias."""
        return bool(name) and (self.ocio.getColorSpace(name) is not None or bool(self._primaries.space(name)))

    def role(self, *names: str) -> str:
        """The colour space of the first of these roles that the config has; '' if it has none."""
        return next((self.resolve(name) for name in names if self.ocio.hasRole(name) and self.has(name)), "")

    def variable(self, name: str) -> str:
        """A context variable as the config spells it; GradeError where it says which it has and uses no such one."""
        if self.ocio.getEnvironmentMode() == ocio.ENV_ENVIRONMENT_LOAD_ALL or f"${name}" in self._uses:
            return name
        return spelled(name, self.ocio.getEnvironmentVarNames(), f"the config {self.name} has no context variable")

    def is_data(self, name: str) -> bool:
        """Whether a space is of data, which no conversion changes."""
        return self.space(name).is_data

    def is_linear(self, name: str) -> bool:
        """Whether a space is scene-linear; False where what it needs is not there."""
        if self._primaries.space(name):
            return True
        try:
            with self.references.alone():
                return bool(self.ocio.isColorSpaceLinear(self.resolve(name), ocio.REFERENCE_SPACE_SCENE))
        except FAILURES:
            return False

    @cached_property
    def linear(self) -> str:
        """The space of scene-linear light: that of the role scene_linear, else the first such; '' if there is none."""
        return self.role("scene_linear") or next(self._linear_spaces(), "")

    def space_for_file(self, path: str) -> tuple[str, str]:
        """The colour space that a file rule gives a whole path, and the rule's name; '' and '' if none does.

        The default rule knows nothing; nor do rules of a built-in config that go by the suffix alone.
        """
        path = Path(path).absolute().as_posix()  # rules speak of folders, too
        space, number = self.ocio.getColorSpaceFromFilepath(path)
        rules = self.ocio.getFileRules()
        by_suffix = self.is_builtin and rules.getName(number) != "ColorSpaceNamePathSearch"
        known = bool(self.ocio.getCanonicalName(space))
        if by_suffix or self.ocio.filepathOnlyMatchesDefaultRule(path) or not known:
            return "", ""
        return self.resolve(space), str(rules.getName(number))

    # -- ops

    def ops_between(self, source: str, target: str, context: Context = ()) -> tuple[Op, ...]:
        """The ops from one colour space to another; none to or from data. A named transform goes from what it takes to
        any space; to it, its inverse."""
        ends = self.resolve(source), self.resolve(target)
        return self._primaries.ops(*ends, lambda start, end: self._conversions.between(start, end, context))

    def look_ops(self, looks: str, source: str, target: str = "", context: Context = ()) -> tuple[Op, ...]:
        """The ops of looks, from a space to the same or another. Commas separate them; a minus undoes one.

        '' and `none` are no looks: a conversion alone.
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
        """The ops from a colour space to a display, in the order of OpenColorIO's viewing pipeline.

        Exposure in stops of scene-linear light, then looks (the view's own where `looks` is ''; `none` for no looks),
        then the view, then gamma: the display's values to the power of 1 / gamma, odd about 0. '' is the default
        display or view. A view of data, and a source of data, convert nothing.
        """
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
            start, before = linear or source, (*before, *([Exposure(exposure)] if exposure else []))
        if looks and not plain:
            before = (*before, *self.look_ops(looks, start, context=context))
        if self.ocio.getNamedTransform(chosen.space) is not None:  # it takes what the source holds
            before = (*before, *self.ops_between(start, source, context))
        shown = () if plain else self._conversions.view(start, display, chosen.name, context, bool(looks))
        after = (Exponent((1.0 / gamma,) * 3, "mirror"),) if gamma != 1.0 else ()
        return (*before, *shown, *after)

    def display(self, name: str = "") -> str:
        """A display's own name, by that or an alias, perhaps of one that is not active; '' for the default one."""
        if not self.displays():
            raise GradeError(f"the config {self.name} has no displays", "choose another config")
        if not name:
            return self.displays()[0]
        found = str(self.ocio.getCanonicalDisplayName(name))
        return found or spelled(name, self.displays(), f"the config {self.name} has no display")

    def view(self, display: str = "", view: str = "", source: str = "") -> View:
        """One view of a display, by name or alias, perhaps one that is not active; '' for the default ones, of those
        that are for the colour space `source` where that is given."""
        display, about = self.display(display), self.ocio
        known = self.has(source)  # of a named transform OpenColorIO has no default view
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
        """The colour space that a view of a display ends in; '' where the config does not say."""
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
        """A family as its levels."""
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
        for name in () if looks == NO_LOOKS else names_of_looks(looks):
            spelled(name, known, f"the config {self.name} has no look")

    def context(self, values: Iterable[tuple[str, str]]) -> ocio.Context:
        """The config's context with these values of variables."""
        context = copy.deepcopy(self.ocio.getCurrentContext())
        for name, value in values:
            context.setStringVar(self.variable(name), value)
        return context

    @cached_property
    def _uses(self) -> str:
        """The parts of the config's text that may use context variables, written with a $."""
        try:
            text = "\n".join((*re.findall(_USED, self.ocio.serialize()), *self.ocio.getSearchPaths()))
        except FAILURES:  # a config that is not sound can't be written
            text = ""
        return re.sub(r"\$\{(\w+)\}|%(\w+)%", r"$\1\2", text)
