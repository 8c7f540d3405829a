"""What is repaired of PySide6."""

import subprocess
import sys

import pytest

from tests.app.command_line import ROOT

PROGRAM = """
import sys
if "plainly" in sys.argv:
    from app.widgets.qt_repairs import import_plainly
    import_plainly()
from PySide6.QtCore import QObject, Signal
import linecache
from app.services.jobs import Jobs
print(any(name.endswith("jobs.py") for name in linecache.cache))
class Sender(QObject):
    sent = Signal(int)
received = []
sender = Sender()
sender.sent.connect(received.append)
sender.sent.emit(3)
print(received)
"""


@pytest.mark.parametrize(("how", "scanned"), [("plainly", False), ("as PySide6 has it", True)])
def test_the_source_of_imported_modules_is_not_read(how: str, scanned: bool):
    """The second case says when PySide6 no longer does that, so that the repair can go."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, how], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(scanned), "[3]"]
