"""The parts of the proof, each a function of the options and the report."""

import collections
import os
import re
import statistics
import subprocess
import time
from pathlib import Path

import catalogue
import runs
from catalogue import official

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
Unavailable, Broken = official.Unavailable, runs.Broken
WITHIN = 20  # a race must be found in so many schedules
BATCH = 50
OWN_SEEDS = 20
WALL_RUNS = 6


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


def simulator(options):
    return runs.Sim(options.rondo, options.jobs, options.keep)


def seeds(options, count):
    return range(options.first, options.first + count)


def explain(batches):
    """The first failing schedule, in one line, with the seed that repeats it."""
    batch = next(batch for batch in batches if batch.finding)
    telling = [line for line in batch.lines if line.startswith("RACE: ")] or batch.lines[-1:] or ["nothing printed"]
    return f"seed {batch.finding['seed']}, {batch.finding['outcome']}: {telling[0][:160]}"


def runs_ms(batches):
    """Real time of a schedule, in milliseconds."""
    return round(1000 * sum(batch.real_s for batch in batches) / sum(len(batch.seeds) for batch in batches))


def count(batches):
    return sum(len(batch.failed_seeds) for batch in batches), sum(len(batch.seeds) for batch in batches)


# --- races ----------------------------------------------------------------------------------

def plain(options, report):
    node = official.node(options.node)
    for race in chosen(options, catalogue.RACES):
        done = runs.plain([node, race.script], race.environment(False), options.plain_runs, options.jobs)
        failed = sum(run.failed for run in done)
        report.result(f"{race.name} {race.version}, plain", failed <= len(done) // 20,
                      f"{failed} of {len(done)} runs fail, "
                      f"{1000 * statistics.median(run.seconds for run in done):.0f} ms a run")


def races(options, report):
    """One batch of schedules per start: when the first fails, and how many fail."""
    node, sim = official.node(options.node), simulator(options)
    shares = []
    for race in chosen(options, catalogue.RACES):
        batches = sim.batches([node, race.script], race.environment(False), seeds(options, options.starts * WITHIN),
                              WITHIN)
        failed, tried = count(batches)
        found = [batch.found_after for batch in batches if batch.found_after]
        odd = [batch for batch in batches if batch.finding and not any("RACE: " in line for line in batch.lines)]
        shares.append(100 * failed / tried)
        says = f"{shares[-1]:.0f} % of {tried} schedules fail, {runs_ms(batches)} ms a run"
        if found:
            says += f"; found after {statistics.median(found):g} runs, at most {max(found)}"
        if len(found) < len(batches):
            says += f"; not found in {len(batches) - len(found)} of {len(batches)} starts"
        if odd:
            says += f"; {len(odd)} fail in another way, {explain(odd)}"
        report.result(f"{race.name} {race.version}", len(found) == len(batches) and not odd, says)
        if failed:
            report.line(f"       {explain(batches)}")
    if len(shares) > 1:
        report.result("share of failing schedules, median", statistics.median(shares) >= 50,
                      f"{statistics.median(shares):.0f} %")


def systematic(options, report):
    """How many schedules of a systematic search it takes to find each race."""
    node, sim = official.node(options.node), simulator(options)
    for race in chosen(options, catalogue.RACES):
        found = sim.ask([node, race.script], race.environment(False), "--search", "systematic", "--runs", "200", "--jobs", "1",
                        "--no-shrink", "--json", limit=1200)
        report.result(f"{race.name} {race.version}, systematic search", found["finding"] is not None, f"{found['runs']} schedules")


def fixed(options, report):
    node, sim = official.node(options.node), simulator(options)
    for race in chosen(options, catalogue.RACES):
        batches = sim.batches([node, race.script], race.environment(True), seeds(options, options.fixed_runs), BATCH)
        green_result(report, f"{race.name} {race.fixed or race.version + ', in order'}", batches)


def green_result(report, what, batches, besides=""):
    failed, tried = count(batches)
    report.result(what, failed == 0, f"{failed} of {tried} schedules fail, {runs_ms(batches)} ms a run{besides}"
                  + (f"; {explain(batches)}" if failed else ""))


# --- programs without a race ---------------------------------------------------------------------

def green(options, report):
    node, sim = official.node(options.node), simulator(options)
    for suite in chosen(options, catalogue.SUITES):
        command = suite.command(node)
        usual = runs.execute(command, {})
        if usual.failed:
            report.skip(f"{suite.name} {suite.version}", f"fails as it is: {usual.output.strip()[-300:]}")
            continue
        batches = sim.batches(command, {}, seeds(options, options.green_runs), BATCH)
        green_result(report, f"{suite.name} {suite.version} ({suite.kind})", batches,
                     f" ({1000 * usual.seconds:.0f} ms plain)")


def correct(options, report):
    """Programs that are right, with their usual limits: no schedule may fail."""
    node, folder = official.node(options.node), catalogue.correct_folder()
    sim = runs.Sim(options.rondo, options.jobs, options.keep, folder)
    for name in catalogue.CORRECT:
        if options.only not in (None, name):
            continue
        command = catalogue.correct_command(node, folder, name)
        usual = runs.execute(command, {}, folder=folder)
        if usual.failed:
            report.skip(f"correct/{name}", f"fails as it is: {usual.output.strip()[-300:]}")
            continue
        batches = sim.batches(command, {}, seeds(options, options.correct_runs), BATCH)
        green_result(report, f"correct/{name}", batches, f" ({1000 * usual.seconds:.0f} ms plain)")


# --- virtual time -----------------------------------------------------------------------------------

TEN_MINUTES = """ok a time-out of a minute: about 60 s
ok ten intervals of six seconds: about 60 s
ok a retry with back-off, one second to a minute: about 130 s
ok a limit that comes before the answer: about 30 s
ok a server that answers after half a minute: about 30 s
ok a thousand time-outs of up to a minute: about 60 s
ok nearly four minutes, one second at a time: about 230 s
in all 10 minutes
"""


def time_only(options, report):
    node, sim = official.node(options.node), runs.Sim(options.rondo, 1)
    run = sim.one([node, HERE / "made" / "ten_minutes.js"], {}, "--time-only")
    report.result("ten minutes of time-outs", run.code == 0 and TEN_MINUTES in run.output and run.seconds < 60,
                  f"{run.seconds:.1f} s, and {'the same' if TEN_MINUTES in run.output else 'other'} output")
    suite = next(suite for suite in catalogue.SUITES if suite.name == "promise-retry")
    command = [*suite.command(node), "--reporter", "tap"]
    usual, run = runs.execute(command, {}), sim.one(command, {}, "--time-only")
    same = usual.output.strip() in run.output
    report.result(f"{suite.name} {suite.version}, its own tests",
                  not run.failed and not usual.failed and same and run.seconds < usual.seconds / 2,
                  f"{run.seconds:.1f} s instead of {usual.seconds:.1f} s, and {'the same' if same else 'other'} output")


def timed(work):
    """How long it took, and what processor time its processes used, in milliseconds."""
    before, begin = os.times(), time.monotonic()
    result = work()
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return result, 1000 * (time.monotonic() - begin), 1000 * used


def wall(options, report):
    """Plain runs and schedules in turn, one at a time, on the same machine in the same minute."""
    node, sim = official.node(options.node), runs.Sim(options.rondo, 1)
    for race in chosen(options, catalogue.RACES):
        command, extra, rows = [node, race.script], race.environment(False), []
        for number in range(0, 3 * WALL_RUNS, WALL_RUNS):
            _, usual, usual_cpu = timed(lambda: runs.execute(command, extra))
            some = seeds(options, 3 * WALL_RUNS)[number:number + WALL_RUNS]
            batch, all_of_it, cpu = timed(lambda: sim.batch(command, extra, some))
            done = len(batch.seeds) + bool(batch.finding)  # the first that fails is run again, to prove it
            rows.append((usual, all_of_it / done, usual_cpu, cpu / done))
        usual, simulated, usual_cpu, cpu = (statistics.median(column) for column in zip(*rows))
        report.result(f"{race.name} {race.version}, wall time of a run", simulated < usual,
                      f"{simulated:.0f} ms under sim ({cpu:.0f} of a processor), "
                      f"{usual:.0f} ms plain ({usual_cpu:.0f} of a processor)")


# --- one seed, one schedule ------------------------------------------------------------------------

def examples(options):
    """Our examples that end, and what they print."""
    for expected in sorted((REPOSITORY / "examples" / "expected").glob("*.txt")):
        source = REPOSITORY / "examples" / f"{expected.stem}.c"
        program = options.rondo.parent / "examples" / expected.stem
        if program.exists() and "/* example: sleeps */" not in source.read_text():
            yield expected.stem, program, expected.read_text()


def reasons(differences):
    """How often which first decision differs, without the numbers and names of one run."""
    def plain(words):
        return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", words)) if words else "nothing"
    counted = collections.Counter(" or ".join(dict.fromkeys((plain(one["first"]), plain(one["second"]))))
                                  for one in differences)
    return [f"{number} x {words}" for words, number in counted.most_common()]


def same_result(options, report, what, command, extra, all_of_them):
    unlike = simulator(options).twice(command, extra, seeds(options, options.seeds))
    report.result(what, not unlike or not all_of_them,
                  f"{options.seeds - len(unlike)} of {options.seeds} seeds make the same decisions twice"
                  + (f"; not {', '.join(map(str, list(unlike)[:10]))}" if unlike else ""))
    for reason in reasons(unlike.values()):
        report.line(f"       {reason}")


def same(options, report):
    for name, program, _ in examples(options):
        if options.only in (None, name):
            same_result(options, report, f"examples/{name}.c", [program], {}, True)
    for name in ("lost_update", "early_answer"):
        if options.only in (None, name):
            same_result(options, report, f"made/{name}.js on rondo", [options.rondo, HERE / "made" / f"{name}.js"],
                        {}, True)
    node = official.node(options.node)
    if options.only in (None, "workers"):
        same_result(options, report, f"made/workers.js on Node {options.node}", [node, HERE / "made" / "workers.js"],
                    {}, False)
    for race in chosen(options, catalogue.RACES):
        same_result(options, report, f"{race.name} on Node {options.node}", [node, race.script],
                    race.environment(False), False)


# --- ourselves -----------------------------------------------------------------------------------

def ourselves(options, report):
    """Our examples print what they always print, and the order scripts what Node prints."""
    sim = runs.Sim(options.rondo, options.jobs)
    for name, program, expected in examples(options):
        different = []
        for seed in seeds(options, OWN_SEEDS):
            run = sim.one([program], {}, "--seed", seed, "--runs", 1, "--no-shrink", "--json")
            if run.code != 0:
                different.append(f"seed {seed}: {run.output.strip()[-200:]}")
        report.result(f"examples/{name}.c", not different, different[0] if different else f"{OWN_SEEDS} schedules pass")
        run = sim.one([program], {}, "--time-only")
        report.result(f"examples/{name}.c in virtual time", run.output == expected,
                      "prints what it always prints" if run.output == expected else run.output[-300:])


# --- what needs no registry ------------------------------------------------------------------------

def short(options, report):
    sim = runs.Sim(options.rondo, options.jobs)
    for name in ("lost_update", "early_answer"):
        command = [options.rondo, HERE / "made" / f"{name}.js"]
        batch = sim.batch(command, {"RACE_MENDED": "0"}, seeds(options, WITHIN))
        report.result(f"made/{name}.js", any("RACE: " in line for line in batch.lines),
                      f"{len(batch.failed_seeds)} of {WITHIN} schedules fail" + (f"; {explain([batch])}" if batch.finding else ""))
        green_result(report, f"made/{name}.js, mended", [sim.batch(command, {"RACE_MENDED": "1"}, seeds(options, WITHIN))])
        unlike = sim.twice(command, {"RACE_MENDED": "0"}, seeds(options, WITHIN))
        report.result(f"made/{name}.js, one seed twice", not unlike,
                      f"the same decisions for {WITHIN - len(unlike)} of {WITHIN} seeds"
                      + "".join(f"; {reason}" for reason in reasons(unlike.values())))


PARTS = {"plain": plain, "races": races, "systematic": systematic, "wall": wall, "fixed": fixed, "green": green, "correct": correct, "time": time_only, "same": same,
         "ourselves": ourselves, "short": short}
