"""bench/growth/growth.c, compiled and run on libuv or on Rondo, and the instructions that it executes.

Instructions of a row are what twice as many operations take more, so that neither the start of the process nor the
loop's first turn counts. They are the program's own and the library's; the kernel's don't count."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
WORK = ROOT / "build" / "bench"
SOURCE = BENCH / "growth" / "growth.c"
FLAGS = ("-O2", "-g", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-I", str(ROOT / "include"))


def debian_library():
    triplet = subprocess.run(["cc", "-dumpmachine"], capture_output=True, text=True).stdout.strip()
    for folder in (f"/usr/lib/{triplet}", "/usr/lib64", "/usr/lib"):
        if (path := Path(folder, "libuv.so.1")).exists():
            return path.resolve()
    sys.exit("There is no libuv to compare with: run tools/setup bench, or name one with --libuv.")


class Program:
    def __init__(self, libuv=None, ours=ROOT / "build" / "libuv.so.1"):
        self.folder = WORK
        WORK.mkdir(parents=True, exist_ok=True)
        self.libraries = {"libuv": Path(libuv).resolve() if libuv else debian_library(), "uring": ours, "epoll": ours}
        for variant, library in self.libraries.items():
            place = WORK / f"lib-{variant}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            (place / "libuv.so.1").symlink_to(library)
        self.binary = WORK / "growth"
        newest = max(path.stat().st_mtime for path in (SOURCE, *BENCH.glob("*.h")))
        if not self.binary.exists() or self.binary.stat().st_mtime < newest:
            subprocess.run([os.environ.get("CC", "cc"), *FLAGS, SOURCE, "-o", self.binary, self.libraries["libuv"]], check=True)

    def environment(self, variant):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}
        return {**environment, "LD_LIBRARY_PATH": str(WORK / f"lib-{variant}"), "RONDO_BACKEND": variant if variant != "libuv" else "epoll"}

    def instructions(self, variant, row, size, operations):
        """For one operation; None where they can't be counted."""
        few = self._count(variant, row, size, operations)
        many = self._count(variant, row, size, operations * 2)
        return (many - few) / operations if few is not None and many is not None else None

    def _count(self, variant, row, size, operations):
        # Nothing that depends on time: no spins, no helper.
        environment = {**self.environment(variant), "RONDO_TUNE": "-all"}
        words = [str(self.binary), row, str(size), str(operations)]
        counter = counter_words()
        if counter is None:
            return None
        done = subprocess.run([*counter, *words], env=environment, cwd=WORK, capture_output=True, text=True)
        found = re.search(r"I +refs: +([\d,]+)|^ *([\d,]+) +instructions", done.stderr, re.MULTILINE)
        return int((found[1] or found[2]).replace(",", "")) if done.returncode == 0 and found else None


_words = []


def counter_words():
    """The command that counts instructions: perf where the machine has counters, otherwise valgrind, or None."""
    if not _words:
        perf = ["perf", "stat", "-e", "instructions:u"]
        if shutil.which("perf"):
            tried = subprocess.run([*perf, "true"], capture_output=True, text=True)
            if re.search(r"^ *[\d,]+ +instructions", tried.stderr, re.MULTILINE):
                _words.append(perf)
        if not _words and shutil.which("valgrind"):
            _words.append(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        if not _words:
            _words.append(None)
    return _words[0]
