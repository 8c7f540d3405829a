"""Views of stereo images: of parts with a `view`, and of channels in a part that lists its views in `multiView`."""

from __future__ import annotations

from engine.io.info import ImageInfo, LayerInfo, PartInfo

EYES = ("left", "right")


def part_views(part: PartInfo) -> tuple[str, ...]:
    """Return the views whose channels a part holds by name, the default one first; () if it lists none."""
    listed = part.metadata.get("multiView")
    names = listed if isinstance(listed, list | tuple) else ()
    return tuple(name for name in names if isinstance(name, str))


def views_of(info: ImageInfo) -> tuple[str, ...]:
    """Return the views of a file, the left and the right one first; fewer than two if it is not stereo."""
    found = dict.fromkeys(view for part in info.parts for view in (*part_views(part), part.view) if view)
    return tuple(sorted(found, key=lambda view: EYES.index(view) if view in EYES else len(EYES)))


def view_of(part: PartInfo, layer: LayerInfo) -> str:
    """Return the view that a layer belongs to, or ''."""
    return _channel_view(layer.channels[0], part_views(part)) or part.view


def counterpart(info: ImageInfo, part: PartInfo, layer: LayerInfo, view: str) -> tuple[PartInfo, LayerInfo] | None:
    """Return the same layer in another view: in this part if it lists its views, else in the part of that view that
    has the same name apart from the view. None if there is none.
    """
    views = part_views(part)
    if view in views and _channel_view(layer.channels[0], views):
        return _in_part(part, layer, view, views)
    others = [each for each in info.parts if part.view and each.view == view != part.view]
    for other in sorted(others, key=lambda each: (_bare(each) != _bare(part), each.index)):
        if (found := _same_layer(other, layer.name, layer.channels)) is not None:
            return other, found
    return None


def other_view(info: ImageInfo, part: PartInfo, layer: LayerInfo) -> tuple[PartInfo, LayerInfo] | None:
    """Return the same layer in the first other view that has it; None if there is none."""
    mine = view_of(part, layer)
    found = (counterpart(info, part, layer, view) for view in views_of(info) if view != mine)
    return next((each for each in found if each is not None), None)


def without_view(part: PartInfo, layer: LayerInfo) -> str:
    """Return a name that a layer shares with its counterparts in other views."""
    views = part_views(part)
    names = (_without_channel_view(name, views) for name in layer.channels)
    return f"{_bare(part)}/{','.join(names)}"


def _in_part(part: PartInfo, layer: LayerInfo, view: str, views: tuple[str, ...]) -> tuple[PartInfo, LayerInfo] | None:
    wanted = tuple(_without_channel_view(name, views) for name in layer.channels)
    known = {
        _without_channel_view(each.name, views): each.name
        for each in part.channels
        if _channel_view(each.name, views) == view
    }
    channels = tuple(known[name] for name in wanted if name in known)
    same = _same_layer(part, None, channels) if len(channels) == len(wanted) else None
    return (part, same) if same is not None else None


def _same_layer(part: PartInfo, name: str | None, channels: tuple[str, ...]) -> LayerInfo | None:
    """Return the layer of a name, with None that of these channels; a channel by itself is a layer, too."""
    known = (*part.layers, *part.vectors)
    found = next((each for each in known if each.name == name or (name is None and each.channels == channels)), None)
    if found is None and len(channels) == 1 and any(each.name == channels[0] for each in part.channels):
        return LayerInfo(channels[0], channels)
    return found


def _channel_view(name: str, views: tuple[str, ...]) -> str:
    """Return the view of a channel: the second last part of its name, the default view if the name has one part."""
    parts = name.split(".")
    if len(parts) == 1:
        return views[0] if views else ""
    return parts[-2] if parts[-2] in views else ""


def _without_channel_view(name: str, views: tuple[str, ...]) -> str:
    parts = name.split(".")
    return ".".join([*parts[:-2], parts[-1]] if len(parts) > 1 and parts[-2] in views else parts)


def _bare(part: PartInfo) -> str:
    """Return the name of a part without its view."""
    return part.name.replace(part.view, "") if part.view else part.name
