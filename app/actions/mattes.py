"""Commands for the matte of the current entry."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.panels.mattes.menus import TITLES, WINDOWS, command_of, command_to_draw, show_sources
from app.workspace import Workspace
from engine.mattes.tree import MODES

MENU = "&Grade/&Matte"
ADD_MENU = "&Grade/&Matte/&Add"
NODE_MENU = "&Grade/&Matte/&Node"
TRACK_MENU = "&Grade/&Matte/&Track"
_VIEWS = (
    ("matte_alone", "alone", "Matte &alone", "Show the matte of the current entry as grey", "Alt+M"),
    ("matte_overlay", "overlay", "Matte &overlay", "Show the matte of the current entry as a red overlay", "M"),
    ("matte_cutout", "cut-out", "Matte &cut-out", "Show only what the matte of the current entry covers", "Ctrl+Alt+M"),
)
_MOVES = (
    ("up", "Move &up", "Move the selected node up, and out of its branch at the top"),
    ("down", "Move &down", "Move the selected node down, and out of its branch at the end"),
    ("in", "Move &into the branch", "Move the selected node into the branch before it"),
    ("out", "Move &out of the branch", "Move the selected node behind the branch that it is in"),
)
_AROUND = {
    "union": "cover what any of its nodes covers",
    "intersection": "cover what all of its nodes cover",
    "subtraction": "cover what only its first node covers",
}

_TRACKS = (
    ("backward", "Track &backward", "Track the selected window from this frame back to the in point", "Shift+T"),
    (
        "backward_one",
        "Track one frame b&ack",
        "Track the selected window from this frame to the one before",
        "Alt+Shift+T",
    ),
    ("forward_one", "Track &one frame", "Track the selected window from this frame to the next one", "Alt+T"),
    ("forward", "Track &forward", "Track the selected window from this frame to the out point", "T"),
)
_TRACKED = (
    ("position", "&Position", "Let tracking move the window"),
    ("scale", "&Scale", "Let tracking change the size of the window"),
    ("rotation", "&Rotation", "Let tracking turn the window"),
    (
        "graded",
        "&Graded image",
        "Track the graded image instead of the source, for example if the source is nearly black",
    ),
)


def _can_have_matte(workspace: Workspace) -> bool:
    return workspace.matte_editor.can_have_matte


def _has_matte(workspace: Workspace) -> bool:
    return workspace.matte_editor.matte is not None


def _has_node(workspace: Workspace) -> bool:
    return workspace.matte_editor.node is not None


def _can_move(workspace: Workspace, way: str) -> bool:
    return workspace.matte_editor.can_move(way)


def _add(workspace: Workspace, name: str) -> None:
    workspace.matte_editor.add(name)


def _draw(workspace: Workspace, name: str) -> None:
    workspace.matte_editor.draw(name)
    workspace.canvas.setFocus()


def _adding(name: str) -> Command:
    title = TITLES[name]
    tip = f"Add a source to the matte of the current entry: {title}"
    return Command(command_of(name), ADD_MENU, title, tip, run=partial(_add, name=name), when=_can_have_matte)


def _drawing(name: str) -> Command:
    what = TITLES[name].lower()
    tip = f"Draw a new {what} on the image, for the matte of the current entry; repeat to stop"
    run = partial(_draw, name=name)
    return Command(command_to_draw(name), ADD_MENU, f"Draw {what}…", tip, run=run, when=_can_have_matte)


def _track(workspace: Workspace, way: str) -> None:
    workspace.tracking.start(way)


def _can_track(workspace: Workspace, way: str) -> bool:
    return workspace.tracking.can_start(way)


def _set_tracked(workspace: Workspace, name: str) -> None:
    workspace.tracking.set_option(name, workspace.actions[f"track_{name}"].isChecked())


COMMANDS: Table = (
    SEPARATOR,
    Command(
        "matte_add",
        MENU,
        "Add to &matte…",
        "Choose a source to add to the matte of the current entry",
        ("Ctrl+M",),
        "matte",
        lambda ws: show_sources(ws.panel("grade"), ws.actions),
        _can_have_matte,
    ),
    *(_adding(name) for name in TITLES),
    SEPARATOR,
    *(_drawing(name) for name in WINDOWS),
    *(
        Command(
            name, MENU, text, f"{tip}; repeat to show the image", (key,), name.replace("_", "-"), view=("matte", shown)
        )
        for name, shown, text, tip, key in _VIEWS
    ),
    Command(
        "inside_matte",
        MENU,
        "&Values inside the matte",
        "Count only what the matte of the current entry covers in scopes and probes; repeat to count all",
        ("Alt+Shift+M",),
        "matte",
        view=("inside_matte", True),
    ),
    SEPARATOR,
    Command(
        "matte_pick",
        MENU,
        "&Pick in the image",
        "Choose colours or objects for the selected source by clicks on the image; repeat to stop",
        ("E",),
        "pick",
        lambda ws: ws.matte_editor.pick(),
        lambda ws: ws.matte_editor.can_pick,
    ),
    Command(
        "matte_snapping",
        MENU,
        "S&nap windows",
        "Let windows that are dragged on the image snap to its edges, thirds and centre, and to other windows",
        run=lambda ws: ws.matte_tools.snapping.set(ws.actions["matte_snapping"].isChecked()),
        checkable=True,
    ),
    Command(
        "matte_invert",
        MENU,
        "&Invert matte",
        "Apply the current entry where its matte covers nothing",
        ("Ctrl+Shift+I",),
        "invert",
        lambda ws: ws.matte_editor.invert(),
        _has_matte,
    ),
    Command(
        "matte_copy",
        MENU,
        "Cop&y matte",
        "Copy the matte of the current entry to the clipboard as text",
        ("Ctrl+Shift+M",),
        "copy",
        lambda ws: ws.matte_editor.copy(),
        _has_matte,
    ),
    Command(
        "matte_paste",
        MENU,
        "Pa&ste matte",
        "Replace the matte of the current entry by a copied one, or by that of a copied entry",
        ("Ctrl+Alt+Shift+V",),
        "paste",
        lambda ws: ws.matte_editor.paste(),
        _can_have_matte,
    ),
    Command(
        "matte_clear",
        MENU,
        "&Remove matte",
        "Apply the current entry to the whole image again",
        run=lambda ws: ws.matte_editor.clear(),
        when=_has_matte,
    ),
    Command(
        "matte_node_bypass",
        NODE_MENU,
        "&Bypass node",
        "Leave the selected node out of the matte, or use it again",
        run=lambda ws: ws.matte_editor.toggle("enabled"),
        when=_has_node,
    ),
    Command(
        "matte_node_invert",
        NODE_MENU,
        "I&nvert node",
        "Invert the coverage of the selected node",
        run=lambda ws: ws.matte_editor.toggle("inverted"),
        when=_has_node,
    ),
    Command(
        "matte_node_duplicate",
        NODE_MENU,
        "Du&plicate node",
        "Insert a copy of the selected node behind it",
        icon="duplicate",
        run=lambda ws: ws.matte_editor.duplicate(),
        when=_has_node,
    ),
    *(
        Command(
            f"matte_node_{way}",
            NODE_MENU,
            text,
            tip,
            run=lambda ws, way=way: ws.matte_editor.move(way),  # type: ignore[misc]
            when=partial(_can_move, way=way),
        )
        for way, text, tip in _MOVES
    ),
    Command(
        "matte_node_remove",
        NODE_MENU,
        "&Remove node",
        "Remove the selected node from the matte",
        icon="remove",
        run=lambda ws: ws.matte_editor.remove(),
        when=_has_node,
    ),
    SEPARATOR,
    *(
        Command(
            f"matte_{mode}",
            NODE_MENU,
            f"Put into &{mode}",
            f"Put the selected node into a new branch, to {_AROUND[mode]}",
            run=lambda ws, mode=mode: ws.matte_editor.wrap(mode),  # type: ignore[misc]
            when=_has_node,
        )
        for mode in MODES
    ),
    Command(
        "matte_unwrap",
        NODE_MENU,
        "Un&wrap branch",
        "Replace the selected branch by its nodes, if that does not change the matte",
        run=lambda ws: ws.matte_editor.unwrap(),
        when=lambda ws: ws.matte_editor.can_unwrap,
    ),
    *(
        Command(
            f"track_{way}",
            TRACK_MENU,
            text,
            tip,
            (key,),
            f"track-{way.replace('_', '-')}",
            partial(_track, way=way),
            partial(_can_track, way=way),
        )
        for way, text, tip, key in _TRACKS
    ),
    Command(
        "track_stop",
        TRACK_MENU,
        "S&top tracking",
        "Stop tracking; the frames so far keep their keys",
        ("Ctrl+Alt+T",),
        "stop",
        lambda ws: ws.tracking.stop(),
        lambda ws: ws.tracking.tracks,
    ),
    SEPARATOR,
    *(
        Command(f"track_{name}", TRACK_MENU, text, tip, run=partial(_set_tracked, name=name), checkable=True)
        for name, text, tip in _TRACKED
    ),
)

GESTURES = (
    Gesture("Click a node of a matte, Up, Down", "Select it, for its fields and its handles on the image"),
    Gesture("Drag a node, Alt and the arrow keys", "Move it in the tree, into a branch or out of one"),
    Gesture("Space, I, Ctrl+D, Delete, Esc on a node", "Bypass, invert, copy or remove it; select none"),
)
