"""The panels of the window: name, place, and how each is made from the services that it uses.

The module of a panel is imported when the panel is first shown, or on a thread soon after the start, so that the
window does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtWidgets import QWidget

from app.workspace import Workspace

if TYPE_CHECKING:
    from app.panels.picking import PixelPicker


class PanelSpec(NamedTuple):
    """Describes a panel: `keys` show and hide it, `area` is left, right or bottom, `shown` is its default visibility.

    `make` is called once, when the panel is first shown; `module` is what it imports. Panels of the same area and
    `group` are tabbed together; the groups of an area lie one below the other. A `strip` has a fixed height, in
    pixels, and no title bar. `width` is the least width of a panel that is made after the first image.
    """

    name: str
    title: str
    tip: str
    keys: tuple[str, ...]
    area: str
    module: str
    make: Callable[[Workspace], QWidget]
    shown: bool = False
    group: str = ""
    strip: int = 0
    width: int = 0


def _picker(workspace: Workspace) -> PixelPicker:
    """Return a picker of colours in the image, for one panel."""
    from app.panels.picking import PixelPicker

    ws, preview = workspace, workspace.preview
    current = ws.open_documents.current
    picker = PixelPicker(current, ws.canvas, lambda: preview.levels, preview.colours, ws.jobs, ws.messages)
    preview.coloured.connect(lambda pixels, values: picker.take_values(pixels, values))
    return picker


def _grade(workspace: Workspace) -> QWidget:
    from app.model.track_options import OPTIONS
    from app.panels.grade_panel import GradePanel
    from app.panels.mattes.card_matte import MatteServices

    ws, documents = workspace, workspace.open_documents
    snaps = ws.actions["matte_snapping"]
    snaps.setChecked(ws.matte_tools.snapping.on)
    ws.matte_tools.snapping.changed.connect(snaps.setChecked)
    for name in OPTIONS:
        ws.actions[f"track_{name}"].setChecked(getattr(ws.tracking.options, name))
    mattes = MatteServices(
        lambda: documents.current.document, documents.view, ws.matte_editor, ws.matte_thumbnails, ws.actions
    )
    shared = ws.files, ws.settings, ws.messages
    return GradePanel(documents.current, *shared, mattes, _picker(workspace), ws.keyframes, ws.presets)


def _versions(workspace: Workspace) -> QWidget:
    from app.panels.versions import VersionsPanel

    current, thumbnail = workspace.open_documents.current, workspace.canvas.thumbnail
    return VersionsPanel(current, thumbnail, workspace.messages, workspace.actions)


def _history(workspace: Workspace) -> QWidget:
    from app.panels.history import HistoryPanel

    return HistoryPanel(workspace.open_documents.current)


def _timeline(workspace: Workspace) -> QWidget:
    from app.panels.timeline_panel import TimelinePanel

    return TimelinePanel(workspace.player, workspace.keyframes, workspace.actions)


def _exports(workspace: Workspace) -> QWidget:
    from app.panels.exports import ExportsPanel

    return ExportsPanel(workspace.exports, workspace.files)


def _looks(workspace: Workspace) -> QWidget:
    from app.panels.look_wall import LutWall

    ws, documents = workspace, workspace.open_documents
    services = ws.stage, ws.services, ws.settings, ws.disk, ws.jobs, ws.messages
    wall = LutWall(documents.current, lambda: ws.colour.viewing, *services)
    for signal in (documents.view.changed, ws.colour.changed):
        signal.connect(wall.update_soon)
    ws.activity.add(lambda: wall.maker.current_work)
    wall.maker.begun.connect(ws.activity.begin)
    return wall


def _looking(workspace: Workspace) -> QWidget:
    from app.panels.compare_panel import ComparePanel

    panel = ComparePanel(workspace.open_documents, workspace.stage)
    workspace.preview.marked.connect(panel.count)
    return panel


def _scopes(workspace: Workspace) -> QWidget:
    from app.panels.scopes.panel import ScopesPanel

    current = workspace.open_documents.current
    inside = workspace.actions["inside_matte"]
    return ScopesPanel(current, workspace.colour, workspace.preview, workspace.settings, workspace.jobs, inside)


def _probe(workspace: Workspace) -> QWidget:
    from app.panels.probe.panel import ProbePanel
    from app.panels.probe.probes import Probes

    documents, probes = workspace.open_documents, Probes(workspace.stage)
    for signal in (workspace.canvas.hovered, documents.view.changed, documents.current.image_changed):
        signal.connect(probes.changed)
    workspace.preview.sampled.connect(probes.sampled)
    return ProbePanel(probes, workspace.settings, workspace.messages, workspace.actions["inside_matte"])


def _colour(workspace: Workspace) -> QWidget:
    from app.panels.colour_panel import ColourPanel

    current, view = workspace.open_documents.current, workspace.open_documents.view
    return ColourPanel(current.switch, lambda: current.document.image, view, workspace.colour)


def _layers(workspace: Workspace) -> QWidget:
    from app.panels.layers.panel import LayersPanel

    ws, documents = workspace, workspace.open_documents
    return LayersPanel(documents.current, documents.view, ws.files, ws.data_views, ws.services, ws.jobs, ws.actions)


def _wheels(workspace: Workspace) -> QWidget:
    from app.panels.wheels.panel import WheelsPanel

    return WheelsPanel(workspace.keyframes, workspace.messages)


def _warper(workspace: Workspace) -> QWidget:
    from app.panels.warper.panel import WarperPanel

    return WarperPanel(workspace.keyframes, workspace.messages, _picker(workspace))


def _stills(workspace: Workspace) -> QWidget:
    from app.panels.gallery.panel import GalleryPanel

    ws = workspace
    shown = ws.stills, ws.still_thumbnails, ws.still_grades
    return GalleryPanel(*shown, ws.files, ws.settings, ws.actions, ws.prompts.ask_to_delete)


def _match(workspace: Workspace) -> QWidget:
    from app.panels.match.panel import MatchPanel
    from app.services.match_references import MatchReferences

    ws = workspace
    references = MatchReferences(
        lambda: ws.document,
        lambda: ws.documents,
        lambda: ws.stills.of_session or ws.stills.items,
        ws.wanted_still,
        lambda: ws.player.clip,
        lambda: ws.colour.setup_for(ws.document.grade),
        ws.colour.assumed,
    )
    panel = MatchPanel(
        ws.matching, ws.chart_matching, references, ws.matte_tools.place, lambda: ws.stills.watch(), ws.messages
    )
    ws.open_documents.current.image_changed.connect(panel.reference.refresh)
    return panel


PANELS: tuple[PanelSpec, ...] = (
    PanelSpec(
        "grade",
        "Grade",
        "The operations of the grade, in the order they are applied",
        ("Ctrl+1",),
        "right",
        "app.panels.grade_panel",
        _grade,
        True,
        "grade",
        width=340,
    ),
    PanelSpec(
        "versions",
        "Versions",
        "Named versions of the grade, two of them marked A and B",
        ("Ctrl+2",),
        "right",
        "app.panels.versions",
        _versions,
        True,
        "grade",
    ),
    PanelSpec(
        "history",
        "History",
        "Every change of the grade; click one to go there",
        ("Ctrl+3",),
        "right",
        "app.panels.history",
        _history,
        True,
        "grade",
    ),
    PanelSpec(
        "timeline",
        "Timeline",
        "The frames of a sequence: step, scrub and play",
        ("Ctrl+T",),
        "bottom",
        "app.panels.timeline_panel",
        _timeline,
        group="timeline",
        strip=56,
    ),
    PanelSpec(
        "exports",
        "Exports",
        "Running, queued and finished exports",
        ("Ctrl+9",),
        "bottom",
        "app.panels.exports",
        _exports,
    ),
    PanelSpec(
        "looks",
        "LUT wall",
        "The frame under each LUT and CDL file of a folder, as tiles or at full size",
        ("Ctrl+4",),
        "bottom",
        "app.panels.look_wall",
        _looks,
    ),
    PanelSpec(
        "stills",
        "Stills",
        "Stills of graded frames: find them, compare them with the image, and take their grades over",
        ("Ctrl+J",),
        "bottom",
        "app.panels.gallery.panel",
        _stills,
    ),
    PanelSpec(
        "looking",
        "Compare",
        "The image against another, and overlays: false colour, zebra, focus peaking, NaN, negative, clipped, gamut",
        ("Ctrl+5",),
        "right",
        "app.panels.compare_panel",
        _looking,
        True,
        "grade",
    ),
    PanelSpec(
        "scopes",
        "Scopes",
        "Waveforms, vectorscope, histogram, chromaticities and 3D of source, graded or display values",
        ("Ctrl+6",),
        "bottom",
        "app.panels.scopes.panel",
        _scopes,
    ),
    PanelSpec(
        "probe",
        "Probe",
        "Values of pixels, areas and pins: source, graded and display",
        ("Ctrl+7",),
        "right",
        "app.panels.probe.panel",
        _probe,
        group="grade",
    ),
    PanelSpec(
        "colour",
        "Colour",
        "The colour spaces of image and grade, and display, view and looks",
        ("Ctrl+8",),
        "right",
        "app.panels.colour_panel",
        _colour,
        True,
        "grade",
    ),
    PanelSpec(
        "match",
        "Match",
        "The colours of the image matched to another image, or to the ColorChecker in it",
        ("Ctrl+U",),
        "right",
        "app.panels.match.panel",
        _match,
        group="grade",
    ),
    PanelSpec(
        "wheels",
        "Wheels",
        "Large colour wheels for the CDL, primary or tone grading of the selected entry",
        ("Ctrl+B",),
        "bottom",
        "app.panels.wheels.panel",
        _wheels,
    ),
    PanelSpec(
        "warper",
        "Warper",
        "The editor of the colour warp of the selected entry, larger",
        ("Ctrl+Shift+W",),
        "bottom",
        "app.panels.warper.panel",
        _warper,
    ),
    PanelSpec(
        "layers",
        "Layers",
        "The parts, layers and channels of the image; ranges of data; the eyes of a stereo image",
        ("Ctrl+Shift+L",),
        "left",
        "app.panels.layers.panel",
        _layers,
    ),
)
