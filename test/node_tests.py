"""Node's own tests, one process each.

They come from Debian's source package of Node 20, whose behaviour the runtime has. A test
is a script that ends with 0 if all is well; its temporary directory, its home and its
ports are its own, and whatever it leaves running ends with it.
"""

import os
import re
import signal
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import debian

RELEASE = "trixie"
LIMIT_S = 60
OURS = ("NODE_OPTIONS", "RONDO_ADOPT", "RONDO_BACKEND", "RONDO_DEBUG")
_worker = threading.local()


def source(output):
    """Debian's source tree of Node 20, below the directory `output`."""
    return debian.Apt(output / f"apt-{RELEASE}", RELEASE).source("nodejs", output / "node-source")


def choose(tree, groups):
    """Tests whose names begin with one of the groups: test-fs-open.js belongs to fs."""
    wanted = re.compile(rf"test-(?:{'|'.join(map(re.escape, groups))})(?:-.*)?\.m?js$")
    return sorted(test for folder in ("parallel", "sequential") for test in (tree / "test" / folder).iterdir()
                  if wanted.match(test.name))


def flags_of(test):
    found = re.search(rb"^// Flags:(.*)$", test.read_bytes(), re.MULTILINE)
    return found[1].decode().split() if found else []


def run(command, test, number=0, limit=LIMIT_S, **environment):
    """(exit code, what it printed); None instead of a code if it did not end in time."""
    with tempfile.TemporaryDirectory(prefix="rondo-suite-") as scratch, tempfile.TemporaryFile() as printed:
        settings = {**os.environ, "NODE_TEST_DIR": scratch, "TEST_THREAD_ID": str(number), "HOME": scratch}
        for name in OURS:
            settings.pop(name, None)
        process = subprocess.Popen([*map(str, command), *flags_of(test), str(test)], cwd=test.parent.parent.parent,
                                   env={**settings, **environment}, stdin=subprocess.DEVNULL, stdout=printed,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        printed.seek(0)
        return code, printed.read().decode(errors="replace")


def run_all(command, tests, jobs, **settings):
    """[(test, code, output)]; each thread has a range of ports. Tests of the folder
    "sequential" share ports and want the machine, so they come last, one at a time."""
    numbers = iter(range(1, 10 ** 9))

    def one(test):
        if not hasattr(_worker, "number"):
            _worker.number = next(numbers)
        return (test, *run(command, test, _worker.number, **settings))

    alone = [test for test in tests if test.parent.name == "sequential"]
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(one, [test for test in tests if test not in alone]))
    return results + [(test, *run(command, test, **settings)) for test in alone]
