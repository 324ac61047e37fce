"""What the proof runs: known races in npm packages with the versions that have them, suites of
packages that have none, and where they are kept. Packages are fetched by the ordinary npm client
into the cache of test/programs, outside the repository."""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "programs"))
import official  # noqa: E402


class Race:
    """A script in races/, the package version that has the race, and how the race is mended:
    by another version of the package, or by the script's own order (then fixed is None)."""

    def __init__(self, name, version, fixed, reference, besides=()):
        self.name, self.version, self.fixed, self.reference, self.besides = name, version, fixed, reference, besides

    def environment(self, mended):
        version = self.fixed if mended and self.fixed else self.version
        modules = packages("races", f"{self.name}-{version}", f"{self.name}@{version}",
                           *(f"{other}@{version}" for other in self.besides))
        return {"NODE_PATH": str(modules), "RACE_MENDED": "1" if mended and not self.fixed else "0"}

    @property
    def script(self):
        return HERE / "races" / f"{self.name}.js"


RACES = (
    Race("agentkeepalive", "4.1.4", "4.2.0", "node-modules/agentkeepalive#58, #102"),
    Race("archiver", "3.1.1", "4.0.0", "archiverjs/node-archiver#388"),
    Race("async-cache", "1.1.0", None, "a load that outlives del()"),
    Race("fs-extra", "8.0.1", None, "jprichardson/node-fs-extra#699, #967"),
    Race("get-port", "4.2.0", None, "sindresorhus/get-port#23"),
    Race("mkdirp", "0.5.1", None, "EEXIST for a directory that is gone"),
    Race("node-json-db", "2.0.0", "2.3.1", "Belphemur/node-json-db#484"),
    Race("proper-lockfile", "4.1.2", None, "moxystudio/node-proper-lockfile#121"),
    Race("socket.io", "2.0.2", None, "socketio/socket.io-client#1133", besides=("socket.io-client",)),
    Race("winston", "3.18.3", "3.19.0", "winstonjs/winston#1504"),
    Race("write-file-atomic", "1.3.4", "2.4.3", "older write renamed last"),
)


# A schedule may make any callback late by seconds. mocha's own limit of two seconds a test would then
# be the only race there is.
LIMIT_MS = "3600000"


class Suite:
    """A package's own tests, from its npm package, with what they need besides."""

    def __init__(self, name, version, kind, files, besides):
        self.name, self.version, self.kind, self.files = name, version, kind, files
        self.besides = besides

    def command(self, node):
        modules = packages("suites", self.name, f"{self.name}@{self.version}", *self.besides)
        files = [modules / self.name / file for file in self.files]
        if self.kind == "tape":
            return [node, *files]
        return [node, modules / "mocha" / "bin" / "mocha.js", "--exit", "-t", LIMIT_MS, *files]


SUITES = (
    Suite("promise-retry", "2.0.1", "mocha", ["test/test.js"], ("mocha@10", "expect.js@0.3", "sleep-promise@8")),
    Suite("random-access-file", "2.2.1", "tape", ["test.js"], ("tape@4", "mkdirp@0.5")),
    Suite("duplexify", "4.1.2", "tape", ["test.js"], ("tape@4", "through2@2", "concat-stream@1")),
    Suite("flush-write-stream", "2.0.0", "tape", ["test.js"], ("tape@4",)),
    Suite("multiplex", "6.7.0", "tape", ["test.js"], ("tape@4", "through2@2", "concat-stream@1", "chunky@0")),
    Suite("pumpify", "2.0.1", "tape", ["test.js"], ("tape@4", "through2@2")),
    Suite("fastq", "1.15.0", "tape", ["test/test.js"], ("tape@5",)),
    Suite("mutexify", "1.4.0", "tape", ["test.js"], ("tape@4",)),
)


# Programs and suites in correct/ that nobody would call wrong, with the limits that they have by default:
# the file, and what runs it. They are copied beside their packages, where modules find them.
CORRECT_PACKAGES = ("ws@8", "undici@6", "generic-pool@3", "pg@8", "express@4", "axios@1", "mocha@10", "jest@29",
                    "vitest@2", "ava@6", "tape@5")
CORRECT = {name: [] for name in ("http", "http_agent", "http_chain", "http_upload", "http2", "fetch", "fetch_poll", "ws",
                                 "ws_heartbeat", "pool_generic", "pool_undici", "pool_pg", "express", "fork")}
CORRECT.update({
    "mocha": ["node_modules/mocha/bin/mocha.js"], "tape": [], "node_test": ["--test"],
    "jest": ["node_modules/jest/bin/jest.js", "--rootDir", "."], "ava": ["node_modules/ava/entrypoints/cli.mjs"],
    "vitest": ["node_modules/vitest/vitest.mjs", "run"],
})


def correct_folder():
    folder = packages("correct", "all", *CORRECT_PACKAGES).parent
    for file in (HERE / "correct").iterdir():
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"name": "correct"}\n')
    return folder


def correct_command(node, folder, name):
    file = next(file.name for file in folder.iterdir() if file.name.split(".")[0] == name)
    return [node, *CORRECT[name], file]


def packages(room, name, *wanted):
    """The node_modules directory with these packages."""
    directory = official.cache() / room / name
    if not (directory / "node_modules" / wanted[0].rpartition("@")[0]).exists():
        npm = shutil.which("npm")
        if npm is None:
            raise official.Unavailable("there is no npm to fetch packages with")
        official.install([npm], directory, "--ignore-scripts", *wanted)
    return directory / "node_modules"
