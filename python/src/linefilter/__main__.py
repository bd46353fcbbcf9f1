"""`python -m linefilter` is the program `linefilter`: the one that the package carries, or else the one on the PATH."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path


def main() -> int:
    own = Path(__file__).with_name("_program")
    program = str(own) if own.is_file() else shutil.which("linefilter")
    if program is None:
        print(
            "linefilter: this package was built without the program, and none is on the PATH: install its packages (Debian and "
            "Ubuntu: libcli11-dev nlohmann-json3-dev) and build the package again, or put the program on the PATH",
            file=sys.stderr,
        )
        return 2
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and so by what it starts
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(program, ["linefilter", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
