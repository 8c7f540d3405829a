"""The command line: `tessera`. Its commands are the modules of `app.cli.commands`, each imported when it is used."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from app.cli import library_output
from engine.core.file_errors import invalid_name_reason
from engine.errors import escaped

DONE, FAILED, CANCELLED = 0, 1, 130

COMMANDS = ("export", "job", "info", "devices", "bake", "match", "colorspaces", "ops")
"""Each is a module of `app.cli.commands`; without a command it is `window`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 failed, 130 cancelled; argparse exits with 2 on misuse."""
    words = list(sys.argv[1:] if argv is None else argv)
    for word in words:
        if why := invalid_name_reason(word):
            return _said(f"{escaped(word)}: {why}; rename it", FAILED)
    given = bool(words) and words[0] in COMMANDS
    if given and argv is None:
        library_output.keep()
    command = importlib.import_module(f"app.cli.commands.{words[0] if given else 'window'}")
    asked = command.parser().parse_args(words[given:])
    try:
        from engine.core.address_space import check_address_space  # takes half of the time of --help

        check_address_space()
        command.run(asked)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _said("cancelled", CANCELLED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at exit
        return FAILED
    except Exception as error:  # noqa: BLE001 (the last resort: one line for the user, whatever happened)
        return _failed(error)
    return DONE


def _failed(error: Exception) -> int:
    from engine.errors import Cancelled, TesseraError

    if os.environ.get("TESSERA_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, Cancelled):
        return _said(str(error), CANCELLED)
    if isinstance(error, TesseraError):
        return _said(str(error), FAILED)
    if isinstance(error, OSError) and error.filename is not None:
        return _said(f"{os.fsdecode(error.filename)}: {error.strerror}; check the name and the disk", FAILED)
    if isinstance(error, MemoryError):
        return _said("there is not enough memory; close other programs or give --max-memory", FAILED)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return _said(f"unexpected: {what}; run it again with TESSERA_DEBUG=1 and report the output", FAILED)


def _said(line: str, code: int) -> int:
    """Print a message as one line on standard error and return the exit code."""
    print(f"tessera: {escaped(line)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
