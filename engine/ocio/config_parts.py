"""The contents of a config, as values."""

from __future__ import annotations

from collections.abc import Iterable

import PyOpenColorIO as ocio

from engine.core.records import dataclass


@dataclass(frozen=True)
class Space:
    """A colour space. `family` is its path of menus, outermost first; `interop_id` is '' if it has none.

    `is_display` is whether it is display-referred.
    """

    name: str
    family: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    encoding: str = ""
    description: str = ""
    is_data: bool = False
    is_display: bool = False
    categories: tuple[str, ...] = ()
    interop_id: str = ""


def space_of(space: ocio.ColorSpace, family: tuple[str, ...]) -> Space:
    """Return a colour space of OpenColorIO as a value, with the levels of its family."""
    return Space(
        space.getName(),
        family,
        tuple(space.getAliases()),
        space.getEncoding(),
        space.getDescription(),
        bool(space.isData()),
        bool(space.getReferenceSpaceType() == ocio.REFERENCE_SPACE_DISPLAY),
        tuple(space.getCategories()),
        space.getInteropID(),
    )


@dataclass(frozen=True)
class View:
    """A view of a display: the colour space that it ends in, its view transform and its looks."""

    name: str
    space: str
    transform: str = ""
    looks: str = ""
    description: str = ""


@dataclass(frozen=True)
class Look:
    """A look, and the colour space that it is applied in."""

    name: str
    process_space: str
    description: str = ""


@dataclass(frozen=True)
class NamedTransform:
    """A transform that is not a conversion between spaces, such as a bare curve."""

    name: str
    family: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    encoding: str = ""
    description: str = ""


@dataclass(frozen=True)
class Family:
    """A menu of colour spaces: its own, and its submenus. The outermost menu has no name."""

    name: str
    spaces: tuple[Space, ...]
    families: tuple[Family, ...] = ()


def families_of(spaces: Iterable[Space]) -> Family:
    """Return spaces as nested menus, in their order."""
    return _family("", [(space.family, space) for space in spaces])


def _family(name: str, members: list[tuple[tuple[str, ...], Space]]) -> Family:
    own = tuple(space for family, space in members if not family)
    inner = dict.fromkeys(family[0] for family, _ in members if family)
    below = {n: [(family[1:], space) for family, space in members if family[:1] == (n,)] for n in inner}
    return Family(name, own, tuple(_family(n, found) for n, found in below.items()))
