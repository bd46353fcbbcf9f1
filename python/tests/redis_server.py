"""A server of Redis that a test starts for itself: on a free port of the loopback, its data in a folder of its own."""

import contextlib
import ctypes
import shutil
import signal
import socket
import subprocess
import time

# Debian's package redis-server would start a service when it is installed; the program itself is in redis-tools, under the
# name of a checker, and is a server if that is how it is called.
SERVER = shutil.which("redis-server") or shutil.which("redis-check-rdb")
MISSING = "neither redis-server nor redis-check-rdb is in PATH (Debian and Ubuntu: redis-tools has the latter, which is both)"
PR_SET_PDEATHSIG = 1  # it ends with the test, however that ends


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    def __init__(self, folder, *options):
        if SERVER is None:
            raise RuntimeError(MISSING)
        for _ in range(20):  # somebody may take the port in between
            self.port = free_port()
            command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", *options]
            libc = ctypes.CDLL(None)
            self.process = subprocess.Popen(
                command, executable=SERVER, stdout=subprocess.DEVNULL, preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            )
            if self.answers():
                return
            self.kill()
        raise RuntimeError("redis-server does not start")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def answers(self):
        for _ in range(600):
            with contextlib.suppress(OSError):
                # Another's server may answer at the port that ours does not get.
                info = self.ask("INFO server")
                if f"\r\nprocess_id:{self.process.pid}\r\n".encode() in info and self.ask("PING").startswith(b"+PONG"):
                    return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.05)
        return False

    def ask(self, command):
        """One command without spaces in its words; what begins its reply."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.recv(65536)

    def stop(self):  # it stays, and answers nothing
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()
