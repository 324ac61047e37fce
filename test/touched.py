"""Which tests a change touches: `make check`.

A change is what git shows as different from where the branch left the one it follows (or from
the last commit), together with what is not committed. Each room names the tests that are about
it, the nearest first; a test whose last run took longer than what is left of the time is left
out, and named.
"""
import os
import re
import subprocess

# What a changed path begins with, and the tests that are about it. The first that fits counts.
ROOMS = [
    ("src/trace/", ["test_(trace|names|watch|live)", "trace"]),
    ("src/sim/", ["test_sim", "sim", "order_simulated"]),
    ("src/adopt/", ["adopt", "exec", "trace_node"]),
    ("src/", ["test_", "syscalls", "example", "same", "cases", "faults", "fuzz"]),
    ("include/", ["abi", "test_", "example", "docs"]),
    ("runtime/lib/", ["runtime", "cases", "order"]),
    ("runtime/", ["test_node", "runtime", "cases", "order", "example"]),
    ("tools/rondo/sim/", ["sim", "completion", "exec"]),
    ("tools/rondo/trace/page/", ["picture", "trace@", "trace_situations"]),
    ("tools/rondo/trace/", ["test_trace", "trace", "picture"]),
    ("tools/rondo/live/", ["test_live", "trace_(watch|top|stall|record|edges)"]),
    ("tools/rondo/node/", ["trace_(node|words|causes|hangs)", "sim_proof"]),
    ("tools/rondo/options/", ["test_options", "exec", "completion", "sim", "trace@"]),
    ("tools/rondo/completion/", ["completion"]),
    ("tools/rondo/", ["exec", "adopt", "completion", "trace@", "sim"]),
    ("tools/npm", ["npm"]),
    ("packaging/npm/", ["npm"]),
    ("packaging/", ["install"]),
    ("examples/", ["example"]),
    ("cmake/", ["install", "abi", "example"]),
    ("bench/", ["docs"]),
    ("docs/", ["docs", "completion"]),
]

# Seconds, where the test has not run in this folder before.
SLOW = {"sim": 95, "order": 55, "trace_languages": 33, "fuzz_files": 25, "npm": 16, "sim_proof": 15,
        "trace_watch": 16, "trace_causes": 14, "trace_situations": 17, "cases": 11, "order_simulated": 10,
        "abi_languages": 10, "adopt": 8, "soak_c": 7, "soak_js": 7, "trace_words": 6, "trace_node": 6}


def git(root, *arguments):
    result = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return result.stdout.splitlines() if result.returncode == 0 else []


def changed_paths(root, base=None):
    """Relative to base; without one, to where the branch left its upstream, or to the last commit
    if nothing is there that isn't committed."""
    if base is None:
        left = git(root, "merge-base", "HEAD", "@{upstream}")
        head = git(root, "rev-parse", "HEAD")
        uncommitted = git(root, "status", "--porcelain")
        base = left[0] if left and left != head else "HEAD" if uncommitted else "HEAD~1"
    paths = set(git(root, "diff", "--name-only", base))
    paths.update(git(root, "ls-files", "--others", "--exclude-standard"))
    return base, sorted(paths)


def test_of(path):
    """A test's own files name it: its program, or its room's folder."""
    unit = re.match(r"test/unit/(test_\w+)\.c$", path)
    if unit:
        return [rf"{unit[1]}@"]
    if path.startswith("test/unit/"):
        return ["test_"]
    room = re.match(r"test/(\w+)/(\w*)", path)
    if room and room[2].startswith("check_"):
        return [room[1] + room[2][len("check"):]]
    return [room[1]] if room else []


def patterns(paths):
    """The patterns of the tests, those of changed tests first, each once."""
    own, rooms = [], []
    for path in paths:
        own += test_of(path)
        rooms += next((names for prefix, names in ROOMS if path.startswith(prefix)), [])
    # Every change may break a reference, or a rule of the house.
    return list(dict.fromkeys(own + rooms + ["docs", "lint"]))


def chosen(paths, tests, costs, seconds, jobs):
    """Which of the tests to run, and which to leave out for the time they take."""
    wanted = []
    for pattern in patterns(paths):
        wanted += [name for name in tests if re.match(pattern, name) and name not in wanted]
    left = seconds * jobs
    run, out = [], []
    for name in wanted:
        cost = costs.get(name, SLOW.get(name.partition("@")[0], 1.0))
        if cost <= left and cost <= seconds:
            run.append(name)
            left -= cost
        else:
            out.append(name)
    return run, out


def costs_of(directory):
    """What each test took when it ran last: ctest keeps it."""
    costs = {}
    path = os.path.join(directory, "Testing", "Temporary", "CTestCostData.txt")
    if os.path.exists(path):
        with open(path) as lines:
            for line in lines:
                fields = line.split()
                if len(fields) == 3 and int(fields[1]) > 0:
                    costs[fields[0]] = float(fields[2])
    return costs
