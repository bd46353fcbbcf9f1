"""A headless Chromium, driven through chromedriver by plain HTTP: no package of Python is needed.

    with Browser() as browser:
        browser.open("file:///...")
        browser.run("return document.title")
"""

import http.client
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # by which WebDriver names one


def is_missing():
    """Why there is no browser, or None."""
    missing = [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]
    return f"{' and '.join(missing)} missing: tools/install_packages.sh slow" if missing else None


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="linefilter-browser-")
        self.log = os.path.join(self.folder, "log")
        # Port 0: the driver takes a free one and tells it.
        with open(self.log, "w", encoding="utf-8") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=subprocess.STDOUT)
        self.session = None
        try:
            self.port = self._port()
            capabilities = {"browserName": "chrome",
                            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                            "goog:chromeOptions": {"args": FLAGS + [f"--user-data-dir={self.folder}/profile"]}}
            self.session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self._call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=30)
            shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, url):
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector, number=0):
        """With the mouse, where a user could: an element that something covers is an error."""
        found = self._ask("POST", "/elements", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{found[number][ELEMENT]}/click", {})

    def type(self, selector, text):
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{found[ELEMENT]}/value", {"text": text})

    def developer(self, command, **parameters):
        """A command of Chromium's developer tools."""
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        """What the page complained of since the last call: script errors, refused loads."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """What was asked for since the last call, by URL."""
        events = [json.loads(entry["message"])["message"] for entry in self._ask("POST", "/se/log", {"type": "performance"})]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self):
        return self._ask("GET", "/screenshot")

    def _port(self):
        for _ in range(300):
            with open(self.log, encoding="utf-8") as log:
                text = log.read()
            if "started successfully on port " in text:
                return int(text.split("started successfully on port ")[1].split(".")[0])
            if self.driver.poll() is not None:
                raise RuntimeError("chromedriver ended: " + text)
            time.sleep(0.1)
        raise RuntimeError("chromedriver did not start: " + text)

    def _ask(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{path}: {answer['error']}: {answer['message']}")
        return answer
