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


TEXTS = """
import re, sys
from app.widgets.qt_repairs import import_plainly
if "plainly" in sys.argv:
    import_plainly()
from PySide6.QtCore import QObject, QPoint
parser = sys.modules["shibokensupport.signature.parser"].arglistParser
print(type(re.compile("a")) is re.Pattern, parser.parse("a, (b, c)"))
try:
    QPoint("a", b"b")
except TypeError as error:
    print(error)
print(QPoint.__doc__, QObject.setObjectName.__doc__)
"""


def test_help_and_error_messages_are_those_of_pyside():
    """Their patterns are compiled late."""
    said = [
        subprocess.run([sys.executable, "-c", TEXTS, how], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for how in ("plainly", "as PySide6 has it")
    ]
    assert said[0] == said[1]
    assert said[0].startswith("True ['a', '(b, c)']")
