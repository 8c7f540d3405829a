"""Commands for playing a sequence, and for keys over its frames."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.actions.file import open_export_dialog
from app.widgets.key_mark import mark_of
from app.workspace import Workspace

MENU, KEYS_MENU = "&Playback", "&Grade/&Keyframes"


def has_sequence(workspace: Workspace) -> bool:
    """Return whether the image is a frame of a sequence; for `when`."""
    return workspace.player.clip is not None


def _end(workspace: Workspace, last: bool) -> None:
    clip = workspace.player.clip
    if clip is not None and clip.played:
        workspace.player.go(clip.played[-1 if last else 0])


def _export(workspace: Workspace) -> None:
    """Open the export dialog for the frames from in to out."""
    from engine.export.frame_patterns import frames_text

    dialog, clip = open_export_dialog(workspace), workspace.player.clip
    if dialog is None or clip is None:
        return
    frames = "" if clip.played == clip.frames else frames_text(clip.played)
    dialog.propose(clip.pattern.folder / clip.pattern.name, frames)


def _all(workspace: Workspace) -> None:
    workspace.player.set_in(None)
    workspace.player.set_out(None)


def _has_entry(workspace: Workspace) -> bool:
    return bool(workspace.document.grade.entries)


def _has_keys(workspace: Workspace) -> bool:
    return bool(workspace.keyframes.selected)


def _toggle(workspace: Workspace) -> None:
    """Set or remove the key of the control that has the focus."""
    mark = mark_of(QApplication.focusWidget())
    if mark is None:
        workspace.messages.warn("Select a control of an entry first: its slider, number or wheel.")
    else:
        mark.toggled.emit()


COMMANDS: Table = (
    Command(
        "play",
        MENU,
        "&Play or stop",
        "Play the sequence from in to out, or stop playback",
        ("P",),
        "play",
        lambda ws: ws.player.toggle(),
        has_sequence,
    ),
    Command(
        "previous_frame",
        MENU,
        "Pre&vious frame",
        "Go one frame back",
        (",",),
        "previous-frame",
        lambda ws: ws.player.step(-1),
        has_sequence,
    ),
    Command(
        "next_frame",
        MENU,
        "&Next frame",
        "Go one frame forward",
        (".",),
        "next-frame",
        lambda ws: ws.player.step(1),
        has_sequence,
    ),
    Command(
        "first_frame",
        MENU,
        "&First frame",
        "Go to the first frame of the in/out range",
        ("Alt+Home",),
        "first-frame",
        lambda ws: _end(ws, False),
        has_sequence,
    ),
    Command(
        "last_frame",
        MENU,
        "&Last frame",
        "Go to the last frame of the in/out range",
        ("Alt+End",),
        "last-frame",
        lambda ws: _end(ws, True),
        has_sequence,
    ),
    SEPARATOR,
    Command(
        "mark_in",
        MENU,
        "Set &In",
        "Start playback at this frame",
        ("I",),
        "mark-in",
        lambda ws: ws.player.set_in(ws.player.frame),
        has_sequence,
    ),
    Command(
        "mark_out",
        MENU,
        "Set &Out",
        "End playback at this frame",
        ("O",),
        "mark-out",
        lambda ws: ws.player.set_out(ws.player.frame),
        has_sequence,
    ),
    Command(
        "unmark",
        MENU,
        "&All frames",
        "Play from the first frame to the last",
        ("Shift+I",),
        run=_all,
        when=has_sequence,
    ),
)

KEYS: Table = (
    Command(
        "key_control",
        KEYS_MENU,
        "Set or remove &key of control",
        "Set a key of the selected control at this frame, or remove it",
        ("Alt+K",),
        run=_toggle,
        when=_has_entry,
    ),
    Command(
        "set_keys",
        KEYS_MENU,
        "&Set keys of entry",
        "Set a key for each animated control of the current entry at this frame",
        ("Alt+Shift+K",),
        run=lambda ws: ws.keyframes.set_all(),
        when=_has_entry,
    ),
    Command(
        "remove_keys",
        KEYS_MENU,
        "&Delete keys of entry",
        "Delete the keys that the current entry has at this frame",
        run=lambda ws: ws.keyframes.remove_all(),
        when=_has_keys,
    ),
    Command(
        "curve_editor",
        KEYS_MENU,
        "&Curve editor",
        "Show the keys and curves of animated controls above the timeline",
        ("Ctrl+Alt+K",),
        "curves",
        lambda ws: ws.show_panel("timeline"),
        checkable=True,
    ),
    SEPARATOR,
    Command(
        "previous_key",
        KEYS_MENU,
        "&Previous key",
        "Go to the previous frame at which the current entry has a key",
        ("Alt+,",),
        run=lambda ws: ws.keyframes.step(-1),
        when=_has_keys,
    ),
    Command(
        "next_key",
        KEYS_MENU,
        "&Next key",
        "Go to the next frame at which the current entry has a key",
        ("Alt+.",),
        run=lambda ws: ws.keyframes.step(1),
        when=_has_keys,
    ),
)

EXPORT: Table = (
    Command(
        "export_sequence",
        "&File",
        "Export seq&uence…",
        "Export the graded frames from in to out, on this machine or a farm",
        ("Ctrl+Alt+E",),
        run=_export,
        when=has_sequence,
    ),
)

GESTURES = (
    Gesture("Drag on the timeline", "Scrub; hold Shift to set in and out"),
    Gesture("Arrow keys on the timeline", "Step one frame; hold Shift for ten"),
    Gesture("Click the diamond beside a control", "Set or remove its key at this frame"),
)
