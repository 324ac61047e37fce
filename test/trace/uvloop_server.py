"""A server on uvloop that is slow in two ways, and its own client: check_languages reads what
`rondo trace --text` and `rondo exec --stall` say about it."""
import asyncio
import json
import os
import time

import uvloop

LARGE = "[" + ",".join(['{"id": 1, "tags": ["a", "b"]}'] * 20000) + "]"


def parse_report():
    start = time.process_time()
    while time.process_time() - start < 0.2 * float(os.environ.get("RONDO_TEST_LONGER", 1)):
        rows = len(json.loads(LARGE))
    return rows


async def handle(reader, writer):
    await reader.readline()
    writer.write(str(parse_report()).encode())
    writer.close()


def wait_for_nothing():
    time.sleep(0.4)


async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
    writer.write(b"report\n")
    await reader.read()
    writer.close()
    asyncio.get_running_loop().call_later(0.01, wait_for_nothing)
    await asyncio.sleep(0.1)
    server.close()


uvloop.install()
asyncio.run(main())
