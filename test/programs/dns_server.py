"""What the runs of DNS servers share: a zone, a BIND that serves it, and questions
asked over plain sockets, many at once."""

import atexit
import os
import select
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

NAMES = 2000
LIMIT_S = 20


def free_ports(count):
    """Ports that nobody has, over UDP or TCP."""
    held, ports = [], []
    while len(ports) < count:
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        held += [tcp, udp]
        tcp.bind(("127.0.0.1", 0))
        try:
            udp.bind(tcp.getsockname())
        except OSError:
            continue
        ports.append(tcp.getsockname()[1])
    for one in held:
        one.close()
    return ports


def zone_text(origin, names):
    lines = ["$TTL 300", f"@ IN SOA ns.{origin}. root.{origin}. 1 3600 600 86400 300", "@ IN NS ns", "ns IN A 127.0.0.1"]
    lines += [f"n{i} IN A 10.0.{i >> 8}.{i & 255}" for i in range(names)]
    lines.append("long IN TXT " + " ".join('"%s"' % ("x" * 200) for _ in range(20)))
    return "\n".join(lines) + "\n"


def dig(root, port, *arguments):
    return subprocess.run([str(root / "usr/bin/dig"), "-r", "+time=5", "+tries=2", "@127.0.0.1", "-p", str(port),
                           *map(str, arguments)], capture_output=True, text=True, timeout=LIMIT_S, check=False)


def dig_short(root, port, *arguments):
    done = dig(root, port, "+short", *arguments)
    return f"{done.returncode} {done.stdout.strip()}"


def question(name):
    """A query for an address, as it goes over TCP."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    message = struct.pack(">6H", 0x1234, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", 1, 1)
    return struct.pack(">H", len(message)) + message


def answer(connection):
    """The address in the next answer that comes over TCP."""
    size = struct.unpack(">H", connection.recv(2, socket.MSG_WAITALL))[0]
    return address_in(connection.recv(size, socket.MSG_WAITALL))


def address_in(message):
    """A zone of one address each: it is the first record behind the question."""
    behind = message.index(b"\0", 12) + 5
    return socket.inet_ntoa(message[behind + 12:behind + 16])


def expected(number):
    return f"10.0.{number >> 8}.{number & 255}"


def ask_in_pieces(port, clients):
    """Many connections, a query torn in two, then two more in one piece."""
    connections = [socket.create_connection(("127.0.0.1", port), LIMIT_S) for _ in range(clients)]
    for i, connection in enumerate(connections):
        connection.sendall(question(f"n{i}.big.test")[:7])
    for i, connection in enumerate(connections):
        connection.sendall(question(f"n{i}.big.test")[7:] + question(f"n{i + 1}.big.test") * 2)
    right = 0
    for i, connection in enumerate(connections):
        wanted = sorted([expected(i), expected(i + 1), expected(i + 1)])
        right += sorted(answer(connection) for _ in range(3)) == wanted
        connection.close()
    return f"{right} of {clients} connections"


def ask_by_datagram(port, queries, at_once=50):
    """Many queries over one UDP socket, some under way at a time; a lost one is asked for
    again, as every resolver does."""
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.connect(("127.0.0.1", port))
        client.setblocking(False)
        open_ones, right, end = list(range(queries)), set(), time.monotonic() + LIMIT_S
        while open_ones and time.monotonic() < end:
            for number in open_ones[:at_once]:
                client.send(question(f"n{number}.big.test")[2:])
            waiting = len(open_ones[:at_once])
            while waiting and select.select([client], [], [], 1)[0]:
                message = client.recv(4096)
                number = int(message[13:13 + message[12]][1:])
                if address_in(message) == expected(number):
                    right.add(number)
                waiting -= 1
            open_ones = [number for number in open_ones if number not in right]
        return f"{len(right)} of {queries} queries"


class Server:
    """A program in the foreground that says on standard error when it is ready."""

    def __init__(self, command, ready):
        self.log = Path(f"{Path(command[0]).name}-{ready[1]}.log")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.log.open("w"))
        atexit.register(self.process.kill)  # which does nothing to one that has ended
        end = time.monotonic() + LIMIT_S
        while ready[0] not in self.text():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{command[0]} isn't ready:\n{self.text()[-2000:]}")
            time.sleep(0.02)

    def text(self):
        return self.log.read_text(errors="replace")

    def wait_for(self, words):
        end = time.monotonic() + LIMIT_S
        while words not in self.text() and time.monotonic() < end:
            time.sleep(0.02)
        return words in self.text()

    def send(self, number):
        os.kill(self.process.pid, number)

    def end(self, number=signal.SIGTERM):
        """How it ended, after a signal if it needs one."""
        if self.process.poll() is None and number:
            self.send(number)
        try:
            return self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "not at all"


class Bind(Server):
    """BIND's named, from where its packages were unpacked, with its files in a directory
    of its own."""

    def __init__(self, root, name, port, control, options, zones):
        directory = Path(name).resolve()
        directory.mkdir()
        configuration = directory / "named.conf"
        configuration.write_text(f"""
key "rndc-key" {{ algorithm hmac-sha256; secret "cm9uZG8gdHVybnMgYW5kIHR1cm5zIGFuZCB0dXJucyE="; }};
controls {{ inet 127.0.0.1 port {control} allow {{ 127.0.0.1; }} keys {{ "rndc-key"; }}; }};
options {{
  directory "{directory}"; pid-file "{directory}/pid"; session-keyfile "{directory}/session.key";
  managed-keys-directory "{directory}"; dnssec-validation no; listen-on-v6 {{ none; }};
  listen-on port {port} {{ 127.0.0.1; }};
  {options}
}};
{zones}
""")
        self.control = [str(root / "usr/sbin/rndc"), "-c", str(directory / "rndc.conf"), "-p", str(control)]
        (directory / "rndc.conf").write_text("""
key "rndc-key" { algorithm hmac-sha256; secret "cm9uZG8gdHVybnMgYW5kIHR1cm5zIGFuZCB0dXJucyE="; };
options { default-server 127.0.0.1; default-key "rndc-key"; };
""")
        super().__init__([str(root / "usr/sbin/named"), "-g", "-n", "2", "-c", str(configuration)], (" running\n", name))

    def rndc(self, *words):
        done = subprocess.run([*self.control, *words], capture_output=True, text=True, timeout=LIMIT_S, check=False)
        return f"{done.returncode} {done.stdout.strip()}".strip()


def run_features(features):
    """Each prints one line; nothing printed depends on time, ports or the machine."""
    failed = False
    for function in features:
        name = function.__name__.replace("_", " ")
        try:
            print(f"{name}: {function()}", flush=True)
        except Exception as error:  # one failed feature must not hide the others
            failed = True
            print(f"{name}: FAILED {error!r}", flush=True)
    print(f"{len(features)} features")
    return failed
