"""The inspector's protocol of Node and V8, over a socket: what a debugger speaks."""
import json
import re
import socket


class Inspector:
    def __init__(self, errors):
        """`errors` are the lines of a Node's standard error, with the address."""
        address = next(found for line in errors if (found := re.search(r"ws://127\.0\.0\.1:(\d+)/(\S+)", line)))
        self.client, self.got, self.number = socket.create_connection(("127.0.0.1", int(address[1])), timeout=100), b"", 0
        self.client.sendall(f"GET /{address[2]} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.got:
            self.more()
        assert b" 101 " in self.got, self.got
        self.got = self.got.split(b"\r\n\r\n", 1)[1]

    def more(self):
        part = self.client.recv(1 << 16)
        assert part, "the inspector is gone"
        self.got += part

    def send(self, method, **given):
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": given}).encode()
        head = bytes([0x81, 0x80 | len(text)]) if len(text) < 126 else bytes([0x81, 0xfe]) + len(text).to_bytes(2, "big")
        self.client.sendall(head + bytes(4) + text)  # a mask of zeros
        return self.number

    def next(self):
        while True:
            if len(self.got) >= 2:
                length, at = self.got[1] & 0x7f, 2
                if length > 125:
                    at = 4 if length == 126 else 10
                    length = int.from_bytes(self.got[2:at], "big") if len(self.got) >= at else 1 << 40
                if len(self.got) >= at + length:
                    text, self.got = self.got[at:at + length], self.got[at + length:]
                    if text[:1] == b"{":
                        return json.loads(text)
                    continue
            self.more()

    def ask(self, method, **given):
        number = self.send(method, **given)
        while (answer := self.next()).get("id") != number:
            pass
        return answer["result"]

    def until(self, event):
        while (answer := self.next()).get("method") != event:
            pass
        return answer["params"]

    def close(self):
        self.client.close()
