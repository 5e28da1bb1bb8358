"""Chromium without a window, driven through a pair of pipes (its protocol for developers), by the standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The program; None: there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="weft-chromium-")
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()
        # The browser reads descriptor 3 and writes 4.
        command = f"exec {find()} \"$@\" 3<&{to_read} 4>&{from_write}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-extensions", "--disable-background-networking",
                     "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", command, "chromium", *arguments], pass_fds=(to_read, from_write),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest, self.number, self.session, self.told = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except EOFError:
            pass
        self.process.wait(30)
        os.close(self.to)
        os.close(self.back)
        for _ in range(20):  # its helpers may still write
            try:
                self.folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            if not more:
                raise EOFError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.told.append(message)
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path, width=1280, height=900, scheme="light"):
        self.told = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.visit(f"file://{path}")

    def visit(self, url):
        self.call("Page.navigate", url=url)
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, code):
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def mouse(self, kind, x, y):
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def key(self, key, code=None):
        numbers = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                   "ArrowDown": 40, "Home": 36, "End": 35}
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode=numbers[key])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
