"""Which backend a program's loops had, in their own words: with "loops" in RONDO_DEBUG each
loop of the program and of its children adds a line to a file when it is made."""

import re
from pathlib import Path

NAME = "loops"


def environment(directory):
    return {"RONDO_DEBUG": "loops", "RONDO_DEBUG_OUTPUT": str(Path(directory, NAME))}


def backends(directory):
    """The backends that were named; none if no loop was made."""
    try:
        text = Path(directory, NAME).read_text()
    except OSError:
        return set()
    return set(re.findall(r"^rondo: a loop on (\w+) begins$", text, re.MULTILINE))
