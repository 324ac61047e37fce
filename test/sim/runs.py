"""Runs of a program, plain or under `rondo sim`, each in an empty directory, several at once."""

import concurrent.futures
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

LIMIT_S = 120


class Run:
    """How one run went."""

    def __init__(self, code, output, seconds):
        self.code, self.output, self.seconds = code, output, seconds

    @property
    def failed(self):
        return self.code != 0


def environment(extra):
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("RONDO_", "LD_", "NODE_", "npm_", "UV_"))}
    kept.update(extra, LC_ALL="C.UTF-8")
    return kept


def execute(words, extra, limit=LIMIT_S):
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
            return Run(124, output, time.monotonic() - begin)
        return Run(process.returncode, output, time.monotonic() - begin)


class Batch:
    """What `rondo sim --json` says of some schedules in a row."""

    def __init__(self, seeds, said):
        self.seeds, self.failed_seeds = seeds, sorted(said["failedSeeds"])
        self.real_s, self.virtual_s = said["realNs"] / 1e9, said["virtualNs"] / 1e9
        self.finding, self.schedules = said["finding"], said["schedules"]

    @property
    def found_after(self):
        """The number of the first schedule that fails, or None."""
        return self.failed_seeds[0] - self.seeds[0] + 1 if self.failed_seeds else None

    @property
    def lines(self):
        """What the first failing schedule printed."""
        printed = self.finding["output"] if self.finding else ""
        return [line for line in printed.splitlines() if line.strip()]


class Broken(Exception):
    """`rondo sim` itself failed."""


class Sim:
    def __init__(self, rondo, jobs):
        self.rondo, self.jobs = Path(rondo), jobs

    def one(self, command, extra, *options, limit=LIMIT_S):
        return execute([self.rondo, "sim", *options, "--", *command], extra, limit=limit)

    def batch(self, command, extra, seeds, *options):
        """All schedules of a range of seeds, as they are: no shrinking."""
        run = self.one(command, extra, "--seed", seeds[0], "--runs", len(seeds), "--jobs", self.jobs, "--keep-going",
                       "--no-shrink", "--json", *options, limit=LIMIT_S * len(seeds))
        try:
            said = json.loads(run.output[run.output.index('{"runs":'):])
        except ValueError:
            raise Broken(f"ended with {run.code}: {run.output.strip()[-400:]}") from None
        if said["runs"] != len(seeds):
            raise Broken(f"{said['runs']} of {len(seeds)} schedules were tried")
        return Batch(seeds, said)

    def batches(self, command, extra, seeds, size, *options):
        return [self.batch(command, extra, seeds[n:n + size], *options) for n in range(0, len(seeds), size)]

    def unlike(self, command, extra, seeds, size=25):
        """The seeds whose two runs made different decisions."""
        different = []
        for n in range(0, len(seeds), size):
            some = seeds[n:n + size]
            if self.batch(command, extra, some).schedules == self.batch(command, extra, some).schedules:
                continue
            different += self.unlike(command, extra, some, 1) if size > 1 else some
        return different


def plain(command, extra, count, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda _: execute(command, extra), range(count)))
