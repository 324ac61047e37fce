"""Building libuv's test program against a given library, and running one test.

The program is libuv's own runner: `uv_run_tests NAME` starts a test's helper
processes, runs it with a time limit and says how it went.  Here it is built
from the unpacked source package, put beside the library it shall load, and run
as an ordinary user in a scratch directory with the suite's fixtures.
"""

import ctypes
import fcntl
import os
import pwd
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# Listing a test may take this long at most, whatever its own limit says.
HARD_LIMIT_S = 300
EXIT_SKIPPED = 7
OUTPUT_LINES = 80
PR_SET_CHILD_SUBREAPER = 36

# Why tests of another version are left out that need the inside of that version.
LOOKS_INSIDE = "It looks inside libuv."

SOURCES = ("blackhole-server.c", "echo-server.c", "run-tests.c", "runner.c", "runner-unix.c")


class BuildError(Exception):
    """The test program can't be built; the text is for the user."""


@dataclass
class Result:
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    status: str
    reason: str = ""
    output: str = ""
    final: bool = False  # running it again can't change it
    flaky: bool = False
    allowed: str = ""


def public_functions(library):
    """The functions a library exports."""
    listed = subprocess.run(["nm", "-D", "--defined-only", str(library)],
                            capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TWi"}


def looks_inside(path):
    """Whether a test takes code or declarations out of libuv's own source, that for
    Windows left aside.  Such code needs the public header of its own version."""
    return re.search(r'#\s*include "\.\./src/(?!win/)', path.read_text()) is not None


class Builder:
    def __init__(self, source, output, asan, skip_inner=False):
        self.tests = source / "test"
        self.output = output
        self.asan = asan
        self.skip_inner = skip_inner
        self.compiler = os.environ.get("CC", "gcc")

    def program(self, kind, include, library, complete=None):
        """Builds the test program of one kind and returns its path.  The library
        is copied beside it and found there, also by children with an empty
        environment.  With `complete`, functions that it has and the library
        lacks are replaced by ones that end the process."""
        if not Path(library).exists():
            raise BuildError(f"there is no {library}: run `make` first")
        place = self.output / (f"{kind}-asan" if self.asan else kind)
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(library).resolve(), place / "libuv.so.1")
        extra = []
        (place / "libmissing.so").unlink(missing_ok=True)
        if complete:
            extra = self._stand_ins(place, complete)
        objects = self._compile(self.output / f"objects-{kind}", include)
        # The sanitizers' libraries must come first; they look for leaks on both.
        sanitizer = ["-fsanitize=address,undefined"] if self.asan else []
        self._call([self.compiler, "-rdynamic", *sanitizer, "-o", place / "uv_run_tests", *objects,
                    place / "libuv.so.1", *extra, "-Wl,-rpath,$ORIGIN", "-lpthread", "-ldl"])
        return place / "uv_run_tests"

    def _stand_ins(self, place, complete):
        missing = sorted(public_functions(complete) - public_functions(place / "libuv.so.1"))
        if not missing:
            return []
        print(f"# the library lacks {len(missing)} functions: {' '.join(missing)}", flush=True)
        text = "#include <stdio.h>\n#include <unistd.h>\n" + "".join(
            f'void {name}(void);\nvoid {name}(void) {{ dprintf(2, "missing: {name}\\n"); _exit(99); }}\n'
            for name in missing)
        # The runner itself calls this one first of all: without it nothing would run.
        text = text.replace('void uv_setup_args(void) { dprintf(2, "missing: uv_setup_args\\n"); _exit(99); }',
                            "char** uv_setup_args(int count, char** list) { (void) count; return list; }")
        text = text.replace("void uv_setup_args(void);", "char** uv_setup_args(int, char**);")
        (place / "missing.c").write_text(text)
        self._call([self.compiler, "-shared", "-fPIC", "-o", place / "libmissing.so", place / "missing.c"])
        return [place / "libmissing.so"]

    def _compile(self, place, include):
        place.mkdir(parents=True, exist_ok=True)
        newest_header = max(path.stat().st_mtime for path in Path(include).rglob("*.h"))
        jobs = []
        tests = sorted(self.tests.glob("test-*.c"))
        if self.skip_inner:
            inner = [path for path in tests if looks_inside(path)]
            tests = [path for path in tests if path not in inner] + [self._skipped(place, inner)]
        sources = [self.tests / name for name in SOURCES] + tests
        for source in sources:
            target = place / (source.stem + ".o")
            if not target.exists() or target.stat().st_mtime < max(newest_header, source.stat().st_mtime):
                jobs.append([self.compiler, "-std=gnu11", "-g", "-O1", "-w", "-c", source, "-o", target,
                             f"-I{include}", f"-I{self.tests}", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64",
                             "-D_LARGEFILE_SOURCE", "-DUSING_UV_SHARED=1"])
        if jobs:
            print(f"# compiling {len(jobs)} files of the suite with {include}/uv.h", flush=True)
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            list(pool.map(self._call, jobs))
        return [place / (source.stem + ".o") for source in sources]

    @staticmethod
    def _skipped(place, files):
        """The tests in these files as ones that only say that they are skipped."""
        names = [name for path in files for name in re.findall(r"^TEST_IMPL\((\w+)\)", path.read_text(), re.M)]
        text = '#include "task.h"\n' + "".join(
            f'TEST_IMPL({name}) {{ RETURN_SKIP("{LOOKS_INSIDE}"); }}\n' for name in names)
        source = place / "skipped.c"
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        return source

    def tool(self, source):
        target = self.output / source.stem
        self._call([self.compiler, "-std=gnu11", "-O1", "-o", target, source])
        return target

    @staticmethod
    def _call(command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{command[0]} failed:\n{done.stderr[-4000:]}")


def pick_user():
    """The suite refuses to run as root: take `nobody` then."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def give_terminal(descriptor):
    """Makes a pseudo-terminal the controlling one of the session just started,
    so that the tests about terminals have one."""
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


class Runner:
    """Runs single tests with one library and one setting."""

    def __init__(self, program, fixtures, scratch, user, wrapper, environment, patience):
        self.user = user
        self.place = Path(tempfile.mkdtemp(prefix=f"{program.parent.name}-", dir=scratch))
        for part in ("uv_run_tests", "libuv.so.1", "libmissing.so"):
            if (program.parent / part).exists():
                shutil.copy(program.parent / part, self.place / part)
        shutil.copytree(fixtures, self.place / "test" / "fixtures")
        tool = [shutil.copy(path, self.place) for path in wrapper]
        self.command = [*tool, str(self.place / "uv_run_tests")]
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.place), "LANG": "C.UTF-8",
            "UV_TEST_TIMEOUT_MULTIPLIER": str(patience),
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:exitcode=98",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=98",
            **{name: os.environ[name] for name in ("QEMU_LD_PREFIX",) if name in os.environ},
            **environment,
        }
        self._hand_over(Path(scratch))
        # Children that a test leaves behind come to us, to be ended.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def _hand_over(self, scratch):
        os.chmod(scratch, 0o755)
        if self.user:
            for directory, _, files in os.walk(self.place):
                for path in [directory, *(os.path.join(directory, name) for name in files)]:
                    os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def _start(self, arguments, **options):
        if self.user:
            options.update(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        return subprocess.Popen([*self.command, *arguments], cwd=self.place, env=self.environment,
                                stdin=subprocess.DEVNULL, start_new_session=True, **options)

    def names(self):
        process = self._start(["--list"], stdout=subprocess.PIPE, text=True)
        listed, _ = process.communicate(timeout=HARD_LIMIT_S)
        if process.returncode != 0:
            raise BuildError("the test program can't list its tests")
        # The first test prints what the platform is like: keep it first.
        names = [line.split()[0] for line in listed.splitlines() if line.strip()]
        return sorted(names, key=lambda name: (name != "platform_output", name))

    def run(self, name):
        for socket in Path("/tmp").glob("uv-test-sock*"):
            try:
                socket.unlink()
            except OSError:
                pass
        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        log = self.place / "output"
        try:
            with open(log, "w+b") as sink:
                process = self._start([name], stdout=sink, stderr=subprocess.STDOUT,
                                      preexec_fn=lambda: give_terminal(slave))
                try:
                    process.wait(HARD_LIMIT_S)
                except subprocess.TimeoutExpired:
                    pass
                self._end(process)
                sink.seek(0)
                output = sink.read().decode(errors="replace")
        finally:
            os.close(slave)
            os.close(master)
        return self._result(name, process.returncode, output)

    @staticmethod
    def _end(process):
        """Ends whatever the test left running, in its session or not."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for _ in range(100):
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            if not children:
                return
            for child in map(int, children):
                try:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, os.WNOHANG)
                except (ProcessLookupError, ChildProcessError):
                    pass
            time.sleep(0.01)

    @staticmethod
    def _result(name, code, output):
        said = re.search(r"^(ok|not ok) \d+ - \S+(?: # SKIP ?(.*))?$", output, re.MULTILINE)
        tail = "\n".join(output.splitlines()[-OUTPUT_LINES:])
        if code == EXIT_SKIPPED or (said and said.group(2) is not None):
            return Result(Result.SKIPPED, (said.group(2) or "") if said else "", tail)
        if code == 0 and said and said.group(1) == "ok":
            return Result(Result.PASSED, "", tail)
        reason = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        final = False
        lines = [line.lstrip("# ") for line in output.splitlines()]
        for sign in ("Sanitizer", "runtime error", "missing: ", "Assertion failed", "timeout"):
            found = next((line for line in lines if sign in line), None)
            if found:
                reason = found.strip()
                final = sign in ("Sanitizer", "runtime error", "missing: ")
                break
        return Result(Result.FAILED, reason, tail, final)
