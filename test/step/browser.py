"""A page in Debian's chromium, headless, spoken to over a pipe: evaluate, keys, screenshots."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile


def available():
    return shutil.which("chromium")


class Page:
    def __init__(self, write, read):
        self.write, self.read, self.number, self.rest, self.session, self.asked = write, read, 0, b"", None, []

    def send(self, method, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(answer["error"])
                return answer["result"]
            if answer.get("method") == "Network.requestWillBeSent":
                self.asked.append(answer["params"]["request"]["url"])

    def next(self):
        while b"\0" not in self.rest:
            more = os.read(self.read, 1 << 16)
            if not more:
                raise AssertionError("the browser is gone")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, address):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Network.enable")
        self.send("Page.enable")
        self.send("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def evaluate(self, code):
        result = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"].get("exception", {}).get("description", result))
        return result["result"].get("value")

    def until(self, code):
        """Waits for a condition, within the page: it is looked at with each frame or timer of 20 ms."""
        done = self.evaluate("new Promise((resolve) => { const end = Date.now() + 60000; (function look() { if (" + code
                             + ") resolve(true); else if (Date.now() > end) resolve(false); else setTimeout(look, 20); })(); })")
        if not done:
            raise AssertionError(f"never: {code}")

    def key(self, name, text=None):
        given = {"key": name, "code": name, "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13, " ": 32}.get(name, 0)}
        if text:
            given["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **given)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=name)

    def screenshot(self, path, width=1280, height=900, dark=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def page(address):
    ours_read, theirs_write = os.pipe()
    theirs_read, ours_write = os.pipe()

    def wire():
        high_read, high_write = os.dup(theirs_read), os.dup(theirs_write)
        os.dup2(high_read, 3)
        os.dup2(high_write, 4)

    with tempfile.TemporaryDirectory(prefix="rondo-browser-") as folder:
        browser = subprocess.Popen([available(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                                    f"--user-data-dir={folder}", "--remote-debugging-pipe"], preexec_fn=wire, pass_fds=(3, 4),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_read)
        os.close(theirs_write)
        try:
            one = Page(ours_write, ours_read)
            one.open(address)
            yield one
        finally:
            browser.terminate()
            browser.wait(30)
            os.close(ours_read)
            os.close(ours_write)
