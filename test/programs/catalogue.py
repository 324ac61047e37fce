"""The programs: where each comes from, how it is started, what a run proves."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import debian

HERE = Path(__file__).resolve().parent


class Shelf:
    """The place where Debian's packages are unpacked, with the little that a
    program needs to be happy somewhere else than in /usr."""

    def __init__(self, apt, output, repository):
        self.apt = apt
        self.output = output
        self.repository = repository
        self.root = output / "root"
        self.relocated = {}
        self._temporary = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for path in self._temporary:
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path, ignore_errors=True)

    def temporary_directory(self):
        directory = Path(tempfile.mkdtemp(prefix="rondo-programs-"))
        self._temporary.append(directory)
        return directory

    def temporary_link(self, path, target):
        path.symlink_to(target)
        self._temporary.append(path)

    def unpack(self, name, packages, instead=None):
        """Unpacks a program's packages into a root of its own, once."""
        root = self.root / name
        if not (root / ".complete").exists():
            shutil.rmtree(root, ignore_errors=True)
            self.apt.unpack_with_dependencies(packages, root, instead)
            # The program shall find the libuv that the run gives it, no other.
            for path in root.glob("usr/lib/*/libuv.so*"):
                path.unlink()
            (root / ".complete").touch()
        return root

    def environment(self, root, **more):
        libraries = [str(path) for path in root.glob("usr/lib/*-linux-gnu")]
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": ":".join(libraries), **more}


def place_libraries(libraries, apt, output):
    """Debian's libuv and the given libraries, each alone in a directory, so that
    LD_LIBRARY_PATH brings nothing else."""
    _, theirs = debian.libuv(apt, output / "libuv")
    placed = {}
    for name, source in {"debian": theirs, **libraries}.items():
        if not source.exists():
            raise debian.Unavailable(f"there is no {source}: run `make` first")
        directory = output / "libraries" / name
        directory.mkdir(parents=True, exist_ok=True)
        placed[name] = directory / "libuv.so.1"
        placed[name].unlink(missing_ok=True)
        shutil.copy(source.resolve(), placed[name])
    return placed


def lines(text):
    return text.strip().splitlines()[-1] if text.strip() else "nothing"


class Node:
    title = "Node.js 18"

    @staticmethod
    def proves(output):
        return (f"{lines(output)} with the same results: timers and immediates, files, watching, tcp, unix, udp, "
                "http, http2, names, pool, workers, children, handed-over sockets, cluster, signals")

    def prepare(self, shelf):
        versions = shelf.apt.candidates("libnode108")
        if not versions:
            raise debian.Unavailable("this Debian has no libnode108 (Node.js 18)")
        # By name, so that they are unpacked also where the system has them: see below.
        parts = ["node-acorn", "node-cjs-module-lexer", "node-undici"]
        root = shelf.unpack("node", [f"libnode108={versions[0]}", *parts], {"nodejs": versions[0]})
        environment = shelf.environment(root)
        place = shelf.relocated.get(root) or self._relocate(shelf, root)
        shelf.relocated[root] = place
        environment["LD_LIBRARY_PATH"] = f"{place}:{environment['LD_LIBRARY_PATH']}"
        self._node = root / "usr/bin/node"
        return [str(self._node), str(HERE / "node_features.js")], environment

    def soak(self, _shelf):
        return [str(self._node), "--expose-gc", str(HERE / "node_soak.js")]

    @staticmethod
    def _relocate(shelf, root):
        """Debian's Node reads some of its built-in JavaScript from
        /usr/share/nodejs, by a path inside the library.  Where those files are
        only unpacked, a copy of the library gets another path of the same length."""
        (library,) = root.glob("usr/lib/*/libnode.so.108")
        if Path("/usr/share/nodejs/cjs-module-lexer").exists() and Path("/usr/share/nodejs/undici").exists():
            return library.parent
        old = b"/usr/share/nodejs/"
        place = shelf.temporary_directory()
        short = Path(f"/tmp/node{os.getpid():08x}")
        new = f"{short}/".encode()
        assert len(new) == len(old)
        shelf.temporary_link(short, root / "usr/share/nodejs")
        (place / library.name).write_bytes(library.read_bytes().replace(old, new))
        return place


class Rollup(Node):
    title = "Rollup on Node.js 18"
    soak = None

    @staticmethod
    def proves(_output):
        return "the same bundles of a project of 400 modules, and the same rebuilds when files change under watch"

    def prepare(self, shelf):
        (node, _), environment = super().prepare(shelf)
        root = shelf.unpack("rollup", ["rollup"], {"nodejs": shelf.apt.candidates("nodejs")[0]})
        return [node, str(HERE / "rollup_project.js"), str(root / "usr/share/nodejs/rollup")], environment


class Neovim:
    title = "Neovim"
    soak = None

    @staticmethod
    def proves(output):
        return f"{lines(output)} with the same results: jobs, timers, channels, sockets, :terminal, vim.loop"

    def prepare(self, shelf):
        root = shelf.unpack("neovim", ["neovim"])
        environment = shelf.environment(root, VIMRUNTIME=str(root / "usr/share/nvim/runtime"), TERM="dumb")
        return [str(root / "usr/bin/nvim"), "--headless", "--clean", "-u", "NONE",
                "-S", str(HERE / "nvim_features.lua")], environment


class CMake:
    title = "CMake"
    soak = None

    @staticmethod
    def proves(output):
        return ("the same results: this project configured and built, 37 tests run by CTest, good, bad, "
                "crashing, loud and too slow ones")

    def prepare(self, shelf):
        program = Path("/usr/bin/cmake")
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        if not program.exists():
            root = shelf.unpack("cmake", ["cmake", "cmake-data"])
            program = root / "usr/bin/cmake"
            environment = shelf.environment(root, CMAKE_ROOT=str(next(root.glob("usr/share/cmake-*"))))
        needs = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
        if "libuv.so.1" not in needs:
            raise debian.Unavailable(f"{program} carries its own libuv")
        return ["sh", str(HERE / "cmake_features.sh"), str(program), str(shelf.repository)], environment


class Uvloop:
    title = "uvloop"
    soak = None

    @staticmethod
    def proves(output):
        return f"{lines(output)} with the same results: asyncio's callbacks, sockets, subprocesses, signals, pipes, datagrams"

    def prepare(self, shelf):
        root = shelf.unpack("uvloop", ["python3-uvloop"])
        python = Path("/usr/bin/python3")
        version = subprocess.run([str(python), "-c", "import sys; print('%d%d' % sys.version_info[:2])"],
                                 capture_output=True, text=True, check=False).stdout.strip()
        if not list(root.glob(f"usr/lib/python3/dist-packages/uvloop/loop.cpython-{version}-*.so")):
            raise debian.Unavailable(f"python3-uvloop isn't for {python} {version or '(missing)'}")
        environment = shelf.environment(root, PYTHONPATH=str(root / "usr/lib/python3/dist-packages"),
                                        PYTHONDONTWRITEBYTECODE="1")
        return [str(python), str(HERE / "uvloop_features.py")], environment


class Luv:
    title = "luv"
    soak = None

    @staticmethod
    def proves(output):
        return f"{lines(output)} with the same results: every kind of handle and request that Lua can reach"

    def prepare(self, shelf):
        root = shelf.unpack("luv", ["lua-luv", "lua5.3"])
        modules = next(root.glob("usr/lib/*/lua/5.3"))
        environment = shelf.environment(root, LUA_CPATH=f"{modules}/?.so")
        return [str(root / "usr/bin/lua5.3"), str(HERE / "luv_features.lua")], environment


class Bind:
    title = "BIND"
    soak = None
    packages = ["bind9", "bind9-utils", "bind9-dnsutils", "bind9-host"]

    @staticmethod
    def proves(output):
        return (f"{lines(output)} with the same results: two servers and their tools over UDP, TCP, TLS and HTTP, "
                "thousands of queries, transfers, updates, reloads")

    def prepare(self, shelf):
        root = shelf.unpack("bind", self.packages)
        return ["python3", str(HERE / "bind_features.py"), str(root)], shelf.environment(root, PYTHONDONTWRITEBYTECODE="1")


class KnotResolver:
    title = "Knot Resolver"
    soak = None

    @staticmethod
    def proves(output):
        return (f"{lines(output)} with the same results: queries over UDP, TCP, TLS and HTTP, passed on to a BIND, "
                "Lua on the loop")

    def prepare(self, shelf):
        root = shelf.unpack("knot-resolver", ["knot-resolver", *Bind.packages])
        kresd = self._relocate(shelf, root)
        environment = shelf.environment(root, PYTHONDONTWRITEBYTECODE="1")
        return ["python3", str(HERE / "knot_features.py"), str(root), str(kresd)], environment

    @staticmethod
    def _relocate(shelf, root):
        """kresd reads its Lua and facts about the root from directories of /usr, by paths
        inside the program: a copy of it gets others of the same length."""
        (modules,) = root.glob("usr/lib/*/knot-resolver")
        sandbox = modules / "sandbox.lua"
        sandbox.write_text(sandbox.read_text().replace("'/usr/share/dns/", f"'{root}/usr/share/dns/"))
        program = (root / "usr/sbin/kresd").read_bytes()
        for directory, letter in (modules, "k"), (root / "usr/share/dns", "d"):
            short = Path(f"/tmp/{letter}{os.getpid():07x}")
            shelf.temporary_link(short, directory)
            old = f"/{directory.relative_to(root)}".encode()
            assert len(str(short)) <= len(old)
            program = program.replace(old, str(short).encode().ljust(len(old), b"/"))
        copy = shelf.temporary_directory() / "kresd"
        copy.write_bytes(program)
        copy.chmod(0o755)
        return copy


class Haxe:
    title = "Haxe"
    soak = None

    @staticmethod
    def proves(output):
        return f"{lines(output)} with the same results: the loop as OCaml's luv offers it, in Haxe's interpreter"

    def prepare(self, shelf):
        # Haxe wants Neko for its packages' tool, and Neko wants a desktop: none of it is used here.
        versions = shelf.apt.candidates("neko")
        if not versions:
            raise debian.Unavailable("this Debian has no neko, which haxe depends on")
        root = shelf.unpack("haxe", ["haxe"], {"neko": versions[0]})
        environment = shelf.environment(root, HAXE_STD_PATH=str(root / "usr/share/haxe/std"))
        return [str(root / "usr/bin/haxe"), "--class-path", str(HERE), "--main", "HaxeFeatures", "--interp"], environment


PROGRAMS = {"node": Node(), "rollup": Rollup(), "neovim": Neovim(), "cmake": CMake(), "uvloop": Uvloop(), "luv": Luv(),
            "bind": Bind(), "knot-resolver": KnotResolver(), "haxe": Haxe()}
