"""read.py IMAGE KEY...: as read.cc, by the Python module."""

import sys

import linefilter

view = linefilter.FilterFile(sys.argv[1])
for key in sys.argv[2:]:
    print("maybe" if key in view else "absent")
