"""A headless Chromium, spoken to over its own debugging pipe: no driver and no package is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30.0


def executable() -> str | None:
    """The browser of this machine, if it has one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One browser with one page.

    Attributes:
        problems: uncaught exceptions, errors of the console and refusals of the security policy.
        requests: addresses that the page asked for.
    """

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._sink = os.pipe()
        self._source, from_browser = os.pipe()

        def take_pipes() -> None:
            # Both may be in each other's place.
            spare = os.dup(from_browser)
            os.dup2(to_browser, 3)
            os.dup2(spare, 4)

        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
        own = ("--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-pipe")
        self._process = subprocess.Popen(
            [program, *options, *own, "about:blank"],
            preexec_fn=take_pipes,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self._loaded: set[str] = set()
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self) -> None:
        """End the browser."""
        self.send("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._sink)
        os.close(self._source)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol and wait for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._sink, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def show(self, width: int = 1280, *, dark: bool = False) -> None:
        """Set the size of the window and the colours that the reader prefers."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def load(self, page: Path, fragment: str = "") -> float:
        """Open a file and forget what was before; the seconds until it was loaded."""
        self._go("about:blank")
        self.problems.clear()
        self.requests.clear()
        started = time.perf_counter()
        self._go(page.as_uri() + fragment)
        return time.perf_counter() - started

    def _go(self, address: str) -> None:
        loader = self.send("Page.navigate", url=address)["loaderId"]
        while loader not in self._loaded:
            self._receive()

    def evaluate(self, expression: str) -> Any:
        """The JSON value of an expression of JavaScript, awaited."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        code = {"Enter": 13, "Tab": 9, " ": 32}.get(key, 0)
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.send("Input.insertText", text=text)

    def picture(self) -> bytes:
        """A PNG of the window."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def _receive(self) -> dict[str, Any]:
        """The next message; events are noted as they pass."""
        while b"\0" not in self._buffer:
            assert select.select([self._source], [], [], PATIENCE)[0], "the browser does not answer"
            received = os.read(self._source, 1 << 16)
            assert received, "the browser has gone"
            self._buffer += received
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(raw)
        if "method" in message:
            self._note(message["method"], message["params"])
        return message

    def _note(self, event: str, values: Mapping[str, Any]) -> None:
        if event == "Page.lifecycleEvent" and values["name"] == "load":
            self._loaded.add(values["loaderId"])
        elif event == "Runtime.exceptionThrown":
            self.problems.append(str(values["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.problems.append(str(values["args"]))
        elif event == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.problems.append(values["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
