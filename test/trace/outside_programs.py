"""Plain programs, and what `rondo why` must say of each: for check_outside. A program prints a line when it is at
its place. PROGRAMS are looked at in every test, PROOF by check_outside --proof, too."""
import shutil
import subprocess

READY = "process.stdout.write('ready\\n');"
PROGRAMS = {
    "hang": ("function spin() { for (;;); } function held() { spin(); } setTimeout(() => {" + READY + "held() }, 10)",
             [r"not answering, at least .*(in|called by) node::Environment::RunTimers.*phase timers",
              r"\n    spin .*hang\.js:1\n    held .*hang\.js:1\n"]),
    "main": ("function spin() { for (;;); } " + READY + "spin()",
             [r"the main thread, runs no loop\n.*\n    spin .*main\.js:1\n"]),
    "regex": ("function bad() {" + READY + " /^(a+)+$/.test('a'.repeat(60) + 'b') } setImmediate(bad)",
              [r"not answering.*phase check", r"\n    bad .*regex\.js:1\n"]),
    "fifo": ("function reads() {" + READY + " require('fs').readFileSync('fifo') } setTimeout(reads, 10)",
             [r"not answering.*blocked in open\w* of fifo", r"\n    readFileSync .*\n    reads .*fifo\.js:1\n"]),
    "wait": ("function waits() {" + READY + " Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0) }"
             " setTimeout(waits, 10)",
             [r"not answering.*blocked in futex", r"Builtin_AtomicsWait\n    waits .*wait\.js:1\n"]),
    "server": ("require('net').createServer().listen(0, '127.0.0.1', () => {" + READY + "})",
               [r"asleep for .*\n  kept alive by 1 handle\n    tcp fd \d+ 127\.0\.0\.1:\d+, listening"]),
    "interval": ("setInterval(() => {}, 60000);" + READY,
                 [r"asleep for .*\n  kept alive by 1 handle\n    timer due in [1-6]?\d{1,4} ms"]),
    "child": ("require('child_process').spawn('sleep', ['100'], {stdio: 'ignore'}).on('spawn', () => {" + READY + "})",
              [r"asleep for .*\n  kept alive by 1 handle\n    process process \d+"]),
    "watcher": ("require('fs').watch('watched');" + READY,
                [r"kept alive by 1 handle\n    fs_event .*watched"]),
    "pool": ("for (let i = 0; i < 6; i++) require('crypto').pbkdf2('a', 'b', 1e8, 64, 'sha512', () => {});"
             " setTimeout(() => {" + READY + "}, 200)",
             [r"kept alive by 0 handles\n  6 requests in flight\n", r"PBKDF2Traits>\): waits for a thread",
              r"pool: 4 at work, 2 waiting for a thread, of 4 threads"]),
    "pool_fifo": ("require('fs').open('fifo', () => {}); setTimeout(() => {" + READY + "}, 100)",
                  [r"1 request in flight\n    fs_open .*fifo.*: on thread \d+", r"fs_open .*blocked in open\w* of"]),
    "worker": ("new (require('worker_threads').Worker)('function spin() { for (;;); } spin()', {eval: true})"
               ".on('online', () => setTimeout(() => {" + READY + "}, 200))",
               [r"\n    spin \[worker eval\]:1\n"]),
    "signal": ("process.on('SIGHUP', () => {}); setInterval(() => {}, 1e6);" + READY,
               [r"kept alive by 1 handle\n    timer"]),
}


# A third element: what must not be said, as of the first loop.
FIRST = r"loop 1 on epoll[^\n]*\n  "
PROOF = {
    "starting": ("process.binding; " + READY + "require('fs').readFileSync('fifo')",
                 [r"the main thread, runs no loop: blocked in open\w* of fifo\n", r"readFileSync .*\n    \S* ?.*starting\.js:1\n"],
                 [FIRST + r"(asleep|not answering)"]),
    "exiting": ("process.on('exit', function leaves() {" + READY
                + " Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0) })",
                [r"the main thread, runs no loop: blocked in futex", r"\n    leaves .*exiting\.js:1\n"], [FIRST + r"(asleep|not answering)"]),
    "connected": ("const n = require('net'); const s = n.createServer(() => {" + READY + "s.close() });"
                  " s.listen(0, '127.0.0.1', () => n.connect(s.address().port, '127.0.0.1'))",
                  [r"asleep for .*\n  kept alive by [23] handles\n", r"    tcp fd \d+ 127\.0\.0\.1:\d+ - 127\.0\.0\.1:\d+"], []),
    "unix": ("require('fs').rmSync('socket', {force: true}); require('net').createServer().listen('socket', () => {" + READY + "})",
             [r"kept alive by 1 handle\n    pipe fd \d+ .*socket.*listening"], []),
    "udp": ("require('dgram').createSocket('udp4').bind(0, '127.0.0.1', () => {" + READY + "})",
            [r"kept alive by 1 handle\n    udp fd \d+ 127\.0\.0\.1:\d+"], []),
    "poll": ("require('fs').watchFile('watched', () => {}); setTimeout(() => {" + READY + "}, 50)",
             [r"kept alive by 1 handle\n    fs_poll "], []),
    "ticks": ("function again() { process.nextTick(again) } setTimeout(function begin() {" + READY + " again() }, 10)",
              [r"not answering, at least .*phase timers", r"processTicksAndRejections node:|\n    again .*ticks\.js:1\n"],
              [FIRST + "asleep"]),
    "promises": ("async function forever() { for (;;) await null } setTimeout(() => {" + READY + " forever() }, 10)",
                 [r"not answering, at least .*phase timers"], [FIRST + "asleep"]),
    "immediates": ("function again() { setImmediate(again) } " + READY + "again()", [r"\n  at work"], [FIRST + r"(asleep|not answering)"]),
    "sync_child": ("function waits() {" + READY + " require('child_process').execSync('sleep 60') } setTimeout(waits, 10)",
                   [r"not answering, at least .*RunTimers.*; it runs loop 2 meanwhile", r"\n    waits .*sync_child\.js:1\n",
                    r"    process process \d+"], []),
    "sync_pool": ("function derives() {" + READY + " require('crypto').pbkdf2Sync('a', 'b', 2e9, 64, 'sha512') }"
                  " setTimeout(derives, 10)",
                  [r"not answering, at least .*(in|called by) node::Environment::RunTimers", r"\n    derives .*sync_pool\.js:1\n"], [FIRST + "asleep"]),
    "addon": ("function locks() {" + READY + " process.dlopen({exports: {}}, './lock.node') } setTimeout(locks, 10)",
              [r"blocked in futex", r"\n    takes_lock\n"], [FIRST + "asleep", "runs no loop"]),
    "lookup": ("require('dns').lookup('nowhere.example', () => {}); setTimeout(() => {" + READY + "}, 200)",
               [r"1 request in flight\n    getaddrinfo .*nowhere\.example.*: on thread \d+"], []),
    "workers": ("const {Worker} = require('worker_threads'); let n = 0; for (let i = 0; i < 3; i++)"
                " new Worker('setInterval(() => {}, 1e6); require(\"worker_threads\").parentPort.postMessage(0)', {eval: true})"
                ".on('message', () => { if (++n === 3) setTimeout(() => {" + READY + "}, 100) })",
                [r"(?s)(loop \d.*asleep.*){4}", r"(?s)(    timer due in .*){3}"], [r"not answering"]),
    "worker_waits": ("new (require('worker_threads').Worker)('function waits() { Atomics.wait(new Int32Array("
                     "new SharedArrayBuffer(8)), 0, 0) } waits()', {eval: true}).on('online', () => setTimeout(() => {" + READY
                     + "}, 300))", [r"blocked in futex", r"\n    waits \[worker eval\]:1\n"], [FIRST + "not answering"]),
    "stopped": (READY + "setInterval(() => {}, 1e6); process.kill(process.pid, 'SIGSTOP')",
                [r"stopped by a signal: it goes on after SIGCONT"], [r"not answering"]),
    "wasm": ("const bytes = Uint8Array.from([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,8,1,4,115,112,105,110,0,0,10,9,1,7,0,"
             "3,64,12,0,11,11]); const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes)); function spins() {"
             + READY + " instance.exports.spin() } setTimeout(spins, 10)",
             [r"not answering, at least"], [FIRST + "asleep"]),
    "optimized": ("function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s }"
                  " function calls() { for (let i = 0; i < 200; i++) hot(1e5);" + READY + " for (;;) hot(1e5) }"
                  " setTimeout(calls, 10)",
                  [r"not answering, at least .*RunTimers", r"\n    (hot|calls) .*optimized\.js:1\n"], [FIRST + "asleep"]),
    "closing": ("const s = require('net').createServer().listen(0, () => setTimeout(() => s.close(), 9)); s.on('close', function closed() {" + READY
                + " for (;;); })", [r"not answering, at least", r"\n    closed .*closing\.js:1\n"], [FIRST + "asleep"]),
    "json": ("const text = '[' + '1,'.repeat(2e7) + '1]'; function parses() {" + READY + " for (;;) JSON.parse(text) }"
             " setImmediate(parses)", [r"not answering, at least .*phase check", r"\n    parses .*json\.js:1\n"], [FIRST + "asleep"]),
}

# Takes a lock that nobody gives back, while it is loaded.
LOCK = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((constructor)) void takes_lock(void) { pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); }
"""
# A look-up that isn't answered: that of a machine whose name server is gone.
LOOKUP = """#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char* a, const char* b, const struct addrinfo* c, struct addrinfo** d) {
  (void) a; (void) b; (void) c; (void) d; for (;;) pause(); }
"""


def blocking_addon(folder):
    """False without a compiler."""
    if not shutil.which("cc"):
        return False
    for name, source in (("lock.node", LOCK), ("lookup.so", LOOKUP)):
        (folder / f"{name}.c").write_text(source)
        subprocess.run(["cc", "-O0", "-g", "-shared", "-fPIC", folder / f"{name}.c", "-o", folder / name], check=True)
    return True
