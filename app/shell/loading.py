"""How the process of the window is prepared, before it imports what it shows and starts threads."""

from __future__ import annotations

from app.services import plain_numpy
from app.services.memory import begin_loading
from app.services.module_store import import_from_store
from app.services.shared_libraries import load_ahead
from app.services.threads import prepare_threads


def prepare_process() -> None:
    """Prepare the process for loading the window; call this before any thread imports modules.

    When PySide6 is first imported, it iterates over the loaded modules, and aborts the process if another thread adds
    one meanwhile.
    """
    import_from_store()
    begin_loading()
    prepare_threads()
    load_ahead()
    plain_numpy.import_plainly()
    import engine.viewing.opening  # noqa: F401 (while the libraries of Qt are loaded)
    from app.widgets.qt_repairs import choose_style, import_plainly

    import_plainly()
    choose_style()
