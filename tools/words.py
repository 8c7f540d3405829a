"""Find words that the project no longer uses in names, strings and comments. `python -m tools.words [FOLDER ...]`.

Prints one line for each and ends with 1 if there are any. CONTRIBUTING.md says which words to use instead.
"""

from __future__ import annotations

import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

OWN = ("words.py", "test_words.py")
FOLDERS = ("app", "engine", "resources", "tests", "tools")
WORDS = re.compile(
    r"(?<![A-Za-z])(?i:pictures?|wish(?:es)?|told|untold|thinned|lonely|lanes?)(?![a-z])"
    r"|(?<=[a-z])(?:Pictures?|Wish|Told|Lanes?)(?![a-z])"
)
"""Whole words, also between underscores and within CamelCase."""
KEPT = re.compile(r'(?<=["\'])picture(?=["\'])|picture (?:/gone\.exr|\{other)|picture-92c695a3|told (?:apart|to)')
"""The JSON key of the image in sessions, with its value in older sessions; a file's name; an idiom."""
TEXTS = {
    tokenize.NAME,
    tokenize.STRING,
    tokenize.COMMENT,
    getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING),  # since Python 3.12
}


def found_in(path: Path) -> Iterator[str]:
    """Yield a line for each such word in a module."""
    if not WORDS.search(path.read_text(encoding="utf-8")):
        return  # nor in any token: to split a module into its tokens takes far longer than to search it
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in TEXTS:
                text = KEPT.sub("", token.string)
                for word in WORDS.finditer(text):
                    line = token.start[0] + text.count("\n", 0, word.start())
                    yield f"{path}:{line}: '{word[0]}' is not a word of ours"


def main(folders: list[str]) -> int:
    """Print what is found in the folders; 1 if there is anything."""
    paths = [path for folder in folders or FOLDERS for path in sorted(Path(folder).rglob("*.py"))]
    lines = [line for path in paths if path.name not in OWN for line in found_in(path)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
