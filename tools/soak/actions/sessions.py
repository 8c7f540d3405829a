"""Tabs, sessions, and windows that are closed and opened again, with the questions answered by chance."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QTabBar

from app.shell.main_window import MainWindow
from tools.soak.actions.edits import trigger
from tools.soak.actions.files import MOST, confirmed, finish_saving
from tools.soak.answers import deliver
from tools.soak.model import Document
from tools.soak.rig import Buttons, Stuck, answer, choose_files, pending, question, settle, turn, until
from tools.soak.use import Use
from tools.soak.windows import Window


def session_name(use: Use) -> str:
    return use.path("grades", f"{use.chance.choice('xy')}.tessera")


def tab(use: Use) -> str | None:
    """Another tab, by a click or by the keys."""
    model = use.model
    if len(model.documents) < 2:
        return None
    if use.chance.random() < 0.5:
        by = use.chance.choice((1, -1))
        trigger(use, "next_tab" if by > 0 else "previous_tab")
        at = (model.documents.index(model.current) + by) % len(model.documents)
    else:
        at = use.chance.randrange(len(model.documents))
        use.window.tabs.setCurrentIndex(at)
    model.show(model.documents[at])
    return str(at)


def move_tab(use: Use) -> str | None:
    documents = use.model.documents
    if len(documents) < 2:
        return None
    start, end = use.chance.sample(range(len(documents)), 2)
    use.window.tabs.moveTab(start, end)
    documents.insert(end, documents.pop(start))
    return f"{start} to {end}"


def close_tab(use: Use) -> str:
    """Any tab, by its button or the command."""
    model = use.model
    if use.chance.random() < 0.5:
        document = model.current
        trigger(use, "close_tab")
    else:
        document = use.chance.choice(model.documents)
        button = use.window.tabs.tabButton(model.documents.index(document), QTabBar.ButtonPosition.RightSide)
        assert isinstance(button, QAbstractButton)
        button.click()
    turn()
    if model.holds(document):
        model.close(document)
        return "held"
    model.show(document)
    done, difference = resolve(use, document)
    if done:
        model.close(document)
    return difference


def resolve(use: Use, document: Document) -> tuple[bool, str]:
    """Answer the question about a document's grade: whether it may be closed then, and what was answered."""
    words = (
        f"Save the grade of {Path(document.image or document.file.path or '').name}"
        if (document.image or document.file.path)
        else "Save the grade first"
    )
    choice = use.chance.choice((Buttons.Save, Buttons.Discard, Buttons.Discard, Buttons.Cancel))
    answer(use.window, choice, words)
    if choice != Buttons.Save:
        return choice == Buttons.Discard, str(choice.name)
    done, difference = finish_saving(use, document)
    return done, f"Save {difference}"


def save_session(use: Use) -> str | None:
    if not use.model.filled and use.chance.random() < 0.9:
        return None
    path = use.model.session
    trigger(use, "save_session")
    if path is None:
        path = use.chance.choice((session_name(use), ""))
        choose_files(use.window, *([path] if path else []))
        if not path:
            return "cancelled"
    elif use.model.is_session_replaced() and not confirmed(use):
        return "cancelled, for it has changed"
    use.model.save_session(path)
    return Path(path).name


def save_session_as(use: Use) -> str | None:
    trigger(use, "save_session_as")
    path = session_name(use)
    choose_files(use.window, path)
    use.model.save_session(path)
    return Path(path).name


def open_session(use: Use) -> str | None:
    paths = use.world.of_kind("session")
    if not paths:
        return None
    path = use.chance.choice(paths)
    if len(use.model.documents) + len(use.world.disk[path].held[0]) > MOST + 2:
        return None
    trigger(use, "open_session")
    choose_files(use.window, path)
    use.model.open_session(use.world.disk[path], path)
    return Path(path).name


def open_last(use: Use) -> str | None:
    """What was open when a window was closed last."""
    last = use.world.last
    if last is not None and len(use.model.documents) + len(last.held[0]) > MOST + 2:
        return None
    trigger(use, "last_session")
    if last is not None:
        use.model.open_session(last, None)
    return "" if last is not None else "none"


def close_window(use: Use) -> str | None:
    """Close the window; if it closes, open another one in its place."""
    window, model = use.window, use.model
    window.close()
    difference, discarded = [], dict[object, object]()
    for _ in range(50):
        turn()
        due = next_question(model, discarded)
        if due is None:
            break
        if due is model:
            done, words = resolve_session(use)
            discarded[model] = model.works
        else:
            assert isinstance(due, Document)
            model.show(due)
            settle(use.windows)  # what is shown is read, and what it is compared with, whatever is answered
            model.read_shown()
            done, words = resolve(use, due)
            discarded[due] = due.grade, due.named
        difference.append(words)
        if not done:
            return ", ".join([*difference, "stays"])
    else:
        raise Stuck("the questions at closing have no end")
    until(lambda: is_closed(window), lambda: f"the window to close: {pending([window])}")
    end(use)
    return ", ".join([*difference, "closed"])


def is_closed(window: MainWindow) -> bool:
    deliver([window])
    return not window.isVisible()


def next_question(model: Window, discarded: dict[object, object]) -> Window | Document | None:
    """What is asked about next: the session, then each document that no file holds."""
    if model.session_modified and discarded.get(model) != model.works:
        return model
    documents = (each for each in model.documents if not model.holds(each))
    return next((each for each in documents if discarded.get(each) != (each.grade, each.named)), None)


def resolve_session(use: Use) -> tuple[bool, str]:
    model = use.model
    assert model.session is not None
    choice = use.chance.choice((Buttons.Save, Buttons.Discard, Buttons.Cancel))
    answer(use.window, choice, f"Save the session {Path(model.session).name}")
    if choice != Buttons.Save:
        return choice == Buttons.Discard, f"session {choice.name}"
    if model.is_session_replaced() and not confirmed(use):
        return False, "session Save, cancelled for it has changed"
    model.save_session(model.session)
    settle(use.windows)
    return True, "session Save"


def end(use: Use) -> None:
    """The window is closed: its session is the last one; another window takes its place."""
    window, model = use.window, use.model
    if question(window) is not None:
        raise Stuck("a question stays open in a closed window")
    late = window.workspace.finish(60.0)
    if late:
        raise Stuck(f"not written at the end: {late}")
    if model.filled:
        use.world.last = use.world.stored("session", model.kept())
    window.deleteLater()
    use.windows[use.at] = use.rig.window()
    use.models[use.at] = Window(use.world)


ACTIONS = (
    (8, tab),
    (2, move_tab),
    (4, close_tab),
    (3, save_session),
    (1, save_session_as),
    (2, open_session),
    (1, open_last),
    (2, close_window),
)
