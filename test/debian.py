"""Packages from Debian without touching the system.

The conformance and program runs prove Rondo with things nobody here wrote:
libuv's own tests, and programs that use libuv.  Both come from Debian through
apt, into a directory of ours.  Nothing is installed, no file of the system is
changed, and whatever can't be had is reported as Unavailable with the reason.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path


class Unavailable(Exception):
    """Something needed isn't to be had here; the text says what and why."""


def _run(command, cwd=None):
    env = dict(os.environ, LC_ALL="C", DEBIAN_FRONTEND="noninteractive")
    return subprocess.run(command, cwd=cwd, env=env, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _last_lines(text, count=4):
    return "\n".join("    " + line for line in text.strip().splitlines()[-count:])


def _known_suites():
    """{(site, suite): components} of Debian's own, from the lists that apt has."""
    form = "$(SITE)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    listed = _run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"])
    suites = {}
    for line in listed.stdout.splitlines():
        fields = line.split("|")
        if len(fields) == 4 and fields[3] == "Debian":
            suites.setdefault((fields[0], fields[1]), set()).add(fields[2])
    return suites


def _configured_suites():
    """The same where apt has no lists yet, as in a fresh container: what it would
    fetch, as far as the suite's name is this release's."""
    try:
        release = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    except OSError:
        return {}
    planned = _run(["apt-get", "update", "--print-uris"])
    found = re.findall(r"^'(\S+)/dists/(\S+)/InRelease'", planned.stdout, re.MULTILINE)
    return {(site, suite): {"main"} for site, suite in found
            if release and suite.split("-")[0] == release.group(1)}


class Apt:
    """apt with its state in a directory of ours, so that no root rights and no
    change of the system's source list are needed.  With `release` it is that
    release's packages it knows, not those of the system's own."""

    def __init__(self, directory, release=None):
        self.directory = Path(directory).resolve()
        self.release = release
        if not shutil.which("apt-get"):
            raise Unavailable("this needs apt-get: it runs on Debian and its relatives only")
        for part in ("lists/partial", "archives/partial", "etc"):
            (self.directory / part).mkdir(parents=True, exist_ok=True)
        self._write_sources()
        self.options = []
        for key, value in (
            ("Dir::State::lists", self.directory / "lists"),
            ("Dir::Cache", self.directory),
            ("Dir::Cache::archives", self.directory / "archives"),
            ("Dir::Etc::sourcelist", self.directory / "etc/sources.list"),
            ("Dir::Etc::sourceparts", "-"),
            ("APT::Sandbox::User", "root"),
            ("Debug::NoLocking", "true"),
            ("Acquire::Retries", "3"),
        ):
            self.options += ["-o", f"{key}={value}"]
        self.fresh = False

    def _write_sources(self):
        """Both kinds of source, binary and deb-src, for each of Debian's suites
        that the system itself uses."""
        suites = _known_suites() or _configured_suites()
        if not suites:
            raise Unavailable("apt has no Debian suite among its sources here")
        if self.release:
            # From where the plain suites come, without a dash in their names: updates
            # and security fixes have other places or none in another release.
            suites = {(site, self.release): {"main"} for site, suite in suites if "-" not in suite}
        keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
        signed = f"[signed-by={keyring}] " if keyring.exists() else ""
        lines = []
        for (site, suite), components in sorted(suites.items()):
            rest = f"{signed}{site} {suite} {' '.join(sorted(components))}"
            lines += [f"deb {rest}", f"deb-src {rest}"]
        (self.directory / "etc/sources.list").write_text("\n".join(lines) + "\n")

    def update(self):
        if self.fresh:
            return
        # Fetching nothing at all is only a warning to apt, unless it is asked to mind.
        result = _run(["apt-get", *self.options, "-o", "APT::Update::Error-Mode=any", "update"])
        if result.returncode != 0:
            raise Unavailable("apt can't fetch its lists; is there a network?\n" + _last_lines(result.stdout))
        self.fresh = True

    def source(self, package, destination):
        """Unpacks a source package below destination and returns its directory."""
        destination = Path(destination)
        found = self._unpacked_source(destination)
        if found:
            return found
        if not shutil.which("dpkg-source"):
            raise Unavailable("unpacking a source package needs dpkg-source: "
                              "`apt-get install dpkg-dev`")
        self.update()
        destination.mkdir(parents=True, exist_ok=True)
        result = _run(["apt-get", *self.options, "source", "-y", package], cwd=destination)
        found = self._unpacked_source(destination)
        if result.returncode != 0 or not found:
            raise Unavailable(f"`apt-get source {package}` failed:\n" + _last_lines(result.stdout))
        return found

    @staticmethod
    def _unpacked_source(destination):
        marks = sorted(destination.glob("*/debian/control"))
        return marks[-1].parent.parent if marks else None

    def candidates(self, package):
        """Every version apt offers of a package, best first."""
        self.update()
        result = _run(["apt-cache", *self.options, "madison", package])
        rows = [line.split("|") for line in result.stdout.splitlines()]
        return [row[1].strip() for row in rows if len(row) == 3 and "Packages" in row[2]]

    def unpack(self, package, root):
        """Unpacks one binary package into root, without its dependencies."""
        self.update()
        archives = self.directory / "archives"
        name = package.split("=")[0]
        result = _run(["apt-get", *self.options, "download", package], cwd=archives)
        debs = sorted(archives.glob(f"{name}_*.deb"), key=lambda path: path.stat().st_mtime)
        if result.returncode != 0 or not debs:
            raise Unavailable(f"`apt-get download {package}` failed:\n" + _last_lines(result.stdout))
        extract(debs[-1], root)
        return debs[-1]

    def unpack_with_dependencies(self, packages, root, instead=None):
        """Unpacks packages into root, installed here or not, with what they
        need and the system lacks.  `instead` names packages, with a version,
        that are unpacked whatever version of them the system has: apt is told
        that they are installed, so that it finds nothing to object to."""
        self.update()
        instead = instead or {}
        for name, version in instead.items():
            self.unpack(f"{name}={version}", root)
        status = self.directory / "status"
        status.write_text(_pretend(Path("/var/lib/dpkg/status").read_text(errors="replace"), instead))
        command = ["apt-get", *self.options, "-o", f"Dir::State::status={status}", "install", "-y", "--no-install-recommends",
                   "--simulate", *packages]
        planned = _run(command)
        if planned.returncode != 0:
            raise Unavailable(f"apt can't resolve {' '.join(packages)}:\n" + _last_lines(planned.stdout))
        needed = re.findall(r"^Inst (\S+) (?:\[\S+\] )?\((\S+) ", planned.stdout, re.MULTILINE)
        wanted = {name: f"{name}={version}" for name, version in needed}
        for package in packages:
            wanted.setdefault(package.split("=")[0], package)
        for package in wanted.values():
            self.unpack(package, root)
        return sorted(wanted)


def _pretend(status, packages):
    """The dpkg status text with the given versions of packages installed."""
    headings = {f"Package: {name}" for name in packages}
    paragraphs = [p for p in status.strip().split("\n\n") if p.split("\n", 1)[0] not in headings]
    architecture = _run(["dpkg", "--print-architecture"]).stdout.strip()
    for name, version in packages.items():
        paragraphs.append(f"Package: {name}\nStatus: install ok installed\nMaintainer: none\n"
                          f"Architecture: {architecture}\nMulti-Arch: allowed\nVersion: {version}\n"
                          f"Description: unpacked aside")
    return "\n\n".join(paragraphs) + "\n"


def extract(deb, root):
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    result = _run(["dpkg", "-x", str(deb), str(root)])
    if result.returncode != 0:
        raise Unavailable(f"can't unpack {Path(deb).name}:\n" + _last_lines(result.stdout))


def libuv(apt, root):
    """Debian's own libuv, header and library, unpacked into root: the measure
    for everything here, independent of what is installed in the system."""
    root = Path(root)
    if not list(root.glob("usr/lib/*/libuv.so.1")) or not (root / "usr/include/uv.h").exists():
        apt.unpack("libuv1", root)
        apt.unpack("libuv1-dev", root)
    library = next(iter(sorted(root.glob("usr/lib/*/libuv.so.1"))))
    return root / "usr/include", library
