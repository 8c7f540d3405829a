"""The keys of the current document's grade, as panels and commands set, remove, copy and step through them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject

from app.model.entries import name_of
from app.model.key_edits import matching, numbers_at, with_key
from app.services import clipboard
from app.services.current_document import CurrentDocument
from app.services.messages import Messages
from app.services.player import Player
from engine.errors import GradeError
from engine.grade.curves import INTERPOLATIONS, Curve, Keys
from engine.grade.keys import keys_of

Paths = Iterable[str]
"""Paths of parameters of an entry; one that ends with .* means all below it."""


class Keyframes(QObject):
    """Edits keys at the frame that is shown. Entries are given by their index. Each call is one step of the history."""

    def __init__(self, current: CurrentDocument, player: Player, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self.current, self.player, self._messages = current, player, messages
        self._frames: dict[int, tuple[Keys, frozenset[int]]] = {}  # of the keys of each entry

    # -- what there is

    @property
    def frame(self) -> int:
        """The frame that is shown."""
        return self.current.document.frame

    def curves(self, index: int) -> Keys:
        """Return the curves of an entry by the paths of its parameters."""
        entries = self.current.document.entries
        return keys_of(entries[index]) if 0 <= index < len(entries) else Keys()

    def curves_of(self, index: int, paths: Paths) -> dict[str, Curve]:
        """Return the curves of some parameters of an entry."""
        curves = self.curves(index)
        return {path: curves[path] for path in matching(paths, curves)}

    def has_key(self, index: int, paths: Paths) -> bool:
        """Return whether all of these parameters have a key at the frame."""
        wanted, curves = self._parameters(index, paths), self.curves(index)
        return bool(wanted) and all(path in curves and curves[path].key_at(self.frame) for path in wanted)

    def interpolation(self, index: int, paths: Paths) -> str:
        """Return the interpolation of all keys of some parameters; '' if they differ."""
        found = {key.interpolation for curve in self.curves_of(index, paths).values() for key in curve.keys}
        return found.pop() if len(found) == 1 else ""

    @property
    def frames(self) -> tuple[frozenset[int], frozenset[int]]:
        """The frames at which the current entry has keys, and those of all entries."""
        from app.model.curve_lines import frames_with_keys

        entries, before, self._frames = self.current.document.entries, self._frames, {}
        for keys in filter(None, map(keys_of, entries)):
            known = before.get(id(keys))
            is_known = known is not None and known[0] is keys  # most edits leave most keys as they are
            self._frames[id(keys)] = known if known and is_known else (keys, frames_with_keys(keys))
        selected = self._frames.get(id(self.selected), (None, frozenset[int]()))[1]
        return selected, frozenset().union(*(frames for _, frames in self._frames.values()))

    @property
    def selected(self) -> Keys:
        """The curves of the current entry."""
        return self.curves(self.current.document.current_entry)

    # -- edits of controls

    def toggle(self, index: int, paths: Paths, name: str) -> None:
        """Set the keys of a control at the frame, or remove them if it has them all."""
        paths = list(paths)
        self.remove(index, paths, name) if self.has_key(index, paths) else self.set(index, paths, name)

    def set(self, index: int, paths: Paths, name: str) -> None:
        """Set keys with the values at the frame."""
        values, curves = numbers_at(self.current.document.entries[index], self.frame), self.curves(index)
        wanted = [path for path in self._parameters(index, paths) if path in values]
        if not wanted:
            self._messages.warn(f"{name} can't be animated.")
            return
        made = {path: with_key(curves.get(path), self.frame, values[path]) for path in wanted}
        self.apply(index, made, f"key of {name} at {self.frame}")

    def remove(self, index: int, paths: Paths, name: str) -> None:
        """Remove the keys at the frame; a parameter without a key left keeps its value."""
        found = {path: c for path, c in self.curves_of(index, paths).items() if c.key_at(self.frame)}
        made = {path: curve.without(self.frame) for path, curve in found.items()}
        self.apply(index, made, f"removal of key of {name} at {self.frame}")

    def clear(self, index: int, paths: Paths, name: str) -> None:
        """Remove all keys; the parameters keep the values of the frame."""
        self.apply(index, dict.fromkeys(self.curves_of(index, paths)), f"removal of all keys of {name}")

    def interpolate(self, index: int, paths: Paths, interpolation: str, name: str) -> None:
        """Set the interpolation of all keys."""
        assert interpolation in INTERPOLATIONS
        made = {path: _interpolated(curve, interpolation) for path, curve in self.curves_of(index, paths).items()}
        self.apply(index, made, f"{interpolation} keys of {name}")

    def copy(self, index: int, paths: Paths) -> None:
        """Put all keys of some parameters on the clipboard."""
        curves = self.curves_of(index, paths)
        if curves:
            clipboard.copy_keys([curve.keys for curve in curves.values()])

    def paste(self, index: int, paths: Paths, name: str) -> None:
        """Paste the keys on the clipboard, the first of them at the frame, in the order of the parameters.

        The keys of one parameter are pasted into all.
        """
        self.paste_into([(index, path) for path in self._parameters(index, paths)], name)

    def paste_into(self, wanted: Sequence[tuple[int, str]], name: str) -> None:
        """Paste the keys on the clipboard into parameters, given by the index of their entry and their path."""
        from app.model.curve_lines import pasted

        found = self._pasted()
        if found is None or not wanted:
            return
        if len(found) not in (1, len(wanted)):
            numbers = f"The keys of {len(found)} numbers can't be pasted into {name}, which has {len(wanted)}"
            self._messages.warn(f"{numbers}; select as many, or copy those of one.")
            return
        by = self.frame - min(curve.frames[0] for curve in found)
        made: dict[int, dict[str, Curve | None]] = {}
        for (index, path), copy in zip(wanted, found * len(wanted) if len(found) == 1 else found, strict=True):
            made.setdefault(index, {})[path] = pasted(self.curves(index).get(path), copy.keys, by)
        self.apply_all(made, f"pasting keys of {name}")

    def _pasted(self) -> list[Curve] | None:
        """Return the keys on the clipboard; None, with a message, without any."""
        try:
            found = clipboard.pasted_keys()
        except GradeError as error:
            self._messages.warn(str(error))
            return None
        if found is None:
            self._messages.warn("There are no keys on the clipboard; copy some first.")
        return found

    def apply(self, index: int, curves: Mapping[str, Curve | None], text: str) -> None:
        """Replace curves of an entry; None removes all keys of a parameter."""
        if curves:
            self.apply_all({index: curves}, text)

    def apply_all(
        self, changes: Mapping[int, Mapping[str, Curve | None]], text: str, key: str = "", warns: bool = True
    ) -> bool:
        """Replace curves of several entries, as one step. Return whether the entries can have them."""
        try:
            self.current.document.edit_keys(changes, text, key)
        except GradeError as error:
            if warns:
                self._messages.warn(str(error))
            return False
        return True

    # -- the current entry

    def set_all(self) -> None:
        """Set a key for each animated parameter of the current entry."""
        index = self.current.document.current_entry
        name = name_of(self.current.document.entries[index])
        if self.selected:
            self.set(index, self.selected, name)
        else:
            self._messages.warn(f"{name} has no animated control; click the diamond beside a control to animate it.")

    def remove_all(self) -> None:
        """Remove the keys that the current entry has at the frame."""
        index = self.current.document.current_entry
        self.remove(index, self.selected, name_of(self.current.document.entries[index]))

    def step(self, by: int, curves: Mapping[str, Curve] | None = None) -> None:
        """Go to the next key (1) or the previous one (-1) of some curves, by default those of the current entry."""
        from app.model.curve_lines import frames_with_keys

        frames = frames_with_keys(self.selected if curves is None else curves)
        clip = self.player.clip
        ahead = [frame for frame in frames if (frame - self.player.frame) * by > 0]
        there = [frame for frame in ahead if clip is not None and frame in clip.frames]
        if there:
            self.player.go(min(there) if by > 0 else max(there))

    def _parameters(self, index: int, paths: Paths) -> list[str]:
        """Return the parameters of an entry that some paths mean."""
        paths = list(paths)
        if not any(path.endswith(".*") for path in paths):
            return paths
        return matching(paths, numbers_at(self.current.document.entries[index], self.frame))


def _interpolated(curve: Curve, interpolation: str) -> Curve:
    return Curve(type(key)(key.frame, key.value, interpolation) for key in curve.keys)
