"""The parts of the proof, each a function of the options and the report."""

import statistics
import subprocess
from pathlib import Path

import catalogue
import runs
from catalogue import official

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
Unavailable = official.Unavailable
WITHIN = 20  # a race must be found in so many schedules


class Report:
    def __init__(self):
        self.good, self.bad, self.skipped = 0, 0, 0

    def line(self, text):
        print(text, flush=True)

    def result(self, what, good, says):
        self.good, self.bad = self.good + bool(good), self.bad + (not good)
        self.line(f"{'ok  ' if good else 'FAIL'} {what}: {says}")

    def skip(self, what, why):
        self.skipped += 1
        self.line(f"skip {what}: {why}")

    def end(self):
        print(f"{self.good} passed, {self.bad} failed, {self.skipped} skipped")
        return 1 if self.bad else 77 if self.skipped and not self.good else 0


def need_sim(rondo):
    if not rondo.exists():
        raise Unavailable(f"{rondo} is not built")
    asked = subprocess.run([rondo, "sim", "--help"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise Unavailable(f"{rondo} has no `sim`")


def chosen(options, things):
    return [thing for thing in things if options.only in (None, thing.name)]


def seeds(options, count):
    return range(options.first, options.first + count)


def explain(failed):
    """The first failing run, in one line, with the seed that repeats it."""
    words = [line for line in failed[0].output.splitlines() if line.strip()]
    telling = [line for line in words if line.startswith("RACE: ")] or words[-1:] or ["(nothing was printed)"]
    return f"seed {failed[0].seed}: {telling[0][:160]}"


# --- races ----------------------------------------------------------------------------------

def plain(options, report):
    node = official.node(options.node)
    for race in chosen(options, catalogue.RACES):
        done = runs.plain([node, race.script], race.environment(False), options.plain_runs, options.jobs)
        failed = sum(run.failed for run in done)
        report.result(f"{race.name} {race.version}, plain", failed <= len(done) // 20,
                      f"{failed} of {len(done)} runs fail, {mean_ms(done)} ms a run")


def mean_ms(done):
    return round(1000 * statistics.median(run.seconds for run in done))


def found_after(done):
    """The number of the first run that fails, or None."""
    return next((number for number, run in enumerate(done, 1) if run.failed), None)


def races(options, report):
    """One batch of schedules per start: when the first fails, and how many fail."""
    node, sim = official.node(options.node), runs.Sim(options.rondo)
    shares = []
    for race in chosen(options, catalogue.RACES):
        done = sim.many([node, race.script], race.environment(False), seeds(options, options.starts * WITHIN),
                        options.jobs)
        starts = [found_after(done[n:n + WITHIN]) for n in range(0, len(done), WITHIN)]
        failed = [run for run in done if run.failed]
        odd = [run for run in failed if "RACE: " not in run.output]
        shares.append(100 * len(failed) / len(done))
        found = [number for number in starts if number is not None]
        says = f"{shares[-1]:.0f} % of {len(done)} schedules fail, {mean_ms(done)} ms a run"
        if found:
            says += f"; found after {statistics.median(found):g} runs, at most {max(found)}"
        if len(found) < len(starts):
            says += f"; not found in {len(starts) - len(found)} of {len(starts)} starts"
        if odd:
            says += f"; {len(odd)} fail in another way, {explain(odd)}"
        report.result(f"{race.name} {race.version}", len(found) == len(starts) and not odd, says)
        if failed:
            report.line(f"       {explain(failed)}")
    if len(shares) > 1:
        report.result("share of failing schedules, median", statistics.median(shares) >= 80,
                      f"{statistics.median(shares):.0f} %")


def fixed(options, report):
    node, sim = official.node(options.node), runs.Sim(options.rondo)
    for race in chosen(options, catalogue.RACES):
        done = sim.many([node, race.script], race.environment(True), seeds(options, options.fixed_runs), options.jobs)
        failed = [run for run in done if run.failed]
        how = race.fixed or f"{race.version}, in order"
        report.result(f"{race.name} {how}", not failed,
                      f"{len(failed)} of {len(done)} schedules fail, {mean_ms(done)} ms a run"
                      + (f"; {explain(failed)}" if failed else ""))


# --- programs without a race ---------------------------------------------------------------------

def green(options, report):
    node, sim = official.node(options.node), runs.Sim(options.rondo)
    for suite in chosen(options, catalogue.SUITES):
        command = suite.command(node)
        usual = runs.execute(command, {})
        if usual.failed:
            report.skip(f"{suite.name} {suite.version}", f"fails as it is: {usual.output.strip()[-300:]}")
            continue
        done = sim.many(command, {}, seeds(options, options.green_runs), options.jobs)
        failed = [run for run in done if run.failed]
        report.result(f"{suite.name} {suite.version} ({suite.kind})", not failed,
                      f"{len(failed)} of {len(done)} schedules fail, {mean_ms(done)} ms a run"
                      f" ({round(1000 * usual.seconds)} ms plain)" + (f"; {explain(failed)}" if failed else ""))


# --- virtual time -----------------------------------------------------------------------------------

TEN_MINUTES = """ok a time-out of a minute: 60 s
ok ten intervals of six seconds: 60 s
ok a retry with back-off, one second to a minute: 127 s
ok a limit that comes before the answer: 30 s
ok a server that answers after half a minute: 30 s
ok a thousand time-outs of up to a minute: 60 s
ok nearly four minutes, one second at a time: 233 s
in all 10 minutes
"""


def time_only(options, report):
    node, sim = official.node(options.node), runs.Sim(options.rondo)
    run = sim.one([node, HERE / "made" / "ten_minutes.js"], {}, options.first, "--time-only")
    report.result("ten minutes of time-outs", run.code == 0 and TEN_MINUTES in run.output and run.seconds < 60,
                  f"{run.seconds:.1f} s, and {'the same' if TEN_MINUTES in run.output else 'other'} output")
    suite = next(suite for suite in catalogue.SUITES if suite.name == "promise-retry")
    command = [*suite.command(node), "--reporter", "tap"]
    usual, run = runs.execute(command, {}), sim.one(command, {}, options.first, "--time-only")
    same = usual.output.strip() in run.output
    report.result(f"{suite.name} {suite.version}, its own tests",
                  not run.failed and not usual.failed and same and run.seconds < usual.seconds / 2,
                  f"{run.seconds:.1f} s instead of {usual.seconds:.1f} s, and {'the same' if same else 'other'} output")


PARTS = {"plain": plain, "races": races, "fixed": fixed, "green": green, "time": time_only}
