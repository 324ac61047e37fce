"""Runs of a program, plain or under `rondo sim`, each in an empty directory, several at once."""

import concurrent.futures
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

LIMIT_S = 120


class Run:
    """How one run went. `seed` is None for a plain one."""

    def __init__(self, seed, code, output, seconds):
        self.seed, self.code, self.output, self.seconds = seed, code, output, seconds

    @property
    def failed(self):
        return self.code != 0


def environment(extra):
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("RONDO_", "LD_", "NODE_", "npm_", "UV_"))}
    kept.update(extra, LC_ALL="C.UTF-8")
    return kept


def execute(words, extra, seed=None, limit=LIMIT_S):
    with tempfile.TemporaryDirectory(prefix="rondo-proof-") as scratch:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in words], cwd=scratch, text=True, errors="replace",
                                   env=environment({**extra, "TMPDIR": scratch}), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\nno end after {limit} s"
            return Run(seed, 124, output, time.monotonic() - begin)
        return Run(seed, process.returncode, output, time.monotonic() - begin)


class Sim:
    """`rondo sim` with one seed at a time, so that every run's outcome is seen."""

    def __init__(self, rondo, options=()):
        self.rondo, self.options = Path(rondo), options

    def words(self, command, seed, *options):
        return [self.rondo, "sim", "--seed", seed, *self.options, *options, "--", *command]

    def one(self, command, extra, seed, *options, limit=LIMIT_S):
        return execute(self.words(command, seed, *options), extra, seed, limit)

    def many(self, command, extra, seeds, jobs, *options, limit=LIMIT_S):
        """The runs of all seeds, in the seeds' order."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(lambda seed: self.one(command, extra, seed, *options, limit=limit), seeds))


def plain(command, extra, count, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda _: execute(command, extra), range(count)))
