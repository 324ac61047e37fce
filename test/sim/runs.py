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


def execute(words, extra, limit=LIMIT_S, folder=None):
    with tempfile.TemporaryDirectory(prefix="rondo-proof-") as scratch:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in words], cwd=folder or scratch, text=True, errors="replace",
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


class Kept:
    """Results in a file, a line each, so that a long proof goes on where it was stopped. What is kept
    is of one build: the file is removed with it."""

    def __init__(self, path):
        self.path, self.results = path, {}
        for line in path.read_text().splitlines() if path and path.exists() else ():
            one = json.loads(line)
            self.results[json.dumps(one["of"])] = one["said"]

    def get(self, of):
        return self.results.get(json.dumps(of))

    def put(self, of, said):
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps({"of": of, "said": said}) + "\n")


class Sim:
    def __init__(self, rondo, jobs, keep=None, folder=None):
        self.rondo, self.jobs, self.kept, self.folder = Path(rondo), jobs, Kept(keep), folder

    def one(self, command, extra, *options, limit=LIMIT_S):
        return execute([self.rondo, "sim", *options, "--", *command], extra, limit=limit, folder=self.folder)

    def batch(self, command, extra, seeds, *options):
        """All schedules of a range of seeds, as they are: no shrinking."""
        of = [*map(str, command), extra, seeds[0], len(seeds), *options]
        said = self.kept.get(of)
        if said is None:
            said = self.try_batch(command, extra, seeds, *options)
            self.kept.put(of, said)
        return Batch(seeds, said)

    def try_batch(self, command, extra, seeds, *options):
        said = self.ask(command, extra, "--seed", seeds[0], "--runs", len(seeds), "--jobs", self.jobs, "--keep-going",
                        "--no-shrink", "--json", *options, limit=LIMIT_S * len(seeds))
        if said["runs"] != len(seeds):
            raise Broken(f"{said['runs']} of {len(seeds)} schedules were tried")
        return said

    def ask(self, command, extra, *options, limit=LIMIT_S):
        run = self.one(command, extra, *options, limit=limit)
        try:
            return json.loads(next(line for line in run.output.splitlines() if line.startswith("{")))
        except (StopIteration, ValueError):
            raise Broken(f"ended with {run.code}: {run.output.strip()[-400:]}") from None

    def batches(self, command, extra, seeds, size, *options):
        return [self.batch(command, extra, seeds[n:n + size], *options) for n in range(0, len(seeds), size)]

    def twice(self, command, extra, seeds):
        """Two runs with each seed: the seeds that differ, each with the first decision that does."""
        def one(seed):
            of = ["twice", *map(str, command), extra, seed]
            said = self.kept.get(of)
            if said is None:
                said = self.try_twice(command, extra, seed)
                self.kept.put(of, said)
            return seed, said
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return {seed: said["differs"] for seed, said in pool.map(one, seeds) if not said["repeats"]}

    def try_twice(self, command, extra, seed):
        # Every output has the empty pattern: each run is a finding, which is run again to prove it.
        said = self.ask(command, extra, "--seed", seed, "--runs", 1, "--no-shrink", "--match", "", "--json")
        return {key: said["finding"][key] for key in ("repeats", "differs", "outcome")}


def plain(command, extra, count, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda _: execute(command, extra), range(count)))
