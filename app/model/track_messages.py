"""What is said about a track: how far it went, where the window was lost, and why."""

from __future__ import annotations

from engine.tracking import Reason

ADVICE = {
    Reason.FEATURES: "Move the window onto something with corners, or make it larger, and track again.",
    Reason.LEFT: "",
    Reason.MISMATCH: "Go there, move the window into its place, and track on.",
    Reason.CUT: "",
    Reason.SIZE: "",
}


def tracked_text(title: str, count: int, last: int) -> str:
    """Return the note about a track of some frames beside the first one."""
    return f"{title} tracked over {_frames(count)}, up to frame {last}."


def lost_text(title: str, frame: int, reason: Reason, count: int, last: int) -> str:
    """Return the warning about a window that is lost at a frame, after `count` frames, the last of them `last`."""
    return _joined(f"{title} is lost at frame {frame}: {reason.value}.", _keys(count, last), ADVICE[reason])


def unread_text(title: str, frame: int, line: str, count: int, last: int) -> str:
    """Return the warning about a frame that can't be read."""
    return _joined(f"The track of {title} ends before frame {frame}: {line}.", _keys(count, last))


def _keys(count: int, last: int) -> str:
    return f"It has keys for {_frames(count)}, up to frame {last}." if count else ""


def _frames(count: int) -> str:
    return f"{count} frame{'s' * (count != 1)}"


def _joined(*sentences: str) -> str:
    return " ".join(each for each in sentences if each)
