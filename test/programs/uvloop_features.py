"""What asyncio does with uvloop's event loop, one feature after the other.

Each feature prints one line; nothing printed depends on time or on the machine,
so that runs on two libraries can be compared line by line.
"""

import asyncio
import hashlib
import os
import resource
import signal
import socket
import sys
import threading

import uvloop

FEATURES = []
LIMIT_S = 30


def feature(function):
    FEATURES.append(function)
    return function


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def talk(reader, writer, data):
    writer.write(data)
    writer.write_eof()
    back = await reader.read()
    writer.close()
    await writer.wait_closed()
    return hashlib.sha1(back).hexdigest() == hashlib.sha1(data).hexdigest()


@feature
async def callbacks_in_order():
    loop, seen = asyncio.get_running_loop(), []
    loop.call_later(0.02, seen.append, "later")
    loop.call_later(0.01, seen.append, "sooner")
    loop.call_soon(seen.append, "soon")
    loop.call_at(loop.time() + 0.015, seen.append, "between")
    loop.call_later(0.005, seen.append, "never").cancel()
    await asyncio.sleep(0.05)
    return seen


@feature
async def calls_from_threads():
    loop, seen = asyncio.get_running_loop(), []
    threads = [threading.Thread(target=loop.call_soon_threadsafe, args=(seen.append, i)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    await asyncio.sleep(0.01)
    squares = await asyncio.gather(*(loop.run_in_executor(None, pow, i, 2) for i in range(10)))
    return sorted(seen), squares


@feature
async def tcp_echo_fifty_clients():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def client(i):
        return await talk(*await asyncio.open_connection("127.0.0.1", port), os.urandom(1000 * i + 1))

    good = await asyncio.gather(*(client(i) for i in range(50)))
    server.close()
    await server.wait_closed()
    return sum(good)


@feature
async def unix_socket_echo():
    server = await asyncio.start_unix_server(echo, "uvloop.sock")

    async def client():
        return await talk(*await asyncio.open_unix_connection("uvloop.sock"), os.urandom(500000))

    good = await asyncio.gather(*(client() for _ in range(5)))
    server.close()
    await server.wait_closed()
    return sum(good)


@feature
async def flow_control():
    loop = asyncio.get_running_loop()
    paused, done = [], loop.create_future()

    class Sender(asyncio.Protocol):
        def connection_made(self, transport):
            transport.set_write_buffer_limits(high=4096)
            transport.write(b"x" * (8 << 20))

        def pause_writing(self):
            paused.append("paused")

        def resume_writing(self):
            paused.append("resumed")

        def connection_lost(self, error):
            done.set_result(error)

    server = await loop.create_server(Sender, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
    await asyncio.sleep(0.05)
    received = len(await reader.readexactly(8 << 20))
    writer.close()
    await done
    server.close()
    return paused, received


@feature
async def failed_connections():
    seen = []
    for attempt in (asyncio.open_connection("127.0.0.1", 1), asyncio.open_unix_connection("missing.sock")):
        try:
            await attempt
        except OSError as error:
            seen.append(type(error).__name__)
    return seen


@feature
async def datagrams():
    loop = asyncio.get_running_loop()

    class Echo(asyncio.DatagramProtocol):
        def connection_made(self, transport):
            self.transport = transport

        def datagram_received(self, data, address):
            self.transport.sendto(b"echo " + data, address)

    class Client(asyncio.DatagramProtocol):
        def __init__(self):
            self.seen, self.done = [], loop.create_future()

        def datagram_received(self, data, address):
            self.seen.append(data.decode())
            if len(self.seen) == 10:
                self.done.set_result(None)

    server, _ = await loop.create_datagram_endpoint(Echo, local_addr=("127.0.0.1", 0))
    transport, client = await loop.create_datagram_endpoint(Client, remote_addr=server.get_extra_info("sockname"))
    for i in range(10):
        transport.sendto(str(i).encode())
    await client.done
    transport.close()
    server.close()
    return client.seen


@feature
async def subprocesses():
    async def run(*command, **options):
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, **options)
        output, _ = await process.communicate(b"given")
        return output.decode(), process.returncode

    many = await asyncio.gather(*(run("sh", "-c", f"cat; exit {i}") for i in range(10)))
    environment = await run("sh", "-c", "cat; echo $WORD $PWD", env={"WORD": "spoken"}, cwd="/")
    sleeper = await asyncio.create_subprocess_exec("sleep", "100")
    sleeper.send_signal(signal.SIGTERM)
    try:
        await asyncio.create_subprocess_exec("no-such-program")
        missing = "found"
    except FileNotFoundError as error:
        missing = type(error).__name__
    shell = await asyncio.create_subprocess_shell("echo out; echo err >&2", stdout=-1, stderr=-1)
    return many, environment, await sleeper.wait(), missing, await shell.communicate()


@feature
async def functions_before_exec():
    """uvloop runs them from a fork handler, which only a real fork calls."""
    def restrict():
        os.umask(0o123)
        resource.setrlimit(resource.RLIMIT_NOFILE, (77, 77))

    def fail():
        raise RuntimeError("no")

    process = await asyncio.create_subprocess_exec("sh", "-c", "umask; ulimit -n", stdout=-1, preexec_fn=restrict)
    restricted = await process.communicate()
    try:
        await asyncio.create_subprocess_exec("true", preexec_fn=fail)
        failure = "none"
    except Exception as error:
        failure = type(error).__name__
    plain = await asyncio.create_subprocess_exec("sh", "-c", "umask", stdout=-1)
    return restricted, process.returncode, failure, await plain.communicate()


@feature
async def signals():
    loop, seen = asyncio.get_running_loop(), []
    loop.add_signal_handler(signal.SIGUSR1, seen.append, "usr1")
    loop.add_signal_handler(signal.SIGUSR2, seen.append, "usr2")
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.sleep(0.02)
    os.kill(os.getpid(), signal.SIGUSR2)
    await asyncio.sleep(0.02)
    return seen, loop.remove_signal_handler(signal.SIGUSR1), loop.remove_signal_handler(signal.SIGUSR2)


@feature
async def watched_descriptors():
    loop, seen = asyncio.get_running_loop(), []
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    done = loop.create_future()

    def readable():
        seen.append(ours.recv(10))
        if len(seen) == 3:
            loop.remove_reader(ours)
            done.set_result(None)

    def writable():
        loop.remove_writer(theirs)
        theirs.send(b"w")

    loop.add_reader(ours, readable)
    loop.add_writer(theirs, writable)
    for word in (b"a", b"b"):
        await asyncio.sleep(0.01)
        await loop.sock_sendall(theirs, word)
    await done
    ours.close()
    theirs.close()
    return sorted(seen)


@feature
async def pipes():
    loop = asyncio.get_running_loop()
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb"))
    transport, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(write_end, "wb"))
    transport.write(b"through ")
    transport.write(b"a pipe")
    transport.close()
    return await reader.read()


@feature
async def names():
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo("localhost", 80, family=socket.AF_INET, type=socket.SOCK_STREAM)
    service = await loop.getnameinfo(("127.0.0.1", 80))
    return [entry[4] for entry in found], service


@feature
async def sent_file():
    with open("payload", "wb") as file:
        file.write(b"p" * 300000)
    received = []

    async def take(reader, writer):
        received.append(len(await reader.read()))
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    with open("payload", "rb") as file:
        writer.write(file.read())
    writer.write_eof()
    while not received:
        await asyncio.sleep(0.005)
    writer.close()
    server.close()
    return received


@feature
async def cancelled_and_timed_out():
    server = await asyncio.start_server(lambda r, w: asyncio.sleep(100), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    try:
        await asyncio.wait_for(reader.read(), 0.02)
        result = "read"
    except asyncio.TimeoutError:
        result = "timed out"
    writer.transport.abort()
    server.close()
    return result


async def main():
    failed = False
    for function in FEATURES:
        try:
            result = await asyncio.wait_for(function(), LIMIT_S)
            print(f"{function.__name__.replace('_', ' ')}: {result}", flush=True)
        except Exception as error:  # one failed feature must not hide the others
            failed = True
            print(f"{function.__name__.replace('_', ' ')}: FAILED {error!r}", flush=True)
    print(f"{len(FEATURES)} features")
    return failed


uvloop.install()
sys.exit(asyncio.run(main()))
