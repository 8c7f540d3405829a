"""Commands for pinned probes and the probed area."""

from __future__ import annotations

from app.actions.command import Command, Gesture, Table, has_image
from app.workspace import Workspace

MENU = "&View/&Probes"


def pin(workspace: Workspace) -> None:
    """Pin the pixel under the cursor."""
    pointer = workspace.stage.pins.pointer
    if pointer is None:
        workspace.messages.note("Move the cursor over the image to pin a pixel")
    else:
        workspace.stage.pins.add(pointer)


def unpin(workspace: Workspace) -> None:
    """Remove the pin nearest to the cursor, or the last one."""
    pins = workspace.stage.pins
    nearest = pins.nearest(pins.pointer)
    if nearest is not None:
        pins.remove(nearest)


def copy(workspace: Workspace) -> None:
    """Copy the values that the Probe panel lists."""
    from app.panels.probe.panel import ProbePanel

    panel = workspace.show_panel("probe")
    assert isinstance(panel, ProbePanel)
    panel.copy()


COMMANDS: Table = (
    Command("pin", MENU, "&Pin", "Pin a probe to the pixel under the cursor", ("Shift+P",), run=pin, when=has_image),
    Command(
        "unpin",
        MENU,
        "&Remove a pin",
        "Remove the pin nearest to the cursor, or the last one",
        ("Ctrl+Alt+P",),
        run=unpin,
        when=lambda ws: bool(ws.stage.pins.pins),
    ),
    Command(
        "no_probes",
        MENU,
        "Remove &all",
        "Remove every pin and the area",
        ("Ctrl+Alt+Shift+P",),
        run=lambda ws: ws.stage.pins.clear(),
        when=lambda ws: ws.stage.pins.drawn(),
    ),
    Command("copy_probes", MENU, "&Copy", "Copy the values of all probes", ("Ctrl+Shift+C",), run=copy, when=has_image),
)

GESTURES = (
    Gesture("Ctrl and click on the image", "Pin a probe there"),
    Gesture("Ctrl and drag on the image", "Set the area that the Probe panel averages"),
)
