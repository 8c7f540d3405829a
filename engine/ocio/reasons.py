"""OpenColorIO's error messages, shortened to one line."""

from __future__ import annotations

import re
from pathlib import Path

import PyOpenColorIO as ocio

FAILURES = (ocio.Exception, ocio.ExceptionMissingFile, UnicodeDecodeError)
"""Exceptions that OpenColorIO raises; the last if a message quotes invalid text."""
_VARIABLE = r"\$\{?(\w+)\}?|%(\w+)%"


def reason(error: Exception) -> str:
    """Return why a config, or a part of it, can't be used."""
    message = message_of(error)
    text = one_line(message)
    if missing := re.search(r"file reference '(.+?)' could not be located.*?: '(.*?)'", text):
        return _missing(*missing.groups())
    if unsound := re.search(r"transform file '(.+?)' could not be loaded", text):
        path = Path(unsound[1])
        why = why_unsound(message, path)
        return f"the file {path.name!r} is {f'not valid: {why}' if why else 'not a LUT that OpenColorIO reads'}"
    if unnamed := re.search(r"transform file: (.+?) failed while.*?id='(.*?)' is not found", text):
        return f"the file {Path(unnamed[1]).name!r} has no correction named {unnamed[2]!r}"
    if text.startswith("Cycle detected"):
        return "it refers to itself, in a cycle"
    return re.sub(r"^\w+ error\. ", "", text).rstrip(" .")


def _missing(named: str, tried: str) -> str:
    valueless = sorted({dollar or percent for dollar, percent in re.findall(_VARIABLE, tried)})
    if valueless:
        return f"needs the file {named!r}, in which {', '.join(valueless)} has no value"
    name = Path(tried).name if re.search(_VARIABLE, named) else named
    return f"needs the file {name!r}, which is missing"


def why_unsound(message: str, path: Path) -> str:
    """Return what stopped the reader that got furthest, without the names of files and readers."""
    reasons = re.findall(r"failed with: (.*?)(?=\s*'[^'\n]*' failed with:|\Z)", message, re.DOTALL)
    if not reasons:
        reasons = [message.partition("failed while building ops with this error:")[2]]
    line, why = max((_ranked(each, path) for each in reasons), key=lambda pair: pair[0])
    return f"line {line}: {why}" if line else why


def one_line(text: str) -> str:
    """Return `text` without line breaks and the control characters that XML can't express."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def message_of(error: Exception) -> str:
    """Return OpenColorIO's message, whatever it quotes."""
    return error.object.decode("utf-8", "replace") if isinstance(error, UnicodeDecodeError) else str(error)


def _ranked(why: str, path: Path) -> tuple[int, str]:
    """Return the line where a reader failed, counted from 1 (0 if it does not say), and what was wrong there."""
    text = one_line(why.replace(str(path), "the file")).rpartition("Error is: ")[2]
    noise = r"^(Error parsing .*? file \(the file\)\.? *|CDLOpData: |CTF reader\. |CTF/CLF parsing error:? ?)"
    text = re.sub(noise, "", text)
    line = re.search(r"At line \(?(\d+)\)?[:.]? ?", text)
    if line is None:
        return 0, text.strip(" .")
    return int(line[1]), f"{text[: line.start()].rstrip(' .')} {text[line.end() :]}".strip(" .")
