"""Programs of other languages for the tests here: official Nodes where they have been fetched,
Debian's packages as test/programs unpacks them. What isn't to be had is skipped, with the reason."""
import contextlib
import fcntl
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/programs"), str(ROOT / "test")]

import catalogue  # noqa: E402
import debian  # noqa: E402
import official  # noqa: E402


class Unavailable(Exception):
    """The text says what is missing."""


def official_node(major):
    binary = official.cache() / major / "node_modules" / official.PACKAGE / "bin" / "node"
    if not binary.exists():
        raise Unavailable(f"official Node {major} was not fetched (test/programs/run node{major} does it)")
    return binary


@contextlib.contextmanager
def unpacked(build, name):
    """A program of Debian's: how it would be started by test/programs, and its environment."""
    output = build / "programs"
    output.mkdir(exist_ok=True)
    with open(output / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # both backends' tests may run at a time
        try:
            shelf = catalogue.Shelf(debian.Apt(output / "apt"), output, ROOT)
            with shelf:
                yield catalogue.PROGRAMS[name].prepare(shelf)
        except debian.Unavailable as problem:
            raise Unavailable(f"{name}: {problem}") from problem
