"""Official Node binaries on Rondo, adopted: every scenario on the Node as it is, and under
`rondo exec` with either backend. What they print must be the same, every process must say
that it was adopted, and the loop must have had the backend that was asked for."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import evidence
import official

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
LIMIT_S = 300
DIFFERENCES_MAX = 5

# needle: an http client whose package has its own mocha tests. What its tests need besides.
MOCHA_PACKAGES = ("needle@2.9.1", "mocha@10", "should@13", "sinon@2", "q@1", "xml2js@0.4", "jschardet@1", "JSONStream@1")
# Those that need no network, and no descriptor or port that another test may have by chance.
MOCHA_FILES = ("basic_auth", "compression", "headers", "parsing", "post_data", "querystring", "response_stream",
               "uri_modifier")


class Outcome:
    def __init__(self, code, output, errors, loops):
        self.code, self.output, self.errors, self.loops = code, output, errors, loops


def execute(command, path, backend, rondo):
    """Runs a command in an empty directory; with a backend, under `rondo exec`."""
    with tempfile.TemporaryDirectory(prefix="rondo-official-") as scratch:
        # npm is set up by its file and by variables of many names.
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("RONDO_", "LD_", "NODE_OPTIONS", "npm_package", "npm_lifecycle"))}
        environment.setdefault("npm_config_userconfig", str(Path.home() / ".npmrc"))
        environment.update(PATH=f"{path}:/usr/local/bin:/usr/bin:/bin", HOME=scratch, TMPDIR=scratch, LC_ALL="C.UTF-8")
        work = Path(scratch, "work")
        work.mkdir()
        words = [str(word).replace("{work}", str(work)) for word in command]
        if backend:
            environment.update(evidence.environment(scratch))
            words = [str(rondo), "exec", "--verbose", "--backend", backend, "--", *words]
        process = subprocess.Popen(words, cwd=work, env=environment, text=True, errors="replace",
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            output, errors = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            errors += f"\nno end after {LIMIT_S} s"
        loops = evidence.backends(scratch)
        return Outcome(process.returncode, output.replace(scratch, "<scratch>"), errors, loops)


def tool_packages(name, *packages):
    """npm packages that scenarios use, in the cache."""
    directory = official.cache() / name
    if not (directory / "node_modules").exists():
        official.install([shutil.which("npm")], directory, *packages)
    return directory / "node_modules"


def build_addon(directory):
    headers = tool_packages("headers", "node-api-headers") / "node-api-headers" / "include"
    addon = directory / "addon.node"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{headers}", f"-I{REPOSITORY / 'include'}",
                    str(HERE / "addon.c"), "-o", str(addon)], check=True)
    return addon


def mocha_files(modules):
    """needle's tests want a certificate that its package lacks."""
    needle = modules / "needle"
    keys = needle / "test" / "keys"
    if not (keys / "ssl.cert").exists():
        if shutil.which("openssl") is None:
            raise official.Unavailable("needle's tests want a certificate, and there is no openssl to make one")
        keys.mkdir(exist_ok=True)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj",
                        "/CN=localhost", "-keyout", str(keys / "ssl.key"), "-out", str(keys / "ssl.cert")],
                       check=True, capture_output=True)
    return [needle / "test" / f"{name}_spec.js" for name in MOCHA_FILES]


def mocha_outcome(outcome):
    """Which tests passed and which failed, without how long they took."""
    start = outcome.output.find("{\n")
    try:
        results = json.loads(outcome.output[start:])
    except ValueError:
        return outcome
    names = [f"passed {test['fullTitle']}" for test in results["passes"]]
    names += [f"failed {test['fullTitle']}" for test in results["failures"]]
    # A number of failures is mocha's exit code: some fail on a newer Node than the package's.
    outcome.code = 0 if outcome.code == len(results["failures"]) else outcome.code
    outcome.output = "\n".join([*sorted(names), f"{len(results['passes'])} of {len(names)} tests passed"])
    return outcome


def npm_outcome(outcome):
    """What was installed, without how long that took."""
    outcome.output = re.sub(r" in \d+m?s\b", "", outcome.output)
    return outcome


def scenarios(node, scratch):
    """name, command, what to make of what it prints. A scenario that isn't to be had is its
    reason instead of a command."""
    yield "features", [node, HERE / "node_features.js"], None

    def postject():
        return tool_packages("tools", "npm@10", "postject") / "postject" / "dist" / "cli.js"

    def npm():
        cli = tool_packages("tools", "npm@10", "postject") / "npm" / "bin" / "npm-cli.js"
        script = 'node "$0" init -y >/dev/null && node "$0" install --no-audit --no-fund semver@7.6.0 && ' \
                 'node "$0" exec --no -- semver 1.2.3 1.10.0 && find node_modules -type f | sort | sha256sum'
        return ["sh", "-c", script, cli]

    def mocha():
        modules = tool_packages("mocha", *MOCHA_PACKAGES)
        return [node, modules / "mocha" / "bin" / "mocha.js", "--exit", "--reporter", "json", "-t", "4000",
                *mocha_files(modules)]

    for name, make, tidy in (("binary", lambda: [node, HERE / "official_features.js", postject()], None),
                             ("addon", lambda: [node, HERE / "addon.js", build_addon(scratch)], None),
                             ("npm", npm, npm_outcome), ("mocha", mocha, mocha_outcome)):
        try:
            yield name, make(), tidy
        except (official.Unavailable, subprocess.SubprocessError) as problem:
            yield name, problem, None


def faults(name, outcome, backend, reference):
    found = []
    if outcome.code != 0:
        found.append(f"ended with {outcome.code}")
    if backend and " is adopted: " not in outcome.errors:
        found.append("was not adopted")
    if backend and " is left alone: " in outcome.errors:
        found.append("left a process alone: " + re.search(r".*is left alone: .*", outcome.errors)[0])
    if backend and outcome.loops != {backend}:
        found.append(f"had loops on {' and '.join(sorted(outcome.loops)) or 'nothing'} instead of {backend}")
    if backend and name == "binary" and not re.search(r"/application: .* is adopted: ", outcome.errors):
        found.append("the single executable application was not adopted")
    if backend and name == "addon" and outcome.errors.count("addon on libuv 1.52.0") != 2:
        found.append("the addon got another libuv")
    if reference is not None and outcome.output != reference.output:
        ours, theirs = outcome.output.splitlines(), reference.output.splitlines()
        for line in range(max(len(ours), len(theirs))):
            left = theirs[line] if line < len(theirs) else "(nothing)"
            right = ours[line] if line < len(ours) else "(nothing)"
            if left != right:
                found.append(f"differs in line {line + 1}:\n      as it is: {left[:600]}\n      adopted:  {right[:600]}")
    return found[:DIFFERENCES_MAX]


def run_official(major, rondo, backends, report):
    try:
        node = official.node(major)
    except (official.Unavailable, subprocess.TimeoutExpired) as problem:
        report.skip(f"official Node {major}", problem)
        return
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="rondo-official-") as scratch:
        for name, command, tidy in scenarios(node, Path(scratch)):
            what = f"official Node {version}, {name}"
            if isinstance(command, Exception):
                report.skip(what, command)
                continue
            reference = (tidy or (lambda outcome: outcome))(execute(command, node.parent, None, rondo))
            found = faults(name, reference, None, None)
            if found:
                report.result(f"{what}, as it is", found, reference, "")
                continue
            for backend in backends:
                outcome = (tidy or (lambda outcome: outcome))(execute(command, node.parent, backend, rondo))
                last = outcome.output.strip().splitlines()[-1:] or ["nothing"]
                report.result(f"{what}, adopted, {backend}", faults(name, outcome, backend, reference), outcome,
                              f"the same as without us: {last[0][:80]}")
